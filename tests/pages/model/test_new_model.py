"""The form for a new model, as data."""

import pytest

from explorer.core.errors import ExplorerError
from explorer.pages.element import leaves
from explorer.pages.model.new_model import FIRST, field_of, lesson_of, new_model_page


def ids(**typed):
    (form,) = new_model_page({**FIRST, **typed}, "heads", "<b>wrong</b>")
    return [one.id for one in leaves(form)[1:]]


def test_the_form_has_the_words_of_the_kind_of_model_and_a_problem_below_its_field():
    there = ids()
    assert there[:4] == ["kind", "source", "target", "learns"]
    assert there[there.index("heads") + 1] == "problem"
    assert [id for id in there if id not in ids(kind="Encoder alone")] == ["target"]
    (form,) = new_model_page(FIRST, "heads", "<b>wrong</b>")
    problem = next(one for one in leaves(form) if one.id == "problem")
    assert (problem.text, problem.plain) == ("⚠ <b>wrong</b>", True), "a wrong word such as <b>… was shown without <b>"


def test_what_stands_in_it_at_first_makes_a_model():
    model = lesson_of(FIRST).model
    assert (model.kind, model.d_model) == ("encoder-decoder", 8)
    assert lesson_of({**FIRST, "kind": "Decoder alone (GPT)"}).model.kind == "gpt"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"source": " "}, "source"),
        ({"target": "w " * 600}, "target"),
        ({"target": "w" * 65}, "target"),
        ({"vocabulary": "w" * 65}, "vocabulary"),
        ({"d_model": 5}, "heads"),
        ({"d_model": 4096, "layers": 48}, "d_model"),
    ],
)
def test_what_is_wrong_has_a_field(wrong, field):
    typed = {**FIRST, **wrong}
    with pytest.raises(ExplorerError) as refused:
        lesson_of(typed)
    assert field_of(refused.value, typed) == field
