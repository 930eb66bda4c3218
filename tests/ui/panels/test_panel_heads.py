"""All heads side by side, joined, and W_O."""

import numpy as np
import pytest
from explorer.ui.widgets.heat_map import HeatMap
from PySide6.QtWidgets import QLabel

from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.new import new_lesson

ENCODER = "encoder.1.self"


@pytest.fixture
def panel(window, eye):
    return eye.go_to(window, f"{ENCODER}.heads")


def headings(panel):
    return [label.text().rpartition(" ")[2] for label in panel.findChildren(QLabel) if "Head " in label.text() and "■" in label.text()]  # fmt: skip  # noqa: E501


def test_a_column_for_each_head_then_concat_and_W_O(window, eye, panel):
    assert list(eye.views(window)) == [
        *(f"{ENCODER}.head.{head}.{short}" for head in (1, 2) for short in ("weights", "output")),
        *(f"{ENCODER}.{short}" for short in ("concat", "W_O", "projected")),
    ]
    concat = eye.views(window)[f"{ENCODER}.concat"]
    outputs = [eye.value(window, f"{ENCODER}.head.{head}.output") for head in (1, 2)]
    assert np.array_equal(concat.array, np.hstack(outputs))
    assert [concat.band(1, j) for j in range(8)] == [0] * 4 + [1] * 4
    assert [eye.views(window)[f"{ENCODER}.W_O"].band(0, i) for i in range(8)] == [0] * 4 + [1] * 4


def test_bands_have_the_colours_of_the_heads(window, eye, panel):
    theme = window.bench.appearance.theme
    header = eye.views(window)[f"{ENCODER}.concat"].horizontalHeader()
    image = header.grab().toImage()
    for head, section in ((0, 0), (0, 3), (1, 4), (1, 7)):
        x = header.sectionViewportPosition(section) + header.sectionSize(section) // 2
        column = {image.pixelColor(x, y).name() for y in range(image.height())}
        assert theme.series[head] in column
        assert theme.series[1 - head] not in column
    texts = [label.text() for label in panel.findChildren(QLabel) if "■" in label.text()]
    assert [theme.series[head] in text for head, text in enumerate(texts)] == [True, True]


def test_it_shows_all_heads_whatever_head_is_looked_at(window, eye, panel):
    before = list(eye.views(window))
    window.bench.selection.set_head(1)
    eye.settle(window)
    assert list(eye.views(window)) == before


def test_another_number_of_heads(window, eye, panel):
    for heads in (3, 1, 2):
        window.bench.document.do(SetSwitch(ENCODER, "heads", heads))
        eye.settle(window)
        names = eye.views(window)
        assert {n for n in names if ".head." in n} == {
            f"{ENCODER}.head.{k + 1}.{short}" for k in range(heads) for short in ("weights", "output")
        }
        assert names[f"{ENCODER}.concat"].table.columnCount() == 4 * heads
        assert len(headings(window.page())) == heads


def test_without_W_O_it_ends_side_by_side(window, eye):
    eye.go_to(window, "decoder.1.cross.heads")
    assert not [name for name in eye.views(window) if name.endswith(("W_O", "projected"))]
    window.bench.document.do(SetSwitch("decoder.1.cross", "W_O", True))
    eye.settle(window)
    assert {"decoder.1.cross.W_O", "decoder.1.cross.projected"} <= set(eye.views(window))


def test_an_edit_of_W_O_shows_in_the_projection(window, eye, panel):
    window.bench.document.do(SetCells(f"{ENCODER}.W_O", {(0, 0): 50.0}))
    eye.settle(window)
    view = eye.views(window)[f"{ENCODER}.projected"]
    expected = eye.value(window, f"{ENCODER}.concat") @ eye.value(window, f"{ENCODER}.W_O")
    assert np.allclose(view.array, expected, rtol=1e-12)


def test_a_head_is_switched_off_and_on(window, eye, hand):
    eye.go_to(window, "encoder.1.self.heads")
    before = eye.value(window, "encoder.1.self.concat")
    hand.click(eye.by_name(window, "Switch off head 1"))
    eye.settle(window)
    assert not eye.value(window, "encoder.1.self.concat")[:, :4].any()
    assert (eye.value(window, "encoder.1.self.concat")[:, 4:] == before[:, 4:]).all()
    hand.click(eye.by_name(window, "Switch on head 1"))
    eye.settle(window)
    assert (eye.value(window, "encoder.1.self.concat") == before).all()


def pictures(window):
    return {picture.name: picture for picture in window.page().findChildren(HeatMap) if picture.isVisible()}


def test_of_a_long_sentence_each_head_is_a_picture_that_stays(open_window, eye):
    window = open_window("jane")
    names = [f"{ENCODER}.head.{head}.weights" for head in (1, 2, 3)]
    for head in (0, 2, None):
        window.bench.selection.set_head(head)
        eye.settle(window)
        assert list(pictures(window)) == names
        assert not [name for name in eye.views(window) if name.endswith(".weights")]
        for name, picture in pictures(window).items():
            assert np.array_equal(picture._image.image, eye.value(window, name))
    # Jane and her job, Harvard and Google, graduated and starting.
    words = window.bench.document.engine.labels("input")
    for name, query, key in zip(names, ("Jane", "Harvard", "graduated"), ("job", "Google", "starting"), strict=True):
        assert words[int(eye.value(window, name)[words.index(query)].argmax())] == key


def test_forty_words_and_eight_heads_stand_beside_each_other(open_window, eye):
    window = open_window(new_lesson("gpt", [" ".join(f"word{i}" for i in range(40))], d_model=32, heads=8))
    window.resize(1280, 720)
    eye.go_to(window, "decoder.1.self.heads")
    found = list(pictures(window).values())
    assert len(found) == 8
    lines = {picture.mapTo(window.page().widget(), picture.pos()).y() for picture in found}
    assert len(lines) <= 4
    for picture in found:
        assert len(picture.getAxis("left").written()) >= 10
