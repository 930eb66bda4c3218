"""A transformer that is open, for a notebook, a test and the command line: read, explained, edited, saved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.byte_pairs import tokens_of
from explorer.core.errors import ExplorerError, require_cell
from explorer.core.generation import Choice
from explorer.core.gradients import Root
from explorer.core.names import cut, name_of, parse_cell, root_of, stage_of
from explorer.core.switches import SWITCHES, SwitchValue
from explorer.document import storage
from explorer.document.commands import PinCells, Release, SetArray, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import frozen
from explorer.export.files import ENDINGS, save_model
from explorer.lessons.document_lesson import opened
from explorer.lessons.schema import Lesson
from explorer.library.answers import Continuation, Explanation, continued, explained, gradient_explained
from explorer.library.matrix import Matrix, fitting
from explorer.library.page import Page
from explorer.sentences import sentence

if TYPE_CHECKING:
    from explorer.library.conventions import Ways
    from explorer.training.goal_seek import Sought

ExplorerError.in_words = staticmethod(sentence)  # who calls the library reads the error itself


def open(
    what: str | Path, setting: str | None = None, dtype: str = "", tokenizer: str | Path | None = None
) -> "Transformer":
    """Open a lesson, a document, a model that comes with the program, or one that others trained.

    Parameters
    ----------
    what : str or Path
        A lesson or a shipped model by its id, as `explorer list` names them; a lesson's file (.toml); a document
        (.explorer); the folder of a checkpoint (config.json and safetensors); a file of GGUF or llama2.c (.gguf, .bin).
    setting : str, optional
        Of a lesson; by default its first.
    dtype : str
        In which type the numbers of a checkpoint are computed: "float32" or "float64"; by default, as large as it is.
    tokenizer : str or Path, optional
        The tokenizer of a file of llama2.c, where it does not lie beside it.

    Returns
    -------
    Transformer

    Raises
    ------
    ExplorerError
        In one sentence, what is wrong and what to do.

    >>> import explorer
    >>> explorer.open("you-are-welcome")
    You are welcome → de nada: source “You are welcome”, target “<start> de nada”
    >>> explorer.open("you-are-welcom")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    explorer.core.errors.ExplorerError: There is no lesson 'you-are-welcom' (did you mean 'you-are-welcome'?); ...
    """
    lesson, state = opened(what, dtype, tokenizer)
    return Transformer(lesson, Document(state if setting is None else lesson.state(setting)))


class Transformer:
    """A transformer whose every number can be read, explained and changed; what depends on it follows at once.

    Parameters
    ----------
    lesson : Lesson
        What the document is of.
    document : Document
        It may be shown elsewhere: an edit here is a step of its undo.

    Notes
    -----
    Nodes are named as in the window, "encoder.1.self.scores"; `nodes` lists them. A node that is stacked over heads is
    (heads, rows, columns); "encoder.1.self.head.2.scores" is one head's (rows, columns). Cells count from 0.

    >>> import explorer
    >>> m = explorer.open("you-are-welcome")
    >>> m.tokens = ["You", "are", "early"]
    >>> m["encoder.1.self.W_Q"][0, 1, 2] = 0.5
    >>> m.switch("encoder.1.self.scale", "none")
    >>> m["encoder.1.self.weights"].rows
    ('You', 'are', 'early')
    >>> m.undo()
    'Undo: Set encoder.1.self.scale to none'
    """

    def __init__(self, lesson: Lesson, document: Document) -> None:
        self.lesson, self.document = lesson, document

    def __repr__(self) -> str:
        engine = self.document.engine
        said = [f"{name} “{' '.join(engine.labels(name))}”" for name in engine.graph.sequences]
        return f"{self.lesson.title}: {', '.join(said) or f'{len(engine.graph.nodes)} nodes'}"

    # What there is

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of all nodes, and of the slices of their heads, in the order of computing."""
        return tuple(self.document.state.graph.names())

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the pages that `page` draws, in the order of the window's map."""
        return tuple(stage.name for stage in self.document.state.graph.stages)

    @property
    def switches(self) -> dict[str, SwitchValue]:
        """What is chosen at each switch, by names such as "encoder.1.self.scale"."""
        model = self.document.state.model
        return {
            f"{block}.{name}": model.switch(block, name)
            for block, kind in model.blocks().items()
            for name in SWITCHES[kind]
        }

    # Reading

    def __getitem__(self, name: str) -> Matrix:
        """The numbers of a node, or of a head's slice of one, with their labels.

        Raises `ExplorerError`: "unknown-node", with the likeliest name.
        """
        engine = self.document.engine
        graph, place = engine.graph, engine.graph.place(name)
        node, value = graph.nodes[place.node], engine.value(place)
        words: tuple[str, ...] = ()
        if node.op.picks:
            known = engine.labels(graph.nodes[node.parents[0]].axes[-1])
            # A pinned number may lie outside.
            words = tuple(known[i] if 0 <= i < len(known) else "?" for i in value.flat)
        held = ""
        if (pin := engine.pins.get(place.node)) and pin.cells[place.index].any():
            held = "pinned" if pin.cells[place.index].all() else "partly pinned"
        symbol = node.symbol if place.head is None else rf"{{{node.symbol}}}^{{({place.head + 1})}}"
        # 0 has no sign.
        labels = tuple(engine.labels(axis) for axis in graph.axes_of(place))
        return Matrix(name, symbol, frozen(value + 0), labels, node, stage_of(graph, node), words, held, self)

    def cell(self, cell: str) -> tuple[str, tuple[int, ...]]:
        """The node of a cell and its index there, where a head's slice may be named.

        Raises `ExplorerError`: "bad-cell-syntax", "unknown-node" or "bad-cell".
        """
        name, at = parse_cell(cell)
        place = self.document.engine.graph.place(name)
        require_cell(name, at, self.document.engine.value(place).shape)
        return place.node, place.index + at

    def explain(self, cell: str, gradient_of: str = "") -> Explanation:
        """How a cell comes about, as one would write it on paper.

        Parameters
        ----------
        cell : str
            Such as "encoder.1.self.weights[0,0,2]"; a single number is written without brackets.
        gradient_of : str
            "loss" or a cell: then how its gradient with respect to `cell` comes about, by the chain rule.

        Raises
        ------
        ExplorerError
            "bad-cell-syntax", "unknown-node" or "bad-cell"; of a gradient also "no-loss" or "no-gradient".

        >>> import explorer
        >>> m = explorer.open("you-are-welcome")
        >>> m.explain("encoder.1.self.weights[0,0,2]").value
        0.530376542869907
        """
        engine = self.document.engine
        name, whole = self.cell(cell)
        node = engine.graph.nodes[name]
        if not gradient_of:
            return explained(engine, node, whole)
        return gradient_explained(engine, node, whole, root_of(engine.graph, gradient_of))

    def gradient(self, root: str | Root, of: str) -> Matrix:
        """How much one number changes with each number of a node.

        Parameters
        ----------
        root : str
            "loss", or a cell such as "output.logits[2,5]".
        of : str
            The node, or a head's slice of one.

        Returns
        -------
        Matrix
            In the shape of the node.

        Raises
        ------
        ExplorerError
            "no-loss", "bad-cell-syntax", "unknown-node" or "bad-cell"; "no-gradient" for whole numbers.

        >>> import explorer
        >>> explorer.open("you-are-welcome").gradient("loss", of="encoder.1.self.W_Q").shape
        (2, 4, 4)
        """
        engine = self.document.engine
        root = root_of(engine.graph, root) if isinstance(root, str) else root
        found, matrix = engine.gradient(engine.graph.place(of), root), self[of]
        if found is None:
            raise ExplorerError("no-gradient", name=of)
        name = f"gradient of {name_of(engine.graph, root.node, root.cell)} with respect to {of}"
        symbol = rf"\frac{{\partial {self.symbol(root)}}}{{\partial {matrix.symbol}}}"
        return replace(matrix, name=name, symbol=symbol, value=frozen(found + 0), words=(), held="", home=None)

    def symbol(self, root: Root) -> str:
        """The symbol of one number, as LaTeX."""
        symbol = self.document.engine.graph.nodes[root.node].symbol
        return rf"{{{symbol}}}_{{{','.join(map(str, root.cell))}}}" if root.cell else symbol

    def conventions(self, printed: Mapping[str, Any], seconds: float = 10.0) -> "Ways":
        """Under which settings the model gives the numbers that a text prints, likeliest first.

        Its typed numbers stay; the switches are tried, other axes and logarithms, and rounding on the way.

        Parameters
        ----------
        printed : mapping of str to str or array
            For each node what is printed there, as somebody copies it; "?" for what is not. Several nodes of one text
            are found sooner than the last one alone.
        seconds : float
            When to stop, at the latest.

        Raises
        ------
        ExplorerError
            "unknown-node", "no-prints", "paste-uneven", "paste-too-long" or "bad-number".

        >>> import explorer
        >>> m = explorer.open("translation-lookup", "textbook")
        >>> m.conventions({"scaled": "0 0 8.33; 0 8.33 0"}).ways
        (attention.scale = 1/d_k,)
        """
        from explorer.library.conventions import of_model  # whoever opens a model need not search

        return of_model(self.lesson, self.document.state, printed, seconds)

    def page(self, stage: str) -> Page:
        """A page as the window shows it, drawn when it is asked for: ``m.page("encoder.1.self.attention").svg()``.

        Raises `ExplorerError`: "unknown-stage", when it is drawn.
        """
        return Page(self.lesson, self.document, stage)

    # Changing. Each is a command of the document, and a step of its undo.

    def __setitem__(self, name: str, value: Any) -> None:
        """Set all of a node: an input's numbers, or those that a computed node is held at.

        `value`: a number, or an array that numpy can repeat to the node's shape.

        Raises `ExplorerError`: "unknown-node", "bad-shape", "bad-token-id"; `ValueError` for what are no numbers.
        """
        graph = self.document.state.graph
        place = graph.place(name)
        shape = self.document.engine.value(place).shape
        numbers = fitting(name, value, shape)
        if graph.nodes[place.node].is_input and not graph.nodes[place.node].op.whole:
            self.document.do(SetArray(name, np.asarray(numbers, self.document.state.model.dtype)))
        else:
            self.set(name, {cell: numbers[cell].item() for cell in np.ndindex(shape)})

    def set(self, name: str, cells: Mapping[tuple[int, ...], float]) -> None:
        """Set cells of an input, or pin those of a computed node: hold them there, whatever they are computed from.

        Parameters
        ----------
        name : str
            A node, or a head's slice of one.
        cells : mapping of cell to float
            Counted from 0 in the shape of the node or slice.

        Raises
        ------
        ExplorerError
            "unknown-node", "bad-cell", or "bad-token-id" for a node of whole numbers.
        """
        node = self.document.state.graph.place(name).node
        given = self.document.state.graph.nodes[node].is_input
        self.document.do(SetCells(name, cells) if given else PinCells(name, cells))

    def release(self, name: str) -> None:
        """Let a computed node be computed again, where cells of it were pinned.

        Raises `ExplorerError`: "unknown-node".
        """
        self.document.do(Release(name))

    def seek(self, cell: str, value: float, change: str | Sequence[str]) -> "Sought":
        """Let gradient descent find inputs that give a cell a value. Where it does, that is one step of undo.

        Parameters
        ----------
        cell : str
            Such as "encoder.1.self.weights[0,0,2]".
        value : float
            What it should be.
        change : str or sequence of str
            What may change: inputs, heads' slices or cells of them. All else stays.

        Returns
        -------
        Sought
            The way, step by step, and why it ends where it does not get there: then nothing is changed.

        Raises
        ------
        ExplorerError
            "bad-cell-syntax", "unknown-node", "bad-cell", "not-editable", or "no-gradient" for whole numbers.

        >>> import explorer
        >>> m = explorer.open("two-vectors")
        >>> m.seek("dot[0,0]", 4, change="x")
           0  10
           1  4  (moved by 1.34)
        4 is reached in 1 step.
        >>> m["x"]
        x  (1 × 2)
             across   up
          x    -0.2  2.4
        """
        from explorer.training.goal_seek import command, seek  # few ask for it

        graph = self.document.state.graph
        root = root_of(graph, cell)
        require_cell(cell.partition("[")[0], root.cell, graph.shape(root.node))
        names = [change] if isinstance(change, str) else change
        found = seek(self.document.state, root, float(value), [parse_cell(name) for name in names])
        if found.reached and found.moves:
            self.document.do(command(found, cell))
        return found

    def switch(self, name: str, value: object) -> None:
        """Choose at a switch: ``m.switch("encoder.1.self.scale", "none")``; `switches` lists them.

        Raises `ExplorerError`: "unknown-block", "unknown-switch" or "bad-switch-value", with what there is.
        """
        block, _, short = name.rpartition(".")
        if not block:
            raise ExplorerError("bad-switch-syntax", text=cut(name))
        self.document.do(SetSwitch(block, short, value))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words that the model reads first, of an encoder-decoder those of its source.

        They are set as a text or word by word; a new word gets a row of its own in the table.

        Raises `ExplorerError`: "fixed-tokens", "empty-tokens", "too-many-tokens" or "bad-token".
        """
        return self.document.words(self._known())

    @tokens.setter
    def tokens(self, words: str | Sequence[str]) -> None:
        self.say(self._known(), words)

    @property
    def target(self) -> tuple[str, ...]:
        """The words that the decoder of an encoder-decoder reads; set as `tokens`.

        Raises `ExplorerError`: "unknown-sequence" for a model that has none, and as `tokens`.
        """
        return self.document.words(self._known("target"))

    @target.setter
    def target(self, words: str | Sequence[str]) -> None:
        self.say("target", words)

    def say(self, sequence: str, words: str | Sequence[str]) -> None:
        """Give a sequence, "source", "target" or "input", other words; see `tokens`."""
        graph = self.document.state.graph
        if isinstance(words, str):
            words = tokens_of(words, graph.axes[graph.sequences[self._known(sequence)]])
        self.document.do(SetTokens(sequence, tuple(words)))

    def vocabulary(self, sequence: str = "") -> tuple[str, ...]:
        """The words that a sequence, by default the first, can have without a new row in the table.

        Raises `ExplorerError`: "fixed-tokens" or "unknown-sequence".
        """
        graph = self.document.state.graph
        return graph.axes[graph.sequences[self._known(sequence)]]

    def _known(self, sequence: str = "") -> str:
        """A sequence that the model has; the one that it reads first, for ""."""
        sequences = self.document.state.graph.sequences
        sequence = sequence or next(iter(sequences), "")
        if not sequences:
            raise ExplorerError("fixed-tokens", sequence=self.lesson.id)
        if sequence not in sequences:
            raise ExplorerError("unknown-sequence", name=sequence, known=", ".join(sequences))
        return sequence

    def undo(self) -> str:
        """Take the last change back. Returns what that was; "" where there was none."""
        return self._travelled(self.document.undo)

    def redo(self) -> str:
        """Do again what was taken back last. Returns what that was; "" where there was none."""
        return self._travelled(self.document.redo)

    def save(self, path: str | Path) -> None:
        """Write a document that the window opens (.explorer), a live spreadsheet (.xlsx), or a numpy script (.py).

        What stands there is replaced when the new file is whole.

        Raises `ExplorerError`: "unknown-format", "not-written", "not-saved" or "sheet-too-large".
        """
        path = Path(path)
        if path.suffix.lower() == storage.ENDING:
            self.document.settle()
            storage.save(self.document.state, self.lesson.title, path)
        elif path.suffix.lower() in ENDINGS:
            save_model(self.document, self.lesson, path)
        else:
            known = ", ".join([storage.ENDING, *ENDINGS])
            raise ExplorerError("unknown-format", name=path.suffix, known=known)

    def generate(
        self,
        text: str | Sequence[str],
        n: int = 20,
        *,
        target: str | Sequence[str] | None = None,
        greedy: bool = False,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        beams: int | None = None,
    ) -> Continuation:
        """Write on behind a text; of an encoder-decoder: answer it.

        Parameters
        ----------
        text : str or sequence of str
            What is written on, or what the encoder reads: a text, or words that the model knows.
        n : int
            The most words to write.
        target : str or sequence of str, optional
            What an encoder-decoder's answer begins with; by default ``<start>``.
        greedy, temperature, top_k, top_p, seed
            How a word is chosen: see `explorer.core.generation.Choice`. The same seed draws the same words.
        beams : int, optional
            Of so many continuations at once the likeliest is followed, and no word is drawn.

        Raises
        ------
        ExplorerError
            "writes-nothing" for a model without a decoder; "no-words"; "unknown-text-word"; "no-start";
            "bad-training-setting" for a number out of its bounds.

        >>> import explorer
        >>> explorer.open("tiny-gpt").generate("the cat sat on the", n=1, greedy=True)
        the cat sat on the mat
        """
        choice = Choice(greedy, temperature, top_k, top_p, seed)
        return continued(self.document.state, text, n, target, choice, beams)

    def _travelled(self, step: Callable[[], None]) -> str:
        before = self.document.history.undo_label, self.document.history.redo_label
        step()
        after = self.document.history.undo_label, self.document.history.redo_label
        return self.document.label if after != before else ""
