"""The family tree: which switches make known models; a click makes the model in front one of their kind."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from explorer.core.node import Stage
from explorer.core.numbers import alone, written
from explorer.core.switches import SWITCHES, Switch, SwitchValue
from explorer.document.commands import BecomeKind
from explorer.pages.element import Element
from explorer.pages.gestures import Do
from explorer.pages.page import NUMBER, Column, Entry, Line, Listing, Note, Section
from explorer.pages.view import View
from explorer.training.kinds import kinds, steps

if TYPE_CHECKING:
    from explorer.checkpoints.members import Member

FAMILY = Stage("model.family", "family", "Family tree", "Model")
BLOCKS = {"input": "sequence", "self": "attention", "ffn": "ffn", "final": "last norm", "output": "output"}
WHERE = {"input": "embeddings", "self": "attention", "ffn": "feed-forward", "final": "last norm", "output": "output"}
DECIMALS = 3


def family(view: View, stage: Stage) -> tuple[Element, ...]:
    """The models with their switches, and what small ones of each kind came to on the same sentences."""
    said = (
        "Click a name: the model in front becomes of that kind, and undo takes it back. It keeps its sizes and its "
        "words, and the weights that still fit; the others start as random numbers, so train it then."
    )
    heading = Section("trained", "Small ones, trained on the same sentences")
    return Note("what a click does", said), _tree(), heading, *_trained()


def family_sentence(view: View, stage: Stage) -> str:
    """What it shows."""
    return "Known models, and the switches in which they differ from the paper of 2017: – means as there."


def _tree() -> Listing:
    from explorer.checkpoints.members import differing, members, own_switches  # the readers of others' files

    named = [(part, name, SWITCHES[BLOCKS[part]][name]) for part, name in differing()]
    titles = [switch.title for _, _, switch in named]
    columns = [
        Column(switch.title + (f", {WHERE[part]}" if titles.count(switch.title) > 1 else ""))
        for part, _, switch in named
    ]
    lines = tuple(_line(one, own_switches(one), named) for one in members())
    return Listing(
        "members", "Known models and their switches", (Column("Model"), Column("Year"), *columns), lines, most=20
    )


def _line(one: "Member", chosen: Mapping[str, SwitchValue], named: list[tuple[str, str, Switch]]) -> Line:
    name = Entry(one.name, tip=f"Make the model in front a {one.name}", leads=Do(BecomeKind(one.name)))
    entries = [_entry(chosen[f"{part}.{switch}"], known) for part, switch, known in named]
    return Line.of(name, str(one.year), *entries)


def _entry(value: SwitchValue, switch: Switch) -> Entry:
    """What a model chose; a dash where that is what the paper has."""
    if value == switch.default:
        return Entry("–", tip=f"as in 2017: {_said(value)}", muted=True)
    return Entry(_said(value))


def _said(value: SwitchValue) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case float():
            return alone(value)
        case _:
            return str(value)


def _trained() -> tuple[Element, ...]:
    seeds = len(kinds()[0].losses)
    weights = [kind.weights for kind in kinds()]
    note = (
        f"Each has {min(weights):,} to {max(weights):,} weights and took {steps():,} steps, with {seeds} seeds. Their "
        "loss is that of sentences none has seen, in nats a word. Differences smaller than the spread say nothing."
    )
    lines = tuple(
        Line.of(
            kind.title, written(kind.mean, DECIMALS), written(kind.spread, DECIMALS), f"{kind.weights:,}", kind.recipe
        )
        for kind in kinds()
    )
    columns = (
        Column("Kind"),
        Column("Loss", NUMBER),
        Column("Spread", NUMBER),
        Column("Weights", NUMBER),
        Column("Recipe"),
    )
    return Note("how they were trained", note), Listing(
        "trained kinds", "Small models of each kind", columns, lines, most=20
    )
