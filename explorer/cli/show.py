"""Nodes of a lesson printed, and one cell derived."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from explorer.cli import formats
from explorer.cli.arguments import parse_cell, parse_ids, parse_set, parse_switch
from explorer.cli.errors import UsageError
from explorer.cli.nodes import by_head, cell_of, read, select, stage_of
from explorer.cli.output import wrote
from explorer.cli.parser import FORMATS
from explorer.cli.text import columns
from explorer.core.byte_pairs import tokens_of
from explorer.core.derivation import chain, rows
from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.explain import Step
from explorer.core.gradients import LOSS, Root
from explorer.core.node import Node
from explorer.core.nudge import check_cell
from explorer.core.script import export, save
from explorer.core.shapes import require_cell
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.export.matrix import markdown, numpy, tsv
from explorer.files import whole_file
from explorer.lessons.document_lesson import opened as opened_lesson
from explorer.lessons.schema import Lesson

MOST_PRINTED = 1_000_000
"""Of more numbers nobody reads a table, and to write it takes minutes."""


def show(arguments: Namespace) -> int:
    """``explorer show``."""
    if arguments.format not in FORMATS:
        raise ExplorerError("unknown-format", name=arguments.format, known=", ".join(FORMATS))
    arrays = arguments.out is not None and arguments.out.endswith(".npz") and arguments.format == "table"
    if arguments.out is not None and arguments.format != "python" and not arrays:
        raise UsageError("--out writes arrays into FILE.npz, or a script with --format python.")
    if arguments.format == "python" and (arguments.grad or arguments.grad_of):
        raise UsageError("A script has no gradients; choose another format for --grad.")
    lesson, document = opened(arguments)
    if arguments.format == "python":
        return _script(arguments, lesson, document)
    if arrays:
        return _arrays(arguments, document)
    graph, names = document.state.graph, select(document.state.graph, arguments.nodes)
    if arguments.format != "json":
        names = by_head(graph, names)
    numbers = sum(document.engine.value(graph.place(name)).size for name in names)
    if numbers > MOST_PRINTED:
        raise UsageError(
            f"These nodes have {numbers:,} numbers; name nodes of up to {MOST_PRINTED:,} together, or write them with "
            "--format python --out FILE.py."
        )
    root = _root(arguments, document.engine)
    shown = [read(document.engine, name, root) for name in names]
    match arguments.format:
        case "table":
            formats.write_tables(shown, _not_printed(lesson, arguments.setting), sys.stdout)
        case "json":
            print(formats.as_json(lesson.id, document.state.model, shown))
        case "csv":
            formats.write_csv(shown, sys.stdout, root is not None)
        case "tsv" | "numpy" | "markdown":
            write = {"tsv": tsv, "numpy": numpy, "markdown": markdown}[arguments.format]
            print("\n".join(write(formats.table_of(one)) for one in shown), end="")
        case _:
            formats.write_latex(shown, sys.stdout, _symbol(document.engine, root) if root else "")
    return 0


def _arrays(arguments: Namespace, document: Document) -> int:
    """The nodes as arrays in one file, each under the name that was asked for."""
    graph = document.state.graph
    names = arguments.nodes or [name for name, node in graph.nodes.items() if not node.is_input]
    found = {name: document.engine.value(graph.place(name)) for name in names}
    with whole_file(arguments.out) as stream:
        np.savez(stream, **found)  # type: ignore[arg-type]
    print(wrote(Path(arguments.out)))
    return 0


def _not_printed(lesson: Lesson, setting: str | None) -> frozenset[str]:
    """The inputs that no text prints, of a setting that is there for whoever holds the text."""
    told = lesson.errata or lesson.setting(setting).printed
    return lesson.ours_in(setting) if told else frozenset()


def _root(arguments: Namespace, engine: Engine) -> Root | None:
    """The number whose gradient is asked for; None where none is."""
    if arguments.grad_of is None:
        return LOSS if arguments.grad else None
    name, cell = parse_cell(arguments.grad_of)
    place = engine.graph.place(name)
    return Root(place.node, place.index + cell)


def _symbol(engine: Engine, root: Root) -> str:
    symbol = engine.graph.nodes[root.node].symbol
    return rf"{{{symbol}}}_{{{','.join(map(str, root.cell))}}}" if root.cell else symbol


def _script(arguments: Namespace, lesson: Lesson, document: Document) -> int:
    title = f"{lesson.title} ({lesson.id}), {lesson.setting(document.state.setting).title}"
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
    name, cell = parse_cell(arguments.cell)
    _, document = opened(arguments)
    engine = document.engine
    root = _root(arguments, engine)
    node, whole = _cell(engine, name, cell)
    lines = _gradient_explained(engine, node, whole, root) if root else _explained(engine, node, whole)
    print("\n".join(lines))
    return 0


def opened(arguments: Namespace) -> tuple[Lesson, Document]:
    """The lesson, and a document of it with the edits made: setting, switches, words, cells.

    Raises `ExplorerError` where an edit cannot be done.
    """
    lesson, state = opened_lesson(arguments.lesson, getattr(arguments, "dtype", None) or "")
    sets = [parse_set(text) for text in arguments.sets]
    switches = [parse_switch(text) for text in arguments.switch]
    document = Document(state if arguments.setting is None else lesson.state(arguments.setting))
    for block, name, choice in switches:
        document.do(SetSwitch(block, name, choice))
    if arguments.tokens is not None:
        _set_tokens(lesson, document, "", arguments.tokens)
    if arguments.ids is not None:
        _set_ids(lesson, document, "", "--ids", arguments.ids)
    if arguments.target is not None:
        _set_tokens(lesson, document, "target", arguments.target)
    if arguments.target_ids is not None:
        _set_ids(lesson, document, "target", "--target-ids", arguments.target_ids)
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
    sequence = sequence or sequences[0]
    graph = document.state.graph
    document.do(SetTokens(sequence, tokens_of(text, graph.axes[graph.sequences[sequence]])))


def _set_ids(lesson: Lesson, document: Document, sequence: str, option: str, text: str) -> None:
    """Set the words of a sequence by their numbers; of the one the model reads first, for ""."""
    graph = document.state.graph
    if not graph.sequences:
        raise ExplorerError("fixed-tokens", sequence=lesson.id)
    sequence = sequence or next(iter(graph.sequences))
    if sequence not in graph.sequences:
        raise ExplorerError("unknown-sequence", name=sequence, known=", ".join(graph.sequences))
    document.do(SetTokens(sequence, tuple(parse_ids(text, graph.axes[graph.sequences[sequence]], option))))


def _cell(engine: Engine, name: str, cell: tuple[int, ...]) -> tuple[Node, tuple[int, ...]]:
    """The node that a name means, and the cell in the node's own shape."""
    place = engine.graph.place(name)
    require_cell(name, cell, engine.value(place).shape)
    return engine.graph.nodes[place.node], place.index + cell


def _explained(engine: Engine, node: Node, cell: tuple[int, ...]) -> Iterator[str]:
    value = engine.values[node.name][cell]
    yield f"{cell_of(engine.graph, node.name, cell)} = {value.item() + 0}"  # 0 has no sign
    yield _where(engine, node, cell)
    yield ""
    last = engine.explain(node.name, cell)
    if node.is_input:
        yield "An input: it is set, not computed."
    elif last is None:
        yield "Pinned: held at this value by hand, not computed. Without the pin:"
    if not node.is_input:
        yield f"formula  {_formula(engine, node)}"
        yield f"numpy    {node.op.code(*_variables(node))}"
    for above, at, step in chain(engine, node.name, cell):
        yield ""
        if above != node.name:
            yield f"{cell_of(engine.graph, above, at)}:"
        yield from _derived(engine, step)
    yield ""
    fed = [cell_of(engine.graph, child, index) for child, index in engine.feeds(node.name, cell).items()]
    yield from (f"{'feeds' if i == 0 else '':<9}{one}" for i, one in enumerate(fed or ["nothing: it is a result"]))


def _gradient_explained(engine: Engine, node: Node, cell: tuple[int, ...], root: Root) -> Iterator[str]:
    last = engine.explain_gradient(node.name, cell, root)
    check = check_cell(engine, node.name, cell, root=root)
    written = cell_of(engine.graph, node.name, cell)
    yield f"∂ {cell_of(engine.graph, root.node, root.cell)} / ∂ {written} = {check.gradient + 0}"
    yield _where(engine, node, cell)
    yield ""
    yield from _derived(engine, last)
    yield ""
    sides = f"gives {check.below + 0} and {check.above + 0}: slope {check.slope + 0:.10g}"
    yield f"checked  {written} ± {check.h:.1e} {sides}, {check.agreement(root.node)}"


def _where(engine: Engine, node: Node, cell: tuple[int, ...]) -> str:
    """The labels of a cell, and the stage it is shown in."""
    labels = [engine.labels(axis)[i] for axis, i in zip(node.axes, cell, strict=True)]
    if len(labels) > 1:
        labels[-2:] = f"row {labels[-2]}", f"column {labels[-1]}"
    return " · ".join([*([", ".join(labels)] if labels else []), stage_of(engine.graph, node)])


def _derived(engine: Engine, last: Step) -> list[str]:
    """The rows of a derivation."""

    def along(parent: str, axis: int) -> Sequence[str]:
        return engine.labels(engine.graph.nodes[parent].axes[axis])

    written = [("=" if row.kind == "result" else "", row.label, row.expression, row.value) for row in rows(last, along)]
    return columns(written, "<<<>")


def _formula(engine: Engine, node: Node) -> str:
    formula = node.op.formula(*(engine.graph.nodes[parent].symbol for parent in node.parents))
    return formula if formula == node.symbol else f"{node.symbol} = {formula}"


def _variables(node: Node) -> list[str]:
    """Short names for the parents; longer ones where two would be called the same."""
    short = [parent.rpartition(".")[2] for parent in node.parents]
    return short if len(set(short)) == len(set(node.parents)) else [p.replace(".", "_") for p in node.parents]
