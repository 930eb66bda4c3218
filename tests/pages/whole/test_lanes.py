"""The words that run through the model at the start, at moments of their way. No window."""

from functools import cache

import numpy as np
import pytest

from explorer.document.commands import SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.drawing import Bars, Box, Image, Words
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.levels import ALL, LAYER, WHOLE
from explorer.pages.view import View
from explorer.pages.whole.lanes import RUN, SPOKEN, WRITTEN, Lanes, first_picture, likeliest, opening, opening_said

WORDS = ("the", "cat", "sat", "on", "the")


@cache
def shown():
    return first_picture(View.of(Document(load("tiny-gpt").state())))


def bars(drawing):
    return [mark for mark in drawing.marks if isinstance(mark, Bars)]


def read(drawing):
    """The words that the model reads, by whether they have come."""
    return [(mark.text, mark.faint) for mark in drawing.marks if isinstance(mark, Words) and mark.token is not None]


def test_at_the_beginning_nothing_has_come_and_no_answer_can_be_read():
    drawing = opening(*shown(), 0.0)
    assert {mark.faint for mark in drawing.marks} == {1.0}
    assert bars(drawing) == []
    assert drawing.window == shown()[0].window, "the picture stands where it will stand"


def test_the_words_come_one_after_the_other():
    assert [text for text, _ in read(shown()[0])] == list(WORDS)
    come = [sum(faint == 0.0 for _, faint in read(opening(*shown(), at))) for at in np.linspace(0, SPOKEN, 16)]
    assert come == sorted(come)
    assert set(come) == {0, 1, 2, 3, 4, 5}


def test_each_word_that_has_come_has_its_first_numbers_behind_it_until_they_become_a_strip():
    drawing, *how = shown()
    (table, *_) = [mark.array for mark in drawing.marks if isinstance(mark, Image) and mark.node.node == "input.X"]

    def written(at):
        marks = opening(drawing, *how, at).marks
        return [mark.text for mark in marks if isinstance(mark, Words) and mark.text.endswith("…") and mark.faint < 1]

    assert written(0.0) == []
    assert len(written(SPOKEN / 2)) in (3, 4)
    rows = written(SPOKEN)
    assert len(rows) == len(WORDS)
    first = [float(number.replace("−", "-")) for number in rows[1].split()[:-1]]
    assert first == pytest.approx(table[1][:3], abs=0.005)
    assert rows[0] == rows[4], "the same word"
    assert written(WRITTEN) == []


def test_half_way_what_is_at_the_left_has_come_and_the_vectors_are_on_their_way():
    half = opening(*shown(), 0.5)
    images = [mark for mark in half.marks if isinstance(mark, Image)]
    *there, vectors = images
    left = {mark.node.node: mark.faint for mark in there}
    assert left["input.X"] == left["input.H"] == 0.0
    assert left["final.norm"] == 1.0
    # On the line of the strips, between two of them, with the numbers of the one behind.
    strips = {mark.node.node: mark for mark in there if mark.place[1] == vectors.place[1]}
    assert list(strips) == ["input.X", "input.H", "decoder.2.ffn.residual", "final.norm"]
    assert strips["input.H"].place[0] < vectors.place[0] < strips["decoder.2.ffn.residual"].place[0]
    assert vectors.array is strips["input.H"].array
    assert vectors.place[1:] == strips["input.H"].place[1:]
    assert bars(half) == []


def test_the_vectors_run_from_left_to_right_and_nothing_that_has_come_goes():
    moments = np.linspace(WRITTEN, RUN, 30)
    seen = [opening(*shown(), float(at)).marks for at in moments]
    places = [
        marks[-1].place[0] for marks in seen if len(marks) == len(shown()[0].marks)
    ]  # less the bars, and one more
    assert len(places) > 20
    assert places == sorted(places)
    faint = np.array([[mark.faint for mark in marks[: len(shown()[0].marks) - 1]] for marks in seen])
    assert (np.diff(faint, axis=0) <= 0).all()


def test_the_bars_grow_last_to_their_true_length():
    (end,) = bars(shown()[0])
    grown = [bars(opening(*shown(), at))[0] for at in (RUN, RUN + 0.05, RUN + 0.1, 0.99)]
    long = [one.values[0] / one.full for one in grown]
    assert long == sorted(long)
    assert long[0] < 0.01
    assert long[-1] == pytest.approx(end.values[0] / end.full, rel=1e-3)
    assert {one.values for one in grown} == {end.values}, "a number that is written is a true one"


def test_at_the_end_stands_the_picture_itself_without_the_loss():
    drawing, *how = shown()
    assert opening(drawing, *how, 1.0) is drawing
    view = View.of(Document(load("tiny-gpt").state()))
    whole, first = (
        {mark.name for mark in one.marks if isinstance(mark, Box)} for one in (Lanes(view, 1.5).drawing()[0], drawing)
    )
    (loss,) = whole - first
    assert loss.startswith("Loss")
    assert len(first) > 8


def test_each_box_of_the_first_picture_leads_into_the_model():
    """“Click any part of the picture”, says the page; a click on the frame of the layers did nothing that one saw."""
    boxes = [mark for mark in shown()[0].marks if isinstance(mark, Box)]
    assert all(isinstance(box.leads, GoTo) for box in boxes)
    (frame,) = (box for box in boxes if box.folded)
    assert frame.leads == GoTo(WHOLE.name, Keep(LAYER, ALL))


def test_what_is_said(desk):
    view = desk("tiny-gpt").view
    assert opening_said(view, 0.1) == "Each word becomes a row of numbers."
    assert opening_said(view, 0.5) == "Each word takes something from the words before it."
    assert opening_said(view, 1.0) == (
        "After “the cat sat on the” the most probable next word is “mat”, with a probability of 0.81."
    )


def test_of_a_long_sentence_the_end_is_said_and_that_a_text_ends_is_no_word(desk):
    gpt = desk("tiny-gpt")
    gpt.do(SetTokens("input", (*WORDS, "mat", "and", "the", "dog", "sat", "on", "the")))
    said = opening_said(gpt.view, 1.0)
    assert said.startswith(
        "After “… mat and the dog sat on the” it is most probable that the text ends, with a probability"
    )
    gpt.do(SetTokens("input", (*WORDS, "mat")))
    assert likeliest(gpt.view).startswith("that the text ends, with a probability of ")
