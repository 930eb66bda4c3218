"""What README and CONTRIBUTING say is so: their commands are there, and their examples run."""

import re
import shlex
import types
from pathlib import Path

import numpy as np
import pytest

from explorer.cli import main
from explorer.cli.parser import COMMANDS
from explorer.core.cell import Source
from explorer.document.document import Document
from explorer.lessons.loader import catalogue
from explorer.pages.view import View
from tests.core.ops.test_every_gradient import differences
from tests.refusals import refuses

ROOT = Path(__file__).parents[1]
TEXTS = {name: (ROOT / name).read_text("utf-8") for name in ("README.md", "CONTRIBUTING.md")}
both = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def example(title):
    """The one block of code below a heading of CONTRIBUTING."""
    (section,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", TEXTS["CONTRIBUTING.md"], re.MULTILINE | re.DOTALL)
    (code,) = re.findall(r"^```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return code


@both
def test_commands_and_targets_exist(text):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)(?=[`\s,])(?! a )", text)) <= {*targets, "test", "makes"}
    for spelt in re.findall(r"`(?:\./)?explorer ([^`]+)`", text):
        word = spelt.split()[0]
        lessons = {lesson.id for lesson in catalogue()}
        assert word in {*COMMANDS, *lessons, "COMMAND", "FILE", "FOLDER"} or word.startswith("--"), spelt


@both
def test_files_and_links_exist(text):
    for path in re.findall(r"`((?:packaging|explorer|resources|tests)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path
    for link in re.findall(r"\]\(([^)#:]+)(?:#[\w-]*)?\)", text):
        assert (ROOT / link).exists(), link
    for heading in re.findall(r"CONTRIBUTING\.md#([\w-]+)", text):
        assert heading.replace("-", " ") in TEXTS["CONTRIBUTING.md"].lower()


def test_the_page_is_short_enough_to_be_read():
    assert len(TEXTS["README.md"].splitlines()) < 130


def test_pictures_are_small():
    pictures = list((ROOT / "packaging/pictures").iterdir())
    assert {file.name for file in pictures} == {"window.png", "editing.png"}
    assert all(file.stat().st_size < 1_000_000 for file in pictures)


def test_the_notebook_of_the_readme_runs():
    (code,) = re.findall(r"^```python\n(.*?)^```", TEXTS["README.md"], re.MULTILINE | re.DOTALL)
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["m"].tokens == ("You", "are", "early")
    assert names["m"].document.history.redo_label == "Set encoder.1.self.W_Q[0, 1, 2]"


def test_the_op_of_contributing_keeps_what_every_op_promises():
    module = types.ModuleType("square")
    exec(compile(example("Add an op"), "CONTRIBUTING.md", "exec"), vars(module))
    op, x = module.Square(), np.array([[-1.5, 2.0], [0.25, 3.0]])
    value = op.forward(x)
    np.testing.assert_array_equal(value, [[2.25, 4.0], [0.0625, 9.0]])
    np.testing.assert_array_equal(eval(op.code("x"), {"np": np, "x": x}), value)
    assert op.explain((1, 0), Source("x", x)).value == value[1, 0]
    assert op.derivative(0, (1, 1), (1, 1), Source("v", value), Source("x", x)).value == 6
    weights = np.array([[1.0, -2.0], [0.5, 3.0]])
    np.testing.assert_allclose(op.backward(weights, value, x)[0], differences(op, weights, [x], 0), rtol=1e-6)
    with np.errstate(invalid="ignore"):
        nothing = op.backward(np.full((1, 1), np.inf), np.zeros((1, 1)), np.zeros((1, 1)))
    assert nothing[0] == 0, "or its row in the table of all ops fails"
    assert op.formula("X") == "X^2"


def test_the_page_of_contributing_is_made_of_a_view():
    module = types.ModuleType("largest")
    exec(compile(example("Add a page"), "CONTRIBUTING.md", "exec"), vars(module))
    view = View.of(Document(next(lesson for lesson in catalogue() if lesson.id == "softmax").state()))
    row, note = module.largest(view, view.graph.stages[0])
    last = row.items[-1].element
    assert [item.element.name for item in row.items] == [node.name for node in view.stage(view.graph.stages[0].name)]
    assert note.text.endswith(f"is <b>{np.abs(last.values).max():.3f}</b>.")


def test_the_lesson_of_contributing_is_valid_and_computes(tmp_path, capsys):
    file = tmp_path / "mine.lesson.toml"
    file.write_text(example("Add a lesson"), "utf-8")
    assert main(["check", str(file)]) == 0
    capsys.readouterr()
    assert main(["show", str(file), "dot"]) == 0
    assert re.search(r"\b10\b", capsys.readouterr().out)


def test_the_steps_of_contributing_are_walked(tmp_path, capsys):
    file = tmp_path / "steps.lesson.toml"
    file.write_text(example("Lead through a lesson step by step"), "utf-8")
    assert main(["check", str(file)]) == 0
    capsys.readouterr()
    assert main(["replay", str(file)]) == 0
    assert "5 steps forward, backward and from each: the same to the last bit; 5 questions" in capsys.readouterr().out


def test_the_recipe_of_contributing_trains(tmp_path, capsys):
    file = tmp_path / "quick.toml"
    file.write_text(example("Add a recipe of training"), "utf-8")
    assert main(shlex.split(f"train '{file}' --out '{tmp_path / 'quick.explorer'}'")) == 0
    capsys.readouterr()
    assert main(["show", str(tmp_path / "quick.explorer"), "loss"]) == 0


def test_the_command_of_contributing_is_done_and_undone():
    module = types.ModuleType("double")
    exec(compile(example("Add a command, [^\n]*"), "CONTRIBUTING.md", "exec"), vars(module))
    document = Document(next(lesson for lesson in catalogue() if lesson.id == "you-are-welcome").state())
    name, other = (f"encoder.1.self.head.{head}.W_Q" for head in (1, 2))
    now = lambda one: document.engine.value(document.engine.graph.place(one))  # noqa: E731
    before, beside = now(name), now(other)
    document.do(module.Double(name))
    np.testing.assert_array_equal(now(name), before * 2)
    np.testing.assert_array_equal(now(other), beside)
    assert document.history.undo_label == f"Double {name}"
    document.undo()
    assert now(name).tobytes() == before.tobytes()
    with refuses("is computed"):
        document.do(module.Double("encoder.1.self.scores"))


PATTERNS = re.findall(r"^\| an? [\w ,]+ \| `([^`]+)` \| (.+) \|$", TEXTS["CONTRIBUTING.md"], re.MULTILINE)


@pytest.mark.parametrize(("pattern", "files"), PATTERNS, ids=[pattern for pattern, _ in PATTERNS])
def test_the_files_of_a_how_to_are_all_that_its_pattern_is_in(pattern, files):
    found = re.compile(rf"(?<!\w){re.escape(pattern)}(?!\w)")
    sources = [*(ROOT / "explorer").rglob("*.py"), *(ROOT / "resources").glob("*.toml")]
    there = {str(file.relative_to(ROOT)) for file in sources if found.search(file.read_text("utf-8"))}
    assert set(re.findall(r"`((?:explorer|resources)/[\w/]+\.\w+)`", files)) == there


def test_there_is_a_how_to_for_each_thing_that_people_add():
    assert len(PATTERNS) == 7
