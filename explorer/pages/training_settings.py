"""The settings of training on the page "Train" (what the model learns from, and how), and the controls for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape

from explorer.core.byte_pairs import are_pieces, typed
from explorer.core.errors import ExplorerError
from explorer.core.graph import CASES, TARGET
from explorer.core.numbers import quantity, read_number
from explorer.core.ops.inputs import INITIALISERS
from explorer.core.switches import SWITCHES
from explorer.core.training.optimisers import OPTIMISERS
from explorer.core.training.recipe import BOUNDS, FIRST, SCHEDULES, Recipe
from explorer.core.vocabulary import START as BEGIN
from explorer.lessons.schema import Lesson
from explorer.pages.element import Element
from explorer.pages.gestures import ForTraining, Switch
from explorer.pages.levels import says_next
from explorer.pages.moving import moving
from explorer.pages.page import Button, Choice, Controls, Field, Form, Note, Number, Stack, TextBox
from explorer.pages.view import View
from explorer.training import recipes
from explorer.training.recipes import Material
from explorer.training.stretch import Settings

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
    "batch": ("Batch", "Examples in a step; 0: all of them"),
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
START = {
    "gpt": """the sun is up and the sky is blue .
the sea is calm and the sky is grey .
the moon is up and the sea is dark .
the night is calm and the moon is full .
the day is long and the sun is hot .
the night is long and the sea is cold .
""",
    "encoder-decoder": """good day | buenos dias
good night | buenas noches
thank you | gracias
you are welcome | de nada
see you tomorrow | hasta mañana
see you soon | hasta pronto
""",
}
"""Short texts of our own for the first contents of the box."""
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

    def settings(self, view: View, lesson: Lesson, frozen: tuple[str, ...], also: tuple[str, ...]) -> Settings:
        """The settings for a run; `frozen`: weights that do not move, `also`: further inputs that move.

        Raises `ExplorerError`: "text-too-long", "bad-number", "bad-training-setting" or "bad-training-choice".
        """
        numbers = {name: read_number(text) for name, text in self.typed.items()}
        recipe = replace(self.recipe, frozen=frozen, also=also, **numbers)  # type: ignore[arg-type]
        return Settings(self._material(view, lesson), recipe)

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


def _start(view: View) -> str:
    """The first text in the box: the model's own sentences, and a few of ours."""
    own = " | ".join(sentence.removeprefix(f"{BEGIN} ") for sentence in _own(view))
    lines = [own, *START.get(view.state.model.kind, "").splitlines()]
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
        Stack("what moves", "What moves", (moving(view, weights),)),
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
        file = Button("open", "Open a text…", ForTraining("open"), "Take the text from a file")
        tip = "Take the text that this recipe of “explorer train” learns from"
        found.append(Controls("texts", (file, Button("shipped", words, ForTraining("shipped", name), tip))))
    layers = [block for block, one in blocks.items() if one == "layer"]
    return (*found, Form("activations", tuple(_activation(view, one) for one in layers))) if layers else tuple(found)


def _activation(view: View, block: str) -> Choice:
    known = SWITCHES["layer"]["activation"].choices
    now, title = str(view.state.model.switch(block, "activation")), f"Activation {block.rpartition('.')[2]}"
    asks, tip = tuple(Switch(block, "activation", one) for one in known), f"What {block} makes of its sums"
    return Choice(
        f"activation {block}", title, known, known.index(now), asks, f"{tip}; it may change during the run", True
    )


def _setting(plan: Plan, name: str) -> Element:
    """The control of a setting of the recipe."""
    value = getattr(plan.recipe, name)
    if name in WORDS:
        title, known, tip = WORDS[name]
        asks = tuple(ForTraining(name, one if one != AS_THEY_ARE else "") for one in known)
        return Choice(name, title, known, known.index(value or AS_THEY_ARE), asks, tip, listed=True)
    if name in WHOLE:
        (title, tip), (least, most) = WHOLE[name], BOUNDS[name]
        most = min(int(most), 2**31 - 1)  # the limit of Qt's spin boxes
        return Number(name, title, min(value, most), int(least), most, ForTraining(name), f"{title}: {tip}")
    title, tip = NUMBERS[name]
    types, typed = ForTraining(f"type {name}"), plan.typed.get(name, f"{value:g}")
    return Field(name, title, typed, types, ForTraining("typed"), MOST_TYPED, tip=tip, width=CONTROL, leaves=True)
