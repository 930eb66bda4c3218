"""What stands on the page "Train", and what somebody does with it."""

from PySide6.QtCore import QPoint

from explorer.pages.gestures import ForTraining
from explorer.pages.page import Listing
from explorer.ui.page.column import Elements
from explorer.ui.page.controls import ChoiceView, FieldView, NumberView


def said(tab) -> str:
    """How far the run has come."""
    return tab.controls.elements[0].sentence.removeprefix("<b>").removesuffix("</b>")


def words_of(page: Elements, name: str) -> str:
    """The words of an element; none where it is not there."""
    widget = page.widgets.get(name)
    return widget.text() if widget is not None else ""


def field(tab, name: str):
    """The widget that has the keys where a setting is typed or chosen."""
    match tab.settings.widgets[name]:
        case FieldView(edit=edit):
            return edit
        case NumberView(box=box):
            return box
        case ChoiceView() as choice:
            return choice.control


def ask(tab, act: str, value: object = None) -> None:
    """Ask for what a control of the page asks for."""
    tab.bench.selection.asked.emit(ForTraining(act, value), tab)


def learn_from(tab, place: int) -> None:
    """Choose what is learned from, by its place."""
    field(tab, "source").group.button(place).click()


def click_weight(hand, page: Elements, name: str, column: int = 0) -> None:
    """Click in the line of a weight, or of a block, in the list of what moves."""
    table = page.widgets["weights"]
    rows = names_of(table.listing)
    rect = table.visualRect(table.table.index(rows.index(name), column))
    hand.click(table.viewport(), rect.topLeft() + QPoint(12, rect.height() // 2))


def names_of(listing: Listing) -> list[str]:
    """What the lines of the list of what moves are about."""
    return [line.entries[0].text.strip() for line in listing.lines]


def ticks_of(page: Elements) -> dict[str, float]:
    """How much of what each line is about moves."""
    listing = page.widgets["weights"].listing
    return dict(zip(names_of(listing), (line.entries[0].tick for line in listing.lines), strict=True))


def lengths_of(page: Elements) -> dict[str, str]:
    """How long the gradient of each is that the list of what moves is about."""
    listing = page.widgets["weights"].listing
    return dict(zip(names_of(listing), (line.entries[1].text for line in listing.lines), strict=True))


def plot(tab, name: str):
    """The picture of a name, once it is there."""
    place = tab.pictures.widgets[name]
    place.fill()
    return place.picture


def says(tab) -> str:
    """All that stands below "What it says", as one text."""
    listing = tab.pictures.widgets["predictions"].listing if "predictions" in tab.pictures.widgets else None
    lines = listing.lines if listing is not None else ()
    titles = [column.title for column in listing.columns] if listing is not None else []
    entries = [entry.text for line in lines for entry in line.entries]
    return " ".join([words_of(tab.pictures, "alone"), *titles, *entries])
