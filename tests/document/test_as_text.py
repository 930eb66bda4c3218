"""A document as text comes back to the last bit, whatever a chat puts around it; any other text is refused."""

import base64
import zlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.document import storage as module
from explorer.document.commands import PinCells, SetCells
from explorer.document.document import Document
from explorer.document.storage import TEXT_BEGIN, TEXT_END, as_text, from_text
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import catalogue, load
from tests.samples import each


@pytest.fixture(scope="module")
def state():
    document = Document(load("you-are-welcome").state())
    document.do(SetCells("encoder.1.self.W_O", {(0, 0): np.nan}))
    document.do(PinCells("output.probabilities", {(0, 1): 0.25}))
    return document.state


def assert_same(a, b):
    assert (a.model, a.setting, a.lesson) == (b.model, b.setting, b.lesson)
    assert a.inputs.keys() == b.inputs.keys()
    assert all(same_bytes(a.inputs[name], b.inputs[name]) for name in a.inputs)
    assert a.pins.keys() == b.pins.keys()
    assert all(same_bytes(a.pins[name].values, b.pins[name].values) for name in a.pins)


def test_it_comes_back_to_the_last_bit(state):
    opened, title = from_text(as_text(state, "Ä “title”"))
    assert_same(opened, state)
    assert title == "Ä “title”"


@each("lesson", [one for one in catalogue() if one.reference], ids=lambda lesson: lesson.id)
def test_every_example_of_a_reference_fits_into_a_message(lesson):
    text = as_text(lesson.state(), lesson.title)
    assert len(text) < 40_000
    assert max(map(len, text.splitlines())) <= module.TEXT_WIDTH
    assert_same(from_text(text)[0], lesson.state())


def test_words_around_it_and_marks_of_quotation_do_no_harm(state):
    text = as_text(state, "a")
    quoted = "Look at this!\r\n" + "".join(f"> {line}\r\n" for line in text.splitlines()) + "\r\nBye"
    assert_same(from_text(quoted)[0], state)


def test_a_large_model_is_to_be_saved_as_a_file():
    large = new_lesson("gpt", ["a b c"], d_model=96, heads=4, layers=2).state()
    with refuses("As text this document would have"):
        as_text(large, "large")


def test_a_large_model_is_not_packed_to_find_out_how_long_its_text_would_be(monkeypatch):
    """Half a billion bytes took six minutes, in which the window stood still."""
    packed = []
    monkeypatch.setattr(module, "MOST_TEXT", 4000)
    monkeypatch.setattr(module, "_AT_ONCE", 1000)
    monkeypatch.setattr(module.zlib, "compressobj", lambda level, made=zlib.compressobj: Counted(made(level), packed))
    large = new_lesson("gpt", ["a b c"], d_model=96, heads=4, layers=2).state()
    with refuses("As text this document would have"):
        as_text(large, "large")
    assert sum(packed) < 50_000
    packed.clear()
    monkeypatch.setattr(module, "MOST_UNPACKED", 100_000)
    with refuses("As text this document would have"):
        as_text(large, "large")
    assert packed == []


class Counted:
    """Packs, and counts what it packs."""

    def __init__(self, packing, packed):
        self._packing, self._packed = packing, packed

    def compress(self, data):
        self._packed.append(len(data))
        return self._packing.compress(data)

    def flush(self):
        return self._packing.flush()


@pytest.mark.parametrize("text", ["", "hello", TEXT_BEGIN, f"{TEXT_END}\nabc\n{TEXT_BEGIN}"])
def test_text_without_a_document_is_refused(text):
    with refuses("holds no document as text"):
        from_text(text)


def test_a_bomb_is_not_unpacked(state):
    bomb = base64.b64encode(zlib.compress(b"0" * (module.MOST_UNPACKED + 1), 9)).decode()
    with refuses("The text: cannot be opened: it is not whole, or too large"):
        from_text(f"{TEXT_BEGIN}\n{bomb}\n{TEXT_END}")
    with refuses("The text: cannot be opened: it is too long"):
        from_text(f"{TEXT_BEGIN}\n{'A' * (2 * module.MOST_TEXT + 1)}\n{TEXT_END}")


@given(data=st.data())
def test_damaged_text_is_refused_or_the_same(state, data):
    text = as_text(state, "a")
    place = data.draw(st.integers(len(TEXT_BEGIN), len(text) - len(TEXT_END) - 2))
    damaged = text[:place] + data.draw(st.sampled_from("Aa0+/=\n>é")) + text[place + data.draw(st.integers(0, 3)) :]
    opened = None
    with suppress(ExplorerError):
        opened, _ = from_text(damaged)
    if opened is not None:
        assert_same(opened, state)
