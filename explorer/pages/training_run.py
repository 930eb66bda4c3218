"""The part of the page "Train" about the run: its controls, its progress in words, and what keeps it from learning."""

from collections.abc import Sequence
from html import escape

from explorer.core.frozen import Frozen
from explorer.core.graph import LOSS
from explorer.core.numbers import alone, live, quantity
from explorer.core.training.records import Records
from explorer.document.document import Document
from explorer.pages.element import Element
from explorer.pages.gestures import ForTraining
from explorer.pages.page import Button, Check, Choice, Header, Note
from explorer.pages.training_settings import TEXT
from explorer.training.diagnosis import Diagnosis, diagnosis, solved
from explorer.training.run import Run
from explorer.training.trained_line import TrainedLine

PACES = {"10 seconds a run": 10.0, "1 minute a run": 60.0, "full speed": 0.0}
"""The least time that a run takes, in seconds, for each choice of the pace."""
LEARNED = 1e-4
ADD_LOSS = "This model has no loss, so it learns nothing. Its switch “Loss”, on the page “All switches”, adds one."
NO_LOSS = "This model has no loss, so it learns nothing. To see a model learn, open “XOR” on the page “Lessons”."


class RunProgress(Frozen):
    """The progress of the training run of a document."""

    document: Document
    run: Run | None
    going: bool  # whether there are steps left to take
    beside: bool  # whether a separate process takes the steps
    steps: int  # the step at which the run ends; 0 if steps are taken by hand
    speed: float  # recent steps per second while the run continues by itself; else 0
    source: str  # what the model learns from: `Plan.source`
    learns: str  # the setting of the lesson that learns from any start, if the document is in another setting
    quick: bool = True  # whether a step takes so little time that nobody has to wait for it
    line: TrainedLine | None = None  # the linear regression trained beside a net

    @property
    def from_text(self) -> bool:
        """Whether the model learns from a text, and not from its own example."""
        return self.source == TEXT

    @property
    def records(self) -> Records | None:
        """The records of the present run, or else of the run that the document's weights come from."""
        return self.run.records if self.run is not None else self.document.state.records

    @property
    def loss(self) -> float | None:
        """The present loss of the model; None if the model has no loss."""
        loss = self.document.engine.values.get(LOSS)
        return None if loss is None else float(loss)

    @property
    def possible(self) -> bool:
        """Whether there is anything to learn."""
        return self.loss is not None or self.from_text

    @property
    def taken_back(self) -> bool:
        """Whether the document is at an earlier step of the run, after undo."""
        return self.run is not None and self.run.at < self.run.records.at and not self.beside

    @property
    def is_over(self) -> bool:
        """Whether a run can be taken back."""
        return self.run is not None and (self.run.at > 0 or self.beside)

    @property
    def is_new(self) -> bool:
        """Whether no step has been taken, and none is waiting to be taken."""
        records = self.records
        return not (self.taken_back or self.going or (records is not None and records.at))

    def diagnosis(self) -> Diagnosis | None:
        """What keeps the model from learning; None if nothing does."""
        run, records, loss = self.run, self.records, self.loss
        if records is not None and records.at and run is not None:
            return None if self.taken_back else diagnosis(self.document, records, run.settings.recipe, self.learns)
        right = self.is_new and not self.from_text and loss is not None and loss < LEARNED
        return solved(self.learns) if right else None

    def said(self) -> str:
        """The progress in words."""
        run, records, loss = self.run, self.records, self.loss
        if run is not None and self.taken_back:
            taken = f"Back after {quantity(run.at, 'step')} of the {run.records.at:,} taken"
            return f"{taken}: Redo goes forward, Train continues from here in a new branch"
        if records is not None and run is not None and records.at:
            speed = [f"{self.speed:,.{int(self.speed < 10)}f} steps a second"] if self.speed else []
            return " · ".join([*_where(run, records, self.steps), *speed])
        if self.going:
            return "Starting…"
        if records is not None and records.at:
            return " · ".join([f"Trained in {quantity(records.at, 'step')}", *_losses(records)])
        if self.loss is None:  # one of others, as it came
            return ADD_LOSS if self.document.state.model.blocks().get("loss") == "loss of words" else NO_LOSS
        return "No step yet" + (f" · loss {_short(loss)}" if loss is not None and not self.from_text else "")


def run_page(progress: RunProgress, pace: str, folds: bool | None) -> tuple[Element, ...]:
    """The controls of a run, and its progress.

    Parameters
    ----------
    pace : str
        One of `PACES`.
    folds : bool, optional
        If the settings have no room: whether they are shown all the same. None: they have room.
    """
    takes = "Take steps until it is paused or the run is over; pressed again, it takes as many more"
    back = "Take the whole run back, to the weights before it"
    watch = "Pace: how long a run takes at least, so that you can watch it; a large model takes longer"
    asks, possible = tuple(ForTraining("pace", one) for one in PACES), progress.possible
    words = "Pause" if progress.going else "Train"
    controls: Sequence[Button | Check | Choice] = (
        Button("train", words, ForTraining("train"), takes, on=possible, primary=True),
        Button("one", "One step", ForTraining("one"), "Take one step", on=possible),
        Button("over", "Start over", ForTraining("over"), back, on=progress.is_over),
        Choice("pace", "", tuple(PACES), list(PACES).index(pace), asks, watch, listed=True),
    )
    if folds is not None:
        controls = (*controls, Check("fold", "Settings", folds, ForTraining("fold"), "What is learned from, and how"))
    return (Header("header", "Train", f"<b>{escape(progress.said())}</b>", tuple(controls)),)


def foot_page(problem: str, learned_from: str, found: Diagnosis | None) -> tuple[Element, ...]:
    """The messages about a run, if there are any: an error, what the model learns from, and what would help."""
    said = " ".join(filter(None, (learned_from, found.sentence if found is not None else "")))
    remedy = found.remedy if found is not None else ""
    return (
        *((Note("problem", f"⚠ {escape(problem)}", wrong=True),) if problem else ()),
        *((Note("note", escape(said)),) if said else ()),
        *((Button("help", remedy, ForTraining("help"), "Change this and train"),) if remedy else ()),
    )


def _where(run: Run, records: Records, of: int) -> list[str]:
    """The progress of a run in words; `of`: the number of its steps, 0 if it has no end."""
    said = [f"Step {records.at:,} of {of:,}" if of else f"Step {records.at:,}, by hand"]
    batches = run.prepared.examples.batches(run.settings.recipe.batch)
    if batches > 1:
        said.append(f"epoch {-(-records.at // batches):,}")
    losses = _losses(records, "loss of its batch" if batches > 1 else "loss")
    return [*said, *losses, f"rate {alone(records.rates[-1], 4)}"]


def _losses(records: Records, loss: str = "loss") -> list[str]:
    judged = [f"validation {_short(float(records.validations[-1]))}"] if len(records.validations) else []
    return [f"{loss} {_short(float(records.losses[-1]))}", *judged]


def _short(value: float) -> str:
    return live(value, 4)
