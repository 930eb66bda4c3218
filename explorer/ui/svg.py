"""An SVG that Qt wrote, changed so that it looks alike in browsers, in presentations and with other fonts."""

import re
from html import unescape
from uuid import uuid4

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter, QTransform

_TEXT = re.compile(r'<text (?P<before>[^>]*?)font-family="(?P<family>[^"]*)" (?P<font>[^>]*?)>(?P<text>[^<]*)</text>')
_FONT = re.compile(r'font-size="(?P<size>[\d.]+)" font-weight="(?P<weight>\d+)" font-style="(?P<style>\w+)"')
_GROUP = re.compile(
    r'transform="matrix\((?P<matrix>[^)]*)\)"(?P<rest>[^>]*>)(?P<content>(?:(?!</g>).)*)</g>', re.DOTALL
)
_POINT = re.compile(r"(-?[\d.]+(?:e[+-]?\d+)?),(-?[\d.]+(?:e[+-]?\d+)?)")
_SQUARES = 'image-rendering="optimizeSpeed"'
"""Attribute of an image whose squares must not blur; browsers obey only its CSS form."""
_PIXELS = 'vector-effect="non-scaling-stroke"'


def for_every_viewer(svg: str) -> str:
    """The same picture without what many programs do not understand.

    Each text also names a font family that every computer has, and its length, so that it keeps its place in another
    font. Lines that are so many pixels wide at any scale are written for this scale. The squares of a heat map stay
    squares.
    """
    svg = svg.replace(_SQUARES, f'{_SQUARES} style="image-rendering: pixelated"')
    return _GROUP.sub(_scaled, _TEXT.sub(_with_fonts, svg))


def _with_fonts(text: re.Match[str]) -> str:
    font, look = QFont(unescape(text["family"])), _FONT.search(text["font"])
    length = ""
    if look is not None:
        font.setPixelSize(100)
        font.setWeight(QFont.Weight(int(look["weight"])))
        font.setItalic(look["style"] == "italic")
        width = QFontMetricsF(font).horizontalAdvance(unescape(text["text"])) / 100 * float(look["size"])
        length = f'textLength="{width:.2f}" lengthAdjust="spacingAndGlyphs" ' if width else ""
    family = f"{QFontInfo(font).family()}, {_everywhere(font)}".replace('"', "").replace("&", "&amp;")
    return f'<text {text["before"]}{length}font-family="{family}" {text["font"]}>{text["text"]}</text>'


def _everywhere(font: QFont) -> str:
    """The generic family of a font, which every computer has."""
    info = QFontInfo(font)
    if info.fixedPitch():
        return "monospace"
    return "serif" if re.search("(?<!Sans )Serif|Times", info.family()) else "sans-serif"


def _scaled(group: re.Match[str]) -> str:
    """A group of shapes whose lines keep their width: the shapes are scaled instead of the group."""
    content = group["content"]
    if _PIXELS not in content or re.search("<(text|image|rect|circle|ellipse|use)", content):
        return group[0]
    matrix = QTransform(*map(float, group["matrix"].split(",")))
    if not matrix.isScaling():
        return group[0]

    def point(pair: re.Match[str]) -> str:
        there = matrix.map(QPointF(float(pair[1]), float(pair[2])))
        return f"{there.x():.6g},{there.y():.6g}"

    shapes = re.sub(r' (d|points)="[^"]*"', lambda shape: _POINT.sub(point, shape[0]), content)
    return f'transform="matrix(1,0,0,1,0,0)"{group["rest"]}{shapes}</g>'


class Clips:
    """Clipping: marks that are replaced by groups with a clipping path.

    Qt writes no clipping into an SVG; asked for version 1.1, it writes the path as it was before the painter moved it.
    """

    def __init__(self) -> None:
        self._frames: list[QRectF] = []
        self._sign = f"frame-{uuid4().hex}-"  # unlike any word of a lesson

    def begin(self, painter: QPainter, frame: QRectF) -> None:
        """Clip what is painted from here on to a frame, given in the units of the picture."""
        self._mark(painter, str(len(self._frames)))
        self._frames.append(frame)

    def end(self, painter: QPainter) -> None:
        """End the clipping."""
        self._mark(painter, "end")

    def put_into(self, svg: str) -> str:
        """The picture with clipping paths in place of the marks."""

        def group(mark: re.Match[str]) -> str:
            if mark[1] == "end":
                return "</g></g><g>"
            frame = self._frames[int(mark[1])]
            size = f'width="{frame.width():g}" height="{frame.height():g}"'
            shape = f'<rect x="{frame.x():g}" y="{frame.y():g}" {size}/>'
            return f'</g><clipPath id="frame{mark[1]}">{shape}</clipPath><g clip-path="url(#frame{mark[1]})"><g>'

        return re.sub(rf"<text [^>]*>{self._sign}(\w+)</text>", group, svg)

    def _mark(self, painter: QPainter, text: str) -> None:
        painter.save()
        painter.setPen(QColor(1, 2, 3))  # unlike the pens before and after, so that the mark gets a group of its own
        painter.drawText(0, 0, f"{self._sign}{text}")
        painter.restore()
