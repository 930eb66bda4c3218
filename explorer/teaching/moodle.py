"""Questions as Moodle XML (docs.moodle.org, "Moodle XML format"): a category for each question, with its variants.

A number has known mistakes as answers of 0 points, whose feedback says what was done.
"""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from explorer import PROGRAM
from explorer.teaching.items import ChoiceItem, Item, NumberItem


def moodle_xml(groups: Mapping[str, Sequence[Item]]) -> bytes:
    """A file for Moodle's import.

    `groups`: for each category the variants of one question: of these a quiz draws one, so that neighbours differ.
    """
    quiz = ET.Element("quiz")
    quiz.append(ET.Comment(f" {PROGRAM} "))
    for category, variants in groups.items():
        one = ET.SubElement(quiz, "question", type="category")
        _text(one, "category", f"$course$/top/{PROGRAM}/{category}")
        for number, item in enumerate(variants, 1):
            quiz.append(_question(item, f"{item.title} ({number})" if len(variants) > 1 else item.title))
    ET.indent(quiz)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(quiz, "utf-8")


def _question(item: Item, name: str) -> ET.Element:
    kind = "numerical" if isinstance(item, NumberItem) else "multichoice"
    one = ET.Element("question", type=kind)
    _text(one, "name", name)
    _text(one, "questiontext", item.text, "html")
    _text(one, "generalfeedback", item.why, "html")
    for tag, value in (("defaultgrade", "1"), ("penalty", "0.3333333"), ("hidden", "0"), ("idnumber", "")):
        ET.SubElement(one, tag).text = value
    for hint in item.hints:
        _text(one, "hint", hint, "html")
    if isinstance(item, NumberItem):
        _answer(one, "100", f"{item.value:.{item.digits + 4}f}", "", item.tolerance)
        for wrong in item.wrong:
            _answer(one, "0", f"{wrong.value:.{item.digits}f}", wrong.sentence, item.tolerance)
        return one
    assert isinstance(item, ChoiceItem)
    rights = sum(option.right for option in item.options)
    ET.SubElement(one, "single").text = "true" if rights == 1 else "false"
    ET.SubElement(one, "shuffleanswers").text = "true" if item.mixed else "false"
    ET.SubElement(one, "answernumbering").text = "abc"
    for option in item.options:
        answer = ET.SubElement(one, "answer", fraction=f"{100 / rights:.7g}" if option.right else "0", format="html")
        ET.SubElement(answer, "text").text = option.text
        _text(answer, "feedback", option.feedback, "html")
    return one


def _answer(question: ET.Element, fraction: str, number: str, feedback: str, tolerance: float) -> None:
    answer = ET.SubElement(question, "answer", fraction=fraction, format="moodle_auto_format")
    ET.SubElement(answer, "text").text = number
    _text(answer, "feedback", feedback, "html")
    ET.SubElement(answer, "tolerance").text = f"{tolerance:.9g}"


def _text(parent: ET.Element, tag: str, content: str, form: str = "") -> None:
    one = ET.SubElement(parent, tag, {"format": form} if form else {})
    ET.SubElement(one, "text").text = content
