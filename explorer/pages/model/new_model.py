"""The form for a new model: its kind, its words, its sizes; and which field an error is about."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from explorer.core.errors import ExplorerError
from explorer.core.model import SEQUENCES, SWITCHES
from explorer.core.ops.weights import INITIALISERS
from explorer.core.vocabulary import END, START
from explorer.document.commands.words import is_word
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.schema import Lesson
from explorer.pages.controls import MOST_LETTERS, Choice, Field, Form, Number
from explorer.pages.element import Element
from explorer.pages.gestures import ForNewModel
from explorer.pages.page import Passage

KINDS = {"Encoder and decoder": "encoder-decoder", "Decoder alone (GPT)": "gpt", "Encoder alone": "encoder"}
LEARNS = {
    "encoder-decoder": f"The decoder reads {START} and the translation; it should say the translation and {END}.",
    "gpt": f"At each word it should say the next one, and {END} after the last.",
    "encoder": "It gives each word a new vector. It says no word, so it has no loss.",
}


def _choice(name: str, title: str, options: Iterable[str], tip: str) -> Choice:
    asks = tuple(ForNewModel(name, one) for one in options)
    return Choice(name, title, tuple(options), 0, asks, tip, listed=True)


def _text(name: str, title: str, text: str, tip: str) -> Field:
    return Field(name, title, text, ForNewModel(name), ForNewModel("make"), MOST_LETTERS, tip=tip)


def _number(name: str, title: str, value: int, least: int, most: int, tip: str, auto: str = "") -> Number:
    return Number(name, title, value, least, most, ForNewModel(name), tip, name=title, auto=auto)


POSITIONS = [choice for choice in SWITCHES["sequence"]["positions"].choices if choice != "table"]
FIELDS = (
    _choice("kind", "Kind", KINDS, "The blocks of the model"),
    _text("source", "Sentence", "the cat sat on the mat", "The words that it reads, separated by blanks"),
    _text("target", "Translation", "le chat", "What the decoder should write"),
    _text("vocabulary", "More words", "", "More words for the vocabulary, besides those of the sentences"),
    _number("layers", "Layers", 1, 1, 48, "Of the encoder, and of the decoder"),
    _number("d_model", "d_model", 8, 1, 4096, "Numbers for each word"),
    _number("heads", "Heads", 2, 1, 128, "They share d_model"),
    _number("d_ff", "d_ff", 0, 0, 16384, "Hidden units of the feed-forward net; auto is 4 × d_model", "auto"),
    _choice("positions", "Positions", POSITIONS, "How the place of a word becomes numbers"),
    _choice("initialiser", "Weights start", INITIALISERS, "How the random weights are chosen"),
    _number("seed", "Seed", 0, 0, 2**31 - 1, "The same seed gives the same weights"),
)
TITLES = {one.id: one.before if isinstance(one, Number) else one.title for one in FIELDS}
FIRST = {one.id: one.options[0] if isinstance(one, Choice) else one.value for one in FIELDS}
"""What stands in the fields at first, by their ids."""


def _texts(typed: Mapping[str, Any]) -> dict[str, str]:
    """The words of each sequence of this kind of model."""
    return {name: typed[name] for name in ("source", "target")[: len(SEQUENCES[KINDS[typed["kind"]]])]}


def lesson_of(typed: Mapping[str, Any]) -> Lesson:
    """The model of what stands in the fields.

    Raises `ExplorerError`: the same as `new_lesson`.
    """
    others = {name: value for name, value in typed.items() if name not in ("kind", "source", "target")}
    return new_lesson(KINDS[typed["kind"]], tuple(_texts(typed).values()), **others)


def field_of(error: ExplorerError, typed: Mapping[str, Any]) -> str:
    """The id of the field that an error is about."""
    match error.id:
        case "empty-tokens" | "too-many-tokens":
            return "target" if error.fields["sequence"] == "target" else "source"
        case "bad-token":
            texts = _texts(typed) | {"vocabulary": typed["vocabulary"]}
            return next(name for name, text in texts.items() if not all(map(is_word, text.split())))
    return "heads" if error.id == "heads-do-not-divide" else "d_model"


def new_model_page(typed: Mapping[str, Any], wrong: str = "", problem: str = "") -> tuple[Element, ...]:
    """The form; `wrong`: the id of the field below which a `problem` is told."""
    lines = list[Element]()
    for one in FIELDS:
        now = {"chosen": one.options.index(typed[one.id])} if isinstance(one, Choice) else {"value": typed[one.id]}
        lines += [replace(one, **now)] if one.id != "target" or one.id in _texts(typed) else []
        lines += [Passage("problem", f"⚠ {problem}", "error", plain=True)] if one.id == wrong else []
        lines += [Passage("learns", LEARNS[KINDS[typed["kind"]]], "small", plain=True)] if one.id == "target" else []
    return (Form("new model", tuple(lines)),)
