"""What training reaches from random starts: each recipe, and each lesson that learns from nothing, seed by seed.

The table that the long tests print stands in CONTRIBUTING.md.
"""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from explorer.core.graph import TARGET
from explorer.core.training.records import Records
from explorer.core.training.trainer import Trainer
from explorer.lessons.loader import catalogue, load
from explorer.training import recipes
from explorer.training.preparation import Prepared, prepare, prepare_document, trained
from explorer.training.recipes import Material
from scores import scores_of
from shipped import held_out
from shipped import text as cut_out

BOOKS = Path(__file__).parents[3] / "shared" / "corpus" / "english-books.txt.xz"
SET = {"xor": "xor", "sin": "sine"}
ENOUGH = {"xor": 0.01, "sin": 0.05}
"""The loss below which the answers follow: XOR's are right, by some 0.1, and the net goes through all hills of sin."""


def start(lesson: str, setting: str, seed: int) -> Trainer:
    """A lesson's net with weights drawn from a seed, to be trained as its page "Train" begins with."""
    found = load(lesson)
    recipe = replace(found.training_in(setting), seed=seed, initialiser="xavier")
    return prepare_document(found.state(setting), Material("set", set=SET[lesson]), recipe).trainer()


def recipe(name: str, seed: int) -> Trainer:
    """What `explorer train` begins with."""
    task = recipes.load(name)
    return prepare(replace(task, recipe=replace(task.recipe, seed=seed))).trainer()


def run(trainer: Trainer) -> Trainer:
    while not trainer.finished:
        trainer.step()
    return trainer


def outcome(trainer: Trainer) -> tuple[float, bool]:
    """The loss over all cases, and whether each answer is on the side of its target."""
    values = trainer._forward(trainer.data.batch(0, 0, 0))
    answers, targets = values[f"layer.{trainer.model.layers}.activation"], trainer.data.arrays[TARGET]
    half = (targets.min() + targets.max()) / 2
    return float(values["loss.value"]), bool(((answers >= half) == (targets >= half)).all())


def reached(lesson: str, setting: str, seeds: range) -> tuple[int, list[float]]:
    """How many of some starts reach what training is for, and the losses, the best one first."""
    found = [outcome(run(start(lesson, setting, seed))) for seed in seeds]
    enough = ENOUGH[lesson]
    return sum(loss < enough and (right or lesson == "sin") for loss, right in found), sorted(loss for loss, _ in found)


def words_right(trainer: Trainer, examples: np.ndarray, pad: int | None) -> tuple[float, float]:
    """Shares of words, and of whole sentences, that a model foretells, given the right words before each."""
    words, sentences = [], []
    for i in range(0, len(examples), 64):
        batch = trainer.data._of(examples[i : i + 64])
        asked = batch[TARGET] != pad if pad is not None else np.ones(batch[TARGET].shape, bool)
        right = trainer._forward(batch)["output.logits"].argmax(-1) == batch[TARGET]
        words += right[asked].tolist()
        sentences += (right | ~asked).all(-1).tolist()
    return float(np.mean(words)), float(np.mean(sentences))


def test_xor_is_found_from_each_of_some_starts():
    assert reached("xor", "nothing", range(4))[0] == 4


def test_sin_is_followed_from_some_starts():
    assert reached("sin", "nothing", range(1))[0] == 1


def test_two_units_which_can_hold_xor_do_not_find_it_and_some_are_dead():
    """The starts that had failed, five of five: units that ReLU holds at 0 in all cases."""
    dead = 0
    for seed in range(5):
        trainer = run(start("xor", "textbook", seed))
        assert outcome(trainer)[0] > 0.1
        values = trainer._forward(trainer.data.batch(0, 0, 0))
        dead += bool((values["layer.1.activation"] == 0).all(0).any())
    assert dead == 4


def test_the_start_that_fails_is_a_setting_that_shows_why():
    drawn, kept = start("xor", "textbook", 0).weights, load("xor").state("dead").inputs
    for name in ("layer.1.W", "layer.2.W"):
        np.testing.assert_array_equal(kept[name], drawn[name].round(2))
    found = load("xor")
    trainer = prepare_document(found.state("dead"), Material("set", set="xor"), found.training_in("dead")).trainer()
    before = trainer.weights["layer.1.W"]
    loss, _ = outcome(run(trainer))
    assert round(loss, 3) == 0.167
    np.testing.assert_array_equal(trainer.weights["layer.1.W"][:, 1], before[:, 1])
    answers = trainer._forward(trainer.data.batch(0, 0, 0))["layer.2.activation"][:, 0]
    np.testing.assert_allclose(answers, [1 / 3, 1, 1 / 3, 1 / 3], atol=1e-3)


@pytest.mark.parametrize("name", ["xor", "sin"])
def test_a_recipe_begins_as_the_page_train_does(name):
    ours, theirs = start(name, "nothing", 3), recipe(name, 3)
    assert ours.recipe == theirs.recipe
    for weight, array in ours.weights.items():
        np.testing.assert_array_equal(array, theirs.weights[weight])


def test_each_lesson_that_learns_from_nothing_is_measured_here():
    assert {lesson.id for lesson in catalogue() if lesson.learns} == set(SET)


@pytest.mark.long
@pytest.mark.parametrize(
    ("lesson", "setting", "least"),
    [
        ("xor", "nothing", 95),
        ("xor", "random", 0),
        ("xor", "textbook", 0),
        ("sin", "nothing", 95),
        ("sin", "printed", 0),
    ],
)
def test_of_a_hundred_starts(lesson, setting, least):
    found, losses = reached(lesson, setting, range(100))
    print(f"\n{lesson} {setting}: {found} of 100; loss {losses[0]:.2g}, {losses[49]:.2g}, {losses[-1]:.2g}")
    assert found >= least


@pytest.mark.long
def test_phrases_are_translated_that_were_never_learned():
    found = []
    for seed in range(100):
        trainer = run(recipe("phrases", seed))
        pad = trainer.model.axes["target.words"].index("<pad>")
        found.append(words_right(trainer, trainer.data.validation, pad)[1])
    print(f"\nphrases: {sum(right >= 0.9 for right in found)} of 100; {min(found):.3f} to {max(found):.3f} right")
    assert sum(right >= 0.9 for right in found) >= 95


@pytest.mark.long
def test_rhymes_come_to_be_known_by_heart_and_the_loss_on_others_rises():
    found = []
    for seed in range(100):
        trainer, judged = recipe("roses", seed), []
        while not trainer.finished:
            loss = trainer.step().validation
            judged += [] if loss is None else [loss]
        found.append((words_right(trainer, trainer.data.training, None)[0], judged[-1] / min(judged)))
    reached = sum(words >= 0.9 and rises > 1.05 for words, rises in found)
    words, rises = np.min(found, axis=0)
    print(f"\nroses: {reached} of 100; at least {words:.3f} of the words, a loss on others of {rises:.3f} × its least")
    assert reached >= 95


FEW = range(1, 6)
"""Seeds of what takes up to a minute each; CONTRIBUTING says how many have been measured."""
SMALL = [name for name in recipes.names() if name.startswith("small-")]


def after(steps: int, prepared: Prepared) -> Trainer:
    """What has taken so many of its recipe's steps."""
    trainer = prepared.trainer()
    while trainer.at < steps:
        trainer.step()
    return trainer


@pytest.mark.long
def test_tiny_gpt_comes_near_to_its_grammar_in_half_of_its_steps():
    found = []
    for seed in FEW:
        task = recipes.load("tiny-gpt")
        prepared = prepare(replace(task, recipe=replace(task.recipe, seed=seed)))
        trainer = after(task.recipe.steps // 2, prepared)
        found.append(scores_of(trained(prepared.document, trainer, Records()), task.material))
    print(f"\ntiny-gpt: perplexity {[round(one['ratio'], 3) for one in found]} of the grammar's")
    assert all(one["ratio"] < 1.05 and one["mat"] > 0.5 for one in found)


def loss_of_pairs(trainer: Trainer) -> float:
    """What one who has counted which piece follows which piece loses on the held-out text, at his best smoothing."""
    data, size = trainer.data, len(trainer.model.axes["input.words"])

    def pairs(starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        batch = data._of(starts)
        return batch["input.tokens"].ravel(), batch[TARGET].ravel()

    counts = np.zeros((size, size))
    for begin in range(0, len(data.training), 64 * 512):
        np.add.at(counts, pairs(data.training[begin : begin + 64 * 512 : 64]), 1)
    alone = (counts.sum(0) + 1) / (counts.sum() + size)
    before, after = pairs(data.validation)
    least = []
    for weight in (3, 10, 30, 100, 300):
        shares = (counts + weight * alone) / (counts.sum(1, keepdims=True) + weight)
        least.append(float(-np.log(shares[before, after]).mean()))
    return min(least)


@pytest.mark.long
@pytest.mark.skipif(not BOOKS.is_file(), reason="the books of tiny-reader do not come along")
def test_tiny_reader_knows_more_than_counted_pairs_of_pieces_in_a_third_of_its_steps(tmp_path):
    cut_out(str(BOOKS), str(tmp_path / "oz.txt"))
    found = []
    for seed in FEW:
        task = recipes.load("tiny-reader")
        material = replace(task.material, kind="text", file=tmp_path / "oz.txt")
        recipe = replace(task.recipe, seed=seed, validate_every=task.recipe.steps)
        trainer = after(700, prepare(replace(task, recipe=recipe, material=material)))
        found.append((trainer.validate(), loss_of_pairs(trainer)))
    print(f"\ntiny-reader: a loss of {[round(ours, 2) for ours, _ in found]}; of pairs {found[0][1]:.3f}")
    assert all(ours < pairs for ours, pairs in found)


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
def test_a_small_model_of_each_kind_knows_more_than_counted_pairs_of_words_in_400_steps(name):
    for seed in FEW:
        task = recipes.load(name)
        prepared = prepare(replace(task, recipe=replace(task.recipe, seed=seed, validate_every=task.recipe.steps)))
        trainer = after(400, prepared)
        assert held_out(prepared, trainer) < loss_of_pairs(trainer)


@pytest.mark.long
@pytest.mark.parametrize(("name", "steps"), [("tiny-t5", 700), ("tiny-translator", 600)])
def test_words_of_unseen_sentences_are_foretold_in_a_quarter_of_the_steps(name, steps):
    for seed in FEW:
        task = recipes.load(name)
        recipe = replace(task.recipe, seed=seed, validate_every=task.recipe.steps)
        trainer = after(steps, prepare(replace(task, recipe=recipe)))
        pad = trainer.model.axes["target.words"].index("<pad>")
        words, sentences = words_right(trainer, trainer.data.validation, pad)
        assert words >= 0.9 if name == "tiny-t5" else sentences >= 0.99


def loss_of_one_neighbour(trainer: Trainer) -> float:
    """What one loses on masked words who has counted which word stands beside which, on the side that says more."""
    data, known = trainer.data, trainer.model.axes["input.words"]
    size, pad = len(known), known.index("<pad>")

    def between(starts: np.ndarray, masked: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        batch = data._of(starts)
        asked = batch[TARGET] != pad
        whole = np.where(asked, batch[TARGET], batch["input.tokens"])
        framed, here = np.pad(whole, ((0, 0), (1, 1)), constant_values=pad), asked if masked else whole != pad
        return framed[:, :-2][here], whole[here], framed[:, 2:][here]

    left, word, right = between(data.training, masked=False)
    alone = (np.bincount(word, minlength=size) + 1) / (len(word) + size)
    before, asked, behind = between(data.validation, masked=True)
    least = []
    for learned, here in ((left, before), (right, behind)):
        counts = np.zeros((size, size))
        np.add.at(counts, (learned, word), 1)
        for weight in (0.3, 1, 3, 10):
            shares = (counts + weight * alone) / (counts.sum(1, keepdims=True) + weight)
            least.append(float(-np.log(shares[here, asked]).mean()))
    return min(least)


@pytest.mark.long
def test_tiny_bert_knows_more_than_counted_pairs_before_or_behind_in_600_of_its_steps():
    for seed in FEW:
        task = recipes.load("tiny-bert")
        recipe = replace(task.recipe, seed=seed, validate_every=task.recipe.steps)
        trainer = after(600, prepare(replace(task, recipe=recipe)))
        loss = trainer.validate()
        assert loss is not None
        assert loss < loss_of_one_neighbour(trainer)


def test_each_recipe_stands_in_the_table_of_what_starts_reach():
    table = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| what is trained |")[1]
    rows = table.split("\n\n")[0].lower()
    missing = [name for name in recipes.names() if name not in SMALL and not re.search(rf"\b{name}\b", rows)]
    assert not missing
    assert f"{len(SMALL)} `small-*`" in rows
