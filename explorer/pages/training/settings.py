"""The settings of training on the page "Train" (what the model learns from, and how), and the controls for them.

Also the run: its controls, its progress in words, and what keeps it from learning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from html import escape

from explorer import paths
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import CASES, LOSS, TARGET
from explorer.core.model import SWITCHES
from explorer.core.numbers import alone, live, quantity, read_number
from explorer.core.ops.weights import INITIALISERS
from explorer.core.training.recipe import BOUNDS, FIRST, OPTIMISERS, SCHEDULES, Recipe
from explorer.core.training.records import Records
from explorer.core.vocabulary import START as BEGIN
from explorer.core.vocabulary import are_pieces, typed
from explorer.document.document import Document
from explorer.lessons.schema import Lesson
from explorer.pages.controls import Button, Check, Choice, Controls, Field, Form, Number, TextBox
from explorer.pages.element import Element
from explorer.pages.gestures import ForTraining, Switch
from explorer.pages.levels import block_title, says_next
from explorer.pages.model.changes import moving
from explorer.pages.page import Header, Note, Stack
from explorer.pages.stages.net import LOSS_ON
from explorer.pages.view import View
from explorer.training import recipes
from explorer.training.diagnosis import Diagnosis, diagnosis, solved
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import Run, TrainedLine

AS_THEY_ARE = "as they are"
WORDS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "optimiser": ("Optimiser", tuple(OPTIMISERS), "The rule that makes a step from a gradient"),
    "schedule": ("Schedule", SCHEDULES, "How the rate changes during the run"),
    "initialiser": ("Weights start", (AS_THEY_ARE, *INITIALISERS), "Zeros: all hidden units stay equal for ever"),
}
NUMBERS: dict[str, tuple[str, str]] = {
    "rate": ("Learning rate", "The number by which each step is multiplied; with a schedule, its highest value"),
    "weight_decay": (
        "Weight decay",
        "By which part of itself each matrix becomes smaller in a step, times the rate",
    ),
    "dropout": ("Dropout", "Share of the numbers that are set to 0 at random in training"),
    "clip": ("Clip gradient at", "A longer gradient is shortened to this length; 0: it is never shortened"),
    "validation": ("Validation share", "Share of the examples that are only used to measure the loss, never to learn"),
}
WHOLE: dict[str, tuple[str, str]] = {
    "warm_up": ("Warm-up", "Steps in which the rate rises from 0"),
    "batch": ("Batch", "Examples in a step; 0 means all of them"),
    "steps": ("Steps", "Of the whole run"),
    "seed": ("Seed", "The same seed gives the same run, bit for bit"),
}
ORDER = (
    *("optimiser", "rate", "batch", "steps", "schedule", "warm_up", "initialiser"),
    *("validation", "weight_decay", "dropout", "clip", "seed"),
)
MOST_TYPED, CONTROL, TEXT_HEIGHT = 40, 100, 130
"""The most letters of a typed number; its field's least width and the text box's height, in pixels at text scale 1."""

SENTENCES = 4000
"""How many sentences are drawn from a grammar: enough to learn it again, and few enough to wait for."""
LONGEST = 300_000  # characters in the field; a longer text is for `explorer train`
OWN, TEXT, GRAMMAR = "own", "text", "grammar"
OWNS = {"mlp": "Its own cases", "gpt": "This sentence", "encoder-decoder": "This pair"}
TEXTS = {"gpt": "A text", "encoder-decoder": "Pairs of sentences"}
ABOUT = {
    "gpt": "Any text: the model learns which word comes next. Words that are new to it get a row in its table.",
    "encoder-decoder": "Each line is a pair of sentences, with a tab or a vertical bar between them.",
}
SHIPPED = {"gpt": ("Ten rhymes", "roses"), "encoder-decoder": ("180 phrases", "phrases")}
"""Recipes with longer texts: the words on the button, and the name of the recipe."""


@dataclass
class Plan:
    """The settings of training as the reader has set them: what the model learns from, and how."""

    recipe: Recipe = FIRST
    typed: dict[str, str] = field(default_factory=dict)  # typed numbers of the recipe, by name, as text
    waits: set[str] = field(default_factory=set)  # the names of numbers that are still being typed
    source: str = OWN  # `OWN`, `TEXT` or `GRAMMAR`
    text: str = ""
    texts: int = 0  # how many texts have been taken; part of the id of the box, so that each text gets a new box
    window: int = 8  # words in a stretch of the text

    def begin(self, recipe: Recipe) -> None:
        """Take over the settings of a recipe."""
        self.recipe, self.typed, self.waits = recipe, {}, set()

    def learn(self, view: View) -> None:
        """Learn from the example of a model that was opened."""
        self.source = OWN
        self.take(_start(view))

    def take(self, text: str) -> None:
        """Take a text to learn from."""
        self.text, self.texts = text, self.texts + 1

    def do(self, act: str, value: object = None) -> frozenset[str]:
        """Do what a gesture asks for; returns the names of the changed settings."""
        match act:
            case "source":
                self.source = str(value or OWN)
            case "text":
                self.text = str(value)
            case "window" if isinstance(value, int):
                self.window = value
            case "shipped":
                material = recipes.load(str(value)).material
                self.window = material.window
                self.take(material.text)
            case "typed":
                names, self.waits = frozenset(self.waits), set()
                return names
            case _ if act.startswith("type "):
                self.typed[act[5:]] = str(value)
                self.waits.add(act[5:])
                return frozenset()
            case "optimiser" if self.recipe.weight_decay == OPTIMISERS[self.recipe.optimiser].decay:
                decay = OPTIMISERS[str(value)].decay  # the usual one of this optimiser
                self.recipe = replace(self.recipe, optimiser=str(value), weight_decay=decay)
            case _:
                self.typed.pop(act, None)
                self.recipe = replace(self.recipe, **{act: value})  # type: ignore[arg-type]
        return frozenset((act,))

    def settings(self, view: View, lesson: Lesson, frozen: tuple[str, ...], also: tuple[str, ...]) -> RunSettings:
        """The settings for a run; `frozen`: weights that do not move, `also`: further inputs that move.

        Raises `ExplorerError`: "text-too-long", "bad-number", "bad-training-setting" or "bad-training-choice".
        """
        numbers = {name: read_number(text) for name, text in self.typed.items()}
        try:
            recipe = replace(self.recipe, frozen=frozen, also=also, **numbers)  # type: ignore[arg-type]
        except ExplorerError as error:
            name = error.fields.get("name", "")
            if name not in NUMBERS:
                raise
            # The name that stands beside the field, and what stands in it: '1e6', not 1000000.0.
            said = {"name": NUMBERS[name][0], "value": self.typed.get(name, error.fields["value"])}
            raise ExplorerError(error.id, **error.fields | said) from error
        return RunSettings(self._material(view, lesson), recipe)

    def _material(self, view: View, lesson: Lesson) -> Material:
        kind, values = view.state.model.kind, view.values
        if self.source == GRAMMAR and (grammar := grammar_of(lesson.example)) is not None:
            return grammar
        if self.source != TEXT:
            own = kind == "mlp" and TARGET in values
            return Material("cases", X=values[CASES], target=values[TARGET]) if own else Material()
        if len(self.text) > LONGEST:
            raise ExplorerError("text-too-long", limit=f"{LONGEST:,}", given=f"{len(self.text):,}")
        return Material("text" if kind == "gpt" else "pairs", content=self.text, window=self.window)


@lru_cache(16)
def grammar_of(example: str) -> Material | None:
    """The grammar that a shipped model has learned; None if its recipe has none."""
    material = recipes.load(example).material if example in recipes.names() else None
    return replace(material, sentences=SENTENCES) if material is not None and material.kind == "grammar" else None


def _own(view: View) -> tuple[str, ...]:
    """The sentences that the model reads, as a person would type them."""
    vocabularies = view.graph.sequences
    sequences = [name for name in ("source", "target", "input") if name in vocabularies]
    return tuple(typed(view.engine.labels(name), view.graph.axes[vocabularies[name]]) for name in sequences)


@cache
def _first_text(kind: str) -> str:
    """A short text of our own for the first contents of the box; "" for a kind of model that learns from no text."""
    return (paths.resources() / "recipes" / f"first-{kind}.txt").read_text("utf-8") if kind in TEXTS else ""


def _start(view: View) -> str:
    """The first text in the box: the model's own sentences, and a few of ours."""
    own = " | ".join(sentence.removeprefix(f"{BEGIN} ") for sentence in _own(view))
    lines = [own, *_first_text(view.state.model.kind).splitlines()]
    return "\n".join(dict.fromkeys(line for line in lines if line)) + "\n"


def learned_from(plan: Plan, view: View) -> str:
    """A sentence on what the model learns from."""
    kind = view.state.model.kind
    if plan.source == TEXT:
        pieces = kind == "gpt" and are_pieces(view.graph.axes["input.words"])
        return "Any text: the model learns which piece comes next." if pieces else ABOUT[kind]
    if plan.source == GRAMMAR:
        return f"{SENTENCES:,} sentences of the grammar that it learned; draw new weights to see all of it again."
    own = [f"“{sentence}”" for sentence in _own(view)]
    match kind:
        case "mlp":
            cases = quantity(len(view.values[CASES]), "case")
            return f"{cases}: each input X of the first page has the right answer y."
        case "gpt" if own and says_next(view):
            return f"{own[0]}: after each word the model should say the next word."
        case "encoder-decoder" if len(own) == 2 and says_next(view):
            return f"{own[0]} → {own[1]}: it reads the first and should say the second, word by word."
    return "The example on the other pages, with the right answer on the page “Loss”."


def settings_page(plan: Plan, view: View, lesson: Lesson, weights: Mapping[str, bool]) -> tuple[Element, ...]:
    """The controls of what the model learns from, how, and which weights move."""
    return (
        Stack("learns from", "Learns from", _source(plan, view, lesson)),
        Stack("how", "How", (Form("recipe", tuple(_setting(plan, name) for name in ORDER)),)),
        *([Stack("what moves", "What moves", (moving(view, weights),))] if weights else ()),
    )


def _source(plan: Plan, view: View, lesson: Lesson) -> tuple[Element, ...]:
    """The controls of what the model learns from, and of the activations of a net."""
    kind, blocks = view.state.model.kind, view.state.model.blocks()
    titles = {OWN: OWNS.get(kind, "Its own example")}
    titles |= {TEXT: TEXTS[kind]} if kind in TEXTS else {}
    titles |= {GRAMMAR: "Its grammar"} if grammar_of(lesson.example) is not None else {}
    asks = tuple(ForTraining("source", one) for one in titles)
    found: list[Element] = [
        Choice("source", "", tuple(titles.values()), list(titles).index(plan.source), asks, "Learn from:"),
        Note("about the source", escape(learned_from(plan, view))),
    ]
    if plan.source == TEXT:
        most = LONGEST + 1  # one letter more than allowed, so that a longer text is refused and not cut
        asks_text, title = ForTraining("text"), "Text to learn from"
        found.append(TextBox(f"text {plan.texts}", title, plan.text, asks_text, most, TEXT_HEIGHT))
        if kind == "gpt":
            tip = "How many words the model reads at the same time"
            window = Number("window", "stretches of", plan.window, 2, 128, ForTraining("window"), tip, "words")
            found.append(window)
        words, name = SHIPPED[kind]
        file = Button("open", "Open a text …", ForTraining("open"), "Take the text from a file")
        tip = "Take the text that this recipe of “explorer train” learns from"
        found.append(Controls("texts", (file, Button("shipped", words, ForTraining("shipped", name), tip))))
    layers = [block for block, one in blocks.items() if one == "layer"]
    return (*found, Form("activations", tuple(_activation(view, one) for one in layers))) if layers else tuple(found)


def _activation(view: View, block: str) -> Choice:
    known = SWITCHES["layer"]["activation"].choices
    now, title = str(view.state.model.switch(block, "activation")), f"Activation {block.rpartition('.')[2]}"
    asks = tuple(Switch(block, "activation", one) for one in known)
    tip = f"What {block_title(view.graph, block)} makes of its sums; it may change during the run"
    return Choice(f"activation {block}", title, known, known.index(now), asks, tip, True)


def _setting(plan: Plan, name: str) -> Element:
    value = getattr(plan.recipe, name)
    if name in WORDS:
        title, known, tip = WORDS[name]
        asks = tuple(ForTraining(name, one if one != AS_THEY_ARE else "") for one in known)
        return Choice(name, title, known, known.index(value or AS_THEY_ARE), asks, tip, listed=True)
    if name in WHOLE:
        (title, tip), (least, most) = WHOLE[name], BOUNDS[name]
        most = min(int(most), 2**31 - 1)  # the limit of Qt's spin boxes
        auto = "all" if name == "batch" else ""  # a batch of 0 examples looked like a mistake
        return Number(name, title, min(value, most), int(least), most, ForTraining(name), f"{title}: {tip}", auto=auto)
    title, tip = NUMBERS[name]
    types, typed = ForTraining(f"type {name}"), plan.typed.get(name, f"{value:g}")
    enters = ForTraining("typed")
    return Field(name, title, typed, types, enters, MOST_TYPED, tip=tip, width=CONTROL, leaves=True, number=True)


PACES = {"10 seconds a run": 10.0, "1 minute a run": 60.0, "full speed": 0.0}
"""The least time that a run takes, in seconds, for each choice of the pace."""
LEARNED = 1e-4
ADD_LOSS = "The loss of this model is switched off, so it learns nothing."
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
    own: Recipe | None = None  # the recipe of the open example

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
        """Whether there is a loss to make smaller."""
        return self.loss is not None

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
            if self.taken_back:
                return None
            title = partial(block_title, self.document.state.graph)
            return diagnosis(self.document, records, run.settings.recipe, self.learns, title, self.own)
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
            return "Starting …"
        if records is not None and records.at:
            return " · ".join([f"Trained in {quantity(records.at, 'step')}", *_losses(records)])
        if self.loss is None:  # one of others, as it came
            return ADD_LOSS if self.document.state.model.blocks().get("loss") == "loss of words" else NO_LOSS
        return "No step yet" + (f" · loss {_short(loss)}" if loss is not None and not self.from_text else "")


def run_page(progress: RunProgress, pace: str, folds: bool | None) -> tuple[Element, ...]:
    """The controls of a run, and its progress.

    `pace`: one of `PACES`.
    `folds`: if the settings have no room: whether they are shown all the same. None: they have room.
    """
    takes = "Take steps until it is paused or the run is over; pressed again, it takes as many more"
    back = "Take the whole run back, to the weights before it"
    watch = "Pace: how long a run takes at least, so that you can watch it; a large model takes longer"
    asks, possible = tuple(ForTraining("pace", one) for one in PACES), progress.possible
    words, adds = "Pause" if progress.going else "Train", progress.said() == ADD_LOSS
    controls: Sequence[Button | Check | Choice] = (
        Button("train", words, ForTraining("train"), takes, on=possible, primary=not adds),
        Button("one", "One step", ForTraining("one"), "Take one step", on=possible),
        Button("over", "Start over", ForTraining("over"), back, on=progress.is_over),
        Choice("pace", "", tuple(PACES), list(PACES).index(pace), asks, watch, listed=True),
    )
    if adds:
        controls = (LOSS_ON, *controls)
    if folds is not None:
        controls = (*controls, Check("fold", "Settings", folds, ForTraining("fold"), "What is learned from, and how"))
    begins = progress.is_new and possible
    about = " Each step changes the weights a little to lower the loss." if begins else ""
    return (Header("header", "Train", f"<b>{escape(progress.said())}</b>{about}", tuple(controls)),)


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
