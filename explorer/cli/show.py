"""Nodes of a lesson printed, and one cell derived."""

import sys
from argparse import Namespace
from pathlib import Path

import numpy as np

from explorer.cli import formats
from explorer.cli.arguments import parse_ids, parse_set, parse_switch
from explorer.cli.errors import UsageError
from explorer.cli.output import wrote
from explorer.cli.parser import FORMATS
from explorer.core.errors import ExplorerError
from explorer.core.gradients import Root
from explorer.core.script import export, save
from explorer.export.matrix import markdown, numpy, tsv
from explorer.files import whole_file
from explorer.lessons.schema import Lesson
from explorer.library import transformer as library
from explorer.library.matrix import Matrix
from explorer.library.names import by_head, parse_cell, root_of, select
from explorer.library.transformer import Transformer

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
    m = opened(arguments)
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
            "--format python --out FILE.py."
        )
    root = root_of(graph, arguments.grad_of or "loss") if arguments.grad or arguments.grad_of else None
    shown = [(m[name], _gradient(m, root, name)) for name in names]
    match arguments.format:
        case "table":
            formats.write_tables(shown, _not_printed(m.lesson, arguments.setting), sys.stdout)
        case "json":
            print(formats.as_json(m.lesson.id, m.switches, shown))
        case "csv":
            formats.write_csv(shown, sys.stdout, root is not None)
        case "tsv" | "numpy" | "markdown":
            write = {"tsv": tsv, "numpy": numpy, "markdown": markdown}[arguments.format]
            print("\n".join(write(part) for one, _ in shown for part in one.parts()), end="")
        case _:
            formats.write_latex(shown, sys.stdout)
    return 0


def _gradient(m: Transformer, root: Root | None, name: str) -> Matrix | None:
    """That of a root, if there is one and the node has one: whole numbers have none."""
    return m.gradient(root, of=name) if root and m[name].dtype.kind == "f" else None


def _arrays(arguments: Namespace, m: Transformer) -> int:
    """The nodes as arrays in one file, each under the name that was asked for."""
    graph = m.document.state.graph
    names = arguments.nodes or [name for name, node in graph.nodes.items() if not node.is_input]
    found = {name: m[name].value for name in names}
    with whole_file(arguments.out) as stream:
        np.savez(stream, **found)  # type: ignore[arg-type]
    print(wrote(Path(arguments.out)))
    return 0


def _not_printed(lesson: Lesson, setting: str | None) -> frozenset[str]:
    """The inputs that no text prints, of a setting that is there for whoever holds the text."""
    told = lesson.errata or lesson.setting(setting).printed
    return lesson.ours_in(setting) if told else frozenset()


def _script(arguments: Namespace, m: Transformer) -> int:
    document = m.document
    title = f"{m.lesson.title} ({m.lesson.id}), {m.lesson.setting(document.state.setting).title}"
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
    """The lesson with the edits made: setting, switches, words, cells.

    Raises `ExplorerError` where an edit cannot be done.
    """
    sets = [parse_set(text) for text in arguments.sets]
    switches = [parse_switch(text) for text in arguments.switch]
    dtype, tokenizer = (getattr(arguments, option, None) for option in ("dtype", "tokenizer"))
    m = library.open(arguments.lesson, arguments.setting, dtype or "", tokenizer)
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
