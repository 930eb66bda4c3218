"""The table from the kind of an element to the widget that shows it. Each widget is made from the bench, the element
and the parent, and has a method ``tell``, which shows a newer state of the element.
"""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtWidgets import QWidget

from explorer.pages import page as el
from explorer.pages.controls import Player, Switches
from explorer.pages.drawing import AttentionLines, HeatMap, Sentences, VectorStrips, WordMap
from explorer.pages.element import Arrangement, Element
from explorer.pages.matrix import Matrix
from explorer.pages.steps.question import Blank, Figure, Option
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.answers import BlankView, FigureView, OptionView
from explorer.ui.page.controls import CONTROLS
from explorer.ui.page.header import HeaderView, SwitchBar
from explorer.ui.page.note import DerivationView, ImageView, MathsView, NoteLabel, PassageView, SectionLabel, WaitingBar
from explorer.ui.page.pictures import DescentView, Drawn, Filling, curves_place, heat_map_place, imported, lines_place
from explorer.ui.page.player import PlayerView
from explorer.ui.workbench import Workbench


def _derivation(bench: Workbench, derivation: el.Derivation, parent: QWidget | None = None) -> QWidget:
    view = DerivationView(bench, parent)
    view.tell(derivation)
    return view


WIDGETS: dict[type, Callable[[Workbench, Any, QWidget], QWidget]] = {
    **CONTROLS,
    AttentionLines: lines_place,
    Blank: BlankView,
    el.Cards: imported("page.card", "CardsView"),
    el.Derivation: _derivation,
    el.DescentPart: DescentView,
    Figure: FigureView,
    el.Header: HeaderView,
    HeatMap: heat_map_place,
    el.Image: ImageView,
    el.Listing: imported("page.listing", "ListingView"),
    el.Maths: MathsView,
    Matrix: MatrixBox,
    el.Note: NoteLabel,
    Option: OptionView,
    el.Passage: PassageView,
    el.Picture: lambda bench, picture, parent: (Filling if picture.fills else Drawn)(bench, picture, parent),
    Player: PlayerView,
    el.Section: SectionLabel,
    Sentences: imported("drawing.sentences", "SentencesView"),
    Switches: SwitchBar,
    el.Traces: curves_place,
    VectorStrips: imported("drawing.word_vectors", "VectorStripsView"),
    el.Waiting: WaitingBar,
    WordMap: imported("drawing.word_vectors", "WordMapView"),
}


def differing(was: Sequence[Element], now: Sequence[Element]) -> list[Element] | None:
    """The elements that differ from those before, also inside arrangements; None if they are arranged otherwise.

    Identical objects are not compared.
    """
    if len(was) != len(now):
        return None
    found: list[Element] = []
    for before, element in zip(was, now, strict=True):
        if before is element:
            continue
        if before.id != element.id or type(before) is not type(element):
            return None
        if isinstance(before, Arrangement) and isinstance(element, Arrangement):
            alike = True
            if isinstance(before, el.Row) and isinstance(element, el.Row):
                alike = [(i.sign, i.holds) for i in before.items] == [(i.sign, i.holds) for i in element.items]
            elif isinstance(before, el.Stack) and isinstance(element, el.Stack):
                alike = (before.title, before.width) == (element.title, element.width)
            inside = differing(before.inside, element.inside) if alike else None
            if inside is None:
                return None
            found += inside
        elif before != element:
            if isinstance(element, el.Header) and made_of(before) != made_of(element):
                return None
            found.append(element)
    return found


def made_of(element: Element) -> tuple[object, ...]:
    """The facts of an element, no arrangement, that must stay the same for it to keep its widget."""
    facts: tuple[object, ...] = ()
    if isinstance(element, el.Header):
        bar = element.switches.id if element.switches else ""
        facts = (bar, *(one.id for one in element.choices), *(one.text for one in element.crumbs))
    return type(element), element.id, *facts
