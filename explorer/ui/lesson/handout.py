"""A lesson on paper: steps with words and pictures, questions with room to write, and the answers at the end."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate
from math import ceil, inf
from pathlib import Path

from PySide6.QtCore import QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QFontMetricsF,
    QImage,
    QPageLayout,
    QPageSize,
    QPaintDevice,
    QPainter,
    QPdfWriter,
    QTextDocument,
)
from PySide6.QtWidgets import QApplication

from explorer import PROGRAM
from explorer.core.derivation import Row
from explorer.core.engine import Engine
from explorer.core.frozen import Frozen
from explorer.core.numbers import written
from explorer.document.state import State
from explorer.files import write_file
from explorer.lessons import prose
from explorer.lessons.answers import place_named, right_places
from explorer.lessons.mistakes import array_of
from explorer.lessons.prose import numbers_of
from explorer.lessons.replay import way_named
from explorer.lessons.schema import Choose, Lesson, MakeSo, Point, Predict, Step
from explorer.lessons.walk import MISSING, Walk, faded, ladder
from explorer.ui.appearance import Appearance
from explorer.ui.lesson.step_pictures import MARGIN, NARROW, SHARP, pictures_of_step
from explorer.ui.render import in_memory, png_of
from explorer.ui.widgets.names import set_names

DPI = 96
LINES = 2
"""Lines to write on below a question that is answered in words or by a number."""
GAP = "________"
BETWEEN = 4
"""Pixels between two steps on a page."""
PICTURE, BESIDE = 640, 0.46
"""The greatest width of a picture on the page, in pixels; and the share of the page for a picture beside the words."""
SIZES = 0.72, 0.68, 0.64
"""Sizes of pictures relative to the screen: their letters have 8 points on paper, or 7 where that saves a page."""
ANSWERS = 8.0, 7.5
"""Points of the letters of answers; the smaller ones where they save a page."""
LOWER = 24
"""A picture keeps its place beside the words unless another one makes the step lower by so many pixels."""
GUTTER = 24
"""Pixels between two columns."""
LINE = 38
"""The length, in letters, of a line to write on."""
_STYLE = """
body { font-family: sans-serif; font-size: 9.5pt; line-height: 1.2; color: #1b2430; background: #ffffff; }
main { max-width: 46em; margin: 0 auto; }
h1, .h1 { font-size: 18pt; font-weight: bold; margin: 0 0 6px 0; }
h2, .h2 { font-size: 12pt; font-weight: bold; margin: 8px 0 2px 0; page-break-after: avoid; }
.of { font-size: 9pt; font-weight: bold; margin: 0; }
p { margin: 0 0 4px 0; }
.columns { columns: 2 20em; column-gap: 2em; }
.columns > div { break-inside: avoid; }
.muted { color: #5b6472; }
.ask { font-weight: bold; margin-top: 8px; }
.picture { line-height: 1; margin: 6px 0; }
img { max-width: 100%; }
.lines { overflow: hidden; }
.lines, .value { white-space: nowrap; }
@media print { section { break-inside: avoid; } }
@media screen and (max-width: 40em) {
  body { font-size: 11pt; }
  .beside > tbody > tr > td { display: block; width: auto; padding: 0; }
}
"""


class Part(Frozen):
    """A step on paper."""

    # `heading`, `words`: HTML.
    heading: str
    words: str
    picture: QImage | None  # stands beside the words, if it is narrow enough
    question: str  # HTML, with room to write; "" if the step asks nothing
    answer: str  # HTML; "" if the step asks nothing
    wide: QImage | None = None  # the same for below the words, with its parts side by side


def parts(lesson: Lesson, appearance: Appearance) -> Iterator[Part]:
    """The steps of a lesson for paper, one at a time, because drawing each takes a moment.

    Raises `ExplorerError` if a step cannot be shown.
    """
    walk = Walk(lesson)  # with its own random numbers for questions that need them
    above: list[QImage] = []
    for number, step in enumerate(lesson.steps):
        engine = walk.engine(number)
        numbers = numbers_of(step, engine)
        pictures = [*pictures_of_step(appearance, lesson, number, walk.state(number))]
        above, pictures = pictures, [] if pictures == above else pictures  # not twice below each other
        yield Part(
            f"{number + 1}. {escape(step.title)}",
            prose.html(step.paper or step.words, numbers),
            next(iter(pictures), None),
            _asked(step, engine, numbers, order := walk.order(number) if isinstance(step.question, Choose) else ()),
            _answer(step, walk.state(number), engine, numbers, order),
            next(reversed(pictures), None),
        )


def draw(lesson: Lesson) -> list[Part]:
    """The steps of a lesson for paper, without an open window."""
    app = QApplication.instance() or QApplication(["explorer"])
    assert isinstance(app, QApplication)
    return list(parts(lesson, Appearance(app, "light")))


def _asked(step: Step, engine: Engine, numbers: dict[str, str], order: tuple[int, ...]) -> str:
    question = step.question
    if question is None:
        return ""
    asked = f"<div class='ask'>{prose.html(question.paper or question.ask, numbers)}</div>"
    if isinstance(question, Choose):
        texts = (prose.html(question.choices[i].text, numbers) for i in order)
        rows = "".join(
            f"<tr><td valign='top'>☐&nbsp;{_letter(place)}&nbsp;</td><td>{text}</td></tr>"
            for place, text in enumerate(texts)
        )
        return f"{asked}<table>{rows}</table>"
    if isinstance(question, Predict) and question.fade:
        return asked + _derived([row for _, part in faded(question, engine).parts for row in part])
    if isinstance(question, Point):
        return asked + "<p class='muted'>Mark it in the picture.</p>"
    return asked + "<p class='lines'>" + "<br>".join(["&nbsp;" + "_" * LINE] * LINES) + "</p>"


def _answer(step: Step, state: State, engine: Engine, numbers: dict[str, str], order: tuple[int, ...]) -> str:
    question = step.question
    match question:
        case Predict():
            *_, last = ladder(question, engine)
            rows = [row for _, part in last for row in part] if not isinstance(last, str) else []
            number = float(array_of(engine, question.node, question.of)[question.cell])
            said = (
                _derived(rows) if rows else f"<p>{written(number, question.digits)}</p>"
            )  # an input has no derivation
        case Choose():
            shown = ((_letter(place), question.choices[i]) for place, i in enumerate(order))
            right = [text for letter, one in shown if one.right for text in (f"{letter} {one.text}", one.why) if text]
            said = "".join(prose.html(text, numbers) for text in right)
        case Point():
            places = [place_named(question, place, engine) for place in right_places(question, engine)]
            said = f"<p>{escape(' or '.join(places))}</p>"
        case MakeSo():
            said = f"<p>{escape(way_named(question, state, engine))}</p>"
        case _:
            return ""
    return said + (prose.html(question.why, numbers) if question.why else "")


def _letter(place: int) -> str:
    """The letter before a choice, by which the answers name it: “a)”, “b)” and so on."""
    return f"{chr(ord('a') + place)})"


def _derived(rows: Sequence[Row]) -> str:
    """A derivation as a table; a gap is a line to write on."""
    told = "".join(
        f"<tr><td>{escape(row.label)}&nbsp;&nbsp;</td>"
        f"<td>{escape(row.expression).replace(MISSING, GAP)}&nbsp;&nbsp;</td>"
        f"<td class='value' align='right'>{'= ' * bool(row.value)}{escape(row.value).replace(MISSING, GAP)}</td></tr>"
        for row in rows
    )
    return f"<table>{told}</table>"


def html(lesson: Lesson, parts: Sequence[Part]) -> str:
    """A hand-out as one HTML file that contains everything."""
    steps = "".join(_section(part, SIZES[0])[0] for part in parts)
    for picture in (one for part in parts for one in _pictures(part)):
        data = f"data:image/png;base64,{b64encode(png_of(picture)).decode()}"
        steps = steps.replace(f"src='{_named(picture)}'", f"src='{data}'")
    answers = "".join(f"<div>{one}</div>" for one in _answers(parts))
    if answers:
        size = f"style='font-size: {ANSWERS[0]}pt'"
        answers = f"<h2 style='page-break-before: always'>Answers</h2><div class='columns' {size}>{answers}</div>"
    return (
        f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{escape(lesson.title)}</title>"
        f"<meta name='generator' content='{PROGRAM}'>"
        f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style></head>"
        f"<body><main>{_title(lesson)}{steps}{answers}</main></body></html>"
    )


def pdf(lesson: Lesson, parts: Sequence[Part]) -> bytes:
    """A hand-out as a PDF, on A4."""
    buffer = in_memory()
    writer = QPdfWriter(buffer)
    writer.setTitle(lesson.title)
    writer.setCreator(PROGRAM)
    writer.setResolution(DPI)
    margins = QMarginsF(18, 14, 18, 14)
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, margins, QPageLayout.Unit.Millimeter
        )
    )
    paper = _Paper(writer)
    title = _title(lesson)
    above = _document(title, paper.width, (), writer).size().height() + BETWEEN
    ways = [
        _Way(
            [_section(part, size, writer) for part in parts],
            [_narrow_section(part, size, paper.half, writer) for part in parts],
        )
        for size in SIZES
    ]
    for number, (way, bands) in enumerate(_pages([way.heights for way in ways], paper.room + BETWEEN, above)):
        paper.begin_page()
        for band in bands:
            paper.add_band(ways[way], band, parts, "" if number or band.first else title)
    if answers := list(_answers(parts)):
        paper.add_columns("<h2>Answers</h2>", answers)
    paper.end()
    del paper, writer  # this completes the file
    return bytes(buffer.data().data())


class _Way(Frozen):
    """The steps in one size of their pictures, as HTML with heights: as wide as the page, and half as wide.

    None: the picture of the step is too wide for that.
    """

    wide: Sequence[tuple[str, float]]
    narrow: Sequence[tuple[str, float] | None]

    @property
    def heights(self) -> "_Heights":
        """What the steps take of a page, with the gap below each."""
        return _Heights(
            [high + BETWEEN for _, high in self.wide],
            [inf if one is None else one[1] + BETWEEN for one in self.narrow],
        )


class _Heights(Frozen):
    """The heights of the steps as wide as the page, and half as wide; infinite if a step cannot be so narrow."""

    wide: Sequence[float]
    narrow: Sequence[float]


class _Band(Frozen):
    """Steps on a page, by their places: one as wide as the page, or two columns of them."""

    first: int
    right: int  # the first one of the right column; `first`: there are no columns
    behind: int


class _Paper:
    """The pages of a PDF, from the first on."""

    def __init__(self, writer: QPdfWriter) -> None:
        self._writer, self._painter = writer, QPainter(writer)
        self._foot = QFontMetricsF(self._painter.font(), writer).height() * 1.4
        self.width, self.room = writer.width(), writer.height() - self._foot
        self.half = (self.width - GUTTER) / 2
        self._page, self._top = 1, 0.0

    def add_band(self, way: _Way, band: _Band, parts: Sequence[Part], title: str) -> None:
        """Add the steps of a band below what is on this page, and above them a title if there is one."""
        if band.right == band.first:
            self.add(title + way.wide[band.first][0], _pictures(parts[band.first]))
            return
        if title:
            self.add(title)
        top = self._top
        for x, places in (
            (0.0, range(band.first, band.right)),
            (self.half + GUTTER, range(band.right, band.behind)),
        ):
            y = top
            for place in places:
                section = way.narrow[place]
                assert section is not None
                self._draw(_document(section[0], self.half, _pictures(parts[place]), self._writer), x, y, 0, self.room)
                y += section[1] + BETWEEN
            self._top = max(self._top, y)

    def add(self, piece: str, pictures: Sequence[QImage] = ()) -> None:
        """Add a piece below those on this page; one that does not fit is continued on the next page."""
        document = _document(piece, self.width, pictures, self._writer)
        high = document.size().height()
        if high > self.room:
            document.setPageSize(QSizeF(self.width, self.room))
            high = document.size().height()  # more, where a picture goes to the next page
        for number in range(document.pageCount()):
            if number:
                self.begin_page()
            self._draw(document, 0, self._top, number * self.room, self.room)
            self._top += min(high - number * self.room, self.room) + BETWEEN

    def add_columns(self, heading: str, pieces: Sequence[str]) -> None:
        """Add pieces in two columns, on pages of their own, below a heading."""
        self.begin_page()
        self.add(heading)
        wide = self.half
        ways = []
        for letters in ANSWERS:
            # Paragraphs do not inherit a size in Qt.
            style = f"<style>p, td {{ font-size: {letters}pt; }}</style>"
            documents = [_document(style + piece, wide, (), self._writer) for piece in pieces]
            heights = [one.size().height() + 2 * BETWEEN for one in documents]
            ways.append((documents, list(_columns(heights, self.room - self._top, self.room))))
        documents, columns = min(ways, key=lambda way: len(way[1]))
        for number, counts in enumerate(columns):
            if number:
                self.begin_page()
            top = self._top
            for column, count in enumerate(counts):
                y = top
                for document in documents[:count]:
                    self._draw(document, column * (wide + GUTTER), y, 0, self.room)
                    y += document.size().height() + 2 * BETWEEN
                    self._top = max(self._top, y)
                del documents[:count]

    def begin_page(self) -> None:
        """End this page, unless nothing is on it."""
        if self._top:
            self._number()
            self._writer.newPage()
            self._page, self._top = self._page + 1, 0.0

    def end(self) -> None:
        """End the last page."""
        self._number()
        self._painter.end()

    def _number(self) -> None:
        below = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
        self._painter.drawText(QRectF(0, self.room, self.width, self._foot), below, str(self._page))

    def _draw(self, document: QTextDocument, x: float, y: float, begin: float, high: float) -> None:
        """Draw the lines of a document from `begin` on, in a height."""
        self._painter.save()
        self._painter.translate(x, y - begin)
        document.drawContents(self._painter, QRectF(0, begin, document.textWidth(), high))
        self._painter.restore()


def _pages(ways: Sequence[_Heights], room: float, above: float = 0.0) -> list[tuple[int, tuple[_Band, ...]]]:
    """How steps go on as few pages as they can: for each page a way and what stands below each other.

    Among equals, the first ways, pages without columns and full first pages are best. A step that is higher than a page
    begins one.

    `ways`: the heights of all steps, for each way to print them.
    `room`: the height of a page.
    `above`: what stands above the steps on the first page.
    """
    count = len(ways[0].wide)
    best: list[tuple[int, int, list[tuple[int, tuple[_Band, ...]]]]] = [(0, 0, [])] * (count + 1)
    for first in reversed(range(count)):
        found = []
        for way, heights in enumerate(ways):
            for taken, behind, bands in _page(heights, first, room, 0.0 if first else above):
                pages, loss, rest = best[behind]
                columns = any(band.right > band.first for band in bands)
                loss += (way + len(ways) * columns) * (behind - first)
                found.append((pages + taken, loss, -behind, [(way, bands), *rest]))
        pages, loss, _, chosen = min(found, key=lambda one: one[:3])
        best[first] = pages, loss, chosen
    return best[0][2]


def _page(heights: _Heights, first: int, room: float, above: float) -> Iterator[tuple[int, int, tuple[_Band, ...]]]:
    """What may stand on a page that begins with a step: how many pages it takes, the step behind it, and its bands."""
    yield from ((1, behind, bands) for behind, bands in _bands(heights, first, room, above))
    whole = above + heights.wide[first]
    if whole > room:  # goes on on the next page, which has then so much room less
        taken = ceil(whole / room)
        band = _Band(first, first, first + 1)
        yield taken, first + 1, (band,)
        for behind, bands in _bands(heights, first + 1, room, whole - (taken - 1) * room):
            yield taken, behind, (band, *bands)


def _bands(heights: _Heights, first: int, room: float, above: float) -> Iterator[tuple[int, tuple[_Band, ...]]]:
    """What fits on a page from a step on: the step behind it, and the bands.

    Columns are only where there is no room for all of these steps as wide as the page; then all is as low as it can be.
    """
    count = len(heights.wide)
    lowest: dict[int, tuple[float, tuple[_Band, ...]]] = {first: (above, ())}
    for at in range(first, count):
        if at not in lowest:
            continue
        high, bands = lowest[at]
        ends = [(at + 1, at, heights.wide[at]), *_two_columns(heights.narrow, at, room - high)]
        for behind, right, more in ends:
            if high + more <= room and (behind not in lowest or high + more < lowest[behind][0]):
                lowest[behind] = high + more, (*bands, _Band(at, right, behind))
    plain = above
    for behind in range(first + 1, count + 1):
        plain += heights.wide[behind - 1]
        if plain <= room:
            yield behind, tuple(_Band(at, at, at + 1) for at in range(first, behind))
        elif behind in lowest:
            yield behind, lowest[behind][1]


def _two_columns(narrow: Sequence[float], first: int, room: float) -> Iterator[tuple[int, int, float]]:
    """Two columns that fit into a height: the step behind them, the first one of the right column, and their height."""
    for behind in range(first + 2, len(narrow) + 1):
        some = list(accumulate(narrow[first:behind]))
        high, right = min((max(left, some[-1] - left), at) for at, left in enumerate(some[:-1], first + 1))
        if some[-1] > 2 * room:
            return  # also where a step cannot be narrow
        if high <= room:
            yield behind, right, high


def _columns(heights: Sequence[float], first: float, room: float) -> Iterator[tuple[int, int]]:
    """How many pieces stand in the left and in the right of two columns, for each page.

    At least one stands on each page. The last columns are as low as they can be.

    `first`, `room`: the heights of the first page and of the others.
    """
    while heights:
        left = max(_fit(heights, first), 1)
        right = _fit(heights[left:], first)
        if left + right == len(heights):
            left = min(range(1, left + 1), key=lambda k: max(sum(heights[:k]), sum(heights[k:])))
            right = len(heights) - left
        yield left, right
        heights, first = heights[left + right :], room


def _fit(heights: Sequence[float], room: float) -> int:
    """How many pieces fit into a column."""
    return sum(below <= room for below in accumulate(heights))


def _document(html: str, width: float, pictures: Sequence[QImage], device: QPaintDevice | None = None) -> QTextDocument:
    document = QTextDocument()
    document.setDocumentMargin(0)
    if device is not None:
        document.documentLayout().setPaintDevice(device)
    for picture in pictures:
        document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(_named(picture)), picture)
    # Qt gives headings sizes of its own, whatever the style says.
    said = set_names(html)
    for heading in ("h1", "h2"):
        said = said.replace(f"<{heading}>", f"<p class='{heading}'>").replace(f"</{heading}>", "</p>")
    document.setHtml(f"<html><head><style>{_STYLE}</style></head><body>{said}</body></html>")
    document.setTextWidth(width)
    return document


def save(path: Path, lesson: Lesson, parts: Sequence[Part]) -> None:
    """Write a hand-out, a PDF or an HTML file by the ending of its name.

    Raises `ExplorerError`: "not-written".
    """
    content = html(lesson, parts).encode() if path.suffix.lower() == ".html" else pdf(lesson, parts)
    write_file(path, content)


def _title(lesson: Lesson) -> str:
    teaches = f"<p class='muted'>{escape(lesson.teaches[:1].upper() + lesson.teaches[1:])}</p>"
    return f"<h1>{escape(lesson.title)}</h1>{teaches * bool(lesson.teaches)}"


def _answers(parts: Sequence[Part]) -> Iterator[str]:
    return (f"<p class='of'>{part.heading}</p>{part.answer}" for part in parts if part.answer)


def _pictures(part: Part) -> list[QImage]:
    return [one for one in (part.picture, part.wide) if one is not None]


def _section(part: Part, size: float, device: QPaintDevice | None = None) -> tuple[str, float]:
    """A step as HTML, and its height; in the lowest of its forms, where that makes a difference.

    The address of a picture is `_named`.

    `size`: that of pictures, relative to the screen.
    `device`: what it is printed on.
    """
    best: tuple[str, float] | None = None
    for form in _forms(part, size):
        section = f"<section><h2>{part.heading}</h2>{form}</section>"
        wide = PICTURE if device is None else device.width()
        high = _document(section, wide, _pictures(part), device).size().height()
        if best is None or high < best[1] - LOWER:
            best = section, high
    assert best is not None
    return best


def _narrow_section(part: Part, size: float, wide: float, device: QPaintDevice) -> tuple[str, float] | None:
    """A step as HTML in a column of this width, and its height; None if its letters would be too small there."""
    found = []
    small = [_image(one, size, int(wide)) for one in _pictures(part) if SIZES[-1] * one.width() / SHARP <= wide]
    for image in small if _pictures(part) else [""]:
        section = f"<section><h2>{part.heading}</h2>{part.words}{image}{part.question}</section>"
        found.append((section, _document(section, wide, _pictures(part), device).size().height()))
    return min(found, key=lambda one: one[1], default=None)


def _forms(part: Part, size: float) -> Iterator[str]:
    """A step with its picture beside its words and question, beside its words, and between them."""
    picture = part.picture
    if picture is not None and picture.width() / SHARP <= NARROW + 2 * MARGIN:
        image = _image(picture, size, round(BESIDE * PICTURE))
        yield _beside(part.words + part.question, image)
        if part.question:
            yield _beside(part.words, image) + part.question
    below = part.wide or picture
    yield part.words + ("" if below is None else _image(below, size, PICTURE)) + part.question


def _beside(words: str, picture: str) -> str:
    apart = ("style='padding-right: 8px'", "")
    left, right = (
        f"<td valign='top' width='{share:.0%}' {pad}>" for share, pad in zip((1 - BESIDE, BESIDE), apart, strict=True)
    )
    row = f"<tr>{left}{words}</td>{right}{picture}</td></tr>"
    return f"<table class='beside' width='100%' cellpadding='0' cellspacing='0'>{row}</table>"


def _image(picture: QImage, size: float, most: int) -> str:
    said = escape(" ".join(filter(None, map(picture.text, ("Description", "Numbers")))), quote=True)
    width = min(round(size * picture.width() / SHARP), most)
    return f"<p class='picture'><img src='{_named(picture)}' width='{width}' alt='{said}'></p>"


def _named(image: QImage) -> str:
    return f"picture:{image.cacheKey()}"
