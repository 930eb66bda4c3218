"""``explorer words``: word vectors, their similarity, analogies, and training."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from explorer.cli.output import shown
from explorer.cli.parser import UsageError, stopped
from explorer.cli.status import Status
from explorer.core.numbers import formatted, percent
from explorer.core.progress import Cancelled, Progress, Report
from explorer.library.matrix import columns
from explorer.words import catalogue, similarity
from explorer.words.vectors import Vectors

MOST = 1000
_LISTED = 10


def words(arguments: Namespace) -> int:
    """``explorer words``."""
    given: list[str] = arguments.words
    if arguments.action not in _ACTIONS:
        raise UsageError(f"`explorer words {arguments.action}` is not known; choose {', '.join(_ACTIONS)}.")
    action, least, most, what = _ACTIONS[arguments.action]
    if len(given) < least or (most is not None and len(given) > most):
        raise UsageError(f"`explorer words {arguments.action}` takes {what}, not {len(given)}.")
    _refuse_options_of_others(arguments)
    arguments.n = _LISTED if arguments.n is None else arguments.n
    if not 1 <= arguments.n <= MOST:
        raise UsageError(f"-n may be from 1 to {MOST}; {arguments.n} is not.")
    try:
        with progress() as report:
            arguments.report = report
            return action(arguments)
    except Cancelled:
        kept = "; the same command goes on from there" if arguments.action in ("get", "train") else ""
        print(f"stopped{kept}", file=sys.stderr)
        return 130


_ACTIONS_OF = {
    "n": ("similar", "analogy"),
    "vectors": ("similar", "cosine", "analogy", "odd-one-out", "evaluate"),
    **dict.fromkeys(("out", "force", "n_words", "least", "dims", "window", "x_max", "alpha"), ("train",)),
    **dict.fromkeys(("rate", "epochs", "seed", "vector", "remove", "cores", "no_numba"), ("train",)),
}
"""The actions that read an option."""


def _refuse_options_of_others(arguments: Namespace) -> None:
    """Raises `UsageError` for an option that the action does not read."""
    for option, actions in _ACTIONS_OF.items():
        value = getattr(arguments, option)
        if value is not None and value is not False and arguments.action not in actions:
            name = {"n": "-n", "n_words": "--words"}.get(option, f"--{option.replace('_', '-')}")
            raise UsageError(f"{name} is for {', '.join(actions)}, not for {arguments.action}; leave it out.")


def _loaded(arguments: Namespace) -> Vectors:
    return catalogue.load(arguments.vectors or catalogue.DEFAULT, arguments.report)


def _print(arguments: Namespace, as_json: dict[str, Any], lines: Sequence[str]) -> int:
    print(json.dumps(as_json, allow_nan=False) if arguments.json else "\n".join(lines))
    return 0


def _similar(arguments: Namespace) -> int:
    vectors = _loaded(arguments)
    found = {word: similarity.nearest(vectors, word, arguments.n) for word in vectors.all_spelt(arguments.words)}
    told = [{"word": word, "neighbours": _listed(near)} for word, near in found.items()]
    as_json = {"vectors": vectors.name, "similar": told}
    several, lines = len(found) > 1, list[str]()
    for word, near in found.items():
        lines += [word] * several + columns(_rows(near), "<>", indent="  " * several)
    return _print(arguments, as_json, lines)


def _listed(near: Sequence[similarity.Neighbour]) -> list[dict[str, Any]]:
    return [one._asdict() for one in near]


def _rows(near: Sequence[similarity.Neighbour]) -> list[tuple[str, str]]:
    return [(one.word, formatted(one.cosine, ".7f")) for one in near]


def _cosine(arguments: Namespace) -> int:
    vectors = _loaded(arguments)
    if len(arguments.words) > 2:
        return _matrix(arguments, vectors)
    one = similarity.cosine(vectors, *arguments.words)
    as_json = {
        "vectors": vectors.name,
        "words": one.words,
        "values": [vector.tolist() for vector in one.vectors],
        "products": one.products.tolist(),
        "dot": float(one.dot),
        "norms": [float(norm) for norm in one.norms],
        "scaled": one.scaled,
        "cosine": float(one.cosine),
        "angle": one.angle,
    }
    numbers = enumerate(zip(*one.vectors, one.products, strict=True), 1)
    rows = [(str(i), *(formatted(number, ".6f") for number in three)) for i, three in numbers]
    head, dims = ("", *one.words, "product"), len(one.products)
    sums = (
        ("dot product", str(one.dot)),
        (f"|{one.words[0]}|", str(one.norms[0])),
        (f"|{one.words[1]}|", str(one.norms[1])),
        ("cosine", f"{one.dot!s} / ({one.norms[0]!s} × {one.norms[1]!s}) = {one.cosine!s}"),
        ("angle", f"{one.angle:.2f}°"),
        ("scaled", f"{one.dot!s} / √{dims} = {one.scaled:.7g}"),
        ("agreement", f"{int(one.agree.sum())} of {dims} dimensions have the same sign"),
    )
    return _print(arguments, as_json, [*columns([head, *rows], ">"), "", *columns(sums, "<")])


def _matrix(arguments: Namespace, vectors: Vectors) -> int:
    spelt = vectors.all_spelt(arguments.words)
    cosines = similarity.matrix(similarity.table(vectors, spelt))
    as_json = {"vectors": vectors.name, "words": spelt, "cosines": cosines.tolist()}
    rows = [(word, *(formatted(value, ".4f") for value in row)) for word, row in zip(spelt, cosines, strict=True)]
    return _print(arguments, as_json, columns([("", *spelt), *rows], "<>"))


def _analogy(arguments: Namespace) -> int:
    vectors = _loaded(arguments)
    a, b, c = arguments.words
    found = similarity.analogy(vectors, a, b, c, arguments.n)
    as_json = {"vectors": vectors.name, "words": found.words, "neighbours": _listed(found.neighbours)}
    a, b, c = found.words
    return _print(arguments, as_json, [f"{a} - {b} + {c}", *columns(_rows(found.neighbours), "<>", indent="  ")])


def _odd_one_out(arguments: Namespace) -> int:
    vectors = _loaded(arguments)
    near = similarity.centrality(vectors, arguments.words)
    odd = near[-1].word
    as_json = {"vectors": vectors.name, "odd": odd, "centrality": _listed(near)}
    rows = [(*row, "the odd one out" if row[0] == odd else "") for row in _rows(near)]
    return _print(arguments, as_json, columns([("word", "cosine with the mean", ""), *rows], "<><"))


def _evaluate(arguments: Namespace) -> int:
    vectors = _loaded(arguments)
    scores = similarity.evaluate(vectors, arguments.report)
    as_json = {"vectors": vectors.name, "scores": [vars(one) for one in scores]}
    head = ("test", "measure", "value", "asked", "without vectors")
    rows = []
    for one in scores:
        value = "none" if one.value is None else formatted(one.value, ".4f")
        rows.append((one.name, one.measure, value, f"{one.asked}", percent(one.missing, 1)))
    return _print(arguments, as_json, columns([head, *rows], "<<>"))


def listed() -> list[dict[str, Any]]:
    """The vectors that come with the program, and those that can be downloaded, as data for JSON."""

    def of(one: catalogue.Shipped | catalogue.Offered, file: Path | None) -> dict[str, Any]:
        here = {"name": one.name, "here": file is not None, "file": None if file is None else str(file)}
        return {**here, "about": one.about, "words": one.words, "dims": one.dims}

    shipped = [of(one, one.path) for one in catalogue.SHIPPED]
    return shipped + [
        {**of(one, catalogue.present(one)), "bytes": one.size, "licence": one.licence, "url": one.url}
        for one in catalogue.OFFERED
    ]


def listing() -> list[str]:
    """The same vectors as the lines of a table."""
    rows = [("vectors", "", "size", "licence", "")]
    rows += [(one.name, "comes with the program", "", "", one.about) for one in catalogue.SHIPPED]
    for one in catalogue.OFFERED:
        here = "downloaded" if catalogue.present(one) else "to download"
        rows.append((one.name, here, f"{one.size / 1e6:.0f} MB", one.licence, one.about))
    return columns(rows, "<<><")


def _list(arguments: Namespace) -> int:
    return _print(arguments, {"vectors": listed()}, listing())


def _get(arguments: Namespace) -> int:
    from explorer.words.download import download

    (name,) = arguments.words
    shipped = next((one for one in catalogue.SHIPPED if one.name == name), None)
    file = shipped.path if shipped else download(catalogue.offered(name), arguments.report)
    return _print(arguments, {"vectors": name, "file": str(file)}, [shown(file)])


def _train(arguments: Namespace) -> int:
    from explorer.words.glove import GloveSettings, fast_available, train_files

    if arguments.out is None:
        raise UsageError("`explorer words train` needs --out FILE, which says where the vectors go.")
    if arguments.cores is not None and arguments.cores < 1:
        raise UsageError(f"--cores is 1 or more; {arguments.cores} is not.")
    # `arguments.words` are the words after the action, here the texts.
    given = {**vars(arguments), "words": arguments.n_words}
    chosen = {field.name: given[field.name] for field in fields(GloveSettings) if given[field.name] is not None}
    fast = fast_available() and not arguments.no_numba
    texts = [Path(text) for text in arguments.words]
    vectors = train_files(texts, Path(arguments.out), GloveSettings(**chosen), arguments.report, fast, arguments.cores)
    as_json = {"vectors": vectors.name, "words": len(vectors), "dims": vectors.dims}
    return _print(arguments, as_json, [f"{shown(arguments.out)}: {len(vectors):,} words, {vectors.dims} numbers each"])


_ACTIONS: dict[str, tuple[Callable[[Namespace], int], int, int | None, str]] = {
    "similar": (_similar, 1, None, "one word or more"),
    "cosine": (_cosine, 2, None, "two words or more"),
    "analogy": (_analogy, 3, 3, "three words"),
    "odd-one-out": (_odd_one_out, 3, None, "three words or more"),
    "evaluate": (_evaluate, 0, 0, "no words"),
    "list": (_list, 0, 0, "no words"),
    "get": (_get, 1, 1, "the name of a set of vectors"),
    "train": (_train, 1, None, "one text file or more"),
}
"""For each action what does it, the fewest and the most words (None: no limit), and a text on that."""


@contextmanager
def progress() -> Iterator[Report]:
    """Progress on standard error.

    Ctrl+C stops the work at the next report, from where it can continue later; see `explorer.cli.parser.stopped`.
    """
    status = Status()

    def report(now: Progress) -> None:
        if stop.is_set():
            raise Cancelled
        try:
            if status.terminal or status.due():
                status.say(written(now))
        except OSError:  # the terminal is gone: stop as after Ctrl+C, so that the work so far is kept
            raise Cancelled from None

    with stopped() as stop:
        try:
            yield report
        finally:
            status.clear()


def written(now: Progress) -> str:
    """Progress in words."""
    parts = [now.what]
    if now.total:
        parts.append(f"{percent(now.done / now.total):>4}")
    if now.loss is not None:
        parts.append(f"loss {now.loss:.5f}")
    if now.left is not None and now.done < now.total:
        minutes, seconds = divmod(round(now.left), 60)
        parts.append(f"{minutes}:{seconds:02} left")
    return ", ".join(parts)
