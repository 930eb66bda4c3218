"""A lesson on paper: steps with words and pictures, questions with room to write, and the answers at the end."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import QFontMetricsF, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QApplication

from explorer import PROGRAM
from explorer.core.derivation import Row
from explorer.core.engine import Engine
from explorer.core.frozen import Frozen
from explorer.core.numbers import written
from explorer.files import write_file
from explorer.lessons import prose
from explorer.lessons.answers import goal_named, place_named, right_places
from explorer.lessons.mistakes import array_of
from explorer.lessons.practice import MISSING, faded
from explorer.lessons.prose import numbers_of
from explorer.lessons.schema import Lesson
from explorer.lessons.steps import Choose, MakeSo, Point, Predict, Step
from explorer.lessons.walk import Walk, ladder
from explorer.ui.appearance import Appearance
from explorer.ui.lesson.step_pictures import MARGIN, NARROW, SHARP, picture_of_step
from explorer.ui.widgets.names import set_names

DPI = 96
LINES = 2
"""Lines to write on below a question that is answered in words or by a number."""
GAP = "________"
BETWEEN = 4
"""Pixels between two steps on a page."""
PICTURE, BESIDE = 640, 0.46
"""The greatest width of a picture on the page, in pixels; and the share of the page for a picture beside the words."""
SMALLER = 0.72
"""The size of pictures relative to the screen: their letters have 8 points on paper."""
LINE = 38
"""The length, in letters, of a line to write on."""
_STYLE = """
body { font-family: sans-serif; font-size: 9.5pt; line-height: 1.2; color: #1b2430; background: #ffffff; }
main { max-width: 46em; margin: 0 auto; }
h1 { font-size: 20pt; margin: 0 0 6pt 0; }
h2 { font-size: 12pt; margin: 8px 0 2px 0; page-break-after: avoid; }
.of { font-size: 9pt; font-weight: bold; margin: 0; }
p { margin: 0 0 3pt 0; }
.answers { font-size: 8pt; }
.muted { color: #5b6472; }
.ask { font-weight: bold; margin-top: 8px; }
.picture { line-height: 1; margin: 6px 0; }
img { max-width: 100%; }
.lines { overflow: hidden; }
.lines, .value { white-space: nowrap; }
@media print { section { break-inside: avoid; } }
"""


class Part(Frozen):
    """A step on paper."""

    # `heading`, `words`: HTML.
    heading: str
    words: str
    picture: QImage | None
    question: str  # HTML, with room to write; "" if the step asks nothing
    answer: str  # HTML; "" if the step asks nothing


def parts(lesson: Lesson, appearance: Appearance) -> Iterator[Part]:
    """The steps of a lesson for paper, one at a time, because drawing each takes a moment.

    Raises `ExplorerError` if a step cannot be shown.
    """
    walk = Walk(lesson)  # with its own random numbers for questions that need them
    for number, step in enumerate(lesson.steps):
        engine = walk.engine(number)
        numbers = numbers_of(step, engine)
        picture = picture_of_step(appearance, lesson, number, walk.state(number))
        yield Part(
            f"{number + 1}. {escape(step.title)}",
            prose.html(step.words, numbers),
            picture,
            _asked(step, engine, numbers, order := walk.order(number) if isinstance(step.question, Choose) else ()),
            _answer(step, engine, numbers, order),
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
    asked = f"<div class='ask'>{prose.html(question.ask, numbers)}</div>"
    if isinstance(question, Choose):
        texts = (prose.html(question.choices[i].text, numbers) for i in order)
        rows = "".join(
            f"<tr><td valign='top'>☐&nbsp;{_letter(place)}&nbsp;</td><td>{text}</td></tr>"
            for place, text in enumerate(texts)
        )
        return f"{asked}<table>{rows}</table>"
    if isinstance(question, Predict) and question.fade:
        asked += _derived([row for _, part in faded(question, engine).parts for row in part])
    if isinstance(question, Point):
        return asked + "<p class='muted'>Mark it in the picture.</p>"
    return asked + "<p class='lines'>" + "<br>".join(["&nbsp;" + "_" * LINE] * LINES) + "</p>"


def _answer(step: Step, engine: Engine, numbers: dict[str, str], order: tuple[int, ...]) -> str:
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
            goals = "; ".join(goal_named(condition, engine) for condition in question.conditions)
            said = f"<p>Any change is right that leads to this: {escape(goals)}.</p>"
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
    return _page(lesson, parts, lambda number, image: f"data:image/png;base64,{b64encode(_png(image)).decode()}")


def pdf(lesson: Lesson, parts: Sequence[Part]) -> bytes:
    """A hand-out as a PDF, on A4."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
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
    painter = QPainter(writer)
    foot = QFontMetricsF(painter.font(), writer).height() * 2
    width, room = writer.width(), writer.height() - foot
    page, top = 1, 0.0

    def end_page() -> None:
        below = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
        painter.drawText(QRectF(0, room, width, foot), below, str(page))

    steps, answers = _pieces(lesson, parts, lambda number, image: f"step:{number}")
    for piece in (*steps, *answers):
        document = QTextDocument()
        document.setDocumentMargin(0)
        document.documentLayout().setPaintDevice(writer)
        for number, part in enumerate(parts):
            if part.picture is not None:
                document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(f"step:{number}"), part.picture)
        document.setHtml(f"<html><head><style>{_STYLE}</style></head><body>{set_names(piece)}</body></html>")
        document.setTextWidth(width)
        high = document.size().height()
        if high > room:
            document.setPageSize(QSizeF(width, room))
            high = document.size().height()  # more, where a picture goes to the next page
        for part_of in range(document.pageCount()):
            # A step that fits on one page is never split.
            if top and (part_of or top + high > room or [piece] == answers[:1]):
                end_page()
                writer.newPage()
                page, top = page + 1, 0.0
            painter.save()
            painter.translate(0, top - part_of * room)
            document.drawContents(painter, QRectF(0, part_of * room, width, room))
            painter.restore()
            top += min(high - part_of * room, room) + BETWEEN
    end_page()
    painter.end()
    del writer  # this completes the file
    return bytes(buffer.data().data())


def save(path: Path, lesson: Lesson, parts: Sequence[Part]) -> None:
    """Write a hand-out, a PDF or an HTML file by the ending of its name.

    Raises `ExplorerError`: "not-written".
    """
    content = html(lesson, parts).encode() if path.suffix.lower() == ".html" else pdf(lesson, parts)
    write_file(path, content)


def _page(lesson: Lesson, parts: Sequence[Part], source: Callable[[int, QImage], str]) -> str:
    steps, answers = _pieces(lesson, parts, source)
    return (
        f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{escape(lesson.title)}</title>"
        f"<meta name='generator' content='{PROGRAM}'>"
        f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style></head>"
        f"<body><main>{''.join((*steps, *answers))}</main></body></html>"
    )


def _pieces(lesson: Lesson, parts: Sequence[Part], source: Callable[[int, QImage], str]) -> tuple[list[str], list[str]]:
    """The title with the steps, and the answers, as HTML; each piece should stay on one page."""
    teaches = (
        f"<p class='muted'>{escape(lesson.teaches[:1].upper() + lesson.teaches[1:])}</p>" if lesson.teaches else ""
    )
    steps = [_section(number, part, source) for number, part in enumerate(parts)]
    each = [f"<p class='of'>{part.heading}</p>{part.answer}" for part in parts if part.answer]
    answers = [_abreast(*each[i : i + 2]) for i in range(0, len(each), 2)]
    steps[:1] = [f"<h1>{escape(lesson.title)}</h1>{teaches}{''.join(steps[:1])}"]
    answers[:1] = [f"<h2 style='page-break-before: always'>Answers</h2>{one}" for one in answers[:1]]
    return steps, answers


def _abreast(left: str, right: str = "") -> str:
    """Two answers side by side: most are short."""
    cells = "".join(f"<td valign='top' width='50%'>{one}</td>" for one in (left, right))
    return f"<table class='answers' width='100%' cellpadding='2'><tr>{cells}</tr></table>"


def _section(number: int, part: Part, source: Callable[[int, QImage], str]) -> str:
    picture = ""
    if part.picture is not None:
        said = escape(part.picture.text("Description"), quote=True)
        own, room = round(part.picture.width() / SHARP), round(BESIDE * PICTURE)
        beside = own <= NARROW + 2 * MARGIN
        width = min(round(SMALLER * own), room if beside else PICTURE)
        image = f"<img src='{source(number, part.picture)}' width='{width}' alt='{said}'>"
        picture = f"<p class='picture'>{image}</p>"
        if beside:
            words, shown = (f"<td valign='top' width='{share:.0%}'>" for share in (1 - BESIDE, BESIDE))
            return (
                f"<section><h2>{part.heading}</h2><table width='100%' cellpadding='3'><tr>"
                f"{words}{part.words}{part.question}</td>{shown}{picture}</td></tr></table></section>"
            )
    return f"<section><h2>{part.heading}</h2>{part.words}{picture}{part.question}</section>"


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())
