"""A lesson around a document that comes from a file."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from explorer.checkpoints import is_checkpoint
from explorer.core.errors import ExplorerError
from explorer.core.vocabulary import Vocabulary
from explorer.document import storage
from explorer.document.commands import SetTokens
from explorer.document.manifest import Session
from explorer.document.state import State
from explorer.lessons.loader import load
from explorer.lessons.schema import WHOLE, Lesson, Setting

if TYPE_CHECKING:
    from explorer.checkpoints.checkpoint import Checkpoint, Told

FIRST_TEXT = "Once upon a time"
"""What a model that others trained reads at first, where it came with a tokenizer."""
_ID = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


@dataclass(frozen=True, eq=False)
class DocumentLesson(Lesson):
    """A lesson of one setting, which is the document as it was when it was opened."""

    saved: State  # to the last bit, with all its pins

    def state(self, setting: str | None = None) -> State:
        """The document as it was when it was opened."""
        self.setting(setting)
        return self.saved


def opened(
    name_or_path: str | Path,
    dtype: str = "",
    tokenizer: str | Path | None = None,
    told: "Told | None" = None,
) -> tuple[Lesson, State]:
    """A lesson by its id or file, a document by its file, or a model that others trained by its folder or file.

    Parameters
    ----------
    dtype, tokenizer, told
        For such a model; see `explorer.checkpoints.opening.opened`.

    Returns
    -------
    tuple of Lesson and State
        What it is of, and the state that it opens in.

    Raises
    ------
    ExplorerError
        Those of `explorer.lessons.loader.load`, of `explorer.document.storage.load`, and "checkpoint".
    """
    if is_checkpoint(name_or_path):
        from explorer.checkpoints import opening  # the readers of others' files, for who opens one

        return _around(opening.opened(name_or_path, dtype, tokenizer, told))
    if is_document(name_or_path):
        return lesson_of(*storage.load(name_or_path))
    lesson = load(name_or_path)
    return lesson, lesson.state()


def _around(found: "Checkpoint") -> tuple[Lesson, State]:
    """A lesson around a model that others trained: it says where the model is from, and what is to be said of it."""
    name = found.path.resolve().name
    state = State.of(found.model, found.inputs)
    sequence, axis = next(iter(state.graph.sequences.items()))
    words = state.graph.axes[axis]
    if isinstance(words, Vocabulary) and (pieces := words.pieces_of(FIRST_TEXT)):
        state = SetTokens(sequence, pieces).apply(state)
    lesson, state = lesson_of(state, f"{name} ({found.kind})")
    told = " ".join(f"Notice: {notice}." for notice in found.notices)
    about = f"A model that others trained, from {found.path}. {told}".strip()
    settings = {one: replace(setting, title="As it came", paragraph=about) for one, setting in lesson.settings.items()}
    return replace(lesson, settings=settings, start_stage=WHOLE), state


def opened_session(path: str | Path) -> tuple[Lesson, State, Session]:
    """A document from its file, as `opened`, with what was kept beside it.

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
    """Whether this is the name of a document's file."""
    return str(name_or_path).lower().endswith(storage.ENDING)


def lesson_of(state: State, title: str) -> tuple[Lesson, State]:
    """The lesson that a document from a file is of, and the document's state, which names it.

    It is the program's own lesson, under the title that was saved, where the document was made from one. Otherwise it
    is a lesson of its own.
    """
    lesson = _own(state)
    if lesson is not None:
        return replace(lesson, title=title or lesson.title), state
    # Another one each time: a document that was opened before may have been saved with other numbers since.
    state = replace(state, lesson=f"saved {uuid4().hex}", setting="saved")
    about = "A document of yours, opened from a file. Reset brings back the numbers that it had in the file."
    setting = Setting("saved", "As saved", about)
    ours = frozenset(node.name for node in state.graph.nodes.values() if node.is_input)
    model, inputs, start = state.model, state.inputs, state.graph.stages[0].name
    title = title or "A document"
    return DocumentLesson(state.lesson, title, "", "", start, 0, model, inputs, ours, {"saved": setting}, state), state


def _own(state: State) -> Lesson | None:
    """The program's lesson that a document was made from, if it has that lesson and setting."""
    if not state.lesson or not _ID.issuperset(state.lesson):  # anything else could be read as a path
        return None
    try:
        lesson = load(state.lesson)
    except ExplorerError:
        return None
    if state.setting not in lesson.settings:
        return None
    model = lesson.settings[state.setting].model or lesson.model
    return lesson if model.kind == state.model.kind else None
