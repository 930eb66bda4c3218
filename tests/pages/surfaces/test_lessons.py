"""The page of lessons as data: chapters, cards, a search, and what comes again."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from explorer.lessons.loader import chapters, courses, errata, load, titles
from explorer.lessons.progress import QUESTIONS_AGAIN, LessonProgress, ProgressFolder
from explorer.pages.element import leaves
from explorer.pages.gestures import ForLessons
from explorer.pages.page import Stack
from explorer.pages.surfaces.lessons import AGAIN, LEAST, MOST_ACROSS, NARROW, RAIL, Shelf, lessons_page

LESSONS = ("softmax", "two-vectors")


def shelf(*ids, **progress):
    """A shelf on which lessons have been read."""
    return Shelf(known={id: (load(id), progress.get(id.replace("-", "_"), LessonProgress(id))) for id in ids})


def parts(shelf, room=1000):
    return {one.id: one for element in lessons_page(shelf, room) for one in leaves(element)}


def listed(shelf):
    """The ids of the lessons in sight, in their order."""
    groups = (parts(shelf).get(id) for id in ("lessons", "own lessons", "errata"))
    return [card.id.removeprefix("lesson ") for one in groups if one for card in one.cards[: one.shown]]


def card(shelf, id):
    groups = (parts(shelf).get(group) for group in ("lessons", "own lessons", "errata"))
    return next(card for one in groups if one for card in one.cards if card.id == f"lesson {id}")


def done(id):
    lesson, progress = load(id), LessonProgress(id)
    for step in lesson.steps:
        progress = progress.answered(step.id, True).at(step.id) if step.question else progress.at(step.id)
    return progress


def in_order():
    """All lessons; those for readers of a printed text stand last."""
    return sorted(titles(), key=lambda id: id in errata().values())


def test_each_lesson_stands_in_one_chapter_behind_those_that_it_needs():
    path = [id for one in chapters() for id in one.lessons]
    assert set(titles()) - set(errata().values()) == set(path), "each lesson stands in a chapter"
    assert len(path) == len(set(path))
    for at, id in enumerate(path):
        assert set(load(id).needs) <= set(path[:at]), id


def test_the_chapters_are_in_their_order():
    assert [one.chapter for one in chapters()] == list(range(1, len(chapters()) + 1))
    assert [one.title for one in chapters()][:5] == ["Vectors", "Attention", "Blocks", "Learning", "Whole models"]


def test_a_chapter_or_a_course_is_listed_in_its_order():
    page = Shelf()
    assert listed(page) == in_order()
    for one in (*chapters(), *courses()):
        assert page.do("course", one.id)
        assert listed(page) == list(one.lessons)
        assert one.paragraph[:20] in parts(page)["about"].text
        (here,) = (line for line in parts(page)["courses"].lines if line.here)
        assert here.entries[1].leads == ForLessons("course", one.id)
    page.do("course", "")
    assert listed(page) == listed(Shelf("no-such-course")) == in_order()


@pytest.mark.parametrize(("room", "lists"), [(1300, 1), (740, 1), (700, 3), (460, 2), (380, 1)])
def test_chapters_above_the_lessons_stand_side_by_side(room, lists):
    """In a small window with large text their list filled the first screen, beside an empty half."""
    found = [one for id, one in parts(Shelf(), room).items() if id.startswith("courses")]
    assert len(found) == lists
    shown = [line.entries[1].leads.value for one in found for line in one.lines[: one.most]]
    assert shown == [one.id for one in Shelf().courses]


def test_a_chapter_is_named_where_its_progress_is_said():
    """A screen reader came to “0% gone through” before it had said of what."""
    lines = parts(Shelf())["courses"].lines
    assert all(line.entries[0].text.startswith(f"{line.entries[1].text}, ") for line in lines)


def test_how_far_one_is_in_a_chapter():
    chapter = chapters()[2]
    page = shelf(chapter.lessons[0], **{chapter.lessons[0].replace("-", "_"): done(chapter.lessons[0])})
    lines = {line.entries[1].leads.value: line.entries[0].value for line in parts(page)["courses"].lines}
    assert lines[chapter.id] == pytest.approx(1 / len(chapter.lessons))
    assert lines[chapters()[0].id] == 0
    assert card(page, chapter.lessons[0]).share == 1


def test_a_search_lists_lessons_of_that_title_first_and_then_those_about_it():
    page = shelf(*titles())
    page.do("typed", "train")
    assert listed(page)[0] == "what-a-trained-head-does"
    assert "sin" in listed(page)
    page.do("typed", "proof in one line")
    assert listed(page) == ["xor-linear"], "by the title of a step"
    page.do("typed", "no such word")
    assert listed(page) == []
    assert "none" in parts(page)
    assert len(parts(page)["lessons"].cards) == len(titles()) - len(errata()), "their widgets are kept"


@pytest.mark.parametrize(
    ("width", "across"), [(NARROW - 1, 1), (RAIL + LEAST, 1), (RAIL + 2 * LEAST + 50, 2), (4000, MOST_ACROSS)]
)
def test_cards_stand_beside_each_other_where_there_is_room(width, across):
    row, *_ = lessons_page(Shelf(), width)
    rail, listed = row.inside
    assert parts(Shelf(), width)["lessons"].across == across
    assert isinstance(listed, Stack)
    assert (rail.width + listed.width < width) is (width >= NARROW), "else the chapters stand above the lessons"


def test_a_card_says_how_far_one_is():
    lesson = load("softmax")
    begun, left = LessonProgress("softmax").at(lesson.steps[3].id), f"{len(lesson.steps)} steps · about 25 minutes"
    new, half, over = (
        card(shelf("softmax", softmax=one), "softmax") for one in (LessonProgress("softmax"), begun, done("softmax"))
    )
    assert [one.buttons[0].text for one in (new, half, over)] == ["Begin", "Go on", "Again"]
    assert [one.buttons[1].text for one in (new, half, over)] == ["", "Begin anew", ""]
    assert [one.buttons[0].primary for one in (new, half, over)] == [True, True, False]
    assert (new.said, half.said) == (left, f"{left} · at step 4 of {len(lesson.steps)}")
    assert over.said.startswith(f"{left} · ✓ gone through · ")
    assert (new.share, over.share) == (0, 1)
    assert new.words.startswith("How scores become shares")


def test_only_the_lesson_to_go_on_with_has_the_main_button():
    """Thirty buttons in the colour of the main action led nowhere."""

    def leading(**progress):
        cards = parts(shelf("two-vectors", "softmax", "xor", **progress))["lessons"].cards
        return [one.id for one in cards if one.buttons[0].primary]

    half = LessonProgress("xor").at(load("xor").steps[3].id)
    assert leading() == ["lesson two-vectors"]
    assert leading(two_vectors=done("two-vectors")) == ["lesson softmax"]
    assert leading(xor=half) == ["lesson xor"]


def test_a_test_says_how_much_was_right_once_all_is_answered():
    id, progress = "ten-questions-before", LessonProgress("ten-questions-before")
    for number, step in enumerate(load(id).steps):
        progress = progress.answered(step.id, number % 2 == 0).at(step.id)
    said = card(shelf(id, ten_questions_before=progress), id).said
    assert said == "10 steps · about 12 minutes · ✓ gone through · 5 of 10 right · 5 to revisit"


def test_a_lesson_that_has_not_been_read_has_its_title_and_a_button():
    new = card(Shelf(), "softmax")
    assert (new.title, new.buttons[0].text, new.share, new.words) == (titles()["softmax"], "Open", None, "")


def test_a_model_that_is_needed_is_named():
    assert "needs " in card(shelf("inside-pythia"), "inside-pythia").said


def test_own_lessons_can_be_removed_and_saved():
    page = Shelf(yours={"/home/mine.toml": "Mine"})
    assert listed(page)[-len(errata()) - 1] == "/home/mine.toml"
    mine = card(page, "/home/mine.toml").buttons
    assert mine[-1].asks == ForLessons("remove", "/home/mine.toml")
    assert parts(page)["bundle"].asks == ForLessons("bundle")
    assert "bundle" not in parts(Shelf())
    assert len(card(page, "softmax").buttons) == 2


def test_ones_own_lessons_stand_above_those_of_the_program():
    """A lecturer looks for them first, and they stood below all others."""
    page = replace(shelf(*LESSONS), yours={"/home/mine.toml": "Mine"})
    assert [one for one in parts(page) if one in ("own lessons", "lessons")] == ["own lessons", "lessons"]


def test_recording_is_said():
    page = Shelf()
    said = []
    for page.recorded in (None, 1, 3):
        said.append(parts(page)["header"].choices[0].text)
    assert said == ["Record a lesson", "● Stop recording · 1 step", "● Stop recording · 3 steps"]


@pytest.fixture
def folder(tmp_path):
    """Yesterday a question of softmax was answered wrongly, and one of two vectors after a hint."""
    folder = ProgressFolder(tmp_path / "progress")
    *_, opening = (folder.open(date.today() - timedelta(days)) for days in range(6, 0, -1))
    steps = [next(step.id for step in load(id).steps if step.question) for id in LESSONS]
    folder.save(folder.load("softmax").answered(steps[0], False, opening=opening).at(steps[0]))
    progress = folder.load("two-vectors").answered(steps[1], False, hints=1, opening=opening - 5)
    folder.save(progress.answered(steps[1], True))
    return folder


def test_questions_of_other_days_come_again(folder):
    page = shelf(*LESSONS)
    page.look_back(folder)
    assert parts(page)["header"].choices[1].text == "2 to revisit ▸"
    assert "again" not in parts(page)
    assert page.do("fold")
    assert parts(page)["header"].choices[1].text == "2 to revisit ▾"
    lines = parts(page)["again"].lines
    assert [line.entries[1].text for line in lines] == [load(id).title for id in LESSONS]
    assert [line.entries[2].text for line in lines] == [AGAIN, "with hints"]
    assert [line.entries[3].leads.value[0] for line in lines] == list(LESSONS)


def test_questions_of_lessons_by_others_come_again_until_these_are_removed(folder):
    """LessonProgress is kept by the id of a lesson, one by others is known by its file."""
    file, (lesson, progress) = "/home/mine.toml", shelf("softmax").known["softmax"]
    mine = replace(lesson, id="mine")
    folder.save(replace(folder.load("softmax"), lesson="mine"))
    page = replace(shelf("two-vectors"), yours={file: "Mine"})
    page.known[file] = mine, progress
    page.look_back(folder)
    assert [id for id, *_ in page.again] == [file, "two-vectors"]
    page.yours = {}
    page.look_back(folder)
    assert [id for id, *_ in page.again] == ["two-vectors"]


def test_nothing_is_said_where_nothing_comes_again(tmp_path):
    for folder in (ProgressFolder(tmp_path / "none"), None):
        page = replace(shelf("softmax"), unfolded=True)
        page.look_back(folder)
        assert parts(page)["header"].choices[1].text == ""
        assert "again" not in parts(page)


def test_a_long_list_begins_with_a_few(tmp_path):
    lesson, folder = load("two-vectors"), ProgressFolder(tmp_path / "progress")
    progress = folder.load(lesson.id)
    asked = [step.id for step in lesson.steps if step.question]
    for step in asked:
        progress = progress.answered(step, False)
    folder.save(progress)
    page = replace(shelf(lesson.id), unfolded=True)
    page.look_back(folder)
    again = parts(page)["again"]
    assert len(again.lines) == len(asked) > again.most
    assert [one[2] for one in page.again].count(AGAIN) == QUESTIONS_AGAIN
