"""Many small cases in one test."""

import pytest

from tests.samples import each


def test_each_case_is_tried_and_the_one_that_fails_is_named():
    tried = []

    @each(("number", "square"), [(1, 1), (2, 4), (3, 8), (4, 16)], ids="abcd")
    def check(number, square):
        tried.append(number)
        assert number**2 == square

    with pytest.raises(AssertionError) as caught:
        check()
    assert tried == [1, 2, 3]
    assert caught.value.__notes__[-1] == "In the case c: number, square = (3, 8)"


def test_what_tries_nothing_or_has_marks_is_refused():
    for cases in ([], [pytest.param(1, marks=pytest.mark.long)]):
        with pytest.raises(AssertionError):
            each("case", cases)
