import pytest

from explorer.core.errors import ExplorerError, nearest


def test_an_error_has_no_words_of_its_own():
    error = ExplorerError("bad-number", text="two")
    assert (error.id, error.fields) == ("bad-number", {"text": "two"})
    assert str(error) == "bad-number {'text': 'two'}"


@pytest.mark.parametrize(("name", "answer"), [("scoers", "scores"), ("xyz", ""), ("weight", "weights")])
def test_nearest(name, answer):
    assert nearest(name, ["scaled", "scores", "weights"]) == answer
