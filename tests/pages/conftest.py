"""Pages of examples, and eyes to read them with. No window anywhere."""

from dataclasses import fields, is_dataclass, replace
from functools import cache

import pytest

from explorer.core.numbers import read_number
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.compose import page
from explorer.pages.element import Data, Element
from explorer.pages.levels import places
from explorer.pages.matrix import Matrix
from explorer.pages.page import Listing, Note, Page, Picture, Section
from explorer.pages.view import Looking, View


class Desk:
    """A document that is looked at stage by stage.

    Parameters
    ----------
    state : State
    """

    def __init__(self, state):
        self.document = Document(state)
        self.looking = Looking()
        self.others = {}

    @property
    def view(self):
        return View.of(self.document, self.looking, **self.others)

    def do(self, *commands):
        for command in commands:
            self.document.do(command)

    def look(self, **looking):
        self.looking = replace(self.looking, **looking)

    def choose(self, key, value):
        """What a `Keep` asks for."""
        self.looking = replace(self.looking, choices={**self.looking.choices, key: value})

    def value(self, name):
        return self.document.engine.value(self.document.engine.graph.place(name))

    def stage(self, name):
        return next(stage for stage in places(self.document.engine.graph) if stage.name == name)

    def page(self, stage):
        return Eyes(page(self.view, self.stage(stage)))


class Eyes:
    """A page, and what a reader finds on it."""

    def __init__(self, page):
        assert isinstance(page, Page)
        self.page = page
        self.elements = [part for part in parts(page, lines=False) if isinstance(part, Element)]

    def all(self, kind):
        return [part for part in self.elements if isinstance(part, kind)]

    def the(self, id):
        (found,) = [part for part in self.elements if part.id == id]
        return found

    def has(self, id):
        return any(part.id == id for part in self.elements)

    @property
    def names(self):
        """The names of the matrices, in order."""
        return [part.name for part in self.all(Matrix)]

    @property
    def notes(self):
        return " ".join(note.text for note in self.all(Note))

    @property
    def sections(self):
        return [section.text for section in self.all(Section)]

    def texts(self, id):
        """The words of a listing, line by line."""
        return [[entry.text for entry in line.entries] for line in self.the(id).lines]

    def drawing(self, id):
        drawing = self.the(id)
        assert isinstance(drawing, Picture)
        return drawing.drawing

    def marks(self, id, kind):
        return [mark for mark in self.drawing(id).marks if isinstance(mark, kind)]


def parts(data, lines=True):
    """All data that a page is made of, from top to bottom; of a listing, if asked for, all lines."""
    yield data
    if isinstance(data, Listing):
        for line in data.lines if lines else ():
            yield from parts(line)
        return
    for field in fields(data):
        value = getattr(data, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Data) and is_dataclass(part):
                yield from parts(part, lines)


@cache
def states(lesson, setting):
    return load(lesson).state(setting)


@pytest.fixture
def desk():
    """Opens an example: ``desk("xor", "random")``."""
    return lambda lesson="you-are-welcome", setting=None: Desk(states(lesson, setting))


@pytest.fixture
def number():
    """A number as it is written."""
    return lambda text: read_number(text.removeprefix("≈"))


@pytest.fixture(scope="session")
def take_apart():
    return parts


@pytest.fixture(scope="session")
def eyes():
    return Eyes


class Elsewhere:
    """Computes beside the window what it is asked for, when it is told to."""

    def __init__(self):
        self.works, self.found = {}, {}

    def ask(self, key, of, work):
        self.works[key] = work
        return self.found.get(key)

    def stopped(self, key):
        return False

    def compute(self, key):
        told = []
        self.found[key] = self.works[key](lambda done, total: told.append((done, total)))
        return told
