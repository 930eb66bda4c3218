"""What a beginner reads says nothing of the texts that the examples come from: that is for those who hold one.

One sign of multiplication, ×: a dot in the middle of a line parts words, and stands for the dot product.

The symbols of matrices: on one page none stands for two of them.

What holds for the words of every lesson that comes along: short, quiet, and enough of them.
"""

import re
import tomllib
from types import CodeType

import pytest

from explorer import paths
from explorer.core.ops.geometry import Angle
from explorer.core.ops.logits import Scale
from explorer.lessons.glossary import glossary
from explorer.lessons.loader import catalogue, courses, lesson_files, model_files, models
from explorer.lessons.prose import numbers_of, plain, sentences, texts_of
from explorer.lessons.schema import StepStates
from explorer.pages.surfaces.inspector import about
from explorer.sentences import english
from tests.samples import each

OF_A_TEXT = re.compile(r"\b(reference|references|ours|slides?|the print|prints?|printed)\b", re.IGNORECASE)
FOR_READERS_OF_A_TEXT = {"004, 004-script", "not printed", "as printed, textbook", "slip"}
"""Terms of the glossary that stand only where a text is compared with what is computed."""
SOURCES = {
    "pages/surfaces/references.py",
    "pages/surfaces/inspector.py",
    "pages/surfaces/lessons.py",
    "pages/stages/loss.py",
    "ui/matrix/heading.py",
    "ui/window/lesson_bar.py",
    "ui/window/top_bar.py",
    "pages/words/cosine.py",
    "pages/words/neighbours.py",
    "ui/lesson/handout.py",
    "ui/actions.py",
}
"""Where strings on the screen speak of a text: the page References and what leads to it, beside a printed example, and
the three words that are printed. A hand-out has a style for printing, and Ctrl+K finds it by “print”, too."""


def told(text):
    return OF_A_TEXT.findall(text)


@each("lesson", [one for one in (*catalogue(), *models()) if not one.errata], ids=lambda lesson: lesson.id)
def test_a_lesson_speaks_of_its_subject_only(lesson):
    settings = [one for one in lesson.settings.values() if not one.printed]
    texts = [lesson.title, lesson.paragraph, lesson.teaches, lesson.to_try]
    texts += [text for one in settings for text in (one.title, one.paragraph, one.to_try)]
    texts += [text for step in lesson.steps for text in (step.title, step.notes, *texts_of(step))]
    assert [(text[:60], told(text)) for text in texts if told(text)] == []
    asked = [one.question for one in lesson.steps if one.question is not None]
    asked = [one for one in asked if one.alone and not one.made]  # the others stay in the program
    whys = [text for one in asked for text in (one.why, *(choice.why for choice in getattr(one, "choices", ())))]
    assert [text for text in whys if re.search(r"\bnext steps?\b|\bstep before\b", text)] == [], "a quiz has no steps"
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
    assert last == sorted(last), "a lesson has no `order`, or one behind the errata"


def test_what_is_said_of_stages_and_of_errors_does_so_too():
    of_stages = [text for some in about().values() for one in some for text in (one.question, one.text)]
    assert told(" ".join((*of_stages, *english().values()))) == []


def test_recipes_do_so_too():
    for file in sorted((paths.resources() / "recipes").glob("*.toml")):
        content = tomllib.loads(file.read_text("utf-8"))
        assert told(f"{content.get('title', '')} {content.get('paragraph', '')}") == [], file.name


def test_keys_do_so_too():
    for keys in tomllib.loads((paths.resources() / "keys.toml").read_text("utf-8")).values():
        assert told(" ".join(keys.values())) == []


def strings(constants):
    """All strings among the constants of compiled code, also those of the functions in it."""
    for one in constants:
        if isinstance(one, str):
            yield one
        elif isinstance(one, (tuple, frozenset, CodeType)):
            yield from strings(getattr(one, "co_consts", one))


def test_pages_and_window_do_so_too():
    """All sentences in the source of what is on the screen, but for docstrings."""
    root = paths.resources().parent / "explorer"
    found = []
    for file in sorted([*(root / "pages").rglob("*.py"), *(root / "ui").rglob("*.py")]):
        name = file.relative_to(root).as_posix()
        if name in SOURCES or name.startswith("ui/references/"):
            continue
        code = compile(file.read_text("utf-8"), name, "exec", dont_inherit=True, optimize=2)  # without docstrings
        found += [(name, one[:80]) for one in strings(code.co_consts) if " " in one.strip() and told(one)]
    assert found == []


_DOT = re.compile(r"[0-9})]\s+·\s+[0-9{√(−-]|[0-9] · [a-zA-Z]\b")


@each("file", [*lesson_files().values(), *model_files().values()], ids=lambda file: file.stem)
def test_numbers_are_multiplied_by_a_cross(file):
    assert _DOT.findall(file.read_text(encoding="utf-8")) == []


def test_formulas_of_ops_do_so_too():
    assert r"\times" in Scale().formula("a", "b")
    assert "cdot" not in Scale().formula("a", "b") + Angle().formula("a")


@each("lesson", [*catalogue(), *models()], ids=lambda lesson: lesson.id)
def test_what_a_stage_reads_and_makes_has_symbols_of_its_own(lesson):
    for setting in lesson.settings:
        graph = lesson.state(setting).graph
        # In a net without words each layer is as the one before.
        for stage in graph.stages if graph.sequences else ():
            made = [node for node in graph.nodes.values() if node.stage == stage.name]
            shown = {node.name: node for node in made} | {p: graph.nodes[p] for node in made for p in node.parents}
            symbols = {}
            for node in shown.values():
                other = symbols.setdefault(node.symbol, node)
                assert other is node, f"{stage.name}: {other.name} and {node.name} are both {node.symbol}"


LESSONS = [lesson for lesson in catalogue() if lesson.steps]


def test_there_are_enough():
    assert len(LESSONS) >= 12
    assert sum(len(lesson.steps) for lesson in LESSONS) >= 150
    assert sum(lesson.questions for lesson in LESSONS) >= 40


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_on_paper_nothing_is_to_be_clicked_or_typed(lesson):
    by_hand = re.compile(r"\b(clicks?|press|drag|tick|wheel|mouse|Ctrl|pencil beside|type)\b", re.I)
    for step in lesson.steps:
        asked = "" if step.question is None else step.question.paper or step.question.ask
        for text in (step.paper or step.words, asked):
            assert not by_hand.search(text), step.id


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_step_is_short_and_quiet_and_a_class_reads_three_sentences_at_most(lesson):
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        numbers = numbers_of(step, states.engine(at))
        assert 20 <= len(plain(step.words, numbers).split()) <= 90, step.id
        assert not any("!" in text for text in [step.title, step.notes, *texts_of(step)]), step.id
        shown = step.slide or step.words
        assert sentences(shown) <= 3, step.id
        assert not re.search(r"Ctrl\+|pencil", shown), step.id  # a slide has neither
        assert len(plain(shown, numbers)) <= 230, step.id


@each("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_lesson_says_what_it_teaches_and_how_long_it_takes(lesson):
    assert lesson.teaches
    first = next((step.words for step in lesson.steps if "␣" in step.words), "")
    assert not first or re.search("sign ␣ .*stands for", first) or "inside-gpt2-small" in lesson.needs
    assert lesson.minutes >= sum(step.minutes for step in lesson.steps)


@each("name", lesson_files())
def test_a_slide_names_the_cells_that_are_framed_where_its_question_asks_for_others(name):
    """Two slides framed an example that only the words beside the page go through: the class saw one number framed, and
    was asked for another.
    """
    for step in tomllib.loads(lesson_files()[name].read_text("utf-8")).get("step", ()):
        look, question = step.get("look", {}), step.get("question", {})
        rows, cell = look.get("rows", ()), question.get("cell", ())
        if "slide" not in step or look.get("node", "") != question.get("node") or not (rows and cell):
            continue
        framed = cell[0] in rows and (len(cell) < 2 or cell[1] in look.get("columns", [cell[1]]))
        assert framed or any(f"*{row}*" in step["slide"] for row in rows), step["id"]
