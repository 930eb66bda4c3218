"""``explorer generate``: a trained model writes on."""

import json
import sys
from argparse import Namespace
from typing import Any

from explorer.cli.arguments import parse_ids
from explorer.cli.errors import UsageError
from explorer.document.continuation import MOST_NEW
from explorer.library import transformer as library


def generate(arguments: Namespace) -> int:
    """Write on behind a text, or translate one."""
    if not 1 <= arguments.n <= MOST_NEW:
        raise UsageError(f"-n may be 1 to {MOST_NEW}; {arguments.n} is not.")
    if arguments.beams is not None and _samples(arguments):
        raise UsageError("--beams follows the likeliest words; leave out --greedy, --temperature, --top-k and --top-p.")
    if (arguments.text is None) == (arguments.ids is None):
        raise UsageError("Give the words to go on from as TEXT or by --ids, one of the two.")
    m = library.open(arguments.model, tokenizer=arguments.tokenizer)
    text = arguments.text if arguments.ids is None else parse_ids(arguments.ids, m.vocabulary(), "--ids")
    target = arguments.target
    if arguments.target_ids is not None:
        target = parse_ids(arguments.target_ids, m.vocabulary("target"), "--target-ids")
    found = m.generate(
        text,
        arguments.n,
        target=target,
        greedy=arguments.greedy,
        temperature=arguments.temperature,
        top_k=arguments.top_k,
        top_p=arguments.top_p,
        seed=arguments.seed,
        beams=arguments.beams,
    )
    for notice in found.notices:
        print(f"explorer: {notice}", file=sys.stderr)
    if arguments.json:
        written: dict[str, Any] = {
            "model": arguments.model,
            "tokens": found.read,
            "new": found.new,
            "ids": found.ids,
            "steps": [{"candidates": found.candidates(i), "chosen": word} for i, word in enumerate(found.new)],
        }
        if found.beams:
            written["beams"] = [{"new": found.words(beam), "score": beam.score} for beam in found.beams]
        print(json.dumps(written, ensure_ascii=False, allow_nan=False))
        return 0
    for text in map(found.text_of, found.beams) if found.beams else [found.text]:
        print(text)
    return 0


def _samples(arguments: Namespace) -> bool:
    return bool(arguments.greedy or arguments.temperature != 1 or arguments.top_k or arguments.top_p != 1)
