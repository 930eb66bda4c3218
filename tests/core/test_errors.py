"""How shapes are written, and what they refuse."""

import subprocess
import sys

import pytest
from refusals import refuses

from explorer.core.errors import ExplorerError, nearest, require_cell, require_shape, written_shape


def test_an_error_has_no_words_of_its_own():
    error = ExplorerError("bad-number", text="two")
    assert (error.id, error.fields) == ("bad-number", {"text": "two"})
    # Nothing here has imported what puts errors into words.
    code = "from explorer.core.errors import ExplorerError; print(ExplorerError('bad-number', text='two'))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "bad-number {'text': 'two'}\n"


@pytest.mark.parametrize(("name", "answer"), [("scoers", "scores"), ("xyz", ""), ("weight", "weights")])
def test_nearest(name, answer):
    assert nearest(name, ["scaled", "scores", "weights"]) == answer


def test_a_shape_in_words():
    assert [written_shape(shape) for shape in ((3, 4), (5,), ())] == ["3 × 4", "5", "a single number"]


@pytest.mark.parametrize("cell", [(3, 0), (0, 4), (-1, 0), (0,), (0, 0, 0)])
def test_a_cell_beside_the_array(cell):
    require_cell("Q", (2, 3), (3, 4))
    with refuses("its shape is 3 × 4"):
        require_cell("Q", cell, (3, 4))


def test_another_shape():
    require_shape("Q", (3, 4), (3, 4))
    with refuses("'Q' has shape 3 × 4; the values given have shape a single number"):
        require_shape("Q", (), (3, 4))
