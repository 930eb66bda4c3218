import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from explorer import paths
from explorer.checkpoints.architectures import as_member, differing, member
from explorer.cli import main
from explorer.core.errors import ExplorerError
from explorer.core.training.recipe import BOUNDS, OPTIMISERS, SCHEDULES, Recipe
from explorer.core.training.trainer import trainable
from explorer.sentences import sentence
from explorer.training.preparation import prepare
from explorer.training.recipes import ExistingModel, Material, NewModel, Task, kinds, load, names, save, steps, written
from tests.samples import each

MODEL = '[model]\nkind = "mlp"\n'
GPT = '[model]\nkind = "gpt"\n[data]\ntext = "t.txt"\n'
XOR = '[data]\nset = "xor"\n'


@pytest.fixture
def read(tmp_path):
    """A function that reads a recipe from its text."""

    def read(text):
        file = tmp_path / "r.toml"
        file.write_text(text, "utf-8")
        return load(file)

    return read


@each("name", names())
def test_the_programs_recipes_can_be_read(name):
    task = load(name)
    assert task.title
    assert task.paragraph


def test_a_recipe_with_everything_left_out(read, tmp_path):
    task = read(GPT)
    assert task.recipe == Recipe()
    assert task.model == NewModel("gpt")
    assert task.material.file == tmp_path / "t.txt"


def test_adamw_has_a_decay_of_its_own(read):
    for optimiser, decay in (("Adam", 0.0), ("AdamW", 0.01)):
        assert read(GPT + f'[training]\noptimiser = "{optimiser}"\n').recipe.weight_decay == decay
    assert read(GPT + '[training]\noptimiser = "AdamW"\nweight_decay = 0\n').recipe.weight_decay == 0


def test_an_example_and_its_setting(read):
    task = read('[model]\nexample = "xor"\nsetting = "zeros"\n')
    assert task.model == ExistingModel("xor", "zeros")
    assert task.material.kind == "own"


def test_a_switch_without_a_block_is_for_all_layers(read):
    task = read(GPT + '[model.switches]\nheads = 4\nactivation = "identity"\n"decoder.2.self.heads" = 2\n')
    assert task.model.switches == {
        "decoder.1.self.heads": 4,
        "decoder.2.self.heads": 2,
        "decoder.1.ffn.activation": "identity",
        "decoder.2.ffn.activation": "identity",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "model: is missing; add [model]"),
        ("[modell]\n", "modell: is not a known key; perhaps 'model' is meant"),
        ("[model]\nlayers = 2\n", "model: does not say which model; write one of example"),
        ('[model]\nkind = "gpt"\nexample = "xor"\n', "model: does not say which model"),
        ('[model]\nkind = "gtp"\n', "model.kind: 'gtp' is not one of its values; perhaps 'gpt' is meant"),
        (MODEL, "data: a model of kind 'mlp' cannot learn from nothing; give it one of set, cases"),
        (MODEL + '[data]\ntext = "t.txt"\n', "data: a model of kind 'mlp' cannot learn from 'text'"),
        (MODEL + "d_model = 4\n" + XOR, "model.d_model: is not a known key"),
        (MODEL + "units = [0]\n" + XOR, "model.units: is no list of widths; write up to"),
        (MODEL + "units = [8.5]\n" + XOR, "model.units: is no list of widths; write up to"),
        (MODEL + "units = [100000]\n" + XOR, "model.units: is no list of widths"),
        (MODEL + 'dtype = "int8"\n' + XOR, "model.dtype: 'int8' is not one of its values"),
        ('[model]\ndocument = "mine.txt"\n', "model.document: 'mine.txt' is no document; name a file that ends in"),
        ('[model]\nkind = "gpt"\nd_model = 1000000\n', "model.d_model: 1000000 is out of range; choose from 1 to"),
        ('[model]\nkind = "gpt"\nlayers = 0\n', "model.layers: 0 is out of range"),
        (
            GPT + "[model.switches]\nheds = 2\n",
            "model.switches.heds: there is no such switch; perhaps 'heads'",
        ),
        (GPT + "[model.switches]\nheads = 0\n", 'model.switches."decoder.1.self.heads": 0 is not one of its values'),
        (GPT + '[model.switches]\n"decoder.9.self.heads" = 2\n', "there is no block 'decoder.9.self'"),
        (GPT + "window = 0\n", "data.window: 0 is out of range"),
        (GPT + "words = 10000000\n", "data.words: 10000000 is out of range"),
        (GPT + 'lower = "yes"\n', 'data.lower: "yes" is not yes or no; write true or false'),
        (GPT + 'set = "xor"\n', "data: says twice what is learned from: text and set; leave one out"),
        (MODEL + "[data]\nwindow = 3\n", "data: does not say what is learned from"),
        (MODEL + '[data]\nset = "and"\n', "data.set: 'and' is not one of its values; choose from: xor, sine"),
        (MODEL + "[data]\nX = [[1]]\n", "data.target: is missing"),
        (MODEL + "[data]\nX = [[1], [2]]\ntarget = [[1]]\n", "data.target: has 1 rows; write 2"),
        (MODEL + "[data]\nX = [1, 2]\ntarget = [[1]]\n", "data.X: is no table of cases"),
        (MODEL + "[data]\nX = [[nan]]\ntarget = [[1]]\n", "data.X: nan at [0, 0] is not a finite number"),
        (MODEL + XOR + "[training]\nrate = 0\n", "training.rate: 0 is out of range"),
        (MODEL + XOR + '[training]\nrate = "fast"\n', 'training.rate: "fast" is not a number; write'),
        (MODEL + XOR + "[training]\nrate = nan\n", "training.rate: nan is out of range"),
        (MODEL + XOR + "[training]\nsteps = 1e3\n", "training.steps: 1000.0 is not a whole number"),
        (MODEL + XOR + '[training]\noptimiser = "adam"\n', "training.optimiser: 'adam' is not one of its values"),
        (
            MODEL + XOR + '[training]\noptimizer = "Adam"\n',
            "training.optimizer: is not a known key; perhaps",
        ),
        (MODEL + XOR + '[training]\nfrozen = "layer.1"\n', 'training.frozen: "layer.1" is not a list of texts'),
        (MODEL + XOR + "[training]\nseed = -1\n", "training.seed: -1 is out of range"),
        (MODEL + XOR + "[training]\nvalidation = 1\n", "training.validation: 1 is out of range"),
    ],
)
def test_a_recipe_that_is_wrong(read, tmp_path, text, said):
    with pytest.raises(ExplorerError) as caught:
        read(text)
    assert caught.value.id == "lesson-key"
    assert f"{tmp_path / 'r.toml'}: " in sentence(caught.value)
    assert said in sentence(caught.value)


def test_names_that_no_recipe_has(tmp_path):
    with refuses(r"no recipe 'xro' \(did you mean 'xor'\?\)"):
        load("xro")
    with refuses("no such file"):
        load(str(tmp_path / "none.toml"))


def recipes():
    """Any recipe."""
    bounded = {}
    for name, (low, high) in BOUNDS.items():
        whole = isinstance(getattr(Recipe, name), int)
        bounded[name] = st.integers(int(low), int(high)) if whole else st.floats(low, high)
    frozen = st.lists(st.sampled_from(["input.table", "decoder.1"]), max_size=2, unique=True).map(tuple)
    chosen = {"optimiser": st.sampled_from(list(OPTIMISERS)), "schedule": st.sampled_from(SCHEDULES)}
    return st.builds(Recipe, **bounded, **chosen, frozen=frozen, initialiser=st.sampled_from(["", "he", "zeros"]))


MODELS = [
    (ExistingModel("xor", "zeros"), Material()),
    (ExistingModel("xor"), Material("set", set="xor")),
    (NewModel("mlp", units=(3, 4), layers=3, switches={"layer.1.activation": "sigmoid"}), Material("set", set="sine")),
    (NewModel("gpt", 8, 1, dtype="float64", switches={"decoder.1.self.heads": 2, "decoder.1.self.bias": True}), "text"),
    (NewModel("encoder-decoder", 8, 1), "pairs"),
]


@pytest.mark.parametrize(("model", "material"), MODELS)
@settings(max_examples=20)  # for each of five models: a recipe is written alike beside all of them
@given(recipe=recipes(), title=st.sampled_from(["", "A “title” of \\ signs"]), lower=st.booleans())
def test_what_is_written_is_read_again(tmp_path_factory, model, material, recipe, title, lower):
    folder = tmp_path_factory.getbasetemp()
    if isinstance(material, str):
        material = Material(material, folder / "two  blanks.txt", window=16 if material == "pairs" else 5, lower=lower)
    save(Task(title, "", model, material, recipe), folder / "r.toml")
    again = load(folder / "r.toml")
    assert (again.title, again.model, again.recipe) == (title, model, recipe)
    assert vars(again.material) == vars(material)


def test_a_table_of_cases_is_written_to_the_last_digit(read):
    X = np.random.default_rng(1).normal(size=(3, 2))
    task = Task("", "", NewModel("mlp", layers=2), Material("cases", X=X, target=X[:, :1]), Recipe())
    again = read(written(task)).material
    np.testing.assert_array_equal(again.X, X)
    np.testing.assert_array_equal(again.target, X[:, :1])


def test_a_document_is_named_by_its_full_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    task = Task("", "", ExistingModel("mine.explorer"), Material(), Recipe())
    assert f'document = "{tmp_path / "mine.explorer"}"' in written(task)


def test_a_place_that_cannot_be_written(tmp_path):
    with refuses("cannot be written"):
        save(Task("", "", ExistingModel("xor"), Material(), Recipe()), tmp_path / "nowhere" / "r.toml")


def test_the_recipe_in_the_help_is_one(read, capsys):
    assert main(["train", "--help"]) == 0
    said = capsys.readouterr().out
    block = said[said.index('    title = "My text"') :].partition("\n\nWhat ")[0]
    task = read("\n".join(line.removeprefix("    ") for line in block.splitlines()))
    assert task.title == "My text"
    assert task.recipe != Recipe()


NAMES = [name for name in names() if name.startswith("small-")]
KINDS = {
    "small-gpt2": "GPT-2",
    "small-gpt-neox": "Pythia 160M",
    "small-llama": "Llama 3 8B",
    "small-gemma": "Gemma 2B",
    "small-qwen3": "Qwen3 0.6B",
    "tiny-t5": "T5 small",
    "tiny-bert": "BERT base",
}
FREE = {"tied", "epsilon", "rotary_base", "key_heads", "window"}


@cache
def prepared_with_few(name):
    """A recipe, with few of its sentences."""
    task = load(name)
    return prepare(replace(task, material=replace(task.material, sentences=200)))


def test_each_recipe_has_its_scores_and_they_agree_in_weights_and_steps():
    assert sorted(kind.recipe for kind in kinds()) == NAMES
    assert steps() == 1500
    assert {len(kind.losses) for kind in kinds()} == {3}
    counts = [kind.weights for kind in kinds()]
    assert max(counts) <= 1.01 * min(counts)
    assert [kind.mean for kind in kinds()] == sorted(kind.mean for kind in kinds())


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_has_as_many_weights_as_its_score_says(name):
    prepared = prepared_with_few(name)
    weights = trainable(prepared.state.graph, prepared.state.model)
    (kind,) = [kind for kind in kinds() if kind.recipe == name]
    assert sum(prepared.state.inputs[n].size for n, usual in weights.items() if usual) == kind.weights


@pytest.mark.parametrize(("recipe", "name"), KINDS.items())
def test_a_recipe_of_a_kind_has_the_switches_with_which_its_checkpoints_are_opened(recipe, name):
    model = prepared_with_few(recipe).state.model
    became = as_member(member(name), model)
    for block in model.blocks():
        last = block.rpartition(".")[2]
        for part, switch in differing():
            if part == last and switch not in FREE and model.has_switch(block, switch):
                assert became.switch(block, switch) == model.switch(block, switch), (block, switch)


@pytest.mark.long
def test_trained_again_a_small_llama_comes_to_the_loss_that_is_told(monkeypatch):
    monkeypatch.syspath_prepend(str(paths.resources().parent / "packaging"))
    module = __import__("shipped")
    loss = module.held_out(*module.trained("small-llama", 1))
    (kind,) = [kind for kind in kinds() if kind.recipe == "small-llama"]
    assert loss == pytest.approx(kind.losses[0], abs=5e-3)
    assert np.isfinite(loss)
    sys.modules.pop("shipped")
