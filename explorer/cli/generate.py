"""``explorer generate``: a trained model writes on."""

import json
import sys
from argparse import Namespace
from typing import Any

from explorer.cli.arguments import parse_ids
from explorer.cli.errors import UsageError
from explorer.cli.output import shown
from explorer.core.byte_pairs import are_pieces, typed
from explorer.core.generation import Beam, Choice, Written, search, write
from explorer.core.tokens import UNKNOWN, is_mark
from explorer.document.continuation import (
    MOST_NEW,
    decoder_of,
    end_of,
    first_words,
    ids_of,
    known_words,
    output_words,
    sequence_of,
)
from explorer.document.state import State
from explorer.lessons.document_lesson import opened

MOST_CANDIDATES = 20


def generate(arguments: Namespace) -> int:
    """Write on behind a text, or translate one."""
    if not 1 <= arguments.n <= MOST_NEW:
        raise UsageError(f"-n may be 1 to {MOST_NEW}; {arguments.n} is not.")
    if arguments.beams is not None and _samples(arguments):
        raise UsageError("--beams follows the likeliest words; leave out --greedy, --temperature, --top-k and --top-p.")
    if (arguments.text is None) == (arguments.ids is None):
        raise UsageError("Give the words to go on from as TEXT or by --ids, one of the two.")
    choice = Choice(arguments.greedy, arguments.temperature, arguments.top_k, arguments.top_p, arguments.seed)
    _, state = opened(arguments.model)
    sequence = sequence_of(state)
    written, source = _texts(arguments, state, sequence)
    decoder = decoder_of(state, len(written) + arguments.n, source)
    says, end = output_words(state), end_of(state)
    ids = ids_of(written, state.graph.axes[state.graph.sequences[sequence]])
    beams: tuple[Beam, ...] = ()
    if arguments.beams is not None:
        beams = search(decoder, ids, arguments.n, arguments.beams, end)[-1]
        steps = list(beams[0].steps)
    else:
        steps = list(write(decoder, ids, arguments.n, choice, end))
    new = [says[step.chosen] for step in steps]
    if new and len(new) < arguments.n and decoder.reads[steps[-1].chosen] < 0 and steps[-1].chosen != end:
        print(
            f"explorer: nothing is written behind “{new[-1]}”, which the model says but does not read", file=sys.stderr
        )
    if arguments.json:
        found: dict[str, Any] = {
            "model": arguments.model,
            "tokens": written,
            "new": new,
            "ids": [step.chosen for step in steps],
            "steps": [_step(step, says) for step in steps],
        }
        if beams:
            found["beams"] = [{"new": [says[i] for i in beam.words], "score": beam.score} for beam in beams]
        print(json.dumps(found, ensure_ascii=False, allow_nan=False))
        return 0
    for words in [[says[i] for i in beam.words] for beam in beams] or [new]:
        said = [word for word in [*written, *words] if word == UNKNOWN or are_pieces(says) or not is_mark(word)]
        print(typed(said, says))
    return 0


def _samples(arguments: Namespace) -> bool:
    return bool(arguments.greedy or arguments.temperature != 1 or arguments.top_k or arguments.top_p != 1)


def _texts(arguments: Namespace, state: State, sequence: str) -> tuple[list[str], list[str] | None]:
    """The words that the decoder begins with, and those that the encoder reads; None for a model without one."""

    def words(text: str | None, ids: str | None, option: str, of: str) -> list[str]:
        known = state.graph.axes[state.graph.sequences[of]]
        if ids is not None:
            return parse_ids(ids, known, option)
        text = text or ""
        found = known_words(text, known)
        if not found:
            raise UsageError("There is no word in the text; write one or more.")
        if UNKNOWN in found and UNKNOWN not in text:
            print(f"explorer: words that {shown(arguments.model)} does not know are read as {UNKNOWN}", file=sys.stderr)
        return found

    text = arguments.text, arguments.ids, "--ids"
    target = arguments.target, arguments.target_ids, "--target-ids"
    if sequence == "target":
        told = arguments.target is not None or arguments.target_ids is not None
        begin = words(*target, "target") if told else first_words(state)
        return begin, words(*text, "source")
    if arguments.target is not None or arguments.target_ids is not None:
        raise UsageError(f"{arguments.model} is no translator; --target is for those.")
    return words(*text, sequence), None


def _step(step: Written, says: tuple[str, ...]) -> dict[str, Any]:
    return {
        "candidates": [[says[i], probability] for i, probability in step.candidates(MOST_CANDIDATES)],
        "chosen": says[step.chosen],
    }
