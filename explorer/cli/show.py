"""Commands that open a model and ask it: for nodes, cells, continuations, inputs for a value, conventions of a text.

The second half writes nodes as tables, JSON, CSV and LaTeX.
"""

import csv
import json
import math
import shutil
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import numpy as np

from explorer.cli.output import wrote
from explorer.cli.parser import FORMATS, UsageError, fields_of
from explorer.cli.status import reading
from explorer.core.errors import ExplorerError, cut
from explorer.core.graph import NamedCell, by_head, parse_cell, root_of, select, written_cell
from explorer.core.model import SwitchValue
from explorer.core.numbers import read_number
from explorer.core.script import export, save
from explorer.core.training.data import read_text
from explorer.document.continuation import MOST_NEW
from explorer.export.matrix import AMSMATH, markdown, numpy, pmatrix, tsv, wide
from explorer.files import whole_file, write_npz
from explorer.lessons.document_lesson import DocumentLesson
from explorer.library import conventions as searches
from explorer.library import transformer as library
from explorer.library.matrix import Matrix, nested, table
from explorer.library.transformer import Transformer
from explorer.sentences import sentence


def parse_set(text: str) -> tuple[NamedCell, float]:
    """The cell and the value in a text "NODE[row,column]=VALUE".

    Raises `ExplorerError`: "bad-set-syntax", "bad-number" or "number-too-large".
    """
    left, equals, right = text.partition("=")
    cell = written_cell(left)
    if not equals or cell is None:
        raise ExplorerError("bad-set-syntax", text=cut(text))
    return cell, read_number(right)


def parse_switch(text: str) -> tuple[str, str]:
    """The name and the value in a text "BLOCK.NAME=VALUE".

    Raises `ExplorerError`: "bad-switch-syntax".
    """
    left, _, value = text.partition("=")
    block, _, name = left.strip().rpartition(".")
    if not (block and name and value.strip()):
        raise ExplorerError("bad-switch-syntax", text=cut(text))
    return f"{block}.{name}", value.strip()


def parse_ids(text: str, words: Sequence[str], option: str) -> list[str]:
    """The words with the numbers in a text such as "5 17 3".

    Raises `UsageError`, which names the option, if a part of the text is no number of a word.
    """
    parts = text.strip("[] ").replace(",", " ").split()  # also accepts a list as Python prints it
    numbers = [int(part) if part.isascii() and part.isdigit() and len(part) < 10 else -1 for part in parts]
    wrong = next((part for part, number in zip(parts, numbers, strict=True) if not 0 <= number < len(words)), "")
    if wrong or not parts:
        last = f"; '{wrong[:20]}' is none" if wrong else ""
        raise UsageError(f"{option} takes whole numbers from 0 to {len(words) - 1}, as in {option} '5 17 3'{last}.")
    return [words[number] for number in numbers]


GRADIENTS = ("table", "json", "csv", "latex")
"""The formats in which gradients stand behind the values."""
MOST_PRINTED = 1_000_000
"""The most numbers that are printed: nobody reads a longer table, and writing it takes minutes."""


def show(arguments: Namespace) -> int:
    """``explorer show``."""
    if arguments.format not in FORMATS:
        raise ExplorerError("unknown-format", name=arguments.format, known=", ".join(FORMATS))
    arrays = arguments.out is not None and arguments.out.endswith(".npz") and arguments.format == "table"
    if arguments.out is not None and arguments.format != "python" and not arrays:
        raise UsageError("--out writes FILE.npz, or a script with --format python; for other formats write > FILE.")
    if (arrays or arguments.format not in GRADIENTS) and (arguments.grad or arguments.grad_of):
        what = "A file of arrays" if arrays else f"The format {arguments.format}"
        raise UsageError(f"{what} has no gradients; --grad goes with {', '.join(GRADIENTS)}.")
    m = opened(arguments)
    arguments.nodes = [one for name in arguments.nodes for one in _named(m, name)]
    if arguments.format == "python":
        return _script(arguments, m)
    if arrays:
        return _arrays(arguments, m)
    graph, names = m.document.state.graph, select(m.document.state.graph, arguments.nodes)
    if arguments.format != "json":
        names = by_head(graph, names)
    numbers = sum(m.document.engine.value(graph.place(name)).size for name in names)
    if numbers > MOST_PRINTED:
        raise UsageError(
            f"These nodes have {numbers:,} numbers; name nodes of up to {MOST_PRINTED:,} together, or write them with "
            "--out FILE.npz, or as a script with --format python --out FILE.py."
        )
    root = root_of(graph, arguments.grad_of or "loss") if arguments.grad or arguments.grad_of else None
    # Whole numbers have no gradient.
    shown = [(m[name], m.gradient(root, of=name) if root and m[name].dtype.kind == "f" else None) for name in names]
    match arguments.format:
        case "table":
            told = m.lesson.errata or m.lesson.setting(arguments.setting).printed  # readers hold the printed text
            write_tables(shown, m.lesson.ours_in(arguments.setting) if told else frozenset(), sys.stdout)
        case "json":
            # The id of a document is different each time, so the given name is written.
            name = arguments.lesson if isinstance(m.lesson, DocumentLesson) else m.lesson.id
            print(as_json(name, m.switches, shown))
        case "csv":
            write_csv(shown, sys.stdout, root is not None)
        case "tsv" | "numpy" | "markdown":
            write = {"tsv": tsv, "numpy": numpy, "markdown": markdown}[arguments.format]
            print("\n".join(write(part) for one, _ in shown for part in one.parts()), end="")
        case _:
            write_latex(shown, sys.stdout)
    return 0


def _named(m: Transformer, name: str) -> list[str]:
    """The nodes with the numbers of a tensor, which are told; any other name as it is."""
    nodes = m.of_tensor(name)
    if nodes:
        _tell([sentence(ExplorerError("name-in-file", name=name, known=", ".join(nodes)))])
    return nodes or [name]


def _arrays(arguments: Namespace, m: Transformer) -> int:
    """Write the nodes as arrays into one .npz file, each under the name that was asked for."""
    graph = m.document.state.graph
    names = [name for name, node in graph.nodes.items() if not node.is_input]
    if arguments.nodes:  # a name that one node has is kept, such as that of what leaves a layer
        known = [[name] if graph.find(name) else select(graph, [name]) for name in arguments.nodes]
        names = [name for some in known for name in some]
    found = {name: m[name].value for name in names}
    with whole_file(arguments.out) as stream:
        write_npz(stream, found)
    print(wrote(Path(arguments.out)))
    return 0


def _script(arguments: Namespace, m: Transformer) -> int:
    document = m.document
    title = f"{m.lesson.cited}, {m.lesson.setting(document.state.setting).title}"
    if document.history.modified:
        title += ", edited"
    names = select(document.state.graph, arguments.nodes) if arguments.nodes else ()
    script = export(document.engine, title, names)
    if arguments.out is not None:
        print(wrote(*save(script, Path(arguments.out))))
    elif script.arrays:
        raise UsageError("There are too many numbers to print; write them into files with --out FILE.py.")
    else:
        print(script.text, end="")
    return 0


def explain(arguments: Namespace) -> int:
    """``explorer explain``."""
    parse_cell(arguments.cell)
    print(opened(arguments).explain(arguments.cell, arguments.grad_of or ("loss" if arguments.grad else "")))
    return 0


def opened(arguments: Namespace) -> Transformer:
    """The lesson with the edits from the options made: setting, switches, words, cells.

    Raises `ExplorerError` if an edit is not possible.
    """
    sets = [parse_set(text) for text in arguments.sets]
    switches = [parse_switch(text) for text in arguments.switch]
    m = _read(arguments, arguments.setting)
    for name, choice in switches:
        m.switch(name, choice)
    if arguments.tokens is not None:
        m.tokens = arguments.tokens
    if arguments.ids is not None:
        m.tokens = parse_ids(arguments.ids, m.vocabulary(), "--ids")
    if arguments.target is not None:
        m.target = arguments.target
    if arguments.target_ids is not None:
        m.target = parse_ids(arguments.target_ids, m.vocabulary("target"), "--target-ids")
    for (name, cell), value in sets:
        m.set(name, {cell: value})
    return m


def _read(arguments: Namespace, setting: str | None = None) -> Transformer:
    """What a command is about; its notices are told, and how far it is if reading takes long."""
    dtype, tokenizer, model = arguments.dtype or "", arguments.tokenizer, arguments.model
    with reading() as told:
        m = library.open(arguments.lesson, setting, dtype, tokenizer, model, told)
    named = model or arguments.lesson  # the notices speak of “it”
    _tell([f"{named}: {notice.removeprefix('Notice: ')}" for notice in m.notices])
    return m


def _tell(notices: Sequence[str]) -> None:
    for notice in notices:
        print(f"explorer: {notice}", file=sys.stderr)


def generate(arguments: Namespace) -> int:
    """``explorer generate``: continue a text, or translate it."""
    if not 1 <= arguments.n <= MOST_NEW:
        raise UsageError(f"-n may be 1 to {MOST_NEW}; {arguments.n} is not.")
    samples = arguments.greedy or arguments.temperature != 1 or arguments.top_k or arguments.top_p != 1
    if arguments.beams is not None and samples:
        raise UsageError("--beams follows the likeliest words; leave out --greedy, --temperature, --top-k and --top-p.")
    if arguments.temperature == 0:
        raise UsageError("Nothing can be divided by a temperature of 0; --greedy always takes the most probable word.")
    if (arguments.text is None) == (arguments.ids is None):
        raise UsageError("Give the words to go on from as TEXT or by --ids, one of the two.")
    m = _read(arguments)
    text = arguments.text if arguments.ids is None else parse_ids(arguments.ids, m.vocabulary(), "--ids")
    target = arguments.target
    if arguments.target_ids is not None:
        target = parse_ids(arguments.target_ids, m.vocabulary("target"), "--target-ids")
    options = fields_of(arguments, "greedy", "temperature", "top_k", "top_p", "seed", "beams")
    found = m.generate(text, arguments.n, target=target, **options)
    _tell(found.notices)
    if arguments.json:
        written: dict[str, Any] = {
            "model": arguments.lesson,
            "tokens": found.read,
            "new": found.new,
            "ids": found.ids,
            "steps": [
                {"candidates": [(one, _json(p)) for one, p in found.candidates(i)], "chosen": word}
                for i, word in enumerate(found.new)
            ],
        }
        if found.beams:
            written["beams"] = [{"new": found.words(beam), "score": _json(beam.score)} for beam in found.beams]
        print(json.dumps(written, allow_nan=False))
        return 0
    for text in map(found.text_of, found.beams) if found.beams else [found.text]:
        print(text)
    return 0


def _json(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def seek(arguments: Namespace) -> int:
    """``explorer seek``: print the steps, and write the model if the value is reached; returns 1 if it is not."""
    (name, cell), value = parse_set(arguments.wish)
    if not arguments.change:
        raise UsageError("Say what may change: --change NODE, an input such as encoder.1.self.W_Q.")
    if arguments.out is not None:
        library.check_format(arguments.out)
    m = opened(arguments)
    found = m.seek(f"{name}[{','.join(map(str, cell))}]", value, arguments.change)
    print(found)
    if found.reached and arguments.out is not None:
        m.save(arguments.out)
        print(wrote(arguments.out))
    return int(not found.reached)


def conventions(arguments: Namespace) -> int:
    """``explorer conventions``, for the nodes of a model or for a matrix; returns 1 if no setting gives the numbers."""
    if not arguments.seconds > 0:
        raise UsageError(f"--seconds is a number above 0; {arguments.seconds} is not.")
    if arguments.out is not None:
        library.check_format(arguments.out)
    if arguments.number is not None and arguments.out is None:
        raise UsageError("--number says which setting --out FILE writes; give --out, too.")
    if arguments.given is not None:
        edits = fields_of(arguments, "setting", "switch", "tokens", "ids", "target", "target_ids", "sets")
        if any(edits.values()):
            raise UsageError("--given takes a matrix alone, without a model to be edited; leave the edits out.")
        if arguments.lesson is not None or arguments.printed is None:
            raise UsageError("--given takes a matrix, and --printed what the text makes of it; no LESSON beside them.")
        found = searches.conventions(_text(arguments.given), _text(arguments.printed), arguments.seconds)
    else:
        if arguments.lesson is None or not arguments.nodes or arguments.printed is not None:
            raise UsageError("Name a LESSON and NODE=NUMBERS, or give --given and --printed.")
        pairs = [text.partition("=") for text in arguments.nodes]
        if not all(equals for _, equals, _ in pairs):
            raise UsageError("Write what the text prints behind the node: NODE='0.15 0.32 0.53; 0.1 0.2 0.7'.")
        m = opened(arguments)
        found = m.conventions({name: _text(numbers) for name, _, numbers in pairs}, arguments.seconds)
    if arguments.json:
        ways = [
            {"node": way.node, "changed": way.changed, "slip": way.convention.slip, "rounded": way.convention.rounded}
            for way in found.ways
        ]
        said = {"ways": ways, "unexplained": found.unexplained, "undecided": found.undecided or {}}
        print(json.dumps(said))
    else:
        print(found)
    if arguments.out is not None and found.ways:
        number = 1 if arguments.number is None else arguments.number
        if not 1 <= number <= len(found):
            raise UsageError(f"There is no setting number {number}; --number takes one from 1 to {len(found)}.")
        found[number - 1].open().save(arguments.out)
        print(wrote(arguments.out), file=sys.stderr if arguments.json else sys.stdout)
    return int(not found.ways)


def _text(given: str) -> str:
    """The typed text or, after "@", the contents of the named file."""
    return read_text(Path(given[1:])) if given.startswith("@") else given


Printed: TypeAlias = tuple[Matrix, Matrix | None]
"""A node, or a head's slice of one, and its gradient; None if it has none, or none is wanted."""

# Tables


def write_tables(shown: Sequence[Printed], ours: frozenset[str], out: TextIO) -> None:
    """Write each node below a line with its name, symbol, shape and stage; on a terminal, wide matrices are folded.

    `ours`: the inputs whose lines say that no text prints them.
    """
    most = shutil.get_terminal_size().columns if out.isatty() else 0
    for i, (one, gradient) in enumerate(shown):
        shape = " × ".join(map(str, one.shape)) or "a number"
        symbol = "" if one.node.symbol == one.name else _plain(one.node.symbol)
        said = "" if ours.isdisjoint((one.name, one.node.name)) else "not printed"
        about = [one.name, symbol, f"({shape})", one.stage, one.held, said]
        print("" if i == 0 else "\n", "  ".join(filter(None, about)), sep="", file=out)
        for line in table(one.value, one.rows, one.columns, one.words, most):
            print(line, file=out)
        if gradient is not None:
            print("  gradient", *table(gradient.value, one.rows, one.columns, most=most), sep="\n", file=out)


def _plain(symbol: str) -> str:
    """A symbol without LaTeX; "" if it is a formula."""
    text = {r"\gamma": "γ", r"\beta": "β"}.get(symbol, symbol)
    return "" if "\\" in text else text


# JSON


def as_json(lesson: str, switches: Mapping[str, SwitchValue], shown: Sequence[Printed]) -> str:
    """Nodes and switches as JSON; floats with all digits that are needed to read back the same number.

    `lesson`: the id of the lesson.
    """
    nodes: dict[str, Any] = {}
    for one, gradient in shown:
        labels = {"rows": one.rows, "columns": one.columns}
        nodes[one.name] = {**fields_of(one.node, "symbol", "stage"), **labels, "value": nested(one.value)}
        if gradient is not None:
            nodes[one.name]["grad"] = nested(gradient.value)
    return json.dumps({"lesson": lesson, "switches": switches, "nodes": nodes}, allow_nan=False)


# CSV


def write_csv(shown: Sequence[Printed], out: TextIO, with_gradient: bool = False) -> None:
    """Write one line for each number, with all digits."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("node", "row", "column", "row_label", "column_label", "value", *["grad"] * with_gradient))
    for one, gradient in shown:
        for cell, value in np.ndenumerate(one.value):
            labels = [axis[i] for axis, i in zip(one.labels, cell, strict=True)]
            change = [] if not with_gradient else [""] if gradient is None else [gradient.value[cell].item()]
            writer.writerow((one.name, *_two(cell), *_two(labels), value.item(), *change))


def _two(given: Sequence[Any]) -> tuple[Any, Any]:
    """The row and the column; "" if there is none."""
    return (*given, "", "")[0], (*given, "", "")[1]


# LaTeX


def write_latex(shown: Sequence[Printed], out: TextIO) -> None:
    """Write each node as a pmatrix with its symbol, its row labels before it and its column labels in a comment."""
    most = max((one.shape[-1] for one, _ in shown if one.ndim > 1), default=0)
    print(AMSMATH, *wide(most), sep="\n", file=out)
    for one, gradient in shown:
        for part in one.parts():
            print(f"\n% {one.name}, {one.stage}", *pmatrix(part.symbol, part), sep="\n", file=out)
        for part in [] if gradient is None else gradient.parts():
            print(*pmatrix(part.symbol, replace(part, columns=())), sep="\n", file=out)
