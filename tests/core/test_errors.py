import subprocess
import sys

import pytest

from explorer.core.errors import ExplorerError, nearest


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
