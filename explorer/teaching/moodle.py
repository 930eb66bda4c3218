"""Questions as Moodle XML (docs.moodle.org, "Moodle XML format"): one category for each question, with its variants.

Known mistakes become answers of 0 points, whose feedback says what was done wrong.
"""

import xml.etree.ElementTree as ET
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape

from explorer import PROGRAM
from explorer.core.frozen import Frozen
from explorer.core.numbers import decimals_of, in_table
from explorer.teaching.items import ChoiceItem, Item, NumberItem, Table


class Picture(Frozen):
    """A matrix as an image, and its size on the page."""

    png: bytes
    width: int
    height: int


Draw = Callable[[Table], Picture]


def moodle_xml(groups: Mapping[str, Sequence[Item]], draw: Draw | None = None) -> bytes:
    """A file for Moodle's import.

    Parameters
    ----------
    groups : mapping of str to sequence of Item
        For each category the variants of one question. A quiz draws one of them, so neighbours get different numbers.
    draw : callable, optional
        Makes a picture of a matrix, which is stored in the file; its numbers become the picture's alternative text.
        Without it, matrices are tables.
    """
    quiz = ET.Element("quiz")
    quiz.append(ET.Comment(f" {PROGRAM} "))
    for category, variants in groups.items():
        one = ET.SubElement(quiz, "question", type="category")
        _text(one, "category", f"$course$/top/{PROGRAM}/{category}")
        for number, item in enumerate(variants, 1):
            quiz.append(_question(item, f"{item.title} ({number})" if len(variants) > 1 else item.title, draw))
    ET.indent(quiz)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(quiz, "utf-8")


def _question(item: Item, name: str, draw: Draw | None) -> ET.Element:
    kind = "numerical" if isinstance(item, NumberItem) else "multichoice"
    one = ET.Element("question", type=kind)
    _text(one, "name", name)
    _asked(one, item, draw)
    _text(one, "generalfeedback", item.why, "html")
    for tag, value in (("defaultgrade", "1"), ("penalty", "0.3333333"), ("hidden", "0"), ("idnumber", "")):
        ET.SubElement(one, tag).text = value
    for hint in item.hints:
        _text(one, "hint", hint, "html")
    if isinstance(item, NumberItem):
        _answer(one, "100", f"{item.value:.{item.digits + 4}f}", "", item.tolerance)
        for wrong in item.wrong:
            feedback = escape(wrong.sentence, quote=False)  # which names words such as <start>
            _answer(one, "0", f"{wrong.value:.{item.digits}f}", feedback, item.tolerance)
        return one
    assert isinstance(item, ChoiceItem)
    ET.SubElement(one, "single").text = "true"  # also where several are right: each of them answers the question
    ET.SubElement(one, "shuffleanswers").text = "true" if item.mixed else "false"
    ET.SubElement(one, "answernumbering").text = "abc"
    for option in item.options:
        answer = ET.SubElement(one, "answer", fraction="100" if option.right else "0", format="html")
        ET.SubElement(answer, "text").text = option.text
        _text(answer, "feedback", option.feedback, "html")
    return one


def _asked(question: ET.Element, item: Item, draw: Draw | None) -> None:
    """Add the question's text, with the pictures of its matrices as embedded files."""
    parts: list[str] = []
    files: list[ET.Element] = []
    for part in item.parts:
        if isinstance(part, str) or draw is None:
            parts.append(part if isinstance(part, str) else part.html)
            continue
        picture, name = draw(part), f"matrix-{len(files) + 1}.png"
        files.append(ET.Element("file", name=name, path="/", encoding="base64"))
        files[-1].text = b64encode(picture.png).decode()
        size = f'width="{picture.width}" height="{picture.height}"'
        parts.append(f"<p>{part.heading}</p>")
        parts.append(f'<p><img src="@@PLUGINFILE@@/{name}" {size} alt="{escape(in_words(part))}"/></p>')
    _text(question, "questiontext", "".join(parts), "html")
    question[-1].extend(files)


def in_words(table: Table) -> str:
    """All numbers of a matrix as text, in place of its picture: "row great: Pers 0.8, Anim −0.3; …"."""
    one, decimals = table.matrix, decimals_of(table.matrix.value)
    heads = one.columns or ("",) * one.value.shape[1]
    rows = []
    for i, row in enumerate(one.value.tolist()):
        cells = (f"{head} {in_table(number, decimals)}".strip() for head, number in zip(heads, row, strict=True))
        rows.append(f"{f'row {one.rows[i]}: ' if one.rows else ''}{', '.join(cells)}")
    return f"{one.name}: {'; '.join(rows)}"


def _answer(question: ET.Element, fraction: str, number: str, feedback: str, tolerance: float) -> None:
    answer = ET.SubElement(question, "answer", fraction=fraction, format="moodle_auto_format")
    ET.SubElement(answer, "text").text = number
    _text(answer, "feedback", feedback, "html")
    ET.SubElement(answer, "tolerance").text = f"{tolerance:.9g}"


def _text(parent: ET.Element, tag: str, content: str, form: str = "") -> None:
    one = ET.SubElement(parent, tag, {"format": form} if form else {})
    ET.SubElement(one, "text").text = content
