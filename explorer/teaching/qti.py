"""Questions as QTI 2.1 (IMS Question and Test Interoperability, 2012): a zip of a manifest and a file per item."""

import io
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Sequence

from explorer import PROGRAM
from explorer.teaching.items import ChoiceItem, Item, NumberItem

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
    else:
        assert isinstance(item, ChoiceItem)
        _choice(root, item)
    return root


def _number(root: ET.Element, item: NumberItem) -> None:
    response = ET.SubElement(
        root, "responseDeclaration", {"identifier": "RESPONSE", "cardinality": "single", "baseType": "float"}
    )
    ET.SubElement(ET.SubElement(response, "correctResponse"), "value").text = f"{item.value:.{item.digits + 4}f}"
    _outcomes(root)
    body = ET.SubElement(root, "itemBody")
    body.append(_xhtml(item.text))
    ET.SubElement(
        ET.SubElement(body, "p"), "textEntryInteraction", {"responseIdentifier": "RESPONSE", "expectedLength": "12"}
    )
    rule = ET.SubElement(ET.SubElement(root, "responseProcessing"), "responseCondition")
    right = ET.SubElement(rule, "responseIf")
    _equal(right, f"{item.value:.{item.digits + 4}f}", item.tolerance)
    _set(right, "SCORE", "float", "1")
    _set(right, "FEEDBACK", "identifier", "right")
    for number, wrong in enumerate(item.wrong, 1):
        branch = ET.SubElement(rule, "responseElseIf")
        _equal(branch, f"{wrong.value:.{item.digits}f}", item.tolerance)
        _set(branch, "SCORE", "float", "0")
        _set(branch, "FEEDBACK", "identifier", f"mistake-{number}")
    for number, wrong in enumerate(item.wrong, 1):
        _feedback(root, f"mistake-{number}", ET.fromstring(f"<p>{_escaped(wrong.sentence)}</p>"))
    if item.why:
        _feedback(root, "right", _xhtml(item.why))


def _choice(root: ET.Element, item: ChoiceItem) -> None:
    rights = [f"choice-{number}" for number, option in enumerate(item.options, 1) if option.right]
    response = ET.SubElement(
        root, "responseDeclaration", {"identifier": "RESPONSE", "cardinality": "single", "baseType": "identifier"}
    )
    ET.SubElement(ET.SubElement(response, "correctResponse"), "value").text = rights[0]
    _outcomes(root)
    body = ET.SubElement(root, "itemBody")
    body.append(_xhtml(item.text))
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


def _outcomes(root: ET.Element) -> None:
    for name, kind in (("SCORE", "float"), ("FEEDBACK", "identifier")):
        given = {"identifier": name, "cardinality": "single", "baseType": kind}
        ET.SubElement(root, "outcomeDeclaration", given)


def _equal(parent: ET.Element, number: str, tolerance: float) -> None:
    size = f"{tolerance:.9g}"
    equal = ET.SubElement(parent, "equal", {"toleranceMode": "absolute", "tolerance": f"{size} {size}"})
    ET.SubElement(equal, "variable", {"identifier": "RESPONSE"})
    ET.SubElement(equal, "baseValue", {"baseType": "float"}).text = number


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
    root = _xhtml(html)
    return ET.fromstring(f"<span>{_escaped(''.join(root.itertext()))}</span>")


_STYLE = re.compile(r' style="[^"]*"')


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
