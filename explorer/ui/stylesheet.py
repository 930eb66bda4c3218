"""The style sheet: how Qt's own widgets look in a theme."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from string import Template
from typing import TYPE_CHECKING

from explorer.paths import resources

if TYPE_CHECKING:
    from explorer.ui.appearance import Fonts
    from explorer.ui.theme import Theme

FORMULA = 1.18
"""Size of a formula relative to other text that a class reads: its indices are smaller than its letters."""
_SIZE = re.compile(r"font-size: (\d+\.\d+)pt")


@cache
def _template() -> str:
    """Qt's language of style sheets with two units of ours.

    1u is one pixel at text scale 1 (1u+1, 1u-1: one more or less for a border that does not scale), and font sizes in
    em are multiples of the UI font. ``$name`` is a role of the theme. Borders stay in px: a hairline is a hairline at
    every scale. Controls keep a margin of 1px for the focus ring, so that nothing moves when the focus does. Controls
    in a line have one height; a spin box, to which Qt adds three pixels, needs a maximum.
    """
    return (resources() / "style.qss").read_text("utf-8")


def stylesheet(theme: Theme, fonts: Fonts, scale: float) -> str:
    """The style sheet of the whole program.

    Parameters
    ----------
    theme, fonts : what to fill in
    scale : text scale that `fonts` was made with; paddings and radii follow it
    """
    points = fonts.ui.pointSizeF()
    # Rounded down, always: a radius of more than half the height makes Qt draw square corners.
    text = re.sub(
        r"(-?\d+(?:\.\d+)?)u([+-]\d)?\b", lambda m: f"{int(float(m[1]) * scale) + int(m[2] or 0)}px", _template()
    )
    text = re.sub(r"(\d+(?:\.\d+)?)em\b", lambda m: f"{float(m[1]) * points:.2f}pt", text)
    roles = {field.name: getattr(theme, field.name) for field in fields(theme)}
    return Template(text).substitute(
        roles,
        code_family=fonts.code.family(),
        icons=(resources() / "icons").as_posix(),  # arrows and check marks: a style sheet cannot tint
        control=theme.muted,
    )


def fitted_stylesheet(points: float, heading: float) -> str:
    """The style sheet of one enlarged widget in such a window: sizes only; all else comes from the window's.

    `points`, `heading`: font sizes of its text, and of the words above a matrix.
    """
    return (
        f"QWidget, QHeaderView::section {{ font-size: {points:.2f}pt; }}"
        f'QLabel[role="small"] {{ font-size: {heading:.2f}pt; }}'
        f"Formula {{ font-size: {FORMULA * heading:.2f}pt; }}"
    )


def opening_stylesheet(points: float) -> str:
    """The style sheet of the first page where its text is larger than the program's: sizes only.

    `points`: font size of its plain words.
    """
    sizes = {"QLabel, QPushButton": 1.0, '[role="title"]': 1.8, '[role="lead"]': 1.2, '[large="true"]': 1.35}
    return "".join(f"{what} {{ font-size: {times * points:.2f}pt; }}" for what, times in sizes.items())


def window_stylesheet(theme: Theme, fonts: Fonts, scale: float, read_from_afar: bool) -> str:
    """The style sheet of a window with a look of its own, in addition to the program's.

    Parameters
    ----------
    theme, fonts, scale : as for `stylesheet`
    read_from_afar : whether no text may be smaller than the window's font: a class reads all of it
    """
    points = fonts.ui.pointSizeF()
    # Under a style sheet, widgets inherit neither font nor colours from their parent.
    sheet = f"QWidget {{ font-size: {points:.2f}pt; color: {theme.text}; }}" + stylesheet(theme, fonts, scale)
    if read_from_afar:
        sheet = _SIZE.sub(lambda size: f"font-size: {max(float(size[1]), points):.2f}pt", sheet)
        sheet += f"Formula {{ font-size: {FORMULA * points:.2f}pt; }} QToolTip {{ font-size: {points:.2f}pt; }}"
        sheet += 'QPushButton[link="true"] { padding-top: 1px; padding-bottom: 1px; }'
    return sheet
