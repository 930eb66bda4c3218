"""ziamath, which typesets formulas, with rows that are typeset only once.

ziamath typesets each row of a formula twice: first to find its height, for brackets that grow with it. For rows inside
rows that made eight or sixteen times, and a fraction with indices took 0.1 s. Few rows have such brackets.
"""

from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

import ziamath
from ziamath import Latex, operators
from ziamath.nodes.mrow import Mrow

__all__ = ["Latex"]

# With SVG 2 a glyph is defined once and used by reference, which QtSvg shows clipped.
ziamath.config.svg2 = False


def _grows(part: Element) -> bool:
    """Whether it is an operator, such as a bracket, that is as high as its row."""
    said = part.get("stretchy")
    return part.tag in ("mo", "mi") and (said != "false" if said is not None else _usually_grows(part.text or ""))


@cache
def _usually_grows(operator: str) -> bool:
    given = [operators.get_params(operator.strip(), form) for form in ("prefix", "infix", "postfix")]
    return any(one.get("stretchy", "false") != "false" for one in given)


class Row(Mrow, tag="mrow"):  # this tag makes ziamath use this class in place of its own
    """A row of a formula, typeset once if nothing in it grows."""

    def _get_height_nostretch(self, line: list[Element], **kwargs: Any) -> tuple[float, float]:
        # Only growing operators use it, and not while a row around this one is measured.
        if kwargs.get("nostretch") or not any(_grows(part) for child in line for part in child.iter()):
            return 0.0, 0.0
        found: tuple[float, float] = super()._get_height_nostretch(line, **kwargs)
        return found
