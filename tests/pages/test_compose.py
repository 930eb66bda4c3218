"""The page of every stage of every example, in all its settings.

Between matrices stand only signs that hold for what they show.
"""

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

from explorer.core.graph import Cell
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import catalogue, load
from explorer.lessons.schema import FAMILY, WRITING
from explorer.pages.compose import KINDS, page
from explorer.pages.controls import Button, Choice, Number, Player, Switches
from explorer.pages.drawing import Arrow, Curve, Drawing, Image, Probe, Strips, drawable
from explorer.pages.gestures import Do, Edit, GoTo, Hold, Keep, MoveTo, SetNumber
from explorer.pages.levels import ABOUT_THE_MODEL, WHOLE, places, stops
from explorer.pages.matrix import CALM, Matrix
from explorer.pages.page import Note, Picture, Row
from explorer.pages.view import Looking, View, row_of
from tests.samples import long

lessons = cache(catalogue)
# Lessons on a trained model have its pages.
EXAMPLES = [(one.id, setting) for one in lessons() if one.model.dtype == "float64" for setting in one.settings]
EXAMPLES += [("tiny-gpt", "emma"), ("tiny-translator", "red")]
SPEECH = re.compile(r"\b(None|nan|True|False)\b")

BLANK = None
"""A place without its sign."""


@cache
def document(lesson, setting):
    return Document(load(lesson).state(setting))


@cache
def pages(lesson, setting):
    view = View.of(document(lesson, setting))
    return view, {stage.name: page(view, stage) for stage in places(view.graph)}


FIRST = {lesson: (lesson, setting) for lesson, setting in reversed(EXAMPLES)}.values()
"""Each example at its first setting."""


@pytest.fixture(params=[one if one in FIRST else long(one) for one in EXAMPLES], ids=map("-".join, EXAMPLES))
def example(request):
    return pages(*request.param)


def test_every_kind_of_stage_has_a_page_and_every_page_a_stage():
    kinds = {stage.kind for lesson, setting in EXAMPLES for stage in places(document(lesson, setting).engine.graph)}
    assert kinds - KINDS.keys() == set(), "explorer/pages/compose.py has no page for these"
    assert KINDS.keys() - kinds - {"dropout"} == set(), "no example has a stage of these kinds"


def test_the_whole_stands_before_the_stages_and_pages_about_the_model_behind():
    graph = document("xor", None).engine.graph
    assert stops(graph) == (WHOLE, *graph.stages, *ABOUT_THE_MODEL)


def test_ids_are_unique(example, eyes):
    for name, composed in example[1].items():
        ids = [element.id for element in eyes(composed).elements]
        assert sorted(ids) == sorted(set(ids)), name


def test_a_view_of_the_same_document_gives_an_equal_page(example):
    view, composed = example
    again = View(view.state, view.engine, Looking())
    for stage in places(view.graph):
        assert page(again, stage) == composed[stage.name], stage.name


def test_ids_are_those_of_another_head_and_of_other_numbers(eyes):
    for lesson, setting in (("you-are-welcome", "textbook"), ("jane", None)):
        view, composed = pages(lesson, setting)
        for stage in places(view.graph):
            for looking in (Looking(head=1), Looking(showing="gradient"), Looking(showing="change")):
                other = page(View(view.state, view.engine, looking), stage)
                assert [e.id for e in eyes(other).elements] == [e.id for e in eyes(composed[stage.name]).elements]


def test_matrices_are_those_of_the_engine(example, eyes):
    view, composed = example
    shown = set()
    for stage in composed.values():
        for matrix in eyes(stage).all(Matrix):
            assert matrix.place == view.graph.place(matrix.name)
            np.testing.assert_array_equal(matrix.own, view.engine.value(matrix.place))
            assert matrix.values.shape == (len(matrix.rows), len(matrix.columns))
            shown.add(matrix.place.node)
    # What is stacked over heads is shown head by head; the mean of the heads where it is asked for.
    hidden = view.nodes.keys() - shown
    assert {name.rpartition(".")[2] for name in hidden} <= {"average"}, hidden


def exists(view, cell):
    shape = view.values[cell.node].shape
    return len(cell.index) <= len(shape) and all(0 <= i < n for i, n in zip(cell.index, shape, strict=False))


def whole(view, cell):
    return exists(view, cell) and len(cell.index) == view.values[cell.node].ndim


def test_cells_of_marks_and_lines_exist(example, take_apart):
    view, composed = example
    for stage in composed.values():
        for part in take_apart(stage):
            cells = [getattr(part, "cell", None), *getattr(part, "cells", ()), *getattr(part, "also", ())]
            for cell in cells:
                if isinstance(cell, Cell):
                    assert exists(view, cell), (stage.stage, part)
            # One can point at a line, and at the first cell of a mark.
            at = getattr(part, "cell", None) or next(iter(getattr(part, "cells", ())), None)
            assert not isinstance(at, Cell) or whole(view, at)
            for token in (getattr(part, "token", None), *getattr(part, "also", ())):
                match token:
                    case (axis, place):
                        assert 0 <= place < len(view.graph.axes[axis])
                    case str(axis):
                        assert not axis or axis in view.graph.axes


def test_gestures_can_be_asked_for(example, take_apart):
    """Each edit that a mark, a line or a button names is one that the document takes."""
    view, composed = example
    names = {stage.name for stage in places(view.graph)}
    asked = 0
    for stage in composed.values():
        for part in take_apart(stage):
            found = [getattr(part, name, None) for name in ("drag", "leads", "choose")]
            asks = getattr(part, "asks", ()) if getattr(part, "on", True) else ()
            for gesture in (*found, *(asks if isinstance(asks, tuple) else (asks,))):
                match gesture:
                    case MoveTo(x, y):
                        assert all(view.nodes[where[0]].is_input for where in (x, y) if where)
                        gesture.at((0.5, 0.25)).command("one stroke").apply(view.state)
                    case SetNumber(node, cell):
                        value = 1 if view.values[node].dtype.kind == "i" else 0.5
                        state = gesture.at(value).command().apply(view.state)
                        if gesture.pinned:
                            assert state.pins[node].cells[cell]
                        else:
                            assert state.inputs[node][cell] == value
                    case Do() | Hold():
                        gesture.command().apply(view.state)
                    case GoTo(value):
                        assert value in names
                    case Keep(key):
                        assert key
                asked += isinstance(gesture, Edit)
    assert asked or view.state.model.kind in ("attention", "encoder", "norm")


class Markup(HTMLParser):
    """Collects which marks a text has, and whether all are closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.used = [], set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.used.add(tag)
        self.open.append(tag)
        assert not attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_no_page_has_two_acts_that_it_is_there_for(example, take_apart):
    _, made = example
    for name, parts in made.items():
        assert sum(isinstance(one, Button) and one.primary for one in take_apart(parts)) <= 1, name


def test_notes_have_marks_that_are_known_and_say_no_nonsense(example, eyes):
    for stage in example[1].values():
        for note in eyes(stage).all(Note):
            text = Markup(note.text)
            assert text.used <= {"b", "i", "mark"}, note.text
            assert not text.open, note.text
            assert not SPEECH.search(note.text), note.text
            assert "  " not in note.text
            assert note.text == note.text.strip()


def test_titles_sentences_and_summaries_are_said(example, take_apart):
    for name, stage in example[1].items():
        assert stage.header.title
        assert stage.header.sentence.endswith((".", "?")), name
        for part in take_apart(stage):
            if isinstance(part, Drawing):
                assert part.summary
                assert not SPEECH.search(part.summary), part.summary


ENCODER = "encoder.1.self"


@pytest.mark.parametrize(
    ("lesson", "stage", "switch", "said"),
    [
        ("you-are-welcome", f"{ENCODER}.attention", None, "Each word asks (Q), all words answer (K): that decides"),
        (
            "you-are-welcome",
            f"{ENCODER}.attention",
            (ENCODER, "mask", "causal"),
            "the words that it may see (M) answer (K):",
        ),
        ("you-are-welcome", "decoder.1.cross.attention", None, "target asks (Q), the words of the source answer (K)"),
        ("you-are-welcome", "decoder.1.cross.attention", None, "how much of each value (V) it takes."),
        ("emma", "attention", ("attention", "V", False), "how much it looks at each."),
        ("you-are-welcome", f"{ENCODER}.heads", None, "side by side, and W_O mixes them."),
        ("you-are-welcome", f"{ENCODER}.heads", (ENCODER, "heads", 1), "one head here, and W_O mixes its columns."),
        ("jane", f"{ENCODER}.heads", None, "their answers are put side by side."),
        ("xor", "layer.1", None, "Each case times the weights, plus a bias, then through the activation."),
        ("xor", "layer.1", ("layer.1", "bias", False), "Each case times the weights, then through the activation."),
    ],
)
def test_sentences_follow_the_switches(desk, lesson, stage, switch, said):
    found = desk(lesson)
    if switch is not None:
        found.do(SetSwitch(*switch))
    assert said in found.page(stage).page.header.sentence


def test_drawings_can_be_drawn(example, take_apart):
    for stage in example[1].values():
        for part in take_apart(stage):
            match part:
                case Drawing(window=(left, right, bottom, top)):
                    assert left < right
                    assert bottom < top
                    assert drawable(left, right, bottom, top)
                case Image(array=array, low=low, high=high):
                    assert array.ndim == 2
                    assert high > low or high > 0
                case Curve(x=x, y=y):
                    assert x.shape == y.shape == (len(x),)
                case Strips(node=node, array=array, mean=mean, sigma=sigma, axis=axis):
                    assert array is example[0].values[node]
                    assert len(mean) == len(sigma) == array.shape[axis]
                case Arrow(start=start, tip=tip):
                    assert drawable(*start, *tip)
                case Probe():
                    assert part.invitation
                    assert not SPEECH.search(part.said(0.5, -0.25))


def test_switches_of_a_page_are_those_of_its_blocks(example, eyes):
    view, composed = example
    blocks = view.state.model.blocks()
    for stage in composed.values():
        for bar in eyes(stage).all(Switches):
            assert blocks[bar.block] == bar.kind
            for name, value in (*bar.values, *bar.more):
                assert view.state.model.switch(bar.block, name) == value


EDITED = {
    "you-are-welcome": "encoder.1.self.W_V",
    "i-love-ai": "decoder.1.self.W_V",
    "xor": "layer.2.W",
    "two-vectors": "x",
    "jump": "input.X",
    "softmax": "output.logits",
}


@pytest.mark.parametrize("lesson", EDITED)
def test_after_an_edit_a_page_differs_where_what_it_shows_does(lesson, eyes):
    own = Document(load(lesson).state())
    node = EDITED[lesson]
    before = View.of(own)
    old = {stage.name: page(before, stage) for stage in places(before.graph)}
    own.do(SetCells(node, {(0,) * before.values[node].ndim: 1.25}))
    after = View.of(own)
    changed = {name for name, value in after.values.items() if value.tobytes() != before.values[name].tobytes()}
    assert node in changed
    for stage in places(after.graph):
        new = page(after, stage)
        assert new.header == old[stage.name].header
        ids = {element.id: element for element in eyes(old[stage.name]).elements}
        shows = eyes(new).has("given numbers")
        for element in eyes(new).elements:
            if isinstance(element, Matrix):
                shows |= element.place.node in changed
                was = ids[element.id]
                same = np.array_equal(element.array, was.array, equal_nan=True)
                # The scale of a sum is that of all its terms.
                assert (element == was) == (same and element.full == was.full)
                assert same or element.place.node in changed
        pictures = any(element.id == "model" for element in new.elements)  # of all, or of a block
        # A click on a head of “What heads do” asks for its mean, which is another one after an edit.
        others = ("generation.next", "generation.heads", "model.changes", "model.descent")
        if not (shows or pictures) and stage.name not in others:
            assert new == old[stage.name], stage.name


@pytest.mark.parametrize("lesson", ["you-are-welcome", "i-love-ai"])
def test_ids_are_those_of_other_words(lesson, eyes):
    own = Document(load(lesson).state())
    before = View.of(own)
    for sequence in before.graph.sequences:
        own.do(SetTokens(sequence, tuple(f"other{i}" for i in range(len(before.labels(sequence))))))
    after = View.of(own)
    for stage in before.graph.stages:
        old, new = (eyes(page(view, stage)) for view in (before, after))
        notes = {note.id for note in (*old.all(Note), *new.all(Note))}  # one may have nothing to say
        assert [e.id for e in new.elements if e.id not in notes] == [e.id for e in old.elements if e.id not in notes]


def test_lessons_can_look_at_the_pages_about_writing():
    graph = document("tiny-gpt", None).engine.graph
    assert set(WRITING) == {stage.name for stage in stops(graph) if stage.group == "Generation"}
    assert FAMILY in {stage.name for stage in stops(graph)}


@pytest.mark.parametrize("value", [-1, long(9999), 10**30, "no number"])
@pytest.mark.parametrize("lesson", ["you-are-welcome", "two-vectors", long("tiny-gpt")])
def test_a_choice_that_a_page_does_not_offer_breaks_none(lesson, value, take_apart):
    """A file may say that anything was chosen, and a longer text has had more to choose from."""
    view, every = pages(lesson, next(iter(load(lesson).settings)))
    controls = (part for one in every.values() for part in take_apart(one))
    asked = [part.asks for part in controls if isinstance(part, Choice | Number | Player)]
    gestures = (one for asks in asked for one in (asks if isinstance(asks, tuple) else (asks,)))
    keys = {one.key for one in gestures if isinstance(one, Keep)}
    assert keys
    keys |= {row_of(axis) for axis in view.graph.sequences}
    odd = replace(view, looking=replace(view.looking, choices=dict.fromkeys(keys, value)))
    for stage in places(view.graph):
        drawn = [part.drawing for part in take_apart(page(odd, stage)) if isinstance(part, Picture)]
        assert all(isinstance(one, Drawing) for one in drawn)


EDIT = SetCells("source.table", {(0, 0): 2.0})


@pytest.fixture
def signs(desk):
    """The signs of a row after an edit, for what matrices show."""

    def of(stage, row, showing, edit=EDIT):
        found = desk()
        found.do(edit)
        found.look(showing=showing)
        (one,) = (part for part in found.page(stage).all(Row) if part.id == row)
        return [item.sign if item.holds else BLANK for item in one.items]

    return of


def test_values_have_all_signs(signs):
    assert signs("encoder.1.self.heads", "joined heads", "values") == ["", "×", "="]
    assert signs("source.positions", "sum", "values") == ["", "+", "="]


@pytest.mark.parametrize("showing", ["change", "step", "difference", "gradient"])
def test_no_product_of_changes_or_gradients_is_claimed(signs, showing):
    assert signs("encoder.1.self.heads", "joined heads", showing) == ["", BLANK, BLANK]
    assert signs("encoder.1.ffn.layers", "output row", showing) == [
        "",
        BLANK,
        BLANK,
        BLANK,
    ]  # nor the bias of a product


def test_the_changes_of_a_sum_are_a_sum_and_its_gradients_are_none(desk, signs):
    assert signs("source.positions", "sum", "change") == ["", "+", "="]
    assert signs("source.positions", "sum", "gradient") == ["", BLANK, BLANK]
    found = desk()
    found.do(EDIT)
    found.look(showing="change")
    x, pe, h = (item.element.array for item in found.page("source.positions").all(Row)[0].items)
    np.testing.assert_allclose(x + pe, h)


def test_a_sum_of_what_is_new_has_no_change_to_add(signs):
    longer = SetTokens("source", ("You", "are", "so", "welcome"))
    assert signs("source.positions", "sum", "change", edit=longer) == ["", BLANK, BLANK]


def test_arrows_stay(signs):
    assert "→" in signs("encoder.1.self.attention", "from scores to weights", "gradient")


def test_no_page_shows_a_false_sign(desk):
    for lesson in ("you-are-welcome", "translation-lookup", "xor"):
        found = desk(lesson)
        found.look(showing="gradient")
        for stage in found.document.engine.graph.stages:
            rows = found.page(stage.name).all(Row)
            assert not {item.sign for row in rows for item in row.items if item.holds} & set("×+=")


SUMS = [("source.positions", "sum"), ("encoder.1.self.after", "sum"), ("encoder.1.ffn.after", "sum")]


@pytest.mark.parametrize("showing", ["values", "change"])
@pytest.mark.parametrize(("stage", "row"), SUMS)
def test_colours_of_a_sum_go_as_far_as_its_largest_number(desk, stage, row, showing):
    found = desk()
    for number in (2.0, 90.0):
        found.do(SetCells("source.table", {(0, 0): number}))
        found.look(showing=showing)
        terms = [item.element for item in found.page(stage).the(row).items]
        assert {one.limit for one in terms} == {CALM * max(float(np.abs(one.array).max()) for one in terms)}


def test_products_and_what_is_no_sum_have_scales_of_their_own(desk):
    found = desk()
    found.look(showing="gradient")
    shown = [found.page("source.positions").the("sum")]
    found.look(showing="values")
    shown.append(found.page("encoder.1.ffn.layers").the("output row"))
    for row in shown:
        assert "+" in {item.sign for item in row.items}
        assert not any(item.element.full for item in row.items)


def test_no_sum_has_two_scales(example, eyes):
    for one in example[1].values():
        for row in eyes(one).all(Row):
            if {item.sign for item in row.items} == {"", "+", "="}:
                assert len({item.element.limit for item in row.items}) == 1, row.id
