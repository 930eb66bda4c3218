"""The family tree: which switches make known models; a click makes the model in front one of their kind."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from explorer.core.graph import Stage
from explorer.core.numbers import alone, written
from explorer.core.switches import SWITCHES, Switch, SwitchValue
from explorer.document.commands import BecomeKind
from explorer.pages.element import Element
from explorer.pages.gestures import Do
from explorer.pages.page import NUMBER, Column, Entry, Line, Listing, Note, Section
from explorer.pages.view import View
from explorer.training.recipes import kinds, steps

if TYPE_CHECKING:
    from explorer.checkpoints.members import Member

BLOCKS = {"input": "sequence", "self": "attention", "ffn": "ffn", "final": "last norm", "output": "output"}
WHERE = {"input": "embeddings", "self": "attention", "ffn": "feed-forward", "final": "last norm", "output": "output"}
DECIMALS = 3
Named = tuple[str, str]
"""A switch: the part of a model, and its name there."""


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
    return "What known models changed since the paper of 2017, the most usual changes first; – means as in the paper."


def _tree() -> Listing:
    from explorer.checkpoints.members import differing, members, own_switches  # the readers of others' files

    groups = _alike(differing(), [own_switches(one) for one in members()])
    titles = [_switch(group[0]).title for group in groups]
    columns = [
        Column(title + (f", {_where(group)}" if titles.count(title) > 1 or group[0][0] == "output" else ""))
        for title, group in zip(titles, groups, strict=True)
    ]
    lines = tuple(_line(one, own_switches(one), groups) for one in members())
    return Listing(
        "members", "Known models and their switches", (Column("Model"), Column("Year"), *columns), lines, most=20
    )


def _alike(switches: Sequence[Named], chosen: Sequence[Mapping[str, SwitchValue]]) -> list[list[Named]]:
    """The switches, those first that most models changed; those of several parts that all have alike are together."""
    groups: dict[tuple[object, ...], list[Named]] = {}
    changed: dict[tuple[object, ...], int] = {}
    for part, name in switches:
        values = tuple(model[f"{part}.{name}"] for model in chosen)
        default = _switch((part, name)).default
        groups.setdefault((name, default, values), []).append((part, name))
        changed[name, default, values] = sum(value != default for value in values)
    return [groups[key] for key in sorted(groups, key=lambda key: -changed[key])]


def _switch(named: Named) -> Switch:
    part, name = named
    return SWITCHES[BLOCKS[part]][name]


def _where(group: Sequence[Named]) -> str:
    parts = [part for part, _ in group]
    return "blocks" if parts == ["self", "ffn"] else " and ".join(WHERE[part] for part in parts)


def _line(one: "Member", chosen: Mapping[str, SwitchValue], groups: Sequence[Sequence[Named]]) -> Line:
    name = Entry(one.name, tip=f"Make the model in front a {one.name}", leads=Do(BecomeKind(one.name)))
    entries = [_entry(chosen[".".join(group[0])], _switch(group[0])) for group in groups]
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
