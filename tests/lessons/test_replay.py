"""Every lesson that comes along is gone through by the program, and what is wrong in one is found."""

import pytest
from refusals import refuses

from explorer.document.commands import SetCells
from explorer.lessons import answers, replay
from explorer.lessons.answers import read_goal
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.replay import check_lesson, solved
from explorer.lessons.schema import MakeSo, StepStates
from explorer.lessons.symbols import Names
from explorer.lessons.walk import Walk
from tests.lessons.conftest import THREE
from tests.samples import few, steps, traits

GUIDED = [name for name in lesson_files() if "[[step]]" in lesson_files()[name].read_text("utf-8")]


@pytest.mark.parametrize("name", few(GUIDED, traits, steps))
def test_every_lesson_forward_backward_and_from_every_step_with_every_answer(name):
    lesson = load(name)
    done = replay.replay(lesson)
    assert (done.steps, done.questions) == (len(lesson.steps), lesson.questions)
    assert done.questions == 0 or done.mistakes > 0


def test_a_step_that_is_another_one_by_another_way_is_found(three, monkeypatch):
    go, times = StepStates.go, iter(range(100))

    def astray(self, at):
        command = go(self, at)
        object.__setattr__(
            command, "state", SetCells("output.logits", {(0, 0): float(next(times))}).apply(command.state)
        )
        return command

    monkeypatch.setattr(StepStates, "go", astray)
    with refuses("step `guess` of three-steps has other numbers if it is reached in another way"):
        replay.replay(three)


def test_a_question_that_does_not_take_its_answer_is_found(three, monkeypatch):
    monkeypatch.setattr(replay, "judge", lambda *_: answers.Verdict(False, "No."))
    with refuses("step `guess` of three-steps: `question`: its own answer"):
        replay.replay(three)


WRONG = {
    "{output.logits[x, Category A]}": (
        "{output.probabilities[x, Category A]}",
        "step `guess` of .*: the words show the number that is asked for; leave it out",
    ),
    'and {output.logits[x, Category B]}."': (
        'and {output.logits[x, Category B]}."\nslide = "A gets {output.probabilities[x, Category A]}."',
        "step `guess` of .*: the words of `slide` show the number that is asked for; leave it out",
    ),
    '"output.logits" = [[7.0, 6.0, 5.2]]': (
        '"output.logits" = [[1e308, -1e308, 5.2]]\n"output.temperature" = 0',
        "step `differences` of .* comes out as NaN; name a cell",
    ),
    "Category A] < 0.5": ("Category A] < 0.9", "step `temperature` of .* reached before anything is done"),
    'node = "output.probabilities"\ncell = ["x", "Category A"]': (
        'node = "output.logits"\ncell = ["x", "Category C"]\nfade = 1',
        "step `guess` of .*: `fade` leaves out nothing; ask for a number that is computed",
    ),
}


@pytest.mark.parametrize("right", WRONG)
def test_what_only_the_numbers_tell_is_found_by_check(tmp_path, right):
    wrong, message = WRONG[right]
    assert THREE.count(right) == 1
    (tmp_path / "wrong.toml").write_text(THREE.replace(right, wrong))
    with refuses(message):
        check_lesson(tmp_path / "wrong.toml")


def test_a_lesson_needs_one_that_there_is(tmp_path):
    """A misspelt lesson in `needs` was not refused."""
    file = tmp_path / "mine.toml"

    def write(needs):
        file.write_text(f'needs = ["softmax", "{needs}"]\n{THREE}')

    for needs, message in (
        ("two-vectrs", r"mine.toml: needs: there is no lesson 'two-vectrs'; perhaps 'two-vectors' is meant"),
        ("week-0", r"there is no lesson 'week-0'; `explorer list` names all, such as: apple-orange"),
        ("three-steps", "no lesson needs itself; leave it out"),
    ):
        write(needs)
        with refuses(message):
            check_lesson(file)
    for allowed in ("two-vectors", "week-0"):
        (tmp_path / "before.toml").write_text('id = "week-0"\n')  # another one of the author's
        write(allowed)
        check_lesson(file)


def test_a_largest_number_of_none_is_found_by_check(tmp_path):
    """The window had no answer to give, and stopped with an error."""
    (tmp_path / "wrong.toml").write_text(f"""{THREE.partition("[[step]]")[0]}
[[step]]
id = "where"
title = "Where"
words = "Too large."
look.stage = "output"
inputs = {{ "output.logits" = [[1e308, -1e308, 5.2]], "output.temperature" = 0 }}
question = {{ kind = "point", ask = "?", at = "cell", node = "output.probabilities", right = {{ largest = "all" }} }}
""")
    with refuses("step `where` of .* numbers that all come out as NaN"):
        check_lesson(tmp_path / "wrong.toml")


def test_a_goal_that_no_number_reaches_is_found(tmp_path):
    file = tmp_path / "never.toml"
    file.write_text(THREE.replace("Category A] < 0.5", "Category A] > 1.5"))
    with refuses("no way was found to reach the goal"):
        replay.replay(load(file))


def test_two_numbers_are_found_one_after_the_other():
    state = load("emma").state("printed")
    goal = "scores[friend, she] > 5 and scores[friend, a] > 5"
    question = MakeSo(ask="?", goal=goal, conditions=read_goal(goal, Names(state)), edits=2)
    found = solved(question, state)
    assert answers.judge(question, found, state).right


def test_a_way_to_make_it_so_is_named_in_the_words_of_the_page():
    """R showed nothing on the slide of such a question, and the hand-out only what it should lead to."""
    walk = Walk(load("apple-orange"))
    walk.at = [step.id for step in walk.lesson.steps].index("make")
    (said,) = walk.told()
    assert said.startswith("Any change is right that leads to this: S [And → Phone] should be more than 0.5.")
    assert said.endswith("For example, E [And → Tech] = 2.")
    made = SetCells("input.table", {(3, 0): 2.0}).apply(walk.state(walk.at))
    assert answers.judge(walk.step.question, made, walk.state(walk.at)).right


def test_where_learning_is_the_way_no_number_is_named():
    walk = Walk(load("xor"))
    walk.at = [step.id for step in walk.lesson.steps].index("watch")
    assert walk.told() == ("Gradient descent leads there.",)


def test_an_example_of_a_goal_is_a_short_number_and_names_are_typed_as_elsewhere():
    """It said “2.69741”, and “N_(enc)”, which no label typesets."""
    told = {}
    for name, id in (("cat-sat-on-the", "make"), ("you-are-welcome", "gamma")):
        walk = Walk(load(name))
        walk.at = [step.id for step in walk.lesson.steps].index(id)
        (told[name],) = walk.told()
    assert told["cat-sat-on-the"].endswith("→ mat] = 3.")
    assert "N_enc [You → 2]" in told["you-are-welcome"]
