"""Questions for learning platforms: as QTI 2.1, and as Moodle XML.

QTI (IMS Question and Test Interoperability, 2012) is a zip of a manifest and a file per item. Moodle XML
(docs.moodle.org, "Moodle XML format") has one category for each question, with its variants. Known mistakes become
answers of 0 points, whose feedback says what was done wrong.
"""

import io
import re
import xml.etree.ElementTree as ET
import zipfile
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

    `groups`: for each category the variants of one question. A quiz draws one of them, so neighbours get different
    numbers. `draw`: makes a picture of a matrix, which is stored in the file, with its numbers as alternative text;
    without it, matrices are tables.
    """
    quiz = ET.Element("quiz")
    quiz.append(ET.Comment(f" {PROGRAM} "))
    for category, variants in groups.items():
        one = ET.SubElement(quiz, "question", type="category")
        _text(one, "category", f"$course$/top/{PROGRAM}/{category}")
        for number, item in enumerate(variants, 1):
            name = item.step.title  # a lecturer finds it by that; students do not see it
            quiz.append(_question(item, f"{name} ({number})" if len(variants) > 1 else name, draw))
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


QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
CONTENT = "http://www.imsglobal.org/xsd/imscp_v1p1"
_STAMP = (1980, 1, 1, 0, 0, 0)  # a fixed time, so that the same questions give the same bytes


def qti_zip(items: Sequence[Item]) -> bytes:
    """A content package to import into a learning platform."""
    files = {f"item-{number:03}.xml": _item(item, f"item-{number:03}") for number, item in enumerate(items, 1)}
    files["imsmanifest.xml"] = _manifest(list(files))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, root in files.items():
            content = b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "utf-8")
            archive.writestr(zipfile.ZipInfo(name, _STAMP), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _manifest(names: Sequence[str]) -> ET.Element:
    root = ET.Element("manifest", {"xmlns": CONTENT, "identifier": "questions"})
    root.append(ET.Comment(f" {PROGRAM} "))
    about = ET.SubElement(root, "metadata")
    ET.SubElement(about, "schema").text = "QTIv2.1 Package"
    ET.SubElement(about, "schemaversion").text = "1.0.0"
    ET.SubElement(root, "organizations")
    resources = ET.SubElement(root, "resources")
    for name in names:
        given = {"identifier": name.removesuffix(".xml"), "type": "imsqti_item_xmlv2p1", "href": name}
        ET.SubElement(ET.SubElement(resources, "resource", given), "file", {"href": name})
    return root


def _item(item: Item, identifier: str) -> ET.Element:
    given = {"xmlns": QTI, "identifier": identifier, "title": item.title, "adaptive": "false", "timeDependent": "false"}
    root = ET.Element("assessmentItem", {**given, "toolName": PROGRAM})
    if isinstance(item, NumberItem):
        _number(root, item)
    elif isinstance(item, ChoiceItem):
        _choice(root, item)
    return root


def _number(root: ET.Element, item: NumberItem) -> None:
    body = _asks(root, item, "float", f"{item.value:.{item.digits + 4}f}")
    ET.SubElement(
        ET.SubElement(body, "p"), "textEntryInteraction", {"responseIdentifier": "RESPONSE", "expectedLength": "12"}
    )
    rule = ET.SubElement(ET.SubElement(root, "responseProcessing"), "responseCondition")
    right = ET.SubElement(rule, "responseIf")
    _where_equal(right, f"{item.value:.{item.digits + 4}f}", item.tolerance, "1", "right")
    for number, wrong in enumerate(item.wrong, 1):
        branch = ET.SubElement(rule, "responseElseIf")
        _where_equal(branch, f"{wrong.value:.{item.digits}f}", item.tolerance, "0", f"mistake-{number}")
    for number, wrong in enumerate(item.wrong, 1):
        _feedback(root, f"mistake-{number}", ET.fromstring(f"<p>{escape(wrong.sentence, quote=False)}</p>"))
    if item.why:
        _feedback(root, "right", _xhtml(item.why))


def _choice(root: ET.Element, item: ChoiceItem) -> None:
    rights = [f"choice-{number}" for number, option in enumerate(item.options, 1) if option.right]
    body = _asks(root, item, "identifier", rights[0])
    asked = {"responseIdentifier": "RESPONSE", "shuffle": str(item.mixed).lower(), "maxChoices": "1"}
    interaction = ET.SubElement(body, "choiceInteraction", asked)
    for number, option in enumerate(item.options, 1):
        choice = ET.SubElement(interaction, "simpleChoice", {"identifier": f"choice-{number}"})
        choice.append(_xhtml(option.text))
        if option.feedback:
            told = {"outcomeIdentifier": "FEEDBACK", "identifier": f"choice-{number}", "showHide": "show"}
            ET.SubElement(choice, "feedbackInline", told).append(_inline(option.feedback))
    processing = ET.SubElement(root, "responseProcessing")
    right = ET.SubElement(ET.SubElement(processing, "responseCondition"), "responseIf")
    any_of = ET.SubElement(right, "or")  # where several are right, each of them answers the question
    for identifier in rights:
        same = ET.SubElement(any_of, "match")
        ET.SubElement(same, "variable", {"identifier": "RESPONSE"})
        ET.SubElement(same, "baseValue", {"baseType": "identifier"}).text = identifier
    _set(right, "SCORE", "float", "1")
    chosen = ET.SubElement(processing, "setOutcomeValue", {"identifier": "FEEDBACK"})
    ET.SubElement(chosen, "variable", {"identifier": "RESPONSE"})


def _asks(root: ET.Element, item: Item, kind: str, right: str) -> ET.Element:
    """Declare the response of a question, its right value and its outcomes; returns the body with the question."""
    response = ET.SubElement(
        root, "responseDeclaration", {"identifier": "RESPONSE", "cardinality": "single", "baseType": kind}
    )
    ET.SubElement(ET.SubElement(response, "correctResponse"), "value").text = right
    for name, of in (("SCORE", "float"), ("FEEDBACK", "identifier")):
        ET.SubElement(root, "outcomeDeclaration", {"identifier": name, "cardinality": "single", "baseType": of})
    body = ET.SubElement(root, "itemBody")
    body.append(_xhtml(item.text))
    return body


def _where_equal(parent: ET.Element, number: str, tolerance: float, score: str, feedback: str) -> None:
    """The score and the feedback where a number is given."""
    size = f"{tolerance:.9g}"
    equal = ET.SubElement(parent, "equal", {"toleranceMode": "absolute", "tolerance": f"{size} {size}"})
    ET.SubElement(equal, "variable", {"identifier": "RESPONSE"})
    ET.SubElement(equal, "baseValue", {"baseType": "float"}).text = number
    _set(parent, "SCORE", "float", score)
    _set(parent, "FEEDBACK", "identifier", feedback)


def _set(parent: ET.Element, outcome: str, kind: str, value: str) -> None:
    one = ET.SubElement(parent, "setOutcomeValue", {"identifier": outcome})
    ET.SubElement(one, "baseValue", {"baseType": kind}).text = value


def _feedback(root: ET.Element, identifier: str, content: ET.Element) -> None:
    given = {"outcomeIdentifier": "FEEDBACK", "identifier": identifier, "showHide": "show"}
    ET.SubElement(root, "modalFeedback", given).append(content)


def _xhtml(html: str) -> ET.Element:
    """Our own HTML, whose tables and words are valid XML, as an element. QTI has no styles, and rows only in a body."""
    html = html.replace("<br>", "<br/>").replace("&nbsp;", "&#160;")
    html = html.replace("<table>", "<table><tbody>").replace("</table>", "</tbody></table>")
    return ET.fromstring(f"<div>{_STYLE.sub('', html)}</div>")


def _inline(html: str) -> ET.Element:
    return ET.fromstring(f"<span>{escape(''.join(_xhtml(html).itertext()), quote=False)}</span>")


_STYLE = re.compile(r' style="[^"]*"')
