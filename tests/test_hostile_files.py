"""Files from strangers: each of many mutated ones opens, or is refused in one sentence, and nothing else happens.

`make test` tries a few of each kind; ``pytest -m long -s tests/test_hostile_files.py`` tries 12,000, kills 200 saves.
"""

import json
import os
import random
import signal
import subprocess
import sys
from copy import deepcopy
from functools import partial
from io import BytesIO
from time import monotonic

import numpy as np
import pytest

from explorer import container
from explorer.container import Container
from explorer.core.errors import ExplorerError
from explorer.core.training.data import cases
from explorer.core.training.recipe import Recipe
from explorer.core.training.records import Records
from explorer.core.training.trainer import Trainer, load_run, save_run
from explorer.document import storage
from explorer.document.commands import PinCells, SetCells
from explorer.document.document import Document
from explorer.document.manifest import Session
from explorer.document.storage import as_text, from_text
from explorer.lessons.document_lesson import new_lesson, opened
from explorer.lessons.loader import load as load_lesson
from explorer.paths import resources
from explorer.sentences import sentence
from explorer.training import recipes
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import Run
from explorer.words import formats
from explorer.words.vectors import Vectors

FEW, MANY, KILLS = 12, 1000, 200
ODD = (
    None,
    True,
    -1,
    0,
    1,
    2**63,
    10**400,
    0.5,
    "",
    "x" * 5000,
    "\ud800",
    "../up",
    [],
    [[]],
    {},
    {"": 0},
)
ODD_TEXT = (
    "nan",
    "-1",
    "1e400",
    "''",
    "[]",
    "{}",
    "[[[[[[]]]]]]",
    "true",
    "99999999999999999999",
    '"\\u0000"',
    "1979-05-27",
)


@pytest.fixture(scope="module")
def document():
    made = Document(new_lesson("gpt", ["a b c d"], d_model=4).state())
    run = Run(made, RunSettings(Material("shown"), Recipe("Adam", 0.1, batch=0, steps=2)))
    run.take()
    run.take()
    made.do(SetCells("output.W", {(0, 0): 2.0}))
    made.do(PinCells("output.probabilities", {(0, 1): 1}))
    return made


def documents(document, folder):
    file = folder / "a.explorer"
    session = Session(*document.history.around(document.state.lesson), {"stage": "output", "head": 0})
    storage.save(document.state, "Mine", file, session)
    assert storage.load(file)[0].optimiser is not None
    return file, opened, (flipped, said)


def texts(document, folder):
    (folder / "a.txt").write_text(as_text(document.state, "Mine"))
    return folder / "a.txt", lambda file: from_text(file.read_text(errors="replace")), (flipped, worded)


def lessons(document, folder):
    (folder / "a.toml").write_bytes((resources() / "lessons" / "emma.toml").read_bytes())
    return folder / "a.toml", load_lesson, (flipped, worded)


def lessons_in_steps(document, folder):
    (folder / "a.toml").write_bytes((resources() / "lessons" / "start-here.toml").read_bytes())
    return folder / "a.toml", partial(_load_steps, load_lesson), (flipped, worded)


def _load_steps(load, file):
    lesson = load(file)
    if lesson.steps:
        lesson.state()


def models(document, folder):
    """A lesson with the weights of a trained model beside it."""
    for name in ("tiny-gpt.toml", "tiny-gpt.safetensors"):
        (folder / name).write_bytes((resources() / "models" / name).read_bytes())
    return folder / "tiny-gpt.safetensors", lambda file: load_lesson(file.with_suffix(".toml")), (flipped,)


def vectors(ending, document, folder):
    words = [f"word{i}" for i in range(20)]
    array = np.random.default_rng(1).normal(size=(20, 4)).astype(np.float32)
    formats.save(Vectors.of("mine", words, array), folder / f"a{ending}")
    return folder / f"a{ending}", lambda file: list(formats.blocks(file)), (flipped,)


def recipes_of_training(document, folder):
    source = next((resources() / "recipes").glob("*.toml"))
    (folder / "a.toml").write_bytes(source.read_bytes())
    return folder / "a.toml", lambda file: recipes.load(str(file)), (flipped, worded)


def trainings(document, folder):
    """What a run of training goes on from."""

    def trainer():
        state = load_lesson("xor").state()
        data = cases(np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([[0], [1], [1], [0.0]])).split(0, 1)
        return Trainer(state.model, state.inputs, data, Recipe("Adam", 0.1, batch=0, steps=9))

    made, records = trainer(), Records()
    for _ in range(3):
        records = records.with_record(made.step())
    save_run(made, records, folder / "a.training")
    return folder / "a.training", lambda file: load_run(trainer(), file), (flipped, said)


KINDS = {
    "documents": documents,
    "documents as text": texts,
    "lessons": lessons,
    "lessons in steps": lessons_in_steps,
    "models": models,
    "recipes": recipes_of_training,
    "trainings": trainings,
    **{f"vectors {ending}": partial(vectors, ending) for ending in formats.ENDINGS},
}


def flipped(content, chance):
    """Bits flipped, bytes put in or taken out, a piece moved, or an end cut off."""
    made = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 3, 30))):
        at = chance.randrange(len(made)) if made else 0
        match chance.randrange(6):
            case 0 | 1 if made:
                made[at] ^= 1 << chance.randrange(8)
            case 2:
                made[at:at] = bytes(chance.randrange(256) for _ in range(chance.choice((1, 4, 100))))
            case 3:
                del made[at : at + chance.choice((1, 4, 100))]
            case 4:
                made[at : at + 8] = chance.choice((bytes(8), b"\xff" * 8, (2**40).to_bytes(8, "little")))
            case 5 if chance.random() < 0.2:
                del made[at:]
    return bytes(made)


def said(content, chance):
    """Another manifest or array, with checksums that are right."""
    parts = Container(BytesIO(content))
    manifest, arrays = json.loads(json.dumps(parts.manifest)), {name: parts.array(name) for name in parts.forms}
    for _ in range(chance.choice((1, 1, 3))):
        if chance.random() < 0.3:
            name = chance.choice(list(arrays))
            array = arrays[name]
            other = chance.choice(
                (np.zeros(3), np.full(array.shape, np.nan), array.reshape(-1)[1:], np.nan_to_num(array).astype(np.int8))
            )
            arrays[name] = other
            continue
        table, way = manifest, None
        while isinstance(table, dict | list) and table:
            way = chance.choice(list(table) if isinstance(table, dict) else range(len(table)))
            if not isinstance(table[way], dict | list) or not table[way] or chance.random() < 0.2:
                break
            table = table[way]
        if isinstance(table, dict) and chance.random() < 0.3:
            del table[way]
        elif table:
            table[way] = deepcopy(chance.choice(ODD))  # else one could come to hold itself
    stream = BytesIO()
    container.write(stream, manifest, arrays)
    return stream.getvalue()


def worded(content, chance):
    """Lines moved, and values in the place of others."""
    lines = content.decode().splitlines()
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.randrange(len(lines))
        match chance.randrange(5):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, chance.choice(lines))
            case _ if "=" in lines[at]:
                lines[at] = f"{lines[at].partition('=')[0]}= {chance.choice(ODD_TEXT)}"
            case _:
                lines[at] = chance.choice(ODD_TEXT)
        lines = lines or [""]
    return "\n".join(lines).encode()


def try_them(kind, document, folder, count, seed):
    """Returns how many were refused."""
    file, read, ways = KINDS[kind](document, folder)
    content, chance, told = file.read_bytes(), random.Random(seed), []
    beside = sorted(os.listdir(folder))
    for number in range(count):
        damaged = ways[number % len(ways)](content, chance)
        file.write_bytes(damaged)
        try:
            read(file)
        except ExplorerError as error:
            told.append(sentence(error).replace(str(file), ""))
        assert file.read_bytes() == damaged
    assert "\n" not in "".join(told)
    assert max(map(len, told)) < 1000
    assert sorted(os.listdir(folder)) == beside
    return len(told)


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_mutated_files(kind, document, tmp_path):
    assert try_them(kind, document, tmp_path, FEW, 1) > 0


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_mutated_files(kind, document, tmp_path):
    begun = monotonic()
    refusals = try_them(kind, document, tmp_path, MANY, 2)
    print(f"{kind}: {MANY} files, {refusals} refused, {MANY - refusals} open, {monotonic() - begun:.0f} s")
    assert refusals > MANY // 20


SAVES = """
import sys
from explorer.document.commands import SetCells
from explorer.document.document import Document
from explorer.document.storage import load, save
state, title = load(sys.argv[1])
document = Document(state)
number = 0
print("ready", flush=True)
while True:
    number += 1
    document.do(SetCells("output.W", {(0, 0): float(number)}))
    save(document.state, str(number), sys.argv[1])
"""


def kill_while_saving(document, folder, kills, seed):
    """Kill a process that saves a document again and again, at any time; each time the file is a whole one."""
    file, chance, saves = folder / "a.explorer", random.Random(seed), 0
    storage.save(document.state, "0", file)
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, "-c", SAVES, str(file)], stdout=subprocess.PIPE)
        try:
            assert process.stdout.readline() == b"ready\n"
            process.stdout.close()
            try:
                process.wait(chance.uniform(0.0, 0.05))
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
        finally:
            process.kill()
            process.wait()
        state, title = storage.load(file)
        if title != "0":  # the number in the file is the one of its title: it is all of one save
            assert state.inputs["output.W"][0, 0] == float(title)
            saves += int(title)
        storage.save(state, title, file)  # which clears what was left
        assert os.listdir(folder) == [file.name]
    return saves


@pytest.mark.skipif(os.name != "posix", reason="there is no such signal elsewhere")
def test_a_save_that_is_killed(document, tmp_path):
    kill_while_saving(document, tmp_path, 2, 1)


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="there is no such signal elsewhere")
def test_many_saves_that_are_killed(document, tmp_path):
    begun = monotonic()
    saves = kill_while_saving(document, tmp_path, KILLS, 2)
    print(f"{KILLS} kills among {saves} saves, {monotonic() - begun:.0f} s: the old or the new file, whole, each time")
