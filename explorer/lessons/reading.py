"""Reading a TOML file that a person wrote: every key checked, every message naming file, key, problem and remedy."""

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from math import prod
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from explorer.checkpoints import check_form, is_checkpoint
from explorer.core.errors import ExplorerError, cut, nearest, some
from explorer.core.numbers import between
from explorer.core.ops import Array
from explorer.core.training.data import JOINERS
from explorer.core.training.recipe import BOUNDS, CHOICES, OPTIMISERS, Recipe
from explorer.files import open_file

MOST_BYTES = 1_000_000
MOST_TITLE = 120
MOST_TEXT = 4000
MOST_AXES = 4
MOST_KEYS = 64
"""The most parts of a dotted key: the time of Python's TOML reader grows with the square of their number."""
OTHERS = "it is a model that others trained, and no lesson"
"""Why the folder or file of a model is not read as a lesson."""
_NO_TOML = "it is no lesson or sheet (.toml), document (.explorer) or model"
_DEEP = re.compile(rb"""(?<![\w\\-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){%d}""" % MOST_KEYS)

_WITHOUT_JOINERS = str.maketrans("", "", JOINERS)


def can_be_shown(text: str) -> bool:
    """Whether a text holds visible characters, blanks, and joiners between them, but nothing else."""
    seen = text.translate(_WITHOUT_JOINERS)
    return seen.isprintable() and bool(seen) == bool(text)


class TomlTable:
    """One table of a file (named `file` in messages), with the keys that lead to it, its `way`.

    `step`: the step of a lesson that the table belongs to; messages then name the step, and `way` begins below it.
    """

    def __init__(self, file: str, data: Mapping[str, Any], way: tuple[str, ...] = (), step: str = "") -> None:
        self.file, self.data, self.way, self.step = file, data, way, step

    def fail(self, key: str, problem: str | ExplorerError, remedy: str) -> NoReturn:
        """Raise the error that says what is wrong at a key ("" for the table itself)."""
        written = written_key((*self.way, key) if key else self.way)
        if isinstance(problem, str):
            problem = " ".join(problem.splitlines())  # a text quoted from the file may have several lines
        if self.step:
            at = f"`{written}` " if written else ""
            raise ExplorerError("lesson-step", file=self.file, step=self.step, at=at, problem=problem, remedy=remedy)
        raise ExplorerError("lesson-key", file=self.file, key=written, problem=problem, remedy=remedy)

    def has_only(self, *known: str) -> None:
        """Raise an error if the table has an unknown key."""
        for key in self.data:
            if key not in known:
                self.fail(key, "is not a known key", likeliest(key, known, "known here"))

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def shown(self, key: str) -> str:
        """The value at a key in TOML notation, shortened."""
        return _shown(self.data[key])

    def one_of(self, key: str, known: Iterable[str], default: str | None = None) -> str:
        """A text that must be one of the known texts."""
        text, known = self.text(key, default=default), tuple(known)
        if text not in known:
            self.fail(key, f"'{_cut(text)}' is not one of its values", likeliest(text, known, "choose from"))
        return text

    def text(self, key: str, default: str | None = None, most: int = MOST_TITLE) -> str:
        """A text of one or more paragraphs; line breaks within a paragraph become blanks."""
        if key not in self.data and default is not None:
            return default
        text = self._value(key, str, "a text", '"…"')
        paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
        text = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
        if not text:
            self.fail(key, "is empty", "write a few words")
        if len(text) > most:
            self.fail(key, f"has {len(text)} characters", f"write up to {most}")
        if not can_be_shown(text.replace("\n", "")):
            self.fail(key, "holds characters that cannot be shown", "remove control characters")
        return text

    def markdown(self, key: str, default: str | None = None) -> str:
        """A text whose line breaks are kept, because they may have a meaning, as in a list."""
        self.text(key, default, MOST_TEXT)
        return str(self.data.get(key, default)).strip()

    def number(self, key: str, default: int, least: int, most: int) -> int:
        """A whole number between two bounds."""
        if key not in self.data:
            return default
        number: int = self._value(key, int, "a whole number", str(default))
        if not least <= number <= most:
            self.fail(key, f"{_shown(number)} is out of range", f"choose {between(least, most)}")
        return number

    def real(self, key: str, default: float, least: float, most: float) -> float:
        """A number between two bounds."""
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(key, f"{_shown(value)} is not a number", "write it in digits, such as 2 or 0.5")
        if not least <= value <= most:
            self.fail(key, f"{_shown(value)} is out of range", f"choose {between(least, most)}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """A value that is true or false."""
        return bool(self._value(key, bool, "yes or no", "true or false")) if key in self.data else default

    def words(self, key: str, default: tuple[str, ...] | None = None, most: int = MOST_TITLE) -> tuple[str, ...]:
        """A list of texts, none of them empty."""
        if key not in self.data and default is not None:
            return default
        words = self._value(key, list, "a list of texts", '["…", "…"]')
        for word in words:
            if not isinstance(word, str):
                self.fail(key, f"holds {_cut(repr(word))}, which is not a text", 'write it in quotes: "…"')
            if not word.strip() or len(word) > most or not can_be_shown(word):
                self.fail(key, f"holds {_cut(repr(word))}", f"write 1 to {most} characters that can be shown")
        if not words:
            self.fail(key, "is empty", 'write at least one text: ["…"]')
        return tuple(words)

    def array(self, key: str, gaps: bool = False) -> Array:
        """A number, or numbers in lists of equal length, as float64; with `gaps`, NaN is allowed."""
        if key not in self.data:
            self.fail(key, "is missing", f"add {written_key((key,))} = [[…]]")
        value = self.data[key]
        shape: list[int] = []
        inner = value
        while isinstance(inner, list):
            if not inner:
                self.fail(key, "holds an empty list", "write the numbers")
            if len(shape) == MOST_AXES:
                remedy = "write a matrix as a list of rows: [[1, 2], [3, 4]]"
                self.fail(key, f"has lists more than {MOST_AXES} deep", remedy)
            shape.append(len(inner))
            inner = inner[0]
        if prod(shape) > MOST_BYTES:  # more numbers than the file can hold, so other lists are shorter than the first
            self.fail(key, "its lists are not equally long", "write as many numbers in each")
        array = np.empty(shape)
        self._lay(key, value, array, (), gaps)
        return array

    def _lay(self, key: str, value: Any, array: Array, cell: tuple[int, ...], gaps: bool) -> None:
        place = f" at [{', '.join(map(str, cell))}]" if cell else ""
        if len(cell) < array.ndim:
            if not isinstance(value, list) or len(value) != array.shape[len(cell)]:
                length = f"{len(value)} entries" if isinstance(value, list) else "no list"
                remedy = f"write {array.shape[len(cell)]} there, as in the first"
                self.fail(key, f"its lists are not equally long: {length}{place}", remedy)
            for i, one in enumerate(value):
                self._lay(key, one, array, (*cell, i), gaps)
            return
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(key, f"{_shown(value)}{place} is not a number", "write one such as 0.5, -2 or 1e-3")
        try:
            number = float(value)
        except OverflowError:
            number = np.inf
        if not (np.isfinite(number) or (gaps and np.isnan(number))):
            self.fail(key, f"{_shown(value)}{place} is not a finite number", "write one such as 0.5, -2 or 1e-3")
        array[cell] = number

    def table(self, key: str) -> "TomlTable":
        """A table below this one; an empty table if it is missing."""
        if key not in self.data:
            return TomlTable(self.file, {}, (*self.way, key), self.step)
        value = self._value(key, dict, "a table", f"[{written_key((*self.way, key))}]")
        return TomlTable(self.file, value, (*self.way, key), self.step)

    def tables(self, key: str) -> list["TomlTable"]:
        """The tables of a list of tables, ``[[key]]``; [] if it is missing."""
        if key not in self.data:
            return []
        values = self._value(key, list, "a list of tables", f"[[{written_key((*self.way, key))}]]")
        if not all(isinstance(value, dict) for value in values):
            self.fail(key, "is not a list of tables", f"write [[{written_key((*self.way, key))}]]")
        return [TomlTable(self.file, value, (*self.way, f"{key}[{i}]"), self.step) for i, value in enumerate(values)]

    def _value(self, key: str, kind: type, name: str, example: str) -> Any:
        if key not in self.data:
            self.fail(key, "is missing", f"add {example}" if kind is dict else f"add {written_key((key,))} = {example}")
        value = self.data[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(key, f"{_shown(value)} is not {name}", f"write {example}")
        return value


def read(path: Path, head: bool = False) -> TomlTable:
    """A TOML file as a table.

    `head`: reads only the part before the first step, a tenth of a lesson; for files of the program.

    Raises `ExplorerError`: "lesson-not-read", "lesson-too-large" or "lesson-syntax".
    """
    file = str(path)
    try:
        with open_file(path) as stream:
            size = path.stat().st_size
            # Read one byte more than allowed, because the file may have grown since its size was read.
            content = b"" if size > MOST_BYTES else stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reason = OTHERS if os.path.isfile(path / "config.json") else reason
        raise ExplorerError("lesson-not-read", file=file, reason=reason) from None
    if path.suffix.lower() != ".toml":
        check_form(path)
        raise ExplorerError("lesson-not-read", file=file, reason=OTHERS if is_checkpoint(path) else _NO_TOML)
    if max(size, len(content)) > MOST_BYTES:
        raise ExplorerError("lesson-too-large", file=file, size=max(size, len(content)), limit=MOST_BYTES)
    if head:
        content = content.partition(b"\n[[step]]\n")[0]
    return parsed(file, content)


_TWICE = re.compile(r"Cannot declare \('(step|look|question)',\) twice")
_HEADINGS = {"step": "[[step]] above each step", "look": "[step.look]", "question": "[step.question]"}
"""What an author means who writes a table of a step as if a lesson had only one."""


def parsed(file: str, content: bytes) -> TomlTable:
    """The table that a TOML file's bytes describe; `file`: its name in errors.

    Raises `ExplorerError`: "lesson-syntax".
    """
    try:
        if _DEEP.search(content):
            raise RecursionError
        table = TomlTable(file, tomllib.loads(content.decode("utf-8-sig")))
        _check_numbers(table, table.data)
        return table
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 (byte {error.start})"
    except tomllib.TOMLDecodeError as error:
        twice = _TWICE.match(reason := str(error))
        if twice is not None:
            reason = f"{reason}; write {_HEADINGS[twice[1]]}"
    except ValueError:  # Python refuses to read numbers of thousands of digits
        reason = "it has a number of thousands of digits"
    except RecursionError:
        reason = "its lists or tables are nested too deeply"
    raise ExplorerError("lesson-syntax", file=file, reason=reason)


def _check_numbers(table: TomlTable, value: Any, key: str = "") -> None:
    """Refuse integers beyond 64 bits: Python reads them, but cannot convert thousands of digits to text."""
    match value:
        case dict():
            below = TomlTable(table.file, value, (*table.way, key)) if key else table
            for name, one in value.items():
                _check_numbers(below, one, name)
        case list():
            for one in value:
                _check_numbers(table, one, key)
        case int() if abs(value) >= 2**63:
            table.fail(key, "holds a whole number of more than 64 bits", "write a smaller one")


def written_value(value: object) -> str:
    """A text, a number or a list of them in TOML notation."""
    match value:
        case bool():
            return str(value).lower()
        case str():  # as in JSON, but that TOML refuses this character
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join(map(written_value, value))}]"
        case Mapping():
            raise TypeError("a table")
        case _:
            return repr(value)


def written_key(way: tuple[str, ...]) -> str:
    """A dotted key in TOML notation, with quotes where necessary."""
    return ".".join(key if re.fullmatch(r"[A-Za-z0-9_-]+(\[\d+\])?", key) else f'"{_cut(key)}"' for key in way)


def likeliest(name: str, known: Iterable[str], intro: str) -> str:
    """A remedy for an unknown name: the most similar known name, or the first few known names."""
    known = list(known)
    if near := nearest(name, known):
        return f"perhaps '{near}' is meant"
    return f"{intro}: {some(known, _FEW)}" if known else "remove it"


_FEW = 16


def _cut(text: str) -> str:
    return cut(" ".join(text.splitlines()), MOST_TITLE)


def _shown(value: Any) -> str:
    """A value in TOML notation, shortened."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{_cut(value)}"'
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            return str(value)


def recipe_in(table: TomlTable) -> Recipe:
    """The settings of training in the table [training] of a lesson or a recipe."""
    table.has_only(*(field.name for field in fields(Recipe)))
    settings: dict[str, Any] = {}
    for one in fields(Recipe):
        if one.name not in table:
            continue
        if one.name in ("frozen", "also"):
            settings[one.name] = table.words(one.name) if table.data[one.name] else ()
        elif one.name in CHOICES:
            settings[one.name] = table.one_of(one.name, filter(None, CHOICES[one.name]))
        elif one.type is int:
            settings[one.name] = table.number(one.name, 0, *map(int, BOUNDS[one.name]))
        else:
            settings[one.name] = table.real(one.name, 0.0, *BOUNDS[one.name])
    optimiser = OPTIMISERS[settings.get("optimiser", Recipe.optimiser)]
    return Recipe(**{"weight_decay": optimiser.decay, **settings})  # the default of AdamW is not 0
