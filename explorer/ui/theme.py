"""Every colour of the program by its role, and how a widget says which role it has.

Panels and widgets write no style sheet of their own. They take their look from four places:

* an **object name** for the fixed parts of the window (make them `QFrame`, a bare `QWidget` paints no background):
  ``topBar``, ``tokenBar``, ``sidebar``, ``inspector``, ``lessonBar`` and ``page``;
* a **dynamic property** for what stands in them, set before the widget is shown (`mark` does it, also later):
  on words ``role`` is a `Role`; on buttons a `Look` = "true", ``add`` beside ``chip``, or ``segment`` = first, middle,
  last or only; on `QFrame` ``card`` and ``rule``; ``role`` = code also on text edits;
* the `Theme`, for what a widget paints by hand, and `Fonts` (appearance.py), for what it writes by hand;
* the plain type, for all other controls.

`qcolor` gives a colour as Qt takes it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget

from explorer.core.frozen import Frozen
from explorer.export.colours import components, contrast, diverging, sequential, text_on

_Widget = TypeVar("_Widget", bound=QWidget)

Role = Literal[
    "", "asked", "bar", "code", "crumbs", "document", "done", "error", "group", "heading", "headline", "here", "hint",
    "lead", "message", "muted", "note", "operator", "section", "sheet", "small", "strong", "subtitle", "title", "why",
]  # fmt: skip
"""What words are for, which says how they look."""
Look = Literal["", "chip", "choice", "link", "primary", "tab"]
"""How a button looks, if not like most."""
NODE = "node"
"""The property that names the node of the graph a widget is about. A click asks the glossary for that node."""


class Theme(Frozen):
    """Every colour by its role, as ``"#rrggbb"``.

    Names that end in ``text`` and names that begin with ``on_`` are for writing and keep 4.5 : 1 on the grounds they
    belong to; ``line`` roles are for outlines. Teal (``accent``, ``cell_editable``) says "you may change this", orange
    (``here``) says "this is the place", red says "this is wrong". Nothing else is coloured.
    """

    name: Literal["light", "dark"]
    page: str  # behind everything
    surface: str  # bars, inspector, computed cells, inputs
    raised: str  # under the pointer
    sunken: str  # code, grooves
    line: str  # between regions
    line_strong: str  # around controls
    text: str
    muted: str
    disabled: str

    accent: str  # primary buttons, chosen chips
    accent_hover: str
    accent_text: str  # teal words
    accent_soft: str  # chips
    accent_line: str  # outline of chips
    on_accent: str

    cell_editable_bg: str
    cell_editable_border: str
    cell_editable_text: str
    cell_computed_bg: str
    cell_computed_border: str
    cell_computed_text: str
    hatch: str  # strokes across a masked cell

    here: str  # cell that is pointed at, number of the active step
    here_text: str
    here_soft: str  # ground of the active step
    here_line: str  # the row and the column that made a cell
    on_here: str

    error: str
    error_soft: str
    link: str
    focus: str  # keyboard focus ring
    selection: str
    on_selection: str
    tooltip: str
    on_tooltip: str
    series: tuple[str, ...]  # curves and heads, in order: neither teal nor orange, and told apart by lightness too

    @property
    def strong(self) -> Theme:
        """The same theme with more contrast: nothing is muted, and every line is as dark as those around controls."""
        return replace(
            self,
            muted=self.text,
            line=self.line_strong,
            line_strong=self.muted,
            cell_editable_border=self.cell_editable_text,
            cell_computed_border=self.muted,
            hatch=self.muted,
        )

    @property
    def dark(self) -> bool:
        return self.name == "dark"

    @cached_property
    def diverging_ramp(self) -> Ramp:
        """Colours for signed values."""
        return Ramp(diverging(self.surface), self.text, self.error)

    @cached_property
    def sequential_ramp(self) -> Ramp:
        """Colours for shares of one."""
        return Ramp(sequential(self.surface, self.dark), self.text, self.error)


_COLOURS = {
    "page": ("#f7f6f3", "#0f141c"),
    "surface": ("#ffffff", "#171d27"),
    "raised": ("#eef3f2", "#222b38"),
    "sunken": ("#f2f0eb", "#10151d"),
    "line": ("#e3e0da", "#2a3341"),
    "line_strong": ("#cbc7bf", "#3c4758"),
    "text": ("#1b2430", "#e8ebf0"),
    "muted": ("#5b6472", "#a3adbb"),
    "disabled": ("#a3a8b0", "#5d6775"),
    "accent": ("#0f766e", "#0f766e"),
    "accent_hover": ("#0b5f58", "#0c6a63"),
    "accent_text": ("#0b5f58", "#7fdccb"),
    "accent_soft": ("#e8f5f2", "#12302f"),
    "accent_line": ("#0f766e", "#1f8f83"),
    "on_accent": ("#ffffff", "#ffffff"),
    "cell_editable_bg": ("#e8f5f2", "#12302f"),
    "cell_editable_border": ("#a9d8cf", "#235650"),
    "cell_editable_text": ("#0b5f58", "#9be5d7"),
    "cell_computed_bg": ("#ffffff", "#1b232e"),
    "cell_computed_border": ("#e3e0da", "#2a3341"),
    "cell_computed_text": ("#1b2430", "#e8ebf0"),
    "hatch": ("#cbc7bf", "#3c4758"),
    "here": ("#bd4f12", "#f08a48"),
    "here_text": ("#b0470c", "#f59a5e"),
    "here_soft": ("#fdeee0", "#33251a"),
    "here_line": ("#d47c45", "#a7622f"),
    "on_here": ("#ffffff", "#1a0f07"),
    "error": ("#b3261e", "#ff8a80"),
    "error_soft": ("#fbe9e7", "#3a1d1f"),
    "link": ("#1d5fbf", "#82b4ff"),
    "focus": ("#1d5fbf", "#82b4ff"),
    "selection": ("#d6ebe7", "#1d4744"),
    "on_selection": ("#1b2430", "#e8ebf0"),
    "tooltip": ("#1b2430", "#e8ebf0"),
    "on_tooltip": ("#f7f6f3", "#171d27"),
}
"""The colour of each role in the light and in the dark theme."""
_SERIES = (
    ("#1d5fbf", "#8a6d0b", "#9a4d94", "#1b2430", "#477a1c", "#5b6472"),
    ("#82b4ff", "#d3b545", "#d59ad0", "#e8ebf0", "#9acb6a", "#a3adbb"),
)
LIGHT = Theme(name="light", series=_SERIES[0], **{role: light for role, (light, _) in _COLOURS.items()})
DARK = Theme(name="dark", series=_SERIES[1], **{role: dark for role, (_, dark) in _COLOURS.items()})


def mark(widget: _Widget, *, role: Role = "", **properties: str) -> _Widget:
    """Set the dynamic properties the style sheet knows, also on a widget already on the screen, and return the widget.

    >>> mark(QLineEdit(), large="true")  # doctest: +SKIP
    """
    if role:
        properties["role"] = role
    changed = [name for name, value in properties.items() if widget.property(name) != value]
    for name in changed:
        widget.setProperty(name, properties[name])
    if changed and widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        # Qt matches properties only when it polishes.
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    return widget


@lru_cache(maxsize=256)
def qcolor(value: str) -> QColor:
    """The `QColor` of ``"#rrggbb"``. Shared: copy before changing it."""
    return QColor(value)


def shares_of(array: NDArray[Any], low: float = 0.0) -> NDArray[Any]:
    """Numbers clipped to `low` … 1, for a ramp of colours; NaN becomes 0."""
    shares = np.minimum(np.maximum(array, low), 1.0)
    shares[np.isnan(shares)] = 0.0
    return shares


class Ramp:
    """256 colours, each with a readable text colour: for the lookup table of an image, and for cells."""

    def __init__(self, rgb: NDArray[np.uint8], text: str, error_color: str) -> None:
        error = tuple(components(error_color))
        rows = np.vstack([rgb, np.array([error], dtype=np.uint8)])
        self._rgba = np.hstack([rows, np.full((len(rows), 1), 255, dtype=np.uint8)])
        self._rgba.setflags(write=False)
        self.table = self._rgba[:256]  # uint8, (256, 4), read-only: for ``ImageItem.setLookupTable``
        # `colors`, `text`: background and text colours as `QColor`, 257 of each: the last is for NaN.
        self.colors = [QColor(*map(int, row)) for row in rows]
        # The theme's own ink where it is dark or light enough; in the middle of the scale black or white.
        self.text = [QColor(text if contrast(text, row) >= 4.5 else text_on(row)) for row in rows.tolist()]

    def index(self, values: ArrayLike, low: float, high: float) -> NDArray[np.intp]:
        """The index of each value's colour: 0 to 255 from `low` to `high`, clipped, and 256 for NaN."""
        values = np.asarray(values, dtype=float)
        with np.errstate(invalid="ignore", over="ignore"):
            place = np.minimum(np.maximum(np.rint((values - low) / (high - low) * 255), 0), 255)
        return np.where(np.isnan(values), 256, place).astype(np.intp)

    def image(self, places: NDArray[np.intp]) -> QImage:
        """An image of the colours at `places`, (rows, columns) as `index` gives them, one pixel for each."""
        rows, columns = places.shape
        pixels = self._rgba[places]
        shared = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
        return shared.convertToFormat(QImage.Format.Format_RGB32)  # a copy, in what the screen has: twice as fast
