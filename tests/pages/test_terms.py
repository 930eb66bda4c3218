"""Every term and symbol that stands in a heading of any page of any example has an entry in the glossary."""

import dataclasses
import re
from functools import cache

from explorer.core.model import SWITCHES
from explorer.document.document import Document
from explorer.lessons.glossary import glossary
from explorer.lessons.loader import catalogue, load
from explorer.pages.compose import KINDS, page
from explorer.pages.controls import Button, Check, Choice
from explorer.pages.drawing import HeatMap, SentenceRow
from explorer.pages.levels import FAMILY, stops
from explorer.pages.matrix import Matrix
from explorer.pages.page import Column, Header, Listing, Section, Stack
from explorer.pages.view import View

HEADINGS = {Button: "text", Check: "text", Listing: "name", Section: "text"} | dict.fromkeys(
    (Choice, Column, Header, HeatMap, Matrix, SentenceRow, Stack), "title"
)
"""What a heading is called in each kind of element."""
PLAIN = """
mute known small last kind kinds year recipe family tree spread ones trained
formula input machine once order reading were continuations direction now several divisor grow move probable purpose
a above after all also among an and answer answers are arrows as at back bars batch be become before behind below beside
brought by call called came chance comes divided divides do drag each every first for form from get given gives go goes
got grows has how in input into is it its itself join joins largest looks made make many minus more most much next no
none not now number numbers of off on one only or other others out over own picture plus put puts raised reads right
row rows s same second should so term terms than that the their then there they this those through tips to together two
under until use several differs was what when where which who why with within without you your zero
"""
"""Everyday words, which need no entry."""


def parts(element):
    """An element with all that stands in it."""
    if isinstance(element, tuple):
        for one in element:
            yield from parts(one)
    elif dataclasses.is_dataclass(element):
        yield element
        for one in dataclasses.fields(element):
            yield from parts(getattr(element, one.name))


@cache
def seen():
    """The headings, the nodes of the matrices, and the columns' titles, of every page of every example."""
    headings, nodes, columns = set(), set(), set()
    # Lessons on a trained model have its pages.
    for lesson in [*(one for one in catalogue() if one.model.dtype == "float64"), load("tiny-gpt")]:
        for setting in list(lesson.settings)[: 1 if lesson.id == "tiny-gpt" else None]:
            view = View.of(Document(lesson.state(setting)))
            nodes |= set(view.nodes)
            for stage in stops(view.graph):
                made = page(view, stage)
                for part in parts((made.header, *made.elements)):
                    if type(part) in HEADINGS:
                        headings.add(getattr(part, HEADINGS[type(part)]))
                    if isinstance(part, Matrix):
                        nodes.add(part.name)
                    if isinstance(part, Column) and stage != FAMILY:  # its columns are called after switches
                        columns.add(part.title)
    return headings, nodes, columns


def test_columns_of_lists_are_called_alike():
    """Some began with a capital, some did not, even in one list."""
    assert {title for title in seen()[2] if re.match("[A-Z][a-z]", title)} == set()


def test_each_node_has_an_entry():
    assert {name for name in seen()[1] if glossary().of_node(name) is None} == set(), MISSING


MISSING = "these have no entry in resources/glossary.toml"


def leftover(heading):
    """The words of a heading that no entry explains and that are not plain."""
    heading = re.sub("“.*?”", "", heading)  # a word of the model's sentence
    marks, at = "", 0
    for one in glossary().found_in(heading, label=True):
        marks, at = marks + heading[at : one.start] + " ", one.end
    words = re.findall(r"[^\s:,;.…()?!“”→×·=\d]+", marks + heading[at:])
    return [word for word in words if word.lower().strip("'’&") not in {*PLAIN.split(), ""}]


def test_each_term_in_a_heading_has_an_entry():
    headings, nodes, _ = seen()
    paths = {name.rpartition(".")[0] for name in nodes} | nodes
    assert {h: leftover(h) for h in headings if h not in paths and leftover(h)} == {}, MISSING


def test_each_switch_and_each_of_its_choices_has_an_entry():
    switches = {switch.title: switch for kind in SWITCHES.values() for switch in kind.values()}
    texts = set(switches) | {choice for switch in switches.values() for choice in switch.choices}
    assert {text: leftover(text) for text in texts if leftover(text)} == {}, MISSING


def test_each_entry_is_seen_on_kinds_of_stages_that_there_are():
    assert {kind for term in glossary().terms for kind in term.stages} <= set(KINDS)
