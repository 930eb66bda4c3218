"""All strings that the reference tokenizers were tried with: where they are there, the same numbers and texts."""

import json
from pathlib import Path

import numpy as np
import pytest

from explorer.checkpoints.tokenizers.of_folder import tokenizer_of
from explorer.core.errors import ExplorerError

GIVEN = Path(__file__).parents[4] / "shared" / "checkpoints" / "given"
FOLDERS = sorted(path.parent for path in GIVEN.glob("**/tokens.json"))
OTHERWISE = ("bert", "stories260k")
"""One has a mask put in the place of a piece, the other the ids of a longer text."""
pytestmark = pytest.mark.skipif(
    not FOLDERS, reason="the reference tokenizers are not part of the project; developers have them beside it"
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_texts_have_the_pieces_that_the_library_finds_and_come_back(folder):
    tokenizer, expected = tokenizer_of(folder), json.loads((folder / "tokens.json").read_text("utf-8"))
    for one in expected["strings"]:
        text, ids = one["text"], one["ids_special"]
        assert tokenizer.encode(text) == ids, text
        assert tokenizer.decode(ids) == one["decoded_skip"], text
        if "ids" in one:
            assert tokenizer.encode(text, marks=False) == one["ids"], text
            assert tokenizer.decode(one["ids"], marks=True) == one["decoded"], text
            assert tokenizer.decode(ids, marks=True) == one["decoded_special"], text
    for one in (*expected.get("partial", ()), *expected.get("single", ())):
        assert tokenizer.decode(one["ids"], marks=True) == one["decoded"], one


def test_the_tokenizers_beside_the_models_find_what_the_models_were_asked():
    tried = 0
    for file in sorted(GIVEN.glob("*/expected.npz")):
        tokenizer = tokenizer_of(file.parent)
        with np.load(file) as expected:
            for letter in [one for one in "ab" if f"{one}.text" in expected and file.parent.name not in OTHERWISE]:
                ids = expected[f"{letter}.input_ids"].ravel().tolist()
                assert tokenizer.encode(str(expected[f"{letter}.text"])) == ids, (file.parent.name, letter)
                tried += 1
    assert tried > 30


@pytest.mark.parametrize("name", ["22_tokenizer_deep", "52_tokenizer_id_1e12", "55_tokenizer_deep_lists"])
def test_hostile_tokenizers_are_refused_in_a_sentence(name):
    with pytest.raises(ExplorerError) as error:
        tokenizer_of(GIVEN.parent / "hostile" / name)
    assert error.value.id == "tokenizer"
