"""What a beginner reads says nothing of the texts that the examples come from: that is for those who hold one."""

import ast
import re
import tomllib

import pytest

from explorer import paths
from explorer.lessons.course import courses
from explorer.lessons.glossary import glossary
from explorer.lessons.loader import catalogue, models
from explorer.lessons.prose import texts_of

OF_A_TEXT = re.compile(r"\b(reference|references|ours|slides?|the print|prints?|printed)\b", re.IGNORECASE)
FOR_READERS_OF_A_TEXT = {"004, 004-script", "not printed", "as printed, textbook", "slip"}
"""Terms of the glossary that stand only where a text is compared with what is computed."""
SOURCES = {
    "pages/references.py",
    "pages/inspected.py",
    "pages/word_gradients.py",
    "ui/inspector/inspector.py",
    "ui/matrix/box.py",
    "ui/window/printed.py",
    "ui/window/top_bar.py",
    "ui/words/cosine.py",
    "ui/words/neighbours.py",
    "ui/lesson/lesson_page.py",
    "ui/lesson/handout.py",
}
"""Where strings on the screen speak of a text: the page References and what leads to it, beside a printed example, and
the three words that are printed. A hand-out has a style for printing."""


def told(text):
    return OF_A_TEXT.findall(text)


@pytest.mark.parametrize(
    "lesson", [one for one in (*catalogue(), *models()) if not one.errata], ids=lambda lesson: lesson.id
)
def test_a_lesson_speaks_of_its_subject_only(lesson):
    settings = [one for one in lesson.settings.values() if not one.printed]
    texts = [lesson.title, lesson.paragraph, lesson.teaches, lesson.to_try]
    texts += [text for one in settings for text in (one.title, one.paragraph, one.to_try)]
    texts += [text for step in lesson.steps for text in (step.title, step.notes, *texts_of(step))]
    assert [(text[:60], told(text)) for text in texts if told(text)] == []
    printed = {one.name for one in lesson.settings.values() if one.printed}
    assert [step.id for step in lesson.steps if step.setting in printed] == []


def test_the_glossary_does_so_too():
    found = {term.name for term in glossary().terms if told(term.says)}
    assert found <= FOR_READERS_OF_A_TEXT


def test_no_course_leads_through_the_errata():
    errata = {lesson.id for lesson in catalogue() if lesson.errata}
    assert len(errata) == 4
    for course in courses():
        assert not errata & set(course.lessons), course.id
    for lesson in catalogue():
        assert lesson.errata or not errata & set(lesson.needs), lesson.id
    last = [lesson.errata for lesson in catalogue()]
    assert last == sorted(last), "they stand behind all others"


def test_recipes_do_so_too():
    for file in sorted((paths.resources() / "recipes").glob("*.toml")):
        content = tomllib.loads(file.read_text("utf-8"))
        assert told(f"{content.get('title', '')} {content.get('paragraph', '')}") == [], file.name


def test_pages_and_window_do_so_too():
    """All sentences in the source of what is on the screen, but for docstrings."""
    root = paths.resources().parent / "explorer"
    found = []
    for file in sorted([*(root / "pages").rglob("*.py"), *(root / "ui").rglob("*.py"), root / "sentences.py"]):
        name = file.relative_to(root).as_posix()
        if name in SOURCES or name.startswith("ui/references/"):
            continue
        tree = ast.parse(file.read_text("utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
            sentence = str(node.value) if is_text and " " in str(node.value).strip() else ""
            if told(sentence):
                found.append((name, node.lineno, sentence[:80]))
    assert found == []
