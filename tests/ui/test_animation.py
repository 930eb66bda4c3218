"""Pictures that move: each frame is another moment, and the window does not move with them."""

import functools
import itertools
import os
import shutil
import sys
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageSequence
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage, QTextDocumentFragment

from explorer.core.graph import Cell
from explorer.lessons.loader import load
from explorer.pages.surfaces.inspector import played_key
from explorer.pages.view import Covered
from explorer.ui.animation import AROUND, MOST, STRIP, Frames, _PlayedCell, _some, frames, gif, mp4, pngs
from explorer.ui.lesson.letters import in_look
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.note import DerivationView
from explorer.ui.render import laid_out, paper
from tests.refusals import refuses
from tests.samples import long

pytestmark = pytest.mark.usefixtures("kept", "page_rests")
ATTENTION = "encoder.1.self.attention"


def shown(picture):
    return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(picture)]


def test_attention_word_by_word_while_the_window_stays_as_it_is(window, eye):
    window.bench.selection.set_head(1)
    told = []
    moving = frames(window.bench, ATTENTION, on=lambda number, of: told.append((number, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert window.bench.selection.chosen_token is None
    assert "Matrix scores of head 2 in Encoder 1: Self-attention" in moving.words, "the head that is looked at"
    with Image.open(BytesIO(gif(moving))) as picture:
        assert (picture.n_frames, picture.info["loop"]) == (3, 0)
        assert b"The last is Word 3 of 3: welcome." in picture.info["comment"]
        first, second, third = shown(picture)
    assert not np.array_equal(first, second)
    assert not np.array_equal(second, third)
    exact = [np.asarray(Image.open(BytesIO(png)).convert("RGB")).astype(int) for png in pngs(moving)]
    assert np.abs(exact[1] - second).mean() < 2, "256 colours are enough"


def test_a_model_that_learns_shows_what_it_learns_and_the_document_learns_nothing(window):
    window.bench.open(load("xor"), "random")
    window.bench.bridge.flush()
    before = window.bench.document.state
    moving = frames(window.bench, "layer.2", steps=5)
    assert len(moving.images) == 6
    assert "The last is After 5 steps." in moving.words
    assert window.bench.document.state is before
    assert moving.images[0] != moving.images[-1]
    window.bench.descent.take(1)
    window.bench.bridge.flush()
    again = frames(window.bench, "layer.2", steps=2)
    assert "The last is After 3 steps." in again.words
    pages = [np.asarray(Image.open(BytesIO(png)))[:-STRIP] for png in pngs(again)]
    assert not any(np.array_equal(one, other) for one, other in itertools.pairwise(pages)), "it stood still"


def test_what_is_frozen_in_the_window_does_not_learn_in_the_animation(window):
    bench = window.bench
    bench.open(load("xor"), "random")
    bench.bridge.flush()
    for name in bench.descent.weights():
        bench.descent.set_moves(name, False)
    images = [np.asarray(Image.open(BytesIO(png))) for png in pngs(frames(bench, "loss", steps=2))]
    pages = [image[:-STRIP] for image in images]  # without the captions
    assert all(np.array_equal(page, pages[0]) for page in pages)


def test_where_nothing_moves_that_is_said(bring):
    window = bring("two-vectors", "vectors")
    with refuses("Nothing moves on the page"):
        frames(window.bench, "vectors")
    solved = bring("xor", "layer.2").bench  # its loss is 0: twenty frames looked alike
    with refuses("The gradient of each weight is 0 here"):
        frames(solved, "layer.2", steps=20)


def test_a_long_way_is_shown_by_some_of_its_moments_with_both_ends():
    assert _some(3) == [0, 1, 2, 3]
    long = _some(1000)
    assert (len(long), long[0], long[-1]) == (MOST, 0, 1000)


# How a cell is played

CELL = Cell("scores", (0, 8))


@pytest.mark.parametrize("part", [long(0.0), 0.5, long(1.0)])
def test_a_cell_is_played_as_on_the_screen(bring, part):
    """At its beginning, half way and at its end: the same rows, and the same cells framed in the same colours."""
    window = bring("emma", "attention")
    moving = frames(window.bench, "attention", cell=CELL)
    assert (len(moving.images), moving.each) == (6, 840)
    assert len({(image.width(), image.height()) for image in moving.images}) == 1
    window.bench.selection.choose(CELL)
    step = round(part * 5)
    window.bench.selection.keep(played_key(CELL), step)
    on_screen = [view.accessibleDescription() for view in window.inspector.findChildren(DerivationView)]
    assert on_screen[0].count("?") == 5 - step
    with (
        paper(window.bench.appearance) as (sheet, white),
        laid_out(in_look(window.bench, white), "attention", parent=sheet) as (picture, view),
    ):
        whole = QImage(picture.size, QImage.Format.Format_RGB32)
        picture.on(whole)
        read = [box for box in view.findChildren(MatrixBox) if box.matrix.name in ("Q", "K", "scores")]
        place = functools.reduce(QRect.united, (QRect(b.mapTo(picture.page, QPoint()), b.size()) for b in read))
        long_one = _PlayedCell(in_look(window.bench, white), Cell("weights", (3, 4)), view, sheet)
        long_one.layout().activate()
        (rows,) = long_one._views
        assert rows.height() >= rows.heightForWidth(rows.width()), "one row needs two lines, and the last is the result"
    frame = moving.images[step].copy(QRect(QPoint(AROUND, AROUND), place.size()))
    assert frame == whole.copy(place).convertToFormat(QImage.Format.Format_RGB888)
    others = [image.copy(0, 0, *place.size().toTuple()) for image in moving.images]
    assert all(one != other for one, other in itertools.pairwise(others))


def test_what_is_given_cannot_be_played_nor_a_number_that_a_question_asks_for(bring):
    window = bring("emma", "attention")
    with refuses("not computed in steps"):
        frames(window.bench, "attention", cell=Cell("Q", (0, 0)))
    window.bench.selection.speak_of(None, Covered({"scores": frozenset({(0, 8)})}))
    with refuses("not computed in steps"):
        frames(window.bench, "attention", cell=CELL)


def test_a_head_that_is_not_looked_at_is_played_and_the_window_stays_at_its_own(window):
    cell = Cell("encoder.1.self.scores", (1, 0, 2))
    moving = frames(window.bench, ATTENTION, cell=cell)
    assert window.bench.selection.head == 0
    assert window.bench.selection.cell is None
    value = window.bench.document.engine.values[cell.node][cell.index]
    assert f"The last is Step {len(moving.images) - 1} of " in moving.words
    assert f"= {value:.4f}".replace("-", "−") in moving.words


def test_a_word_such_as_start_is_named_above_the_arithmetic(window):
    cell, stage = Cell("decoder.1.self.weights", (0, 1, 0)), "decoder.1.self.attention"
    with paper(window.bench.appearance) as (sheet, white):
        bench = in_look(window.bench, white)
        with laid_out(bench, stage, parent=sheet) as (_, view):
            name = _PlayedCell(bench, cell, view, sheet)._name.text()
    assert QTextDocumentFragment.fromHtml(name).toPlainText() == "weights [de → <start>]"


@pytest.fixture
def ffmpeg(monkeypatch, tmp_path):
    """Stands a program of that name on the path, or none."""

    def stand(script=None):
        folder = tmp_path / "bin"
        folder.mkdir()
        if script is not None:
            program = folder / "ffmpeg"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
        monkeypatch.setenv("PATH", os.pathsep.join((str(folder), "/bin", "/usr/bin") if script else (str(folder),)))

    return stand


SMALL = Frames([QImage(3, 5, QImage.Format.Format_RGB888)] * 4, 840, "title", "words")


def test_without_what_writes_films_that_is_said(ffmpeg):
    ffmpeg()
    with refuses("An MP4 is written by the program ffmpeg, which is not installed"):
        mp4(SMALL)


@pytest.mark.skipif(sys.platform == "win32", reason="the script that stands for ffmpeg is one of a Unix shell")
def test_a_film_is_asked_for_with_each_picture_and_what_is_wrong_is_said(ffmpeg, tmp_path):
    said = tmp_path / "said"
    ffmpeg(f'for last; do :; done; echo "$@" > {said}; wc -c > "$last"')
    film = mp4(SMALL)
    assert int(film) == 3 * 5 * 3 * (4 + 2), "the last stays for three times as long"
    assert "-s 3x5 -framerate 1000/840" in said.read_text()
    (tmp_path / "bin" / "ffmpeg").write_text("#!/bin/sh\ncat > /dev/null; echo no such codec >&2; exit 1\n")
    with refuses("ffmpeg could not write the film .no such codec.; write a .gif."):
        mp4(SMALL)


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_a_film_is_a_film():
    for image in SMALL.images:
        image.fill(0)
    assert mp4(SMALL)[4:8] == b"ftyp"
