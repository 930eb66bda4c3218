"""The model and the page in sight taken out of the window."""

import re
import shutil
import threading
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QFileDialog

from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell
from explorer.document.commands import SetCells
from explorer.export import layout, workbook
from explorer.sentences import sentence
from explorer.ui.dialogs import Dialogs
from explorer.ui.errors import Message
from explorer.ui.export import KINDS
from explorer.ui.lesson.letters import in_look
from explorer.ui.page.card import CardView
from explorer.ui.render import WRITERS, as_in_sight, laid_out, paper, spoken
from explorer.ui.theme import DARK, LIGHT
from explorer.ui.window.notice import Computing
from explorer.ui.window.top_bar import TABS
from tests.pixels import pixels
from tests.samples import long

pytestmark = pytest.mark.usefixtures("kept", "page_rests")
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def export(window, hand, tmp_path, monkeypatch):
    """Presses the keys, and names a file."""

    def press(name):
        told = []
        monkeypatch.setattr(Dialogs, "to_export", lambda dialogs, suggestion, kinds: name and tmp_path / name)
        monkeypatch.setattr(Dialogs, "tell", lambda dialogs, sentence: told.append(sentence))
        hand.key(Qt.Key.Key_E, CTRL | SHIFT)
        return tmp_path / str(name), told

    return press


@pytest.fixture
def small(window, anew):
    """The window on a model whose spreadsheet is soon written."""
    return anew("layer.2", lesson="xor")


def test_the_model_as_it_is_now_and_it_is_said_where_it_went(small, export, qtbot):
    window = small
    window.bench.document.do(SetCells("layer.2.W", {(0, 0): 0.125}))
    path, told = export("model.xlsx")
    qtbot.waitUntil(lambda: any("model.xlsx" in said.text() for said in window.findChildren(Message)))
    assert path.read_bytes()[:2] == b"PK"
    assert not told
    path, _ = export("model.py")
    qtbot.waitUntil(lambda: any("model.py" in said.text() for said in window.findChildren(Message)))
    assert "0.125" in path.read_text()


def test_a_model_is_written_beside_the_window(small, export, qtbot, monkeypatch):
    """As it was then: what is edited meanwhile is not in it."""
    window = small
    go_on, write = threading.Event(), workbook.workbook
    monkeypatch.setattr(workbook, "workbook", lambda *given: go_on.wait() and write(*given))
    path, _ = export("model.xlsx")
    word = next(iter(window.top_bar.findChildren(Computing)))
    qtbot.waitUntil(lambda: word.text() == "Writing …")
    window.bench.document.do(SetCells("layer.2.W", {(0, 0): 0.125}))
    go_on.set()
    qtbot.waitUntil(path.exists)
    with zipfile.ZipFile(path) as parts:
        assert not any(b"<v>0.125</v>" in parts.read(name) for name in parts.namelist())
    qtbot.waitUntil(lambda: not word.text())


def test_one_export_is_written_at_a_time_so_that_each_says_how_it_ended(small, export, qtbot, monkeypatch):
    window = small
    go_on, write = threading.Event(), workbook.workbook
    monkeypatch.setattr(workbook, "workbook", lambda *given: go_on.wait() and write(*given))
    first, _ = export("first.xlsx")
    second, told = export("second.py")
    assert told == [sentence(ExplorerError("export-at-work"))]
    go_on.set()
    qtbot.waitUntil(lambda: any("first.xlsx" in said.text() for said in window.findChildren(Message)))
    assert first.exists()
    assert not second.exists()


def test_the_page_is_drawn_on_white_paper_whatever_the_window_wears(window, export, appearance, eye):
    appearance.set_mode("dark")
    eye.settle(window)
    path, _ = export("page.png")
    image = QImage(str(path))
    assert QColor(image.pixel(1, image.height() - 2)).name() == "#ffffff"
    assert np.mean(pixels(image) & 0xFF > 200) > 0.8
    path, _ = export("page.svg")
    assert path.read_text().startswith("<?xml")
    assert DARK.page not in path.read_text()
    assert DARK.text not in path.read_text()
    assert window.bench.appearance.theme is DARK


@pytest.mark.parametrize("tab", ["Train", *map(long, (tab for tab in TABS[1:] if tab != "Train"))])
def test_another_tab_is_drawn_as_it_is_in_sight_but_on_paper(window, export, eye, qtbot, appearance, tab):
    appearance.set_mode("dark")
    window.show_tab(tab)
    eye.settle(window)
    qtbot.waitUntil(lambda: tab == "Lessons" or bool(spoken(window.tabs.currentWidget())))
    path, told = export("tab.svg")
    assert not told
    drawn = re.sub(r"<g [^>]*>\s*</g>", "", path.read_text())  # what paints nothing
    size = window.tabs.currentWidget().size()
    assert f'viewBox="0 0 {size.width()} {size.height()}"' in drawn
    for colour in vars(DARK).values():
        assert str(colour) not in drawn or colour in vars(LIGHT).values()
    assert len(ET.fromstring(drawn).findtext("{http://www.w3.org/2000/svg}desc")) > len(f"{tab}. ")
    assert window.tabs.currentWidget().grab().toImage().pixelColor(1, 1) == QColor(DARK.page)


def test_pictures_of_a_tab_that_are_made_late_are_on_its_paper(open_window, qtbot):
    window = open_window("xor", tab="Train")
    qtbot.waitUntil(lambda: "Answers in the plane" in spoken(window.tabs.training))
    svg = as_in_sight(window.tabs.bench, window.tabs.training, ".svg")
    assert "Answers in the plane" in ET.fromstring(svg).findtext("{http://www.w3.org/2000/svg}desc")


def test_the_cards_of_lessons_are_drawn_on_paper_with_their_pictures(open_window, qtbot, appearance, monkeypatch):
    """Their places were empty, and the cards twice as high; where the window is dark, so would the pictures be."""
    window = open_window("xor", tab="Lessons")
    tab = window.tabs.currentWidget()
    appearance.set_mode("dark")
    qtbot.waitUntil(lambda: tab.is_whole and _are_drawn(_in_sight(tab)))
    high, found = [card.height() for card in _in_sight(tab)], []

    def write(drawn):
        found[:] = _in_sight(tab)
        assert [card.height() for card in found] == high
        assert _are_drawn(found)
        images = [card.image.pixmap().toImage() for card in found]
        assert all(image.pixelColor(1, 1).lightness() > 200 for image in images if not image.isNull())
        return b""

    monkeypatch.setitem(WRITERS, ".png", write)
    as_in_sight(window.tabs.bench, tab, ".png")
    assert len(found) > 3


def _are_drawn(cards):
    return bool(cards) and all(card.image.is_drawn for card in cards)


def _in_sight(tab):
    return [card for card in tab.findChildren(CardView) if not card.image.visibleRegion().isEmpty()]


def test_pictures_say_what_is_to_be_seen_on_them(window, eye):
    stage = "decoder.1.self.attention"
    eye.go_to(window, stage)
    with (
        paper(window.bench.appearance) as (sheet, white),
        laid_out(in_look(window.bench, white), stage, parent=sheet) as (picture, _),
    ):
        png, svg, pdf = (WRITERS[ending](picture) for ending in (".png", ".svg", ".pdf"))
    for words in (
        QImage.fromData(png).text("Description"),
        ET.fromstring(svg).findtext("{http://www.w3.org/2000/svg}desc"),
        unescape(re.search(rb"dc:description>(.*?)</dc:", pdf, re.DOTALL)[1].decode()),
    ):
        assert "Matrix scores of head 1 in Decoder 1: Self-attention, 3 rows, 3 columns." in words
        assert "Heat map of shares. <start> looks most at" in words


def test_what_cannot_be_written_is_said_and_calling_it_off_writes_nothing(window, export, qtbot, tmp_path):
    _, told = export("nowhere/model.xlsx")
    qtbot.waitUntil(lambda: bool(told))
    assert "cannot be written" in told[0]
    export(None)
    assert list(tmp_path.iterdir()) == []


def test_an_ending_is_added_by_the_kind_that_was_chosen(window, tmp_path, monkeypatch):
    asked = []

    def answer(parent, title, suggestion, kinds, chosen):
        asked.append(chosen)
        return str(tmp_path / typed), kinds.split(";;")[2]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    for typed, ending in (("mine", ".png"), ("mine.xlsx", "")):
        found = window.files.dialogs.to_export(tmp_path / "emma.xlsx", KINDS)
        assert found == tmp_path / f"{typed}{ending}"
    assert asked == ["The model as a spreadsheet with formulas (*.xlsx)"] * 2
    found = window.files.dialogs.to_export(tmp_path / "emma.py", {**KINDS, ".xlsx": ""})
    assert (found, asked[2:]) == (tmp_path / "mine.xlsx", ["The model as a Python script (*.py)"])


def test_how_a_cell_is_played_goes_into_a_file(open_window, hand, tmp_path, monkeypatch, qtbot):
    window = open_window("emma")
    offered = []

    def answer(dialogs, suggestion, kinds):
        offered.append((suggestion.name, tuple(ending for ending, title in kinds.items() if title)))
        return tmp_path / suggestion.name if suggestion.suffix == ".gif" else None

    monkeypatch.setattr(Dialogs, "to_export", answer)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    window.actions_.export_cell.trigger()
    qtbot.waitUntil(lambda: any("Click a number" in said.text() for said in window.findChildren(Message)))
    window.bench.selection.go_to("attention")
    window.page()
    window.bench.selection.choose(Cell("scores", (0, 8)))
    window.inspector.player.speed.click()
    window.actions_.export_cell.trigger()
    assert offered == [("scores.gif", (".gif",))]
    with Image.open(tmp_path / "scores.gif") as picture:
        assert (picture.n_frames, picture.info["duration"]) == (6, 420)
    assert window.bench.selection.looking.choices == {}, "the window plays nothing"
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/ffmpeg")
    window.actions_.export_cell.trigger()
    assert offered[1] == ("scores.gif", (".gif", ".mp4"))
    window.files.begin_lesson(replace(window.bench.lesson, id="added 03f33a04", title="gpt2 (llama2.c)"))
    window.actions_.export.trigger()
    assert offered[2][0] == "gpt2 llama2.c.xlsx", "by its title: the id of a model that others trained says nothing"
    monkeypatch.setattr(layout, "MOST_CELLS", 10)
    window.actions_.export.trigger()
    assert offered[3][0] == "gpt2 llama2.c.py", "a spreadsheet was offered, and then refused as too large"
    assert ".xlsx" not in offered[3][1]
