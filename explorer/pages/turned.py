"""Turning a part of a model off, by holding what it puts out at 0, and on again."""

from explorer.document.commands import Release
from explorer.pages.gestures import Do, Edit, Hold
from explorer.pages.view import View


def is_off(view: View, name: str) -> bool:
    """Whether all numbers of a node, or of a head's slice of one, are held at 0."""
    place = view.graph.place(name)
    pin = view.engine.pins.get(place.node)
    if pin is None or pin.cells.shape != view.values[place.node].shape:
        return False
    return bool(pin.cells[place.index].all()) and not pin.values[place.index].any()


def turn(view: View, name: str) -> Edit:
    """What turns a part off, or on again."""
    return Do(Release(name)) if is_off(view, name) else Hold(name, view.engine.value(view.graph.place(name)).shape)
