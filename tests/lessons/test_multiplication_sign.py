"""One sign of multiplication, ×: a dot in the middle of a line parts words, and stands for the dot product."""

import re

import pytest

from explorer.core.ops.geometry import Angle
from explorer.core.ops.scale import Scale
from explorer.lessons.loader import lesson_files, model_files

_DOT = re.compile(r"[0-9})]\s+·\s+[0-9{√(−-]|[0-9] · [a-zA-Z]\b")


@pytest.mark.parametrize("file", [*lesson_files().values(), *model_files().values()], ids=lambda file: file.stem)
def test_numbers_are_multiplied_by_a_cross(file):
    assert _DOT.findall(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("formula", [Scale().formula("a", "b"), Angle().formula("a")])
def test_formulas_of_ops_do_so_too(formula):
    assert r"\times" in formula
    assert "cdot" not in formula
