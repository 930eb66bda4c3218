"""What Qt writes into an SVG, made to look alike in browsers, in presentations and on computers with other fonts."""

import re
from html import unescape

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

_TEXT = re.compile(r'<text (?P<before>[^>]*?)font-family="(?P<family>[^"]*)" (?P<font>[^>]*?)>(?P<text>[^<]*)</text>')
_FONT = re.compile(r'font-size="(?P<size>[\d.]+)" font-weight="(?P<weight>\d+)" font-style="(?P<style>\w+)"')
_GROUP = re.compile(
    r'transform="matrix\((?P<matrix>[^)]*)\)"(?P<rest>[^>]*>)(?P<content>(?:(?!</g>).)*)</g>', re.DOTALL
)
_POINT = re.compile(r"(-?[\d.]+(?:e[+-]?\d+)?),(-?[\d.]+(?:e[+-]?\d+)?)")
_PIXELS = 'vector-effect="non-scaling-stroke"'


def for_every_viewer(svg: str) -> str:
    """The same picture without what many programs do not understand.

    Each text names fonts that there are everywhere beside Qt's own, and its length, so that it keeps its place in
    another font. Lines whose width is in pixels, whatever the scale, are written as what they are at this scale.
    """
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
    info = QFontInfo(font)
    known = (
        "monospace"
        if info.fixedPitch()
        else "serif"
        if re.search("(?<!Sans )Serif|Times", info.family())
        else "sans-serif"
    )
    family = f"{info.family()}, {known}".replace("&", "&amp;").replace('"', "")
    return f'<text {text["before"]}{length}font-family="{family}" {text["font"]}>{text["text"]}</text>'


def _scaled(group: re.Match[str]) -> str:
    """A group of shapes with lines that do not grow with it: the shapes are scaled instead of the group."""
    content = group["content"]
    if _PIXELS not in content or re.search("<(text|image|rect|circle|ellipse|use)", content):
        return group[0]
    matrix = QTransform(*map(float, group["matrix"].split(",")))
    if not matrix.isScaling():
        return group[0]

    def point(pair: re.Match[str]) -> str:
        x, y = matrix.map(float(pair[1]), float(pair[2]))
        return f"{x:.6g},{y:.6g}"

    shapes = re.sub(r' (d|points)="[^"]*"', lambda shape: _POINT.sub(point, shape[0]), content)
    return f'transform="matrix(1,0,0,1,0,0)"{group["rest"]}{shapes}</g>'


class Clips(QObject):
    """Keeps tables and plots within their frames: Qt writes everything that they paint, also what no window shows.

    While the page is painted, each viewport gets a mark before and behind it, which `put_into` makes groups with a
    clipping path of.

    Parameters
    ----------
    page : QWidget
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self._page = page
        self._frames: list[QRect] = []
        self._within = False
        self._viewports = [area.viewport() for area in page.findChildren(QAbstractScrollArea)]
        for viewport in self._viewports:
            viewport.installEventFilter(self)

    def eventFilter(self, viewport: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Paint or self._within or not isinstance(viewport, QWidget):
            return False
        self._mark(viewport, f"clip {len(self._frames)}")
        self._frames.append(QRect(viewport.mapTo(self._page, QPoint()), viewport.size()))
        self._within = True
        QCoreApplication.sendEvent(viewport, event)
        self._within = False
        self._mark(viewport, "clip end")
        return True

    def close(self) -> None:
        """Leave the page alone again."""
        for viewport in self._viewports:
            viewport.removeEventFilter(self)

    def put_into(self, svg: str, factor: float) -> str:
        """The picture with clipping paths.

        Parameters
        ----------
        svg : str
        factor : float
            How much smaller than on the screen the page is in it.
        """

        def frame(mark: re.Match[str]) -> str:
            if mark[1] == "end":
                return "</g></g><g>"
            x, y, width, height = (side * factor for side in self._frames[int(mark[1])].getRect())
            shape = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'
            name = f"frame{mark[1]}"
            return f'</g><clipPath id="{name}">{shape}</clipPath><g clip-path="url(#{name})"><g>'

        return _MARK.sub(frame, svg)

    @staticmethod
    def _mark(viewport: QWidget, text: str) -> None:
        painter = QPainter(viewport)
        painter.setPen(QColor(1, 2, 3))  # another than before, so that the mark stands in a group of its own
        painter.drawText(0, 0, _SIGN + text)
        painter.end()


_SIGN = "transformer-explorer "
_MARK = re.compile(rf"<text [^>]*>{_SIGN}clip (\w+)</text>")
