"""Chapters at the left with rings that fill, and cards with pictures of what is inside."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QSize, Qt

from explorer.lessons.loader import chapters, errata, load, titles
from explorer.lessons.progress import ProgressFolder
from explorer.settings import Settings
from explorer.ui.lesson import lesson_page
from explorer.ui.lesson.chapters import Ring
from explorer.ui.lesson.lesson_page import NARROW, LessonCard
from explorer.ui.lesson.step_pictures import picture_of_sizes
from explorer.ui.theme import LIGHT


def test_each_lesson_stands_in_one_chapter_behind_those_that_it_needs():
    path = [id for one in chapters() for id in one.lessons]
    assert set(titles()) - set(errata().values()) == set(path)
    assert len(path) == len(set(path))
    for at, id in enumerate(path):
        assert set(load(id).needs) <= set(path[:at]), id


def test_the_chapters_are_in_their_order():
    assert [one.chapter for one in chapters()] == list(range(1, len(chapters()) + 1))
    assert [one.title for one in chapters()][:5] == ["Vectors", "Attention", "Blocks", "Learning", "Whole models"]


@pytest.mark.usefixtures("no_pictures")
def test_a_chapter_lists_its_lessons_and_its_ring_says_how_far_one_is(open_window, tmp_path, qtbot):
    folder, chapter = ProgressFolder(tmp_path / "progress"), chapters()[2]
    lesson = load(chapter.lessons[0])
    progress = folder.load(lesson.id)
    for step in lesson.steps:
        progress = progress.answered(step.id, True).at(step.id) if step.question else progress.at(step.id)
    folder.save(progress)
    page = open_window("emma", settings=Settings(tmp_path)).lessons.page()
    page.refresh()
    qtbot.waitUntil(lambda: page.is_whole)
    assert page.cards[lesson.id].ring.share == 1
    assert page.courses.rings[chapter.id].share == pytest.approx(1 / len(chapter.lessons))
    page.courses.buttons[chapter.id].click()
    shown = (page._listed.itemAt(i).widget() for i in range(page._listed.count()))
    assert [one.id for one in shown if isinstance(one, LessonCard) and not one.isHidden()] == list(chapter.lessons)
    assert chapter.paragraph in page._about.text()


def test_a_card_shows_what_its_lesson_begins_with(open_window, qtbot):
    window = open_window("emma")
    card = LessonCard(window.bench, "softmax", "Softmax")
    qtbot.addWidget(card)
    card.show_lesson(load("softmax"), window.lessons.guide.progress(load("softmax")))
    card.draw({})
    assert not card.picture.pixmap().isNull()
    assert "output.logits" in card.picture.accessibleName()


@pytest.mark.parametrize("name", ["inside-gpt2-small", "inside-pythia"])
def test_a_card_of_a_model_that_is_not_there_shows_its_sizes(open_window, qtbot, name):
    window, lesson = open_window("emma"), load(name)
    card = LessonCard(window.bench, name, lesson.title)
    qtbot.addWidget(card)
    card.show_lesson(lesson, window.lessons.guide.progress(lesson))
    card.draw({})
    sizes = lesson.needed.sizes
    assert f"{sizes['layers']} layers × {sizes['heads']} heads" in card.picture.accessibleName()
    assert not card.picture.pixmap().isNull()
    drawn = picture_of_sizes(lesson.needed, LIGHT, QSize(450, 252))
    at_heads = round(0.322 * drawn.height())  # in the first head of each layer
    colours = [drawn.pixelColor(x, at_heads).name() for x in range(drawn.width())]
    assert sum(a != b == LIGHT.accent for a, b in pairwise(colours)) == sizes["layers"]


def test_a_picture_is_made_once_for_all_sizes_of_text(open_window, qtbot, monkeypatch, appearance):
    window, known, made = open_window("emma"), {}, []
    make = lesson_page.picture_of_step
    monkeypatch.setattr(lesson_page, "picture_of_step", lambda *given: made.append(given) or make(*given))
    for scale in (1.0, 2.0):
        appearance.set_scale(scale)
        card = LessonCard(window.bench, "softmax", "Softmax")
        qtbot.addWidget(card)
        card.show_lesson(load("softmax"), window.lessons.guide.progress(load("softmax")))
        card.draw(known)
        assert card.picture.pixmap().width() > 100 * scale
    assert len(made) == 1


def test_no_picture_is_made_before_the_typesetter_is_loaded_beside_the_window(open_window, qtbot, monkeypatch):
    asked, loaded = [], []
    monkeypatch.setattr(lesson_page, "is_loaded", lambda: asked.append(True) or bool(loaded))
    page = open_window("emma", tab="Lessons").lessons.page()
    qtbot.waitUntil(lambda: len(asked) > 1)
    assert not any(card.is_drawn for card in page.cards.values())
    loaded.append(True)
    qtbot.waitUntil(lambda: any(card.is_drawn for card in page.cards.values()))


@pytest.mark.usefixtures("no_pictures")
def test_the_chapters_stand_above_the_lessons_where_the_page_is_narrow(open_window, qtbot):
    page = open_window("emma", tab="Lessons").lessons.page()
    page.resize(NARROW + 300, 600)
    assert page.courses.geometry().right() < page.search.mapTo(page.widget(), page.search.rect().topLeft()).x()
    page.resize(NARROW - 200, 600)
    page.widget().layout().activate()
    assert page.courses.geometry().bottom() < page.search.mapTo(page.widget(), page.search.rect().topLeft()).y()


def test_a_ring_is_filled_to_its_share(look, qtbot):
    ring = Ring(look, "How far", 40)
    qtbot.addWidget(ring)
    ring.show_share(0.5)
    picture = ring.grab().toImage()
    right, left = (picture.pixelColor(x, picture.height() // 2).name() for x in (picture.width() - 2, 1))
    assert right == look.theme.accent.lower()
    assert left == look.theme.line.lower()


@pytest.mark.parametrize("still", [False, True])
def test_it_fills_before_one_s_eyes_unless_little_should_move(appearance, qtbot, still):
    appearance.set_still(still)
    ring = Ring(appearance, "How far")
    qtbot.addWidget(ring)
    ring.show_share(1.0, fills=True)
    assert (ring._shown == 1.0) == (still or not appearance.moves)
    qtbot.waitUntil(lambda: ring._shown == 1.0)


def test_what_is_to_be_revisited_is_folded(open_window, tmp_path, qtbot):
    folder, lesson = ProgressFolder(tmp_path / "progress"), load("two-vectors")
    asked = next(step.id for step in lesson.steps if step.question)
    folder.save(folder.load(lesson.id).answered(asked, False))
    window = open_window("emma", settings=Settings(tmp_path))
    page = window.lessons.page()
    page.again.show_lessons({lesson.id: lesson})
    assert page.again.fold.text() == "1 to revisit ▸"
    assert not page.again.buttons[0].isVisibleTo(page.again)
    qtbot.mouseClick(page.again.fold, Qt.MouseButton.LeftButton)
    assert page.again.buttons[0].isVisibleTo(page.again)


@pytest.mark.usefixtures("no_pictures")
def test_cards_stand_beside_each_other_where_there_is_room_and_no_name_of_a_chapter_is_cut(open_window, qtbot):
    page = open_window("emma", tab="Lessons").lessons.page()
    first, second = (page.cards[id] for id in list(page.cards)[:2])
    for width, beside in ((900, False), (1600, True)):
        page.resize(width, 600)
        qtbot.waitUntil(lambda beside=beside: (second.y() == first.y()) is beside)
        assert all(one.width() >= one.sizeHint().width() for one in page.courses.buttons.values())
    for one in page.cards.values():
        one._said.setText(
            "✓ gone through · 5 of 10 right at once · 5 to revisit · not checked by us with the real weights"
        )
    page.resize(1600, 600)
    qtbot.waitUntil(lambda: first.width() < 700)
    qtbot.waitUntil(lambda: page.widget().width() <= page.viewport().width())
