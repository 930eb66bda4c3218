"""Lessons that have no file of their own: around a document from a file, or around a model that others trained.

`new_lesson`: a new model of chosen sizes, on a sentence that somebody types.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer import checkpoints
from explorer.checkpoints import ENDINGS, is_checkpoint
from explorer.core.cost import build_within, most_numbers
from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import SEQUENCES, Model
from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import quantity
from explorer.core.vocabulary import END, MOST_TOKENS, START, Vocabulary
from explorer.document import storage
from explorer.document.commands import SetTokens
from explorer.document.commands.words import checked_words
from explorer.document.continuation import room_of
from explorer.document.manifest import Session
from explorer.document.state import State
from explorer.lessons.loader import load, ready
from explorer.lessons.schema import WHOLE, Lesson, Setting, start_of

if TYPE_CHECKING:
    from explorer.checkpoints.checkpoint import Checkpoint, Told


FIRST_TEXT = "Once upon a time"
"""The first text of a model that others trained, if it came with a tokenizer."""
FIRST_NUMBERS = 5
"""How many words it reads first without a tokenizer: with a single one nothing is seen of attention."""
_ID = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


class DocumentLesson(Lesson, eq=False):
    """A lesson with one setting, which is the document as it was when it was opened."""

    saved: State  # the same bits as in the file, with all pins

    def state(self, setting: str | None = None) -> State:
        """The document as it was when it was opened."""
        self.setting(setting)
        return self.saved


def opened(
    name_or_path: str | Path,
    dtype: str = "",
    tokenizer: str | Path | None = None,
    told: "Told | None" = None,
    model: str | Path | None = None,
) -> tuple[Lesson, State]:
    """A lesson by its id or file, a document by its file, or a model that others trained by its folder or file.

    `dtype`, `tokenizer`, `told`: for a model that others trained; see `explorer.checkpoints.opened`.
    `model`: the folder or file of the model that a lesson needs.
    Returns the lesson, and the state in which it opens.
    Raises an `ExplorerError`: those of `explorer.lessons.loader.load`, of `explorer.document.storage.load`,
    "checkpoint", "model-needed" for a lesson on a model that does not come along, "other-model" and "no-model-needed"
    for a model that is not the one, "option-of-others" for an option that the model has no use for, and "file-of-model"
    for a file within the folder of a model, or in a form that only other programs read.
    """
    if model is not None and (is_checkpoint(name_or_path) or is_document(name_or_path)):
        raise ExplorerError("no-model-needed", name=name_or_path)
    if is_checkpoint(name_or_path):
        return _around(checkpoints.opened(name_or_path, dtype, tokenizer, told))
    file = Path(name_or_path)
    if file.suffix.lower() in ENDINGS:
        load(file)  # raises the reason why it cannot be read
    for option, given in (("dtype", dtype), ("tokenizer", tokenizer)):
        if given:
            raise ExplorerError("option-of-others", option=option, name=name_or_path)
    if is_document(name_or_path):
        return lesson_of(*storage.load(name_or_path))
    if file.suffix.lower() in (".safetensors", ".json") and (file.parent / "config.json").is_file():
        raise ExplorerError("file-of-model", file=file, folder=file.parent)
    lesson = ready(name_or_path, model, told)
    return lesson, start_of(lesson)


def _around(found: "Checkpoint") -> tuple[Lesson, State]:
    """A lesson around a model that others trained, which says where the model is from and has the reader's notices."""
    name = found.path.resolve().name
    state = State.of(found.model, found.inputs)
    sequence, axis = next(iter(state.graph.sequences.items()))
    words = state.graph.axes[axis]
    if isinstance(words, Vocabulary):
        pieces = words.pieces_of(_first_text(words, state.model))
    else:
        pieces = list(words[:FIRST_NUMBERS])
    if pieces:
        state = SetTokens(sequence, pieces[: room_of(state.model, sequence) or None]).apply(state)
    lesson, state = lesson_of(state, name if found.kind in name else f"{name} ({found.kind})")
    notices = tuple(f"Notice: {notice}." for notice in found.notices)
    # In a narrow window only the beginning is in sight, and the path may be long.
    about = " ".join([*notices, f"A model that others trained, from {found.path}."])
    settings = {one: replace(setting, title="As it came", paragraph=about) for one, setting in lesson.settings.items()}
    lesson = replace(lesson, settings=settings, start_stage=WHOLE, notices=notices)
    return replace(lesson, folder=found.path, architecture=found.architecture), state


def _first_text(words: Vocabulary, model: Model) -> str:
    """What a model that others trained reads first; one that says masked words has a word to say."""
    says = words.mask and model.kind == "encoder" and model.switch("output", "on")
    return f"{FIRST_TEXT.rpartition(' ')[0]} {words.mask}." if says else FIRST_TEXT


def opened_session(path: str | Path) -> tuple[Lesson, State, Session]:
    """A document from its file, as in `opened`, with the session that was saved with it.

    Raises `ExplorerError`: those of `explorer.document.storage.load`.
    """
    saved, title, session = storage.load_session(path)
    lesson, state = lesson_of(saved, title)
    if state is not saved:
        steps = [(replace(one, lesson=state.lesson, setting=state.setting), label) for one, label in session.steps]
        steps[session.now] = state, steps[session.now][1]
        session = replace(session, steps=tuple(steps))
    return lesson, state, session


def is_document(name_or_path: str | Path) -> bool:
    """Whether this names the file of a document, by its ending."""
    return str(name_or_path).lower().endswith(storage.ENDING)


def lesson_of(state: State, title: str) -> tuple[Lesson, State]:
    """The lesson of a document from a file, and the document's state, which names that lesson.

    If the document was made from a lesson of the program, it is this lesson, with the saved title. Otherwise it is a
    new `DocumentLesson`.
    """
    lesson = _own(state)
    if lesson is not None:
        return replace(lesson, title=title or lesson.title), state
    # A new id each time: since it was opened before, the document may have been saved with other numbers.
    state = replace(state, lesson=f"saved {os.urandom(16).hex()}", setting="saved")
    about = "A document of yours, opened from a file. Reset brings back the numbers that it had in the file."
    setting = Setting("saved", "As saved", about)
    ours = frozenset(node.name for node in state.graph.nodes.values() if node.is_input)
    model, inputs, start = state.model, state.inputs, state.graph.stages[0].name
    title = title or "A document"
    return DocumentLesson(state.lesson, title, "", "", start, 0, model, inputs, ours, {"saved": setting}, state), state


def _own(state: State) -> Lesson | None:
    """The program's lesson that a document was made from; None if there is no such lesson or setting."""
    if not state.lesson or not _ID.issuperset(state.lesson):  # anything else could be read as a path
        return None
    try:
        lesson = load(state.lesson)
    except ExplorerError:
        return None
    if state.setting not in lesson.settings or lesson.needed is not None:
        return None
    model = lesson.settings[state.setting].model or lesson.model
    return lesson if model.kind == state.model.kind else None


MOST_NUMBERS = 200_000_000
"""0.8 GB in float32; GPT-2 small with a table of 50,257 words at both ends has 163 million."""
FLOAT32_FROM = 1_000_000
"""A new model with at least this many numbers uses float32: half of the memory, and twice as fast."""


def new_lesson(
    kind: str,
    texts: Sequence[str],
    *,
    vocabulary: str = "",
    d_model: int = 4,
    layers: int = 1,
    heads: int = 1,
    d_ff: int = 0,
    positions: str = "sinusoidal",
    seed: int = 0,
    initialiser: str = "xavier",
) -> Lesson:
    """A lesson with one setting, whose weights are all random.

    A decoder should say the sentence that it reads, shifted by one word, and then ``<end>``. The decoder of an
    encoder-decoder reads ``<start>`` first, which is added if it is missing.

    `kind`: "encoder-decoder", "gpt" or "encoder". `texts`: the words of each sequence, separated by blanks.
    `vocabulary`: more words for the vocabularies. The others: as in `explorer.core.model.Model` and its switches.

    Raises `ExplorerError` if the sizes do not fit together, or a text is empty or too long.
    """
    if kind not in SEQUENCES:
        raise ExplorerError("unknown-kind", kind=kind, known=", ".join(SEQUENCES))
    lengths, axes, inputs = {}, {}, {}
    for sequence, text in zip(SEQUENCES[kind], texts, strict=True):
        words = list(checked_words(sequence, text.split(), MOST_TOKENS))
        if sequence == "target" and words[0] != START:
            words = [START, *checked_words(sequence, words, MOST_TOKENS - 1)]
        more = checked_words(sequence, vocabulary.split() or words, None)
        known = tuple(dict.fromkeys([*words, *more, *[END] * (sequence == DECODER_READS.get(kind))]))
        axes[f"{sequence}.words"] = known
        lengths[sequence] = len(words)
        inputs[f"{sequence}.tokens"] = np.array([known.index(word) for word in words], dtype=np.int64)
    model = Model(kind, lengths, axes, d_model, layers, seed=seed, initialiser=initialiser)
    chosen = {"sequence": ("positions", positions), "attention": ("heads", heads), "ffn": ("d_ff", d_ff)}
    for block, of_kind in model.blocks().items():
        if switch := {**chosen, "loss of words": ("targets", "next word")}.get(of_kind):
            model = model.with_switch(block, *switch)
    graph = graph_of_new(model)
    if sum(map(graph.size, graph.inputs)) >= FLOAT32_FROM or sum(map(graph.size, graph.nodes)) > most_numbers(model):
        model = replace(model, dtype="float32")
        graph = build_within(model)
    ours = frozenset(node.name for node in graph.nodes.values() if node.is_input)
    about = f"A model of yours: {quantity(layers, 'layer')}, {quantity(heads, 'head')}, d_model {d_model}."
    chance = f"All weights are drawn by chance ({initialiser}, seed {seed}), so it has learned nothing yet."
    setting = Setting("new", "As made", chance)
    title = " → ".join(" ".join(text.split()[:6]) for text in texts)
    return Lesson(f"new {os.urandom(16).hex()}", title, about, "", WHOLE, 0, model, inputs, ours, {"new": setting})


def graph_of_new(model: Model) -> Graph:
    """The graph of a model whose weights are to be drawn.

    Raises `ExplorerError`: those of `build_within`, for too many weights.
    """
    return build_within(model, by_rows=True, most=MOST_NUMBERS)  # what is computed from them is not held


def drawn(lesson: Lesson) -> Lesson:
    """The lesson with its random weights already drawn: in a large model that takes seconds, so it is done once."""
    return replace(lesson, inputs=lesson.state().used)
