"""An open transformer for notebooks, tests and the command line: its numbers are read, explained, edited and saved."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.decoder import Decoding
from explorer.core.errors import ExplorerError, cut, require_cell
from explorer.core.graph import LOGITS, LOSS, TARGET, Place, Root, cell_of, parse_cell, root_of, stage_of
from explorer.core.model import SWITCHES, SwitchValue
from explorer.core.stored import cell_of_tensor, nodes_of_tensor
from explorer.core.vocabulary import tokens_of
from explorer.document import storage
from explorer.document.commands import PinCells, Release, SetArray, SetCells, SetSwitch, SetTokens
from explorer.document.continuation import as_read
from explorer.document.document import Document
from explorer.document.state import read_only
from explorer.export.workbook import ENDINGS, save_model
from explorer.lessons.document_lesson import opened
from explorer.lessons.schema import Lesson
from explorer.library import answers
from explorer.library.matrix import Matrix, fitting
from explorer.library.page import Page
from explorer.sentences import sentence

if TYPE_CHECKING:
    from explorer.library.conventions import Ways
    from explorer.training.goal_seek import Sought

ExplorerError.in_words = staticmethod(sentence)  # users of the library read the error's own text


def open(
    what: str | Path,
    setting: str | None = None,
    dtype: str = "",
    tokenizer: str | Path | None = None,
    model: str | Path | None = None,
    told: Callable[[float, float], None] | None = None,
) -> "Transformer":
    """Open a lesson, a document, a model that comes with the program, or one that others trained.

    Parameters
    ----------
    what : str or Path
        The id of a lesson or a shipped model (`explorer list` lists them), a lesson's file (.toml), a document
        (.explorer), the folder of a checkpoint (config.json and safetensors), or a GGUF or llama2.c file (.gguf, .bin).
    setting : str, optional
        The setting of a lesson; by default its first.
    dtype : str
        The type in which a checkpoint is computed, "float32" or "float64"; by default it depends on the model's size.
    tokenizer : str or Path, optional
        The tokenizer of a llama2.c file, if it does not lie beside the file.
    model : str or Path, optional
        The folder or file of the model that a lesson needs, as one that was recorded on a checkpoint does.
    told : callable, optional
        Called now and then while a checkpoint is read, with how many numbers have been read and how many there are.

    Returns
    -------
    Transformer

    Raises
    ------
    ExplorerError
        Its text says in one sentence what is wrong and what to do.

    >>> import explorer
    >>> explorer.open("you-are-welcome")
    You are welcome → de nada: source “You are welcome”, target “<start> de nada”
    >>> explorer.open("you-are-welcom")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    explorer.core.errors.ExplorerError: There is no lesson, model or file 'you-are-welcom' (did you mean ...
    """
    lesson, state = opened(what, dtype, tokenizer, told, model)
    return Transformer(lesson, Document(state if setting is None else lesson.state(setting)))


def check_format(path: str | Path) -> None:
    """Check that a model can be saved under a name.

    Raises `ExplorerError`: "unknown-format".
    """
    ending, known = Path(path).suffix, (storage.ENDING, *ENDINGS)
    if ending.lower() not in known:
        raise ExplorerError("unknown-format", name=ending, known=", ".join(known))


class Transformer:
    """A transformer in which each number can be read, explained and changed; all numbers that depend on it follow.

    Parameters
    ----------
    lesson : Lesson
        The lesson that the document belongs to.
    document : Document
        It may also be open in a window: an edit here is a step of its undo.

    Notes
    -----
    Nodes have the names of the window, such as "encoder.1.self.scores"; `nodes` lists them. A node stacked over heads
    is (heads, rows, columns); "encoder.1.self.head.2.scores" is the (rows, columns) of one head. Indices count from 0.
    The names that TransformerLens has are understood, too: "blocks.0.attn.hook_pattern".

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

    # Slots, so that a mistyped name, as in m.token = …, is an error.
    __slots__ = {
        "__weakref__": None,
        "document": "The open document.",
        "lesson": "The lesson that the document belongs to.",
    }

    def __init__(self, lesson: Lesson, document: Document) -> None:
        self.lesson, self.document = lesson, document

    def __repr__(self) -> str:
        engine = self.document.engine
        said = [f"{name} “{' '.join(engine.labels(name))}”" for name in engine.graph.sequences]
        first = f"{self.lesson.title}: {', '.join(said) or f'{len(engine.graph.nodes)} nodes'}"
        return "\n".join([first, *self.notices])

    @property
    def notices(self) -> tuple[str, ...]:
        """What was noticed when a model of others was opened, such as tensors that are not used or are not finite."""
        return self.lesson.notices

    # Lists

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of all nodes, and of their heads' slices, in the order in which they are computed."""
        return tuple(self.document.state.graph.names())

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the pages that `page` draws, in the order of the window's list of stages."""
        return tuple(stage.name for stage in self.document.state.graph.stages)

    @property
    def switches(self) -> dict[str, SwitchValue]:
        """The value of each switch, by names such as "encoder.1.self.scale"."""
        model = self.document.state.model
        return {
            f"{block}.{name}": model.switch(block, name)
            for block, kind in model.blocks().items()
            for name in SWITCHES[kind]
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self.nodes)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.document.state.graph.find(name) is not None

    # Reading

    def __getitem__(self, name: str) -> Matrix:
        """The numbers of a node, or of a head's slice of one, with their labels.

        Raises `ExplorerError`: "unknown-node", with the most similar name; "name-in-file" for the name of a tensor, of
        which a node is a part, turned.
        """
        engine = self.document.engine
        graph, place = engine.graph, self._place(name)
        node, value = graph.nodes[place.node], engine.value(place)
        words: tuple[str, ...] = ()
        of_words = LOGITS if node.name == TARGET and node.op.whole else node.parents[0] if node.op.picks else ""
        if of_words in graph.nodes:
            known = engine.labels(graph.nodes[of_words].axes[-1])
            # A pinned number may be outside the vocabulary.
            words = tuple(known[i] if 0 <= i < len(known) else "?" for i in value.flat)
        pin = engine.pins.get(place.node)
        pins = None if pin is None else pin.cells[place.index]
        symbol = node.symbol if place.head is None else rf"{{{node.symbol}}}^{{({place.head + 1})}}"
        # Adding 0 turns −0 into 0.
        labels = tuple(engine.labels(axis) for axis in graph.axes_of(place))
        return Matrix(name, symbol, read_only(value + 0), labels, node, stage_of(graph, node), words, pins, self)

    def of_tensor(self, name: str) -> list[str]:
        """The nodes whose numbers are those of a tensor in the file of a checkpoint; the name's beginning may lack."""
        return [] if name in self else nodes_of_tensor(self.document.state.model, self.document.state.graph, name)

    def _in_tensor(self, name: str, at: tuple[int, ...]) -> tuple[str, tuple[int, ...]] | None:
        """The result of `cell_of_tensor`; None for our own names."""
        return None if name in self else cell_of_tensor(self.document.state.model, self.document.state.graph, name, at)

    def _place(self, name: str) -> Place:
        """The node, or the head's slice of one, that is meant."""
        if own := self.of_tensor(name):
            raise ExplorerError("name-in-file", name=name, known=", ".join(own))
        return self.document.state.graph.place(name)

    def cell(self, cell: str) -> tuple[str, tuple[int, ...]]:
        """The node of a cell, and the index in that node; `cell` may name a head's slice, or a tensor of a checkpoint.

        Raises `ExplorerError`: "bad-cell-syntax", "unknown-node", "name-in-file" or "bad-cell".
        """
        has_loss = cell == "loss" and LOSS in self.document.engine.graph.nodes
        name, at = parse_cell(LOSS if has_loss else cell)
        if (found := self._in_tensor(name, at)) is not None:
            return found
        place = self._place(name)
        require_cell(name, at, self.document.engine.value(place).shape)
        return place.node, place.index + at

    def explain(self, cell: str, gradient_of: str = "") -> answers.Explanation:
        """The derivation of a cell, as one would write it on paper.

        Parameters
        ----------
        cell : str
            Such as "encoder.1.self.weights[0,0,2]"; a single number is written without brackets. Of a checkpoint also a
            cell of a tensor, such as "model.layers.0.self_attn.q_proj.weight[12,5]".
        gradient_of : str
            "loss" or a cell: then its gradient with respect to `cell` is derived, by the chain rule.

        Raises
        ------
        ExplorerError
            "bad-cell-syntax", "unknown-node" or "bad-cell"; for a gradient also "no-loss" or "no-gradient".

        >>> import explorer
        >>> m = explorer.open("you-are-welcome")
        >>> m.explain("encoder.1.self.weights[0,0,2]").value
        0.530376542869907
        """
        engine = self.document.engine
        name, whole = self.cell(cell)
        node = engine.graph.nodes[name]
        if not gradient_of:
            found = answers.explained(engine, node, whole)
        else:
            found = answers.gradient_explained(engine, node, whole, root_of(engine.graph, gradient_of))
        in_file = self.document.state.model.in_file(name, whole) if node.is_input else ""
        return replace(found, in_file=in_file)

    def gradient(self, root: str | Root, of: str) -> Matrix:
        """The gradient of one number: how much it changes with each number of a node.

        Parameters
        ----------
        root : str
            "loss", or a cell such as "output.logits[2,5]".
        of : str
            The node, or a head's slice of one.

        Returns
        -------
        Matrix
            It has the shape of the node.

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
        found, matrix = engine.gradient(self._place(of), root), self[of]
        if found is None:
            raise ExplorerError("no-gradient", name=of)
        name = f"gradient of {cell_of(engine.graph, root.node, root.cell)} with respect to {of}"
        symbol = rf"\frac{{\partial {self.symbol(root)}}}{{\partial {matrix.symbol}}}"
        return replace(matrix, name=name, symbol=symbol, value=read_only(found + 0), words=(), pins=None, home=None)

    def symbol(self, root: Root) -> str:
        """The symbol of one number in LaTeX."""
        symbol = self.document.engine.graph.nodes[root.node].symbol
        return rf"{{{symbol}}}_{{{','.join(map(str, root.cell))}}}" if root.cell else symbol

    def conventions(self, printed: Mapping[str, Any], seconds: float = 10.0) -> "Ways":
        """Find the conventions under which the model gives the numbers that a text prints, the likeliest first.

        The inputs stay as they are. It tries the switches, other axes and logarithms, and rounded intermediate results.

        Parameters
        ----------
        printed : mapping of str to str or array
            For each node its printed numbers, as copied from a text; "?" where nothing is printed. Several nodes of a
            text are explained sooner than the last one alone.
        seconds : float
            The longest time that the search may take.

        Raises
        ------
        ExplorerError
            "unknown-node", "no-prints", "paste-uneven", "paste-too-long" or "bad-number".

        >>> import explorer
        >>> m = explorer.open("translation-lookup", "textbook")
        >>> m.conventions({"scaled": "0 0 8.33; 0 8.33 0"}).ways
        (attention.scale = 1/d_k,)
        """
        from explorer.library.conventions import of_model  # imported only for a search

        return of_model(self.lesson, self.document.state, printed, seconds)

    def page(self, stage: str) -> Page:
        """The page of a stage as the window shows it, such as ``m.page("encoder.1.self.attention").svg()``.

        The page is drawn only by its methods.

        Raises `ExplorerError`: "unknown-stage", with the likeliest names.
        """
        from explorer.pages.levels import stage_named  # imported only for a page

        stage_named(self.document.state.graph, stage)
        return Page(self.lesson, self.document, stage)

    # Edits. Each is a command of the document, and a step of its undo.

    def __setitem__(self, name: str, value: Any) -> None:
        """Set all numbers of an input, or pin all numbers of a computed node.

        `value`: a number, or an array that can be broadcast to the node's shape.

        Raises `ExplorerError`: "unknown-node", "bad-shape", "bad-token-id"; `ValueError` if `value` has no numbers.
        """
        graph = self.document.state.graph
        place = self._place(name)
        shape = self.document.engine.value(place).shape
        numbers = fitting(name, value, shape)
        if graph.nodes[place.node].is_input and not graph.nodes[place.node].op.whole:
            self.document.do(SetArray(name, np.asarray(numbers, self.document.state.model.dtype)))
        else:
            self.set(name, {cell: numbers[cell].item() for cell in np.ndindex(shape)})

    def set(self, name: str, cells: Mapping[tuple[int, ...], float]) -> None:
        """Set cells of an input, or pin cells of a computed node: they keep these numbers whatever their parents are.

        Parameters
        ----------
        name : str
            A node, or a head's slice of one; or a tensor of a checkpoint, which may have parts of several nodes.
        cells : mapping of cell to float
            The cells are indices in the shape of the node, slice or tensor, from 0.

        Raises
        ------
        ExplorerError
            "unknown-node", "bad-cell", or "bad-token-id" for a node of whole numbers.
        """
        inside: dict[str, dict[tuple[int, ...], float]] = {}
        for cell, value in cells.items():
            if (found := self._in_tensor(name, cell)) is not None:
                inside.setdefault(found[0], {})[found[1]] = value
        for one, own in inside.items():
            self.document.do(SetCells(one, own))
        if inside:
            return
        node = self._place(name).node
        given = self.document.state.graph.nodes[node].is_input
        self.document.do(SetCells(name, cells) if given else PinCells(name, cells))

    def release(self, name: str) -> None:
        """Remove all pins of a computed node, so that it is computed again.

        Raises `ExplorerError`: "unknown-node".
        """
        self.document.do(Release(name))

    def seek(self, cell: str, value: float, change: str | Sequence[str]) -> "Sought":
        """Let gradient descent find inputs that give a cell a value. A success is one step of undo.

        Parameters
        ----------
        cell : str
            Such as "encoder.1.self.weights[0,0,2]".
        value : float
            The wanted value.
        change : str or sequence of str
            What may change: inputs, or heads' slices or cells of inputs. All other inputs stay.

        Returns
        -------
        Sought
            The steps of the search and, if it failed, the reason; then nothing is changed.

        Raises
        ------
        ExplorerError
            "no-loss", "bad-cell-syntax", "unknown-node", "bad-cell", "not-editable", or "no-gradient" for whole
            numbers.

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
        from explorer.training.goal_seek import command, seek  # imported only when it is used

        graph = self.document.state.graph
        names = [change] if isinstance(change, str) else change
        for name in (cell, *names) if cell != "loss" else names:
            self._place(parse_cell(name)[0])
        root = root_of(graph, cell)
        require_cell(cell.partition("[")[0], root.cell, graph.shape(root.node))
        found = seek(self.document.state, root, float(value), [parse_cell(name) for name in names])
        if found.reached and found.moves:
            self.document.do(command(found, cell))
        return found

    def switch(self, name: str, value: object) -> None:
        """Set a switch: ``m.switch("encoder.1.self.scale", "none")``; `switches` lists all switches.

        Raises `ExplorerError`: "unknown-block", "unknown-switch" or "bad-switch-value", with the possible values.
        """
        block, _, short = name.rpartition(".")
        if not block:
            raise ExplorerError("bad-switch-syntax", text=cut(name))
        self.document.do(SetSwitch(block, short, value))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words that the model reads; for an encoder-decoder, the words of its source.

        They can be set to a text, or to a list of words or of their numbers in the vocabulary; a new word gets a new
        row in the embedding table.

        Raises `ExplorerError`: "fixed-tokens", "empty-tokens", "too-many-tokens", "bad-token",
        "no-word-number" or "no-positions".
        """
        return self.document.words(self._known())

    @tokens.setter
    def tokens(self, words: answers.Words) -> None:
        self.say(self._known(), words)

    @property
    def target(self) -> tuple[str, ...]:
        """The words that the decoder of an encoder-decoder reads; they can be set like `tokens`.

        Raises `ExplorerError`: "unknown-sequence" for a model without such a decoder, and as `tokens`.
        """
        return self.document.words(self._known("target"))

    @target.setter
    def target(self, words: answers.Words) -> None:
        self.say("target", words)

    def say(self, sequence: str, words: answers.Words) -> None:
        """Set the words of a sequence, "source", "target" or "input"; see `tokens`."""
        known = self.vocabulary(sequence)
        if isinstance(words, str):
            said = as_read(self.document.wanted, self._known(sequence), tokens_of(words, known))
        else:
            said = answers.by_number(words, known)
        self.document.do(SetTokens(sequence, tuple(said)))

    def vocabulary(self, sequence: str = "") -> tuple[str, ...]:
        """The words that a sequence, by default the first, can have without a new row in the embedding table.

        Raises `ExplorerError`: "fixed-tokens" or "unknown-sequence".
        """
        return self.document.state.graph.vocabulary(self._known(sequence))

    def _known(self, sequence: str = "") -> str:
        """The name of a sequence, checked; for "" the first sequence of the model."""
        sequences = self.document.state.graph.sequences
        sequence = sequence or next(iter(sequences), "")
        if not sequences:
            raise ExplorerError("fixed-tokens", sequence=self.lesson.id)
        if sequence not in sequences:
            raise ExplorerError("unknown-sequence", name=sequence, known=", ".join(sequences))
        return sequence

    def undo(self) -> str:
        """Undo the last change. Returns its label; "" if there was none."""
        return self._travelled(self.document.undo)

    def redo(self) -> str:
        """Redo the change that was undone last. Returns its label; "" if there was none."""
        return self._travelled(self.document.redo)

    def save(self, path: str | Path) -> None:
        """Write a document for the window (.explorer), a spreadsheet with formulas (.xlsx), or a numpy script (.py).

        An existing file is replaced only when the new one is complete.

        Raises `ExplorerError`: "unknown-format", "not-written", "not-saved" or "sheet-too-large".
        """
        path = Path(path)
        check_format(path)
        if path.suffix.lower() == storage.ENDING:
            self.document.settle()
            storage.save(self.document.state, self.lesson.title, path)
        else:
            save_model(self.document, self.lesson, path)

    def generate(
        self,
        text: answers.Words,
        n: int = 20,
        *,
        target: answers.Words | None = None,
        greedy: bool = False,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        beams: int | None = None,
    ) -> answers.Continuation:
        """Continue a text; with an encoder-decoder, write the answer to it.

        Parameters
        ----------
        text : str or sequence of str or int
            The text to continue, or the text that the encoder reads, as a string, or as words that the model knows,
            each as it is spelt or by its number.
        n : int
            The most words to write.
        target : str or sequence of str, optional
            The beginning of an encoder-decoder's answer; by default ``<start>``.
        greedy, temperature, top_k, top_p, seed
            How a word is chosen: see `explorer.core.decoder.Decoding`. The same seed draws the same words.
        beams : int, optional
            Beam search: the number of continuations followed at once; the most probable is returned, no word is drawn.

        Raises
        ------
        ExplorerError
            "writes-nothing" for a model without a decoder; "no-words"; "no-room"; "unknown-text-word"; "no-start";
            "bad-training-setting" for a number out of its bounds.

        >>> import explorer
        >>> explorer.open("tiny-gpt").generate("the cat sat on the", n=1, greedy=True)
        the cat sat on the mat
        """
        choice = Decoding(greedy, temperature, top_k, top_p, seed)
        found = answers.continued(self.document.state, text, n, target, choice, beams)
        room = self.document.state.model.room
        if 0 < room < (length := len(found.read) + len(found.new)):
            said = f"the text has {length} words, and the model was made for up to {room}"
            found = replace(found, notices=(*found.notices, said))
        return found

    def _travelled(self, step: Callable[[], None]) -> str:
        before = self.document.history.undo_label, self.document.history.redo_label
        step()
        after = self.document.history.undo_label, self.document.history.redo_label
        return self.document.label if after != before else ""
