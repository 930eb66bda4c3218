"""The pictures of a run, as data."""

import numpy as np
import pytest

from explorer.core.model import Model
from explorer.core.training.recipe import Recipe
from explorer.document.commands import SetSwitch, SetTokens
from explorer.document.state import State
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.element import leaves
from explorer.pages.page import Row
from explorer.pages.training.pictures import CALM, PICTURES, Room, Sight, Watch, pictures_page
from explorer.pages.training.settings import OWN, TEXT, RunProgress
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import Run
from tests.pages.conftest import Desk

WIDE = Room(1200.0, 900.0)


def sight(here, run=None, source=OWN, watch=None, room=WIDE):
    progress = RunProgress(here.document, run, False, False, 30, 0.0, source, "")
    weights = tuple(name for name in here.view.nodes if name.rpartition(".")[2] in ("W", "b", "table"))
    return Sight(progress, here.view, watch or Watch(), weights, room)


def elements(name, *args, **others):
    return {one.id: one for one in leaves(PICTURES[name](sight(*args, **others)))}


@pytest.fixture
def trained(desk):
    def train(steps):
        here = desk("xor", "random")
        run = Run(here.document, RunSettings(Material("shown"), Recipe("SGD", 0.1, batch=0, steps=steps)))
        run.take(60.0, steps)
        return here, run

    return train


def test_before_the_first_step_the_loss_is_a_dot(desk):
    here = desk("xor", "random")
    loss = float(here.value("loss.value"))
    drawn = elements("loss", here)["loss curves"]
    assert drawn.here == (0.0, loss)
    assert [line.y.tolist() for line in drawn.lines] == [[loss]]
    assert [line.name for line in elements("norms", here)["length curves"].lines] == ["Layer 1", "Layer 2"]
    assert elements("loss", here, source=TEXT)["loss curves"].lines == (), "that is the loss of something else"


def test_the_losses_and_the_lengths_of_a_run(trained):
    here, run = trained(20)
    drawn = elements("loss", here, run)["loss curves"]
    assert drawn.lines[0].y.tolist() == run.curve()[1].tolist()
    assert (drawn.here, drawn.until, drawn.log) == (None, 30, False), "more than half of it is over"
    lengths = elements("norms", here, run)["length curves"]
    assert (lengths.beside, lengths.log) == ("length", True)
    assert [len(line.y) for line in lengths.lines] == [20, 20]
    here.document.undo()
    assert elements("loss", here, run)["loss curves"].here == (0, run.curve()[1][0])


def test_of_a_long_run_the_lengths_are_means(trained):
    here, run = trained(2 * CALM)
    lengths = elements("norms", here, run)["length curves"]
    assert lengths.beside == "mean of 2 steps"
    measured = run.records.blocks["layer.1"]
    assert np.allclose(lengths.lines[0].y, measured.reshape(-1, 2).mean(1))


def test_a_weight_of_few_numbers_is_no_patch_of_colour(desk):
    """Four numbers stood on half the width of the page in full gold, and the eye went there first."""
    few, many = (elements("weight", desk(*of))["weight map"] for of in (("xor", "random"), ("sin", "nothing")))
    assert few.width < WIDE.width / 2
    assert many.width == WIDE.width


def test_another_weight_is_watched(desk):
    here = desk("xor", "random")
    first = elements("weight", here)["watched"]
    assert first.options[first.chosen] == "W in Layer 1"
    shown = elements("weight", here, watch=Watch("layer.2.W"))
    assert shown["watched"].options[shown["watched"].chosen] == "W in Layer 2"
    assert "W in Layer 2" in shown["weight map"].drawing.summary
    gone = elements("weight", here, watch=Watch("another model's"))["watched"]
    assert gone.chosen == first.chosen


def test_words_that_are_tried_have_no_right_translation(desk):
    here, watch = desk("you-are-welcome", "textbook"), Watch()
    shown = elements("says", here, watch=watch)
    assert shown["tried"].value == "You are welcome"
    assert [column.title for column in shown["predictions"].columns[:2]] == ["after", "it says next"]
    right = [entry for line in shown["predictions"].lines for entry in line.entries if "✓" in entry.text]
    assert not any(entry.muted for entry in right)
    assert [entry.text.split()[0] for entry in right] == ["de", "nada", "<end>"]
    watch.type("welcome You", here.view)
    assert elements("says", here, watch=watch)["tried"].value == "welcome You", "it is still being typed"
    watch.keep(here.view)
    here.do(SetTokens("source", ["welcome", "You"]))
    shown = elements("says", here, watch=watch)
    assert shown["alone"].text.startswith("welcome You → ")
    assert "predictions" not in shown
    here.document.undo()
    assert "predictions" in elements("says", here, watch=watch)


def test_of_a_net_each_case_stands_beside_what_is_right(desk):
    lines = elements("says", desk("xor", "random"))["predictions"].lines
    assert [[entry.text for entry in line.entries][::2] for line in lines] == [
        ["0, 0", "0.000"],
        ["0, 1", "1.000"],
        ["1, 0", "1.000"],
        ["1, 1", "0.000"],
    ]


def test_where_nothing_is_to_be_said_no_word_is_right():
    words = ("the", "cat", "<end>", "<pad>")
    here = Desk(State.of(Model("gpt", {"input": 3}, {"input.words": words}, 4, 1), {}))
    here.do(SetSwitch("loss", "targets", "next word"), SetTokens("input", ("the", "cat", "<pad>")))
    *said, behind = elements("says", here)["predictions"].lines
    assert all(any("✓" in one.text or "right: " in one.text for one in line.entries) for line in said)
    assert not any("✓" in one.text or "right: " in one.text for one in behind.entries)


def arranged(here, room):
    shown = sight(here, room=room)
    return pictures_page([one for make in PICTURES.values() if (one := make(shown)) is not None], room)


@pytest.mark.parametrize(("across", "columns"), [(1200.0, 2), (700.0, 1)])
def test_they_stand_beside_each_other_where_there_is_room(desk, across, columns):
    room = Room(across, 900.0)
    page = arranged(desk("xor", "random"), room)
    rows = [one for one in page if isinstance(one, Row)]
    assert [len(one.items) for one in rows] == ([2] if columns == 2 else [])
    ids = [one.id for part in page for one in leaves(part)]
    assert len(set(ids)) == len(ids), "each has a widget of its own"
    assert {"answers", "loss curves", "length curves", "weight map", "predictions"} <= {*ids}
    assert columns * room.width <= across


def test_the_loss_of_a_net_is_seen_beside_its_answers_in_a_narrow_page_too(desk):
    """Beside a lesson in a window of 1280 pixels the curve began below the fold."""
    here, room = desk("xor", "random"), Room(606.0, 560.0, of_net=True)
    ((left, right),) = [[item.element for item in row.items] for row in arranged(here, room)]
    plane = next(one for one in leaves(left) if one.id == "answers")
    assert max(plane.width, plane.height) <= room.width
    assert right.inside[0].id == "loss"
    assert [one.id for one in arranged(here, Room(400.0, 560.0, of_net=True))][:2] == ["net", "loss"]


@pytest.mark.parametrize(("across", "columns"), [(1058, 2), (1218, 3), (1540, 3), (2180, 3)])
def test_beside_the_square_of_a_net_no_third_of_the_page_is_empty(desk, across, columns):
    """In a window of 1600 pixels 230 beside the square were empty, and half of the pictures were below the fold."""
    here, room = desk("xor", "random"), Room(across, 800.0, of_net=True, surface=True)
    ((row,),) = [[one for one in arranged(here, room) if isinstance(one, Row)]]
    stacks = [item.element for item in row.items]
    assert [[one.id for one in stack.inside] for stack in stacks] == (
        [["net"], ["loss", "norms"], ["weight", "says"]]
        if columns == 3
        else [["net", "weight"], ["loss", "norms", "says"]]
    )
    drawn = {one.id: one.width for one in leaves(row) if hasattr(one, "width")}
    assert stacks[0].width - drawn["answers"] <= 20
    assert drawn["loss curves"] == room.width == stacks[1].width
    between = 26 * (columns - 1)
    assert across - 20 <= sum(stack.width for stack in stacks) + between <= across or room.width == 1000


def test_an_encoder_says_the_word_at_a_place(desk):
    here = Desk(new_lesson("encoder", ["one two three"], d_model=4).state())
    here.do(SetSwitch("output", "on", True))
    shown = elements("says", here)["predictions"]
    assert [column.title for column in shown.columns[:2]] == ["at", "it says"]
    assert shown.name == "What it says"
