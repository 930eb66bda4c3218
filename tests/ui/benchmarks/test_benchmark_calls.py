"""The calls of an edit are counted, and are not many more than they were: a count is the same on every machine."""

from benchmarks import calls
from PySide6.QtWidgets import QApplication

SOME_MORE = 2500


def test_an_edit_on_the_attention_page_takes_few_calls(open_window):
    app = QApplication.instance()
    first, *_ = calls.figures(lambda lesson: (app, open_window(lesson)))
    found = first()
    assert 500 < found.value < SOME_MORE, found.detail
    assert found.unit == "calls"


def test_each_function_is_counted_as_often_as_it_is_called():
    def one():
        return 1

    def two():
        return one() + one()

    found = calls.counted(two, times=3)
    assert (found[one.__code__], found[two.__code__]) == (6, 3)
