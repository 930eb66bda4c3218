"""What every op promises of its formula in a spreadsheet: it comes to the same number as `forward`.

A small interpreter of the functions that the ops use computes the formulas here; tests/export has LibreOffice do it.
"""

import re
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtr

from explorer.core import ops
from explorer.core.cell import MINUS_INFINITY, CellBlock, letters
from tests.core.ops.test_every_op import every_case, generic

FUNCTIONS = {
    "ABS": np.abs,
    "LARGE": lambda a, k: np.sort(np.ravel(a))[::-1][k - 1],
    "ROUND": lambda a, _: np.copysign(np.floor(np.abs(a) + 0.5), a),
    "ACOS": np.arccos,
    "AVERAGE": lambda *a: np.mean(np.concatenate([np.ravel(one) for one in a])),
    "COS": np.cos,
    "COUNTIF": lambda a, b: np.sum(a == b),
    "DEGREES": np.degrees,
    "EXP": np.exp,
    "IF": lambda condition, yes, no: yes if condition else no,
    "INDEX": lambda a, i: np.ravel(a)[int(i) - 1],
    "LN": np.log,
    "MATCH": lambda value, a, _: int(np.nonzero(np.ravel(a) == value)[0][0]) + 1,
    "MAX": lambda *a: max(np.max(one) for one in a),
    "MIN": lambda *a: min(np.min(one) for one in a),
    "MMULT": lambda a, b: (a @ b).item(),
    "NORMSDIST": ndtr,
    "OR": lambda *a: any(a),
    "PI": lambda: np.pi,
    "SIN": np.sin,
    "SLOPE": lambda y, x: np.cov(np.ravel(x), np.ravel(y), ddof=0)[0, 1] / np.var(x),
    "SQRT": np.sqrt,
    "STDEVP": np.std,
    "SUMIF": lambda a, condition: a[a > float(condition.removeprefix(">"))].sum(),
    "SUMPRODUCT": lambda a, b=1.0: np.sum(a * b) if np.shape(a) == np.shape(b) or np.ndim(b) == 0 else None,
    "SUMSQ": lambda a: np.sum(a * a),
    "SUMXMY2": lambda a, b: np.sum((a - b) ** 2),
    "TANH": np.tanh,
    "VARP": np.var,
}


def column_of(name):
    number = 0
    for letter in name:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def computed(formula, sheet):
    """What a formula comes to, whose references are to cells of an array."""

    def reference(match):
        left, top, right, bottom = match.groups()
        ends = int(top) - 1, column_of(left), int(bottom or top), column_of(right or left) + 1
        return f"AT({', '.join(map(str, ends))})"

    def at(top, left, bottom, right):
        area = sheet[top:bottom, left:right]
        assert area.shape == (bottom - top, right - left)
        assert not np.isnan(area).any(), "an empty cell"
        return area.item() if area.size == 1 else area

    python = re.sub(r"([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?(?![\d(])", reference, formula.replace("$", ""))
    python = re.sub(r"(?<![<>=\"])=", "==", python).replace("^", "**")
    python = re.sub(r"\{([\d,]+)\}", r"ARRAY([\1])", python)
    with np.errstate(all="ignore"):
        return eval(python, {"__builtins__": {}, "AT": at, "ARRAY": np.array, **FUNCTIONS})


def on_a_sheet(parents, masked=()):
    """Parents below one another on a sheet, every other one with its vector upright: the cells, and the blocks."""
    blocks, row = [], 2
    for i, parent in enumerate(parents):
        apart = parent.shape[-2] + 2 if parent.ndim > 2 else 0
        block = CellBlock(parent.shape, row, 27, apart, upright=parent.ndim == 1 and bool(i % 2), masked=i in masked)
        row += max(apart, 1) * int(np.prod(parent.shape[:-2])) + block.table[0] + 1
        blocks.append(block)
    sheet = np.full((row, 60), np.nan)
    for parent, block in zip(parents, blocks, strict=True):
        rows, columns = block.table
        for head, part in enumerate(
            np.where(np.isneginf(parent), float(MINUS_INFINITY), parent).reshape(-1, rows, columns)
        ):
            top = block.row + head * block.apart
            sheet[top : top + rows, block.column : block.column + columns] = part
    return sheet, blocks


def check(op, parents, masked=()):
    sheet, blocks = on_a_sheet(parents, masked)
    result = op.forward(*parents)
    for cell in np.ndindex(result.shape):
        found = computed(op.sheet(cell, *blocks), sheet)
        assert np.ndim(found) == 0
        expected = float(MINUS_INFINITY) if np.isneginf(result[cell]) else result[cell]
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-12), (op, cell, op.sheet(cell, *blocks))


@every_case
def test_the_formula_of_each_cell_comes_to_its_number(case):
    check(*generic(case))


@pytest.mark.parametrize("op", [ops.Softmax(), ops.RowShares()])
def test_masked_scores_get_no_share_also_where_a_whole_row_is_masked(op):
    z = np.array([[1.0, -np.inf, 0.5], [-np.inf] * 3])
    check(op, [z], masked=(0,))


def test_the_words_after_the_end_and_the_padding():
    check(ops.NextWords(2, pad=0), [np.array([3, 4, 2, 0, 0])])
    check(ops.NextWords(2, pad=0), [np.array([0, 4, 2])])
    check(ops.NextWords(2, (5, 4, 3, 2, 0), pad=0), [np.array([3, 4, 2])])
    check(ops.CrossEntropy(pad=1), [np.full((3, 4), 0.25), np.array([1, 1, 1])])


def test_what_is_read_whole_is_fixed_so_that_a_formula_can_be_copied_to_the_next_cell():
    x, W, b = CellBlock((2, 3), 4, 1), CellBlock((3, 2), 9, 1, sheet="'Other'!"), CellBlock((2,), 14, 1)
    op = ops.MatMul()
    assert op.sheet((0, 0), x, W, b) == "MMULT($B5:$D5,'Other'!B$10:B$12)+B$15"
    assert op.sheet((1, 1), x, W, b) == "MMULT($B6:$D6,'Other'!C$10:C$12)+C$15"
    named = CellBlock((), 20, 1, name="scale")
    assert ops.Scale().sheet((0, 1), x, named) == "C5*scale"


def test_columns_are_called_as_spreadsheets_call_them():
    names = [letters(i) for i in range(800)]
    assert names[:2] + names[25:28] + names[701:703] == ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]
    assert all(column_of(b) - column_of(a) == 1 for a, b in pairwise(names))
