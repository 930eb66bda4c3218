"""The page of the model card (what a model is, its training and its scores), and the page of the family tree.

The family tree lists known models with their switches; a click turns the open model into one of that kind.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path

from explorer.core.cost import parameters, total
from explorer.core.graph import Stage
from explorer.core.model import SWITCHES, Model, Switch, SwitchValue
from explorer.core.numbers import alone, quantity, written
from explorer.document.commands import BecomeKind
from explorer.lessons.loader import example_files
from explorer.lessons.reading import MOST_TEXT, TomlTable, read
from explorer.pages.element import Element
from explorer.pages.gestures import Do, GoTo
from explorer.pages.model import meanings
from explorer.pages.page import NUMBER, Column, Entry, Line, Listing, Note, Section, beside, numeric
from explorer.pages.view import View
from explorer.pages.whole.page import whole_below
from explorer.training import recipes
from explorer.training.recipes import kinds, steps

WHERE = {
    "input": "embeddings",
    "self": "attention",
    "ffn": "feed-forward",
    "final": "last norm",
    "output": "output",
    "cross": "cross-attention",
    "source": "embeddings of the source",
    "target": "embeddings of the target",
}
KIND_NAMES = {
    "sequence": "embeddings",
    "given attention": "attention",
    "ffn": "feed-forward",
    "layer": "each layer",
    "masked output": "output",
}
UNTOLD = frozenset({"lookup", "mask"})
"""Switches that do not tell models apart: the way this program looks words up, and the mask of every decoder."""
Named = tuple[str, str]
"""A switch: the part of a model, and the name of the switch in that part."""
OF_2017: Mapping[Named, SwitchValue] = {("input", "embedding_scale"): True, ("output", "tied"): True}
"""What the paper of 2017 has (section 3.4) where our default is another."""
DECIMALS, MOST_LAYERS = 3, 4


def family(view: View, stage: Stage) -> tuple[Element, ...]:
    """Known models with their switches, and the losses of small models of each kind on the same sentences."""
    said = (
        "Click a name: the open model becomes a model of that kind, and undo takes this back. It keeps its sizes and "
        "its words, and the weights that still fit; the others start as random numbers, so train it then."
    )
    heading = Section("trained", "Small ones, trained on the same sentences")
    return Note("what a click does", said), _tree(), heading, *_trained()


def _tree() -> Listing:
    from explorer.checkpoints.architectures import MEMBERS, differing, own_switches  # the readers of others' files

    groups = _alike(differing(), [own_switches(one) for one in MEMBERS])
    titles = [_switch(group[0]).title for group in groups]
    columns = [
        Column(title + (f", {_where(group)}" if titles.count(title) > 1 or group[0][0] == "output" else ""))
        for title, group in zip(titles, groups, strict=True)
    ]
    lines = []
    for one in MEMBERS:
        name = Entry(one.name, tip=f"Make the open model a {one.name}", leads=Do(BecomeKind(one.name)))
        chosen = own_switches(one)
        lines.append(Line.of(name, str(one.year), *(_entry(chosen[".".join(named[0])], named[0]) for named in groups)))
    columns[:0] = Column("Model"), Column("Year")
    return Listing("members", "Known models and their switches", tuple(columns), tuple(lines), most=20)


def _alike(switches: Sequence[Named], chosen: Sequence[Mapping[str, SwitchValue]]) -> list[list[Named]]:
    """Switches in groups: one of the same name and values in several parts is one group; most often changed first."""
    groups: dict[tuple[object, ...], list[Named]] = {}
    changed: dict[tuple[object, ...], int] = {}
    for part, name in switches:
        values = tuple(model[f"{part}.{name}"] for model in chosen)
        default = _of_2017((part, name))
        groups.setdefault((name, default, values), []).append((part, name))
        changed[name, default, values] = sum(value != default for value in values)
    return [groups[key] for key in sorted(groups, key=lambda key: -changed[key])]


def _switch(named: Named) -> Switch:
    from explorer.checkpoints.architectures import PARTS

    part, name = named
    return SWITCHES[PARTS[part]][name]


def _where(group: Sequence[Named]) -> str:
    parts = [part for part, _ in group]
    return "blocks" if parts == ["self", "ffn"] else " and ".join(WHERE[part] for part in parts)


def _of_2017(named: Named) -> SwitchValue:
    return OF_2017.get(named, _switch(named).default)


def _entry(value: SwitchValue, named: Named) -> Entry:
    """A model's value of a switch; a dash if it is the value of the paper of 2017."""
    said = _said(value)
    return Entry("–", tip=f"as in 2017: {said}", muted=True) if value == _of_2017(named) else Entry(said)


def _said(value: SwitchValue) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case float():
            return alone(value)
        case _:
            return str(value).replace("sqrt(d_k)", "√d_k")


def _trained() -> tuple[Element, ...]:
    seeds = len(kinds()[0].losses)
    weights = [kind.weights for kind in kinds()]
    note = (
        f"Each has {min(weights):,} to {max(weights):,} weights and took {steps():,} steps, with {seeds} seeds. "
        f"Their loss is measured on sentences that none of them has seen, in nats a word. Differences smaller than "
        f"the spread say nothing."
    )
    lines = []
    for kind in kinds():
        measured = (written(loss, DECIMALS) for loss in (kind.mean, kind.spread))
        lines.append(Line.of(kind.title, *measured, f"{kind.weights:,}", kind.recipe))
    columns = Column("Kind"), *numeric("Loss", "Spread", "Weights"), Column("Recipe")
    listing = Listing("trained kinds", "Small models of each kind", columns, tuple(lines), most=20)
    return Note("how they were trained", note), listing


OUTPUT = "output.words"
SIZES, CHOICES, MEASURED, RECIPE = 470, 500, 510, 390
"""The width of each part of a card, in pixels at text scale 1."""


def card(view: View, stage: Stage) -> tuple[Element, ...]:
    """The kind and sizes of the model; if it is trained by a recipe, its scores and that recipe; else where its
    numbers come from and its picture.
    """
    state, top = view.state, _about(view.state.lesson)
    # A lesson may be about the model of another lesson.
    name = top.text("example") if top is not None and "example" in top else state.lesson
    source = _about(name)
    learned = source is not None and "card" in source
    elements: list[Element] = []
    if top is not None:
        paragraphs = escape(top.text("paragraph", most=MOST_TEXT)).split("\n\n")
        # The reader may have changed numbers since: say that these words are about the model as it comes.
        paragraphs.insert(0, f"<b>{escape(top.text('title'))}</b>, as it comes:")
        elements += [Note(f"about {i}", text) for i, text in enumerate(paragraphs)]
    if learned and source is not None and source is not top:
        elements.append(Note("source", f"Its model is <b>{escape(source.text('title'))}</b>."))
    sizes = Section("sizes", "Sizes"), _listing("model sizes", _sizes(view), ("size", ""))
    choices = _choices(view.state.model)
    if learned and source is not None:
        scores = source.table("card")
        values = {one: scores.real(one, 0.0, -1e12, 1e12) for one in scores if one not in ("weights", "steps")}
        lines = [
            (one, f"{value:,.0f}" if value.is_integer() else written(value, 3), meanings("scores").get(one, ""))
            for one, value in values.items()
        ]
        title = Section("scores", "Scores, on sentences that it has never learned from")
        measured = title, _listing("all scores", lines, ("score", ""))
        return *elements, beside((MEASURED, measured), (SIZES, (*sizes, *choices)), (RECIPE, _recipe(name)))
    elements += (beside((SIZES, sizes), (CHOICES, choices)),) if choices else sizes
    if source is not None and ("weights" in source or "checkpoint" in source):
        elements.append(Note("others", "It was trained by others, elsewhere: there is no recipe of it here."))
    elif state.records is not None:
        taken = quantity(state.records.at, "step")
        elements.append(Note("trained", f"It was trained here, in {taken}; see the page Train."))
    elif recipe := _trained_by(top, state.setting):
        said = f"As it comes, it was trained: <b>explorer train {escape(recipe)} --out FILE</b> trains it again."
        elements.append(Note("trained before", said))
    elif top is not None and total(parameters(view.graph, state.model)):  # not for a model without parameters
        said = "It was not trained here: its numbers come with the example, or were drawn at random."
        elements.append(Note("untrained", said))
    elif top is None:
        said = "It was not trained here: its numbers come from a file, or were drawn at random."
        elements.append(Note("elsewhere", f"{said} Whoever trained it can say with which texts, and how good it is."))
    return *elements, whole_below(view)


def _trained_by(top: TomlTable | None, setting: str) -> str:
    """The name of the recipe by which the weights of a setting were trained; "" if it has no weights."""
    settings = top.table("settings") if top is not None and "settings" in top else None
    own = settings.table(setting) if settings is not None and setting in settings else None
    return Path(own.text("weights", most=MOST_TEXT)).stem if own is not None and "weights" in own else ""


@lru_cache(8)
def _about(lesson: str) -> TomlTable | None:
    """The file of an example or a model that comes with the program."""
    files = example_files()
    return read(files[lesson]) if lesson in files else None


def _sizes(view: View) -> list[tuple[str, ...]]:
    model, graph = view.state.model, view.graph
    learned = total(parameters(graph, model))
    layers = f"{model.layers} and {model.behind}" if model.behind else f"{model.layers}"
    all_learned = "counted block by block on the page Parameters"
    found = [("kind", model.kind, meanings("kinds")[model.kind])]
    if graph.sequences or model.kind == "mlp":
        what = "groups of the same blocks" if graph.sequences else "groups of neurons"
        found.append(("layers", layers, f"{what}, one after the other"))
    if graph.sequences:
        found.append(("d_model", f"{model.d_model}", "numbers that stand for each word"))
    found.append(("numbers that are learned", f"{learned:,}", all_learned if learned else "its numbers are given"))
    found += [
        (f"words of the {name}", f"{len(graph.axes[axis]):,}", "those that it can read there")
        for name, axis in graph.sequences.items()
    ]
    if model.room:
        found.append(("words of a text", f"{model.room:,}", "the longest that it was made for, as its own file says"))
    if graph.sequences and OUTPUT in graph.axes:
        found.append(("words of the output", f"{len(graph.axes[OUTPUT]):,}", "those that it can say"))
    return [*found, ("type of its numbers", model.dtype, meanings("types").get(model.dtype, ""))]


def _choices(model: Model) -> tuple[Element, ...]:
    """The switches that differ from the textbook; several parts with the same switch and value share one line.

    What the paper of 2017 has and our textbook models lack is no difference from the textbook.
    """
    groups: dict[tuple[str, str, str], list[str]] = {}
    for block, kind in model.blocks().items():
        for name, switch in SWITCHES[kind].items() if "loss" not in kind else ():
            value = model.switch(block, name) if model.has_switch(block, name) else switch.default
            default = _usual(model, block, name) or switch.default
            part = "input" if kind == "sequence" else block
            if value not in (switch.default, default, OF_2017.get((part, name))) and name not in UNTOLD:
                usual = _said(default) if default or default is False else "–"
                groups.setdefault((switch.title, _said(value), usual), []).append(block)
    if not groups:
        return ()
    lines = [
        Line.of(Entry(title, leads=GoTo("model.switches")), value, Entry(usual, muted=True), _parts_of(blocks, model))
        for (title, value, usual), blocks in groups.items()
    ]
    columns = *(Column(title, names=True) for title in ("switch", "here", "in the textbook")), Column("where")
    title = Section("choices", "Where the model differs from the textbook")
    return title, Listing("choices of the model", title.text, columns, tuple(lines), most=24)


def _usual(model: Model, block: str, name: str) -> int | None:
    """The textbook's value of a size: for "auto" the number it stands for, for heads the 8 of 2017; else None."""
    if name in ("d_ff", "heads"):
        return 4 * model.d_model if name == "d_ff" else 8
    if name not in ("d_k", "d_v", "key_heads"):
        return None
    heads = int(model.switch(block, "heads"))
    return heads if name == "key_heads" else model.d_model // heads


def _parts_of(blocks: Sequence[str], model: Model) -> str:
    """Blocks in words, such as "attention, layers 1, 3"; only the kind if all blocks of that kind are among them."""
    kinds, found, of = model.blocks(), dict[str, list[str]](), dict[str, int]()
    everywhere = {kind for kind in kinds.values() if all(one in blocks for one in kinds if kinds[one] == kind)}
    for block in blocks:
        words, layers = ([part for part in block.split(".") if part.isdecimal() == number] for number in (False, True))
        whose = "encoder: " if words[0] == "encoder" and "target" in kinds else ""
        if kinds[block] in everywhere:
            found.setdefault(KIND_NAMES.get(kinds[block], kinds[block]), [])
        else:
            name = whose + WHERE.get(words[-1], words[-1])
            found.setdefault(name, []).extend(layers)
            of[name] = model.layers if words[0] == "encoder" else model.decoder_layers
    texts = []
    for name, layers in found.items():
        which = ", ".join(layers[:MOST_LAYERS]) + ", …" * (len(layers) > MOST_LAYERS)
        before = "" if name == "layer" else f"{name}, "
        texts.append(f"{before}layer{'s' * (len(layers) > 1)} {which}" if 0 < len(layers) < of.get(name, 0) else name)
    return "; ".join(texts)


def _recipe(name: str) -> tuple[Element, ...]:
    """The settings by which a model was trained, and the command that trains it again."""
    task = recipes.load(name)
    lines = [
        (key.replace("_", " "), f"{value:,}" if isinstance(value, int | float) else str(value))
        for key, value in task.recipe.as_dict().items()
        if value not in (None, "", [], False)
    ]
    text = " --text FILE" if task.material.kind == "text" else ""
    again = (
        f"<b>explorer train {name}{text} --out FILE</b> trains it again, to the same weights on the same machine. "
        "In the window the page Train does so, with these settings: draw new weights, and choose what to learn from."
    )
    return Section("recipe", "Recipe"), _listing("recipe of training", lines, ("setting", "")), Note("again", again)


def _listing(name: str, rows: Sequence[tuple[str, ...]], titles: tuple[str, str]) -> Listing:
    columns = [Column(titles[0], width=260, names=True), Column(titles[1], NUMBER)]
    if any(len(row) > 2 for row in rows):
        columns.append(Column("what it says", width=640))
    lines = tuple(Line(tuple(Entry(text, muted=i > 1) for i, text in enumerate(row))) for row in rows)
    return Listing(name, name.capitalize(), tuple(columns), lines, most=24)
