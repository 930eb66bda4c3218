"""Grammars: the program writes the text itself, so the best that a model can learn is known exactly.

A grammar is a TOML file of word classes and sentences with gaps::

    [classes.person]
    forms = ["name", "he"]
    words = ["Emma she", "Marcus he"]      one draw a row, a word for each form

    [classes.seat]
    words = ["mat*4", "sofa"]              *4: drawn four times as often

    [[sentences]]
    weight = 2
    text = "{person} sat on the {seat} because {person.he} was tired"

A gap names a class and, after a dot, a form (default: the first). Gaps of one class in one sentence are one draw;
``{person#2}`` is another draw. A grammar of several languages has a key for each language instead of ``text``; a single
word of one language may be two words in another: ``de_la``.

All draws are independent, and no sentence can arise in two ways (a test checks this).
"""

import re
from bisect import bisect
from collections.abc import Mapping
from functools import cached_property
from math import prod
from pathlib import Path
from zlib import crc32

import numpy as np

from explorer.core.frozen import Frozen
from explorer.lessons.reading import TomlTable, likeliest, read

TEXT = "text"
MOST_WEIGHT = 1000
MOST_LENGTH = 1000
LEAST_TO_HOLD = 100
"""Patterns with fewer sentences hold none out: leaving out one of three sentences would change the text too much."""
_HELD = 10
"""One sentence in ten is held out."""
_GAP = re.compile(r"\{([a-z_]+)(#\d)?(?:\.([a-z_]+))?\}|([^\s{}]+)")


def start_of(language: str) -> str:
    """The first word that makes a translator write a language."""
    return f"<{language}>"


class WordClass(Frozen):
    """Words that fit into the same gaps."""

    forms: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]  # for each draw, its forms
    shares: tuple[float, ...]  # the probability of each draw

    @cached_property
    def _ends(self) -> list[float]:
        """Where each draw ends if all of them divide the interval from 0 to 1, as numpy's `choice` divides it."""
        ends = np.cumsum(self.shares)
        return list((ends / ends[-1]).tolist())

    def draw(self, random: np.random.Generator) -> int:
        """A random draw, that of ``random.choice(len(shares), p=shares)`` in a tenth of the time."""
        return bisect(self._ends, random.random())


class Gap(Frozen):
    """One place of a sentence."""

    # The name of the draw that fills it, such as "person" or "person#2"; "" for a fixed word.
    draw: str = ""
    form: int = 0  # which form of the draw
    word: str = ""  # the fixed word


class Pattern(Frozen):
    """A sentence with gaps."""

    share: float  # its probability
    gaps: Mapping[str, tuple[Gap, ...]]  # by language
    draws: Mapping[str, WordClass]  # by name of the draw

    @cached_property
    def seen(self) -> Mapping[str, Mapping[tuple[str, ...], float]]:
        """The probabilities of each draw's outcomes: rows that look alike in the first language are one."""
        gaps = next(iter(self.gaps.values()))
        found: dict[str, dict[tuple[str, ...], float]] = {}
        for name, of in self.draws.items():
            forms, alike = sorted({gap.form for gap in gaps if gap.draw == name}), found.setdefault(name, {})
            for row, share in zip(of.rows, of.shares, strict=True):
                key = tuple(row[form] for form in forms)
                alike[key] = alike.get(key, 0.0) + share
        return found

    @cached_property
    def many(self) -> bool:
        """Whether some of its sentences can be held out, because it has so many."""
        return prod(map(len, self.seen.values())) >= LEAST_TO_HOLD


class Sentence(Frozen):
    """One sentence of a grammar."""

    pattern: Pattern
    drawn: Mapping[str, int]  # for each draw, the chosen row of its class

    def words(self, language: str = TEXT) -> tuple[str, ...]:
        """The sentence in one of its languages."""
        return tuple(word for gap in self.pattern.gaps[language] for word in _parted(self._word(gap)))

    @property
    def key(self) -> str:
        """The sentence in its first language, words separated by blanks."""
        return " ".join(self.words(next(iter(self.pattern.gaps))))

    @property
    def held_out(self) -> bool:
        """Whether the sentence belongs to the tenth of a large pattern's sentences that are never learned."""
        return self.pattern.many and crc32(self.key.encode()) % _HELD == 0

    def _word(self, gap: Gap) -> str:
        return self.pattern.draws[gap.draw].rows[self.drawn[gap.draw]][gap.form] if gap.draw else gap.word

    def parted(self, language: str) -> tuple[Gap, ...]:
        """For each word of a language the gap that it fills; a gap filled by two words occurs twice."""
        return tuple(gap for gap in self.pattern.gaps[language] for _ in _parted(self._word(gap)))

    def places(self, class_name: str, form: str, language: str = TEXT) -> list[tuple[str, int]]:
        """Where a form of a class occurs: the name of the draw, and the place of the word, counted from 0."""
        found = []
        for i, gap in enumerate(self.pattern.gaps[language]):
            if gap.draw.partition("#")[0] == class_name and self.pattern.draws[gap.draw].forms[gap.form] == form:
                found.append((gap.draw, i))
        return found


class Grammar(Frozen, eq=False):
    """Patterns of sentences and their probabilities."""

    patterns: tuple[Pattern, ...]
    shown: tuple[str, ...] = ()  # sentences, in the first language, that are never held out

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of all sentences."""
        return tuple(self.patterns[0].gaps)

    def words(self, language: str = TEXT) -> tuple[str, ...]:
        """All words that can occur, in the order of the file."""
        found: dict[str, None] = {}
        for pattern in self.patterns:
            for gap in pattern.gaps[language]:
                if gap.draw:
                    rows = pattern.draws[gap.draw].rows
                    found |= dict.fromkeys(word for row in rows for word in _parted(row[gap.form]))
                else:
                    found[gap.word] = None
        return tuple(found)

    def sample(self, n: int, seed: int, held_out: bool) -> list[Sentence]:
        """Random sentences; some may occur several times.

        `held_out`: only held-out sentences (of patterns that have them), otherwise only others. Patterns are equally
        frequent in both cases, so both have the entropy of the grammar.
        """
        random = np.random.default_rng([seed, int(held_out)])
        shares = np.array([pattern.share for pattern in self.patterns])
        found: list[Sentence] = []
        for place in random.choice(len(shares), n, p=shares).tolist():
            pattern = self.patterns[place]
            while True:
                drawn = {name: of.draw(random) for name, of in pattern.draws.items()}
                sentence = Sentence(pattern, drawn)
                aside = sentence.held_out and sentence.key not in self.shown
                if aside == (held_out and pattern.many):
                    break
            found.append(sentence)
        return found


def _parted(word: str) -> list[str]:
    return word.split("_")


def _is_word(word: str) -> bool:
    return all(_parted(word))


# Reading


def load(path: Path) -> Grammar:
    """A grammar from its file.

    Raises `ExplorerError`: "lesson-not-read", "lesson-too-large", "lesson-syntax" or "lesson-key".
    """
    top = read(path)
    top.has_only("classes", "sentences", "shown")
    classes = {name: _word_class(top.table("classes").table(name)) for name in top.table("classes")}
    tables = top.tables("sentences")
    if not tables:
        top.fail("sentences", "is missing", 'add [[sentences]] with text = "…"')
    languages = tuple(key for key in tables[0] if key != "weight")
    if not languages:
        tables[0].fail("text", "is missing", 'add text = "…"')
    weights = [table.real("weight", 1.0, 1e-6, MOST_WEIGHT) for table in tables]
    patterns = []
    for table, weight in zip(tables, weights, strict=True):
        table.has_only("weight", *languages)
        draws: dict[str, WordClass] = {}
        gaps = {language: _gaps(table, language, classes, draws) for language in languages}
        patterns.append(Pattern(weight / sum(weights), gaps, draws))
    return Grammar(tuple(patterns), top.words("shown", ()))


def _word_class(table: TomlTable) -> WordClass:
    table.has_only("forms", "words")
    forms = table.words("forms", ("word",))
    rows, weights = [], []
    for entry in table.words("words"):
        entry, _, times = entry.partition("*")
        row = tuple(part.strip() for part in (entry.split("|") if "|" in entry else entry.split()))
        if (
            len(row) != len(forms)
            or not (times or "1").isdecimal()
            or not int(times or 1)
            or not all(map(_is_word, row))
        ):
            table.fail("words", f"'{entry}' is no row of it", f"write {len(forms)} words, and *2 for twice as often")
        rows.append(row)
        weights.append(int(times or 1))
    return WordClass(forms, tuple(rows), tuple(weight / sum(weights) for weight in weights))


def _gaps(
    table: TomlTable, language: str, classes: Mapping[str, WordClass], draws: dict[str, WordClass]
) -> tuple[Gap, ...]:
    found = []
    text = table.text(language, most=MOST_LENGTH)
    if not {"{", "}"}.isdisjoint(_GAP.sub("", text)):
        table.fail(language, "has a { or } that is not that of a gap", "write {class}, {class.form} or {class#2}")
    for name, number, form, word in _GAP.findall(text):
        if word and not _is_word(word):
            table.fail(language, f"'{word}' is no word", "write _ only between words")
        if word:
            found += [Gap(word=part) for part in _parted(word)]
            continue
        if name not in classes:
            table.fail(language, f"there is no class '{name}'", likeliest(name, classes, "this grammar has"))
        of = classes[name]
        if form and form not in of.forms:
            table.fail(language, f"'{name}' has no form '{form}'", likeliest(form, of.forms, "it has"))
        draws[name + number] = of
        found.append(Gap(name + number, of.forms.index(form) if form else 0))
    return tuple(found)
