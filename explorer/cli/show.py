"""Nodes of a lesson printed, and one cell derived."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from explorer.cli import formats
from explorer.cli.arguments import parse_cell, parse_set, parse_switch
from explorer.cli.errors import UsageError
from explorer.cli.nodes import by_head, cell_of, read, select, stage_of
from explorer.cli.parser import FORMATS
from explorer.cli.text import columns
from explorer.core.derivation import rows
from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.node import Node
from explorer.core.script import export, save
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.lessons.schema import Lesson


def show(arguments: Namespace) -> int:
    """``explorer show``."""
    if arguments.format not in FORMATS:
        raise ExplorerError("unknown-format", name=arguments.format, known=", ".join(FORMATS))
    if arguments.out is not None and arguments.format != "python":
        raise UsageError("--out writes a script; it goes with --format python.")
    lesson, document = opened(arguments)
    if arguments.format == "python":
        return _script(arguments, lesson, document)
    graph, names = document.state.graph, select(document.state.graph, arguments.nodes)
    if arguments.format != "json":
        names = by_head(graph, names)
    shown = [read(document.engine, name) for name in names]
    match arguments.format:
        case "table":
            formats.write_tables(shown, lesson.ours, sys.stdout)
        case "json":
            print(formats.as_json(lesson.id, document.state.model, shown))
        case "csv":
            formats.write_csv(shown, sys.stdout)
        case _:
            formats.write_latex(shown, sys.stdout)
    return 0


def _script(arguments: Namespace, lesson: Lesson, document: Document) -> int:
    title = f"{lesson.title} ({lesson.id}), {lesson.setting(document.state.setting).title}"
    if document.history.modified:
        title += ", edited"
    names = select(document.state.graph, arguments.nodes) if arguments.nodes else ()
    script = export(document.engine, title, names)
    if arguments.out is not None:
        print("wrote", " and ".join(map(str, save(script, Path(arguments.out)))))
    elif script.arrays:
        raise UsageError("There are too many numbers to print; write them into files with --out FILE.py.")
    else:
        print(script.text, end="")
    return 0


def explain(arguments: Namespace) -> int:
    """``explorer explain``."""
    name, cell = parse_cell(arguments.cell)
    _, document = opened(arguments)
    print("\n".join(_explained(document.engine, name, cell)))
    return 0


def opened(arguments: Namespace) -> tuple[Lesson, Document]:
    """
    The lesson, and a document of it with the edits made: setting, switches, words, cells.

    Raises
    ------
    ExplorerError
        Where an edit cannot be done.
    """
    lesson = load(arguments.lesson)
    sets = [parse_set(text) for text in arguments.sets]
    switches = [parse_switch(text) for text in arguments.switch]
    document = Document(lesson.state(arguments.setting))
    for block, name, choice in switches:
        document.do(SetSwitch(block, name, choice))
    if arguments.tokens is not None:
        _set_tokens(lesson, document, "", arguments.tokens)
    if arguments.target is not None:
        _set_tokens(lesson, document, "target", arguments.target)
    for (name, cell), value in sets:
        place = document.state.graph.place(name)
        given = document.state.graph.nodes[place.node].is_input
        document.do(SetCells(name, {cell: value}) if given else PinCells(name, {cell: value}))
    return lesson, document


def _set_tokens(lesson: Lesson, document: Document, sequence: str, text: str) -> None:
    """Set the words of a sequence; of the one the model reads first, for ""."""
    sequences = list(document.state.graph.sequences)
    if not sequences:
        raise ExplorerError("fixed-tokens", sequence=lesson.id)
    document.do(SetTokens(sequence or sequences[0], text.split()))


def _explained(engine: Engine, name: str, cell: tuple[int, ...]) -> Iterator[str]:
    place = engine.graph.place(name)
    node = engine.graph.nodes[place.node]
    shape = engine.value(place).shape
    if len(cell) != len(shape) or any(i >= size for i, size in zip(cell, shape, strict=True)):
        written = " × ".join(map(str, shape)) or "a single number"
        raise ExplorerError("bad-cell", name=name, cell=", ".join(map(str, cell)), shape=written)
    whole = place.index + cell
    labels = [engine.labels(axis)[i] for axis, i in zip(node.axes, whole, strict=True)]
    if len(labels) > 1:
        labels[-2:] = f"row {labels[-2]}", f"column {labels[-1]}"

    value = engine.values[node.name][whole]
    yield f"{cell_of(engine.graph, node.name, whole)} = {value.item()}"
    yield " · ".join([*([", ".join(labels)] if labels else []), stage_of(engine.graph, node)])
    yield ""
    last = engine.explain(node.name, whole)
    if node.is_input:
        yield "An input: it is set, not computed."
    elif last is None:
        yield "Pinned: held at this value by hand, not computed. Without the pin:"
    if not node.is_input:
        yield f"formula  {_formula(engine, node)}"
        yield f"numpy    {node.op.code(*_variables(node))}"
    if last is not None:
        yield ""

        def along(parent: str, axis: int) -> Sequence[str]:
            return engine.labels(engine.graph.nodes[parent].axes[axis])

        written_rows = [
            ("=" if row.kind == "result" else "", row.label, row.expression, row.value) for row in rows(last, along)
        ]
        yield from columns(written_rows, "<<<>")
    yield ""
    fed = [cell_of(engine.graph, child, index) for child, index in engine.feeds(node.name, whole).items()]
    yield from (f"{'feeds' if i == 0 else '':<9}{one}" for i, one in enumerate(fed or ["nothing: it is a result"]))


def _formula(engine: Engine, node: Node) -> str:
    formula = node.op.formula(*(engine.graph.nodes[parent].symbol for parent in node.parents))
    return formula if formula == node.symbol else f"{node.symbol} = {formula}"


def _variables(node: Node) -> list[str]:
    """Short names for the parents; longer ones where two would be called the same."""
    short = [parent.rpartition(".")[2] for parent in node.parents]
    return short if len(set(short)) == len(set(node.parents)) else [p.replace(".", "_") for p in node.parents]
