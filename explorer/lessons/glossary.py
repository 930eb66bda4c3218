"""The glossary: each term and symbol of the screen, its meaning in one sentence, and where it can be seen."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from html import escape
from typing import NamedTuple

from explorer import paths
from explorer.core.frozen import Frozen
from explorer.lessons.reading import TomlTable, likeliest, read


class Term(Frozen):
    """One entry of the glossary."""

    name: str  # the term, or the symbol in plain text: "W_Q"
    # Other spellings. One in lower case is also found with a capital letter and in the plural.
    also: tuple[str, ...]
    # Everyday words that mean the term only in headings and on buttons, and not in every sentence.
    labels: tuple[str, ...]
    # The ends of names of nodes: "Q", or "loss.value" if the last part alone would be ambiguous.
    nodes: tuple[str, ...]
    says: str  # the meaning, in one sentence
    formula: str  # LaTeX; "" if there is none
    stages: tuple[str, ...]  # the kinds of stages where it can be seen, the best one first
    lesson: str  # the lesson that explains it; "" if none does

    @property
    def spellings(self) -> tuple[str, ...]:
        """All ways to write it."""
        return (self.name, *self.also, *self.labels)


class Found(NamedTuple):
    """A term in a text, and its place there."""

    start: int
    end: int
    term: Term


class Glossary:
    """All entries."""

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.terms = terms
        self._by_spelling = {_plain(one): term for term in terms for one in term.spellings}
        self._by_node = {node: term for term in terms for node in term.nodes}

    def of(self, spelling: str) -> Term | None:
        """The entry of a term in any of its spellings."""
        for one in (spelling, spelling.lower()):
            if term := self._by_spelling.get(_plain(one)):
                return term
        joined, known = _joined(spelling), self._by_spelling.items()
        return next((term for one, term in known if joined and joined in (_joined(one), f"{_joined(one)}s")), None)

    def of_node(self, name: str) -> Term | None:
        """The entry of a node or of a head's slice of one: that of the longest end of its name that has an entry."""
        parts = name.split(".")
        ends = (".".join(parts[i:]) for i in range(len(parts)))
        return next((self._by_node[end] for end in ends if end in self._by_node), None)

    def found_in(self, text: str, label: bool = False) -> Iterator[Found]:
        """The terms in a plain text, from left to right; of two at the same place, the longer one.

        `label`: whether it is a heading or the words on a button; else it is a sentence.
        """
        for match in self._patterns[label].finditer(text):
            term = self.of(match.group())
            if term is not None:
                yield Found(match.start(), match.end(), term)

    def near(self, typed: str) -> list[Term]:
        """The entries with a spelling that contains the typed text; those that begin with it come first."""
        typed = typed.strip().lower()
        ranked: list[tuple[tuple[bool, int], Term]] = []
        for term in self.terms:
            spelt = [one.lower() for one in term.spellings]
            ranks = [(not one.startswith(typed), i) for i, one in enumerate(spelt) if typed in one]
            ranked += [(min(ranks), term)] if ranks else []
        return [term for _, term in sorted(ranked, key=lambda one: one[0])]

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """The pattern for sentences, and that for labels."""
        of_sentences = {_plain(one) for term in self.terms for one in (term.name, *term.also)}
        return _any_of(of_sentences), _any_of(self._by_spelling)


def _joined(text: str) -> str:
    """A spelling without the signs that people write or leave out: "top p" is "top-p"."""
    return re.sub(r"[\s_-]", "", text).lower()


def glossary_from(top: TomlTable) -> Glossary:
    """The glossary that a file's table describes.

    Raises `ExplorerError`: "lesson-key" if a key is missing or unknown, or two entries share a spelling or a node.
    """
    top.has_only("term")
    terms: list[Term] = []
    spelled: dict[str, str] = {}
    for table in top.tables("term"):
        table.has_only("term", "also", "labels", "nodes", "says", "formula", "stages", "lesson")
        also, labels, nodes = (table.words(key, ()) for key in ("also", "labels", "nodes"))
        formula = table.text("formula", default="", most=300)
        says = table.text("says", most=300)
        if not says.endswith("."):
            table.fail("says", "is no whole sentence", "end it with a full stop")
        name = table.text("term")
        term = Term(name, also, labels, nodes, says, formula, table.words("stages"), table.text("lesson", default=""))
        written = [("also", _plain(one)) for one in term.spellings] + [("nodes", f"node {one}") for one in nodes]
        for key, one in written:
            if spelled.setdefault(one, name) != name:
                table.fail(key, f"'{one}' is of '{spelled[one]}' above already", "let one entry have it")
        terms.append(term)
    return Glossary(tuple(terms))


@cache
def glossary() -> Glossary:
    """The glossary that comes with the program."""
    return glossary_from(read(paths.resources() / "glossary.toml"))


SHORT = 4
"""The plural of a word with at most this many letters is found only if it is listed as a spelling."""
LINK = "glossary:"
"""The beginning of a link to an entry; the name follows."""


def linked(html: str, once: set[str] | None = None) -> str:
    """Rich text with a link at the first occurrence of each term; words inside a link or in bold get none.

    `once`: names of terms that have a link already; terms that get a link are added.
    """
    seen = set() if once is None else once
    parts = re.split(r"(<b\b.*?</b>|<a\b.*?</a>|<[^>]*>|&\w+;)", html, flags=re.DOTALL)
    for i in range(0, len(parts), 2):
        parts[i] = _linked(parts[i], seen)
    return "".join(parts)


def _linked(text: str, seen: set[str]) -> str:
    done, at = "", 0
    for start, end, term in glossary().found_in(text):
        if term.name not in seen:
            seen.add(term.name)
            done += f'{text[at:start]}<a href="{LINK}{escape(term.name)}">{text[start:end]}</a>'
            at = end
    return done + text[at:]


def unknown(name: str) -> str:
    """A hint for a term that has no entry, with similar terms."""
    every = {spelling for term in glossary().terms for spelling in term.spellings}
    return likeliest(name, sorted(every), "there are")


def _plain(spelling: str) -> str:
    return " ".join(spelling.split())


def _any_of(spellings: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(spellings, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(_pattern, longest_first))})(?![\w-])")


def _pattern(spelling: str) -> str:
    """The pattern of a spelling. A word in lower case also matches with a capital, and a long one with an s."""
    written = re.escape(spelling)
    if spelling == "A":
        return r"A(?! [a-z])"  # before a word it is the article
    if not re.fullmatch(r"[a-z][a-z' &-]+[a-z]", spelling):
        return written
    plural = "s?" if len(spelling) > SHORT else ""
    return rf"[{spelling[0]}{spelling[0].upper()}]{re.escape(spelling[1:])}{plural}"
