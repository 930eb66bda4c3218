"""Answers of a model: the derivation of a cell, and the continuation of a text.

`Explanation` has the derivation of one cell as text, as LaTeX, and as data, for the command line and notebooks.

`Continuation` has the words that a model wrote after a text, and the words that it could have chosen.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.core.decoder import Beam, Decoding, Written, search, write
from explorer.core.derivation import Row, chain, rows
from explorer.core.engine import Engine, check_cell
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import Node, Root, cell_of, stage_of
from explorer.core.vocabulary import UNKNOWN, are_pieces, is_mark, typed
from explorer.document.continuation import (
    MOST_NEW,
    as_read,
    decoder_of,
    ends_of,
    first_words,
    ids_of,
    nearest_words,
    never_of,
    output_words,
    positions,
    read_words,
    sequence_of,
)
from explorer.document.state import State
from explorer.export.matrix import latex_text
from explorer.library.matrix import columns


class Part(Frozen):
    """The derivation of one cell, a part of an explanation."""

    cell: str  # the cell, such as "encoder.1.self.head.1.weights[0,2]"
    rows: tuple[Row, ...]


class Explanation(Frozen):
    """The derivation of a cell, or of its gradient. It prints as text; `latex` and `data` give other forms.

    >>> import explorer
    >>> told = explorer.open("two-vectors").explain("dot[0,0]")
    >>> told.value, told.where, told.feeds
    (10.0, 'row x, column y · Vectors › Two vectors', ('scaled[0,0]', 'cosine[0,0]', 'c[0,0]'))
    >>> [(row.label, row.expression, row.value) for row in told.parts[0].rows][0]
    ('across', '1.0 × 4.0', '4.0')
    """

    cell: str  # the name of the cell, as one types it
    value: float
    where: str  # its labels, and the stage that shows it
    formula: str = ""  # LaTeX; "" for an input and for a gradient
    numpy: str = ""  # the same in numpy, with short names of the parents
    note: str = ""  # why it is not computed; "" if it is
    parts: tuple[Part, ...] = ()  # the derivations, that of the cell itself last
    feeds: tuple[str, ...] = ()  # the cells that read it
    root: str = ""  # for a gradient: the number that it is the gradient of
    checked: str = ""  # for a gradient: the result of a check by two nudges, in words
    in_file: str = ""  # of an input of a checkpoint: the tensor and the index that this number has there

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return str(self)

    def _lines(self) -> Iterator[str]:
        yield f"∂ {self.root} / ∂ {self.cell} = {self.value}" if self.root else f"{self.cell} = {self.value}"
        yield self.where
        if self.in_file:
            yield f"in its file: {self.in_file}"
        yield ""
        if self.note:
            yield self.note
        if self.formula:
            yield f"formula  {self.formula}"
            yield f"numpy    {self.numpy}"
        for number, part in enumerate(self.parts):
            if number or self.formula:
                yield ""
            if part is not self.parts[-1]:
                yield f"{part.cell}:"
            written = [("=" if row.kind == "result" else "", row.label, row.expression, row.value) for row in part.rows]
            yield from columns(written, "<<<>")
        yield ""
        if self.root:
            yield f"checked  {self.checked}"
            return
        yield from (f"{'feeds' if i == 0 else '':<9}{one}" for i, one in enumerate(self.feeds or [_RESULT]))

    def latex(self) -> str:
        """The formula, and below it a line for each row with its label, its arithmetic and its number."""
        lines = [self.formula] if self.formula else []
        for part in self.parts:
            given = [(latex_text(row.label), _arithmetic(row.expression), _arithmetic(row.value)) for row in part.rows]
            inside = r" \\ ".join(map(" & ".join, given))
            lines.append(rf"\begin{{array}}{{lll}} {inside} \end{{array}}")
        if not lines:
            lines = [_arithmetic(str(self.value))]
        return r"\begin{gathered} " + r" \\[1ex] ".join(lines) + r" \end{gathered}"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def data(self) -> dict[str, Any]:
        """The whole explanation as texts, numbers, lists and dicts, as in JSON."""
        told = ("kind", "label", "expression", "value")
        parts = [
            {"cell": part.cell, "rows": [{name: getattr(row, name) for name in told} for row in part.rows]}
            for part in self.parts
        ]
        return {**vars(self), "parts": parts, "feeds": list(self.feeds)}


_RESULT = "nothing: it is a result"


def explained(engine: Engine, node: Node, cell: tuple[int, ...]) -> Explanation:
    """The derivation of a cell of a node; `cell` is an index in the node's own shape."""
    last = engine.explain(node.name, cell)
    note = ""
    if node.is_input:
        note = "An input: it is set, not computed."
    elif last is None:
        note = "Pinned: held at this value by hand, not computed. Without the pin:"
    parts = [
        Part(cell_of(engine.graph, above, at), tuple(rows(step, engine.labels_along)))
        for above, at, step in chain(engine, node.name, cell)
    ]
    return Explanation(
        cell_of(engine.graph, node.name, cell),
        engine.values[node.name][cell].item() + 0,  # turns −0 into 0
        _where(engine, node, cell),
        "" if node.is_input else engine.graph.equation(node.name),
        "" if node.is_input else node.op.code(*_variables(node)),
        note,
        tuple(parts),
        tuple(cell_of(engine.graph, child, index) for child, index in engine.feeds(node.name, cell).items()),
    )


def gradient_explained(engine: Engine, node: Node, cell: tuple[int, ...], root: Root) -> Explanation:
    """The derivation of the gradient of a root with respect to a cell, an index in the node's own shape.

    Raises `ExplorerError`: "no-loss", "no-gradient" or "bad-cell".
    """
    last = engine.explain_gradient(node.name, cell, root)
    check = check_cell(engine, node.name, cell, root=root)
    written = cell_of(engine.graph, node.name, cell)
    sides = f"gives {check.below + 0} and {check.above + 0}: slope {check.slope + 0:.10g}"
    return Explanation(
        written,
        check.gradient + 0,
        _where(engine, node, cell),
        parts=(Part(written, tuple(rows(last, engine.labels_along))),),
        root=cell_of(engine.graph, root.node, root.cell),
        checked=f"{written} ± {check.h:.1e} {sides}, {check.agreement(root.node)}",
    )


def _where(engine: Engine, node: Node, cell: tuple[int, ...]) -> str:
    """The labels of a cell, and the stage that shows it."""
    labels = [engine.labels(axis)[i] for axis, i in zip(node.axes, cell, strict=True)]
    if len(labels) > 1:
        labels[-2:] = f"row {labels[-2]}", f"column {labels[-1]}"
    return " · ".join([*([", ".join(labels)] if labels else []), stage_of(engine.graph, node)])


def _variables(node: Node) -> list[str]:
    """Short names for the parents, or longer ones if two parents would have the same name."""
    short = [parent.rpartition(".")[2] for parent in node.parents]
    return short if len(set(short)) == len(set(node.parents)) else [p.replace(".", "_") for p in node.parents]


# Arithmetic as LaTeX

_SIGNS = {
    "×": r"\times ",
    "÷": r"\div ",
    "−": "-",
    "√": r"\surd ",
    "²": "^2",
    "≥": r"\ge ",
    "∞": r"\infty ",
    "…": r"\dots ",
}
_TOKEN = re.compile(
    r"e\^\((?P<power>[^()]*)\)|(?P<number>\d[\d.,]*)|(?P<sign>[×÷−√²≥∞…^+=><(),\s])|(?P<words>[^\d×÷−√²≥∞…^+=><()]+)"
)


def _arithmetic(text: str) -> str:
    """The arithmetic of a row as LaTeX: numbers and signs as mathematics, words as text."""

    def one(match: re.Match[str]) -> str:
        if match["power"] is not None:
            return f"e^{{{_arithmetic(match['power'])}}}"
        if match["words"]:
            return latex_text(match["words"])
        return _SIGNS.get(match[0], match[0])

    return _TOKEN.sub(one, text)


class Continuation(Frozen, eq=False):
    """A text that a model has continued."""

    read: tuple[str, ...]  # the words that the model read
    new: tuple[str, ...]  # the words that it wrote
    ids: tuple[int, ...]  # the numbers of the new words
    steps: tuple[Written, ...]  # how each new word was chosen
    says: tuple[str, ...]  # all words that the model can say
    beams: tuple[Beam, ...] = ()  # all continuations that were followed to the end, the most probable first
    notices: tuple[str, ...] = ()  # notices for the reader: about unknown words, or an early end

    @property
    def text(self) -> str:
        """The whole text, read and new, in normal writing."""
        return self._typed(self.new)

    def text_of(self, beam: Beam) -> str:
        """The whole text with the words of another beam."""
        return self._typed(self.words(beam))

    def words(self, beam: Beam) -> tuple[str, ...]:
        """The words that a beam wrote."""
        return tuple(self.says[i] for i in beam.words)

    def _typed(self, new: Sequence[str]) -> str:
        pieces = are_pieces(self.says)
        words = [word for word in [*self.read, *new] if word == UNKNOWN or pieces or not is_mark(word)]
        return typed(words, self.says)

    def candidates(self, step: int, most: int = 20) -> list[tuple[str, float]]:
        """The words that could have been chosen at a step, with their probabilities; steps count from 0."""
        return [(self.says[i], probability) for i, probability in self.steps[step].candidates(most)]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return "\n".join([self.text, *(f"({notice})" for notice in self.notices)])


Words = str | Sequence[str | int] | NDArray[np.integer[Any]]
"""A text, or a list of words, each as it is spelt or by its number in the vocabulary."""


def by_number(words: Sequence[str | int] | NDArray[np.integer[Any]], vocabulary: Sequence[str]) -> list[str]:
    """The words as they are spelt.

    Raises `ExplorerError`: "no-word-number".
    """
    found = []
    for word in words:
        if not isinstance(word, str) and not 0 <= word < len(vocabulary):
            raise ExplorerError("no-word-number", number=word, last=len(vocabulary) - 1)
        found.append(str(word) if isinstance(word, str) else vocabulary[word])  # numpy has texts of its own
    return found


def continued(
    state: State,
    text: Words,
    n: int,
    target: Words | None,
    choice: Decoding,
    beams: int | None = None,
) -> Continuation:
    """The continuation by the model of a state; parameters as in `Transformer.generate`."""
    if not 1 <= n <= MOST_NEW:
        raise ExplorerError("bad-training-setting", name="n", value=n, low=1, high=MOST_NEW)
    sequence, notices = sequence_of(state), list[str]()

    def words(given: Words, of: str) -> list[str]:
        known = state.graph.vocabulary(of)
        if isinstance(given, str):
            found = as_read(state, of, read_words(state, of, given))
            if UNKNOWN in found and UNKNOWN not in given:
                notices.append(f"words that the model does not know are read as {UNKNOWN}")
        else:
            found = by_number(given, known)
            if unknown := next((word for word in found if word not in known), ""):
                raise ExplorerError("unknown-text-word", word=unknown[:60], known=nearest_words(unknown, known))
        if not found:
            raise ExplorerError("no-words")
        if len(found) > (most := positions(state, of)):
            raise ExplorerError("no-room", given=len(found), limit=most)
        return found

    source = None
    if sequence == "target":
        read, source = first_words(state) if target is None else words(target, "target"), words(text, "source")
    elif target is None:
        read = words(text, sequence)
    else:
        raise ExplorerError("no-target")
    decoder, says, ends = decoder_of(state, len(read), n, source), output_words(state), ends_of(state)
    ids, never = ids_of(read, state.graph.vocabulary(sequence)), never_of(state)
    found: tuple[Beam, ...] = ()
    if beams is not None:
        found = search(decoder, ids, n, beams, ends, never=never)[-1]
        steps = found[0].steps
    else:
        steps = tuple(write(decoder, ids, n, replace(choice, never=never), ends))
    new = tuple(says[step.chosen] for step in steps)
    if any(np.isnan(step.probabilities).any() for step in steps):
        notices.append("the probabilities are no numbers (NaN), so the new words mean nothing")
    if new and len(new) < n and decoder.reads[steps[-1].chosen] < 0 and steps[-1].chosen not in ends:
        notices.append(f"nothing is written behind “{new[-1]}”, which the model says but does not read")
    elif len(new) < n and len(read) + len(new) > decoder.room and steps[-1].chosen not in ends:
        notices.append(f"the model reads up to {decoder.room} words, so the text ends here")
    return Continuation(tuple(read), new, tuple(s.chosen for s in steps), steps, says, found, tuple(notices))
