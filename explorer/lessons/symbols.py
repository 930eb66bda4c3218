"""The names that lessons use: looked up in a model, and typeset in formulas within sentences, as HTML or plain text.

Rows and columns are named as the pages show them: by label, or by number. Of LaTeX, formulas have the few commands
that letters and signs can show.
"""

import re
from collections.abc import Iterable
from html import escape

from explorer.core.errors import nearest, some
from explorer.core.frozen import Frozen
from explorer.core.graph import Place
from explorer.core.model import SWITCHES
from explorer.document.state import State
from explorer.lessons.schema import Cell

_CELL = re.compile(r"(?P<name>[^\[\]{}\s]+)\s*(?:\[(?P<index>.*)\])?")
_MARKS = frozenset(",{}")
"""With these signs in it, a label would end too early where a text names a cell."""
_COLUMN = re.compile(r"\d+(·\d+)?")  # "8·30": number 30 of head 8
_HEAD = re.compile(r"head \d+")
_SHOWN = 60
_FEW = 12


class UnknownNameError(Exception):
    """An unknown name: the kind of thing that was expected, the name, and a remedy."""

    def __init__(self, what: str, name: str, remedy: str) -> None:
        super().__init__(what)
        self.what, self.name, self.remedy = what, " ".join(name.split())[:_SHOWN], remedy


def one_of(what: str, name: str, known: Iterable[str]) -> str:
    """The name, if it is known.

    Raises `UnknownNameError`: with the most similar known name.
    """
    known = list(known)
    if name not in known:
        near, few = nearest(name, known), some([f"`{one}`" for one in known], _FEW)
        raise UnknownNameError(what, name, f"did you mean `{near}`?" if near else f"there are {few or 'none'}.")
    return name


def is_word(called: object) -> bool:
    """Whether a row or column is called by a word, and not by the number of a column or of a head."""
    return isinstance(called, str) and not (_COLUMN.fullmatch(called) or _HEAD.fullmatch(called))


class Names(Frozen, eq=False):
    """Looks up names in a state.

    `stands_in`: whether the state is that of a narrower model in the place of another, so that columns may be lacking.
    """

    state: State
    stands_in: bool = False

    def place(self, name: str) -> Place:
        """The place of a node, or of a head's slice of one.

        Raises `UnknownNameError`.
        """
        graph = self.state.graph
        if name in graph.hooks:  # a page knows its matrices by one name
            raise UnknownNameError("node", name, f"write `{graph.hooks[name]}`.")
        return graph.find(name) or graph.place(one_of("node", name, graph.names()))

    def axes(self, name: str) -> tuple[str, ...]:
        """The axes of a node or slice."""
        return self.state.graph.axes_of(self.place(name))

    def labels(self, axis: str) -> tuple[str, ...]:
        """The labels along an axis; for a sequence, its words."""
        return self.state.graph.labels(axis, self.state.inputs)

    def number(self, axis: str, label: object, what: str) -> int:
        """The index of what a row or column is called: its label, or a number that is no label.

        Of the words of a text, a number is the small one that stands beside a word at the top of the window, from 0. On
        all other axes it counts from 1, as the labels of columns without a name do.

        Raises `UnknownNameError`: also for a label that several have.
        """
        labels, text = self.labels(axis), str(label).strip()
        if self.stands_in and text not in labels and axis not in self.state.graph.words and _COLUMN.fullmatch(text):
            if text == "0":
                raise UnknownNameError(what, text, "they are counted from 1.")
            return 0
        is_number = isinstance(label, int) and not isinstance(label, bool)
        if (is_number or (text.isdecimal() and text not in labels)) and len(text) < _FEW:
            first = int(axis not in self.state.graph.words)
            if not first <= int(text) < first + len(labels):
                raise UnknownNameError(what, text, f"they are counted from {first} to {first + len(labels) - 1}.")
            return int(text) - first
        index = labels.index(one_of(what, text, labels))
        if labels.count(text) > 1:
            places = (str(self.called(axis, at)) for at, one in enumerate(labels) if one == text)
            raise UnknownNameError(what, text, f"several have this name; write the number of one: {', '.join(places)}.")
        return index

    def called(self, axis: str, index: int) -> str | int:
        """What a row or column is called: its label if no other has that, else its number, as `number` takes both."""
        labels, number = self.labels(axis), index + (axis not in self.state.graph.words)
        label = labels[index]
        alone = labels.count(label) == 1 and label == label.strip() != "" and _MARKS.isdisjoint(label)
        return label if alone and label != str(number) else number

    def cell(self, name: str, labels: Iterable[object]) -> Cell:
        """A cell of a node or slice, from the labels or numbers along all its axes."""
        axes, labels = self.axes(name), list(labels)
        whats = {1: ["row"], 2: ["row", "column"], 3: ["head", "row", "column"]}.get(len(axes), [])
        if len(axes) != len(labels):
            written = ", ".join(whats)
            shown = f"{name}[{', '.join(map(str, labels))}]"
            raise UnknownNameError(
                "cell", shown, f"write {name}[{written}]." if axes else f"`{name}` is a single number."
            )
        return tuple(self.number(*one) for one in zip(axes, labels, whats, strict=True))

    def written_cell(self, text: str) -> tuple[str, Cell]:
        """The node and the cell of a text "NODE[row, column]", or of "NODE" for a single number."""
        name, labels = split_cell(text)
        return name, self.cell(name, labels)

    def switch(self, key: str) -> tuple[str, str]:
        """The block and the name of a switch, from a text "BLOCK.NAME"."""
        block, _, name = key.rpartition(".")
        blocks = self.state.model.blocks()
        return one_of("block", block, blocks), one_of("switch", name, SWITCHES[blocks[block]])


def split_cell(text: str) -> tuple[str, list[str]]:
    """The name and the labels in a text "NODE[row, column]".

    Raises `UnknownNameError` if the text has another form.
    """
    match = _CELL.fullmatch(text.strip())
    if match is None:
        raise UnknownNameError("cell", text, "write NODE[row, column].")
    index = match["index"]
    return match["name"], [part.strip() for part in index.split(",")] if index and index.strip() else []


# Formulas

_NAMES = "alpha beta gamma delta epsilon eta theta lambda mu nu pi rho sigma tau phi omega Delta Sigma Theta"
_GREEK = dict(zip(_NAMES.split(), "αβγδεηθλμνπρστφωΔΣΘ", strict=True))
SIGNS = {
    **_GREEK,
    **{"varepsilon": "ε", "cdot": " · ", "times": " × ", "div": " ÷ ", "pm": " ± ", "sum": " Σ", "prod": " Π"},
    **{"infty": "∞", "partial": "∂", "nabla": "∇", "le": " ≤ ", "leq": " ≤ ", "ge": " ≥ ", "geq": " ≥ "},
    **{"ne": " ≠ ", "neq": " ≠ ", "approx": " ≈ ", "to": " → ", "rightarrow": " → ", "in": " ∈ ", "ldots": "…"},
    **{"dots": "…", "cdots": "⋯", "top": "T", "degree": "°", "circ": "°", "odot": " ⊙ ", "ell": "ℓ"},
    **{"left": "", "right": "", "langle": "⟨", "rangle": "⟩", "|": "‖", "quad": "  ", ",": " ", ";": " "},
    **{" ": " ", "!": "", "{": "{", "}": "}", "%": "%"},
}
"""The text of each command without arguments."""
FUNCTIONS = ("exp", "ln", "log", "sin", "cos", "tan", "tanh", "max", "min", "argmax", "softmax", "arccos", "det")
_WORDS = ("text", "mathrm", "operatorname", "mathbf", "mathit")
_ABOVE = {"vec": "⃗", "hat": "̂", "bar": "̄", "overline": "̄", "tilde": "̃"}
_FIRST = re.compile(r"(?:<[^>]*>)*.")
_TOKEN = re.compile(r"\\([A-Za-z]+|.)|([{}_^])|(\s+)|([A-Za-z])|(.)")
_BINARY = {"=": " = ", "+": " + ", "-": " − ", "<": " < ", ">": " > ", "*": " × "}
_SUBSCRIPTS = str.maketrans("0123456789+−-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_SUPERSCRIPTS = str.maketrans("0123456789+−-=()Tin", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵀⁱⁿ")


SERIF = "'STIX Two Text','Times New Roman','Liberation Serif','Nimbus Roman','DejaVu Serif',serif"
"""The font families of names, in CSS: the first installed one is used."""
_NAME = re.compile(r"(?<![\w.“\\])(?<!(?<!\d)/)([A-Za-zα-ωΑ-Ω])_([A-Za-z0-9]{1,8})(?![\w(])")
_TAG = re.compile(r"(<[^>]*>)")
_AS_TYPED = ("code", "pre", "mark")


def names_html(html: str) -> str:
    """HTML in which names in plain text, such as W_O and d_model, are typeset as in formulas.

    Names in code stay as they are, and so do words that a person has typed, which stand between “ and ” or are marked.
    """
    parts, typed = [], 0
    for part in _TAG.split(html):
        if part.startswith("<"):
            tag = part.strip("</>").partition(" ")[0]
            typed += (-1 if part.startswith("</") else 1) * (tag in _AS_TYPED)
        elif not typed:
            part = _NAME.sub(r"<i>\1</i><sub>\2</sub>", part)
        parts.append(part)
    return "".join(parts)


IN_SIGNS = {"x_o_y": "⟨x_o, y⟩", "length_x": "‖x‖", "length_y": "‖y‖"}
"""Nodes whose names are written as formulas."""


def name_of(node: str) -> str:
    """The short name of a node for the screen: its last part, with Greek letters for words such as gamma and beta."""
    if node in IN_SIGNS:
        return IN_SIGNS[node]
    letter, *index = node.rpartition(".")[2].split("_", 1)
    return "_".join([_GREEK.get(letter, letter), *index])


def names_text(text: str) -> str:
    """Plain text in which names have real subscripts if Unicode has all their letters: d_k, but not W_Q."""

    def name(match: re.Match[str]) -> str:
        small = match[2].translate(_SUBSCRIPTS)
        return f"{match[1]}{small}" if _all_changed(match[2], small) else match[0]

    return _NAME.sub(name, text)


def formula_html(latex: str) -> str:
    """A formula as HTML: letters in italics, subscripts and superscripts."""
    return _Formula(latex, _Html()).read()


def formula_text(latex: str) -> str:
    """A formula in plain letters, such as Q · Kᵀ / √(d_k)."""
    return _Formula(latex, _Text()).read()


class _Text:
    """Writes the parts of a formula without any markup."""

    def letter(self, text: str) -> str:
        return text

    def upright(self, text: str) -> str:
        return text

    def below(self, text: str) -> str:
        small = text.translate(_SUBSCRIPTS)
        return small if _all_changed(text, small) else f"_{text if text.isalnum() else f'({text})'}"

    def above(self, text: str) -> str:
        small = text.translate(_SUPERSCRIPTS)
        return small if _all_changed(text, small) else f"^{text if len(text) == 1 else f'({text})'}"

    def root(self, text: str) -> str:
        return f"√{_bracketed(text)}"


class _Html(_Text):
    def letter(self, text: str) -> str:
        return f"<i>{escape(text)}</i>"

    def upright(self, text: str) -> str:
        return escape(text)

    def below(self, text: str) -> str:
        return f"<sub>{text}</sub>"

    def above(self, text: str) -> str:
        return f"<sup>{text}</sup>"

    def root(self, text: str) -> str:
        return f'√<span style="text-decoration: overline">{text}</span>'


def _all_changed(text: str, small: str) -> bool:
    return all(a != b for a, b in zip(text, small, strict=True))


class _Formula:
    """Reads a formula from left to right.

    `form`: writes its parts.
    """

    def __init__(self, latex: str, form: _Text) -> None:
        self._tokens = [match.group(0) for match in _TOKEN.finditer(latex)]
        self._form, self._at, self._latex = form, 0, latex

    def read(self) -> str:
        parts = []
        try:
            while self._at < len(self._tokens):
                parts.append(self._part())
        except RecursionError:
            raise UnknownNameError("formula", self._latex, "put fewer signs within each other.") from None
        return re.sub(" {2,}", " ", "".join(parts)).strip()

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise UnknownNameError("formula", self._latex, "close its brackets.")
        self._at += 1
        return self._tokens[self._at - 1]

    def _part(self) -> str:
        token, form = self._next(), self._form
        if token.startswith("\\"):
            return self._command(token[1:])
        if token == "{":
            return self._rest_of_group()
        if token in "_^":
            return (form.below if token == "_" else form.above)(self._argument())
        if token == "}":
            raise UnknownNameError("formula", self._latex, "open its brackets before they are closed.")
        if token.isalpha() and token.isascii():
            return form.letter(token)
        if token in "+-" and self._begins():
            return form.upright(_BINARY[token].strip())
        return "" if token.isspace() else form.upright(_BINARY.get(token, token))

    def _begins(self) -> bool:
        """Whether the sign just read stands before a number, and not between two numbers."""
        before = next((token for token in reversed(self._tokens[: self._at - 1]) if not token.isspace()), "")
        return before in ("", "{", "(", "[", ",", "_", "^", *_BINARY)

    def _rest_of_group(self) -> str:
        parts = []
        while self._next() != "}":
            self._at -= 1
            parts.append(self._part())
        return "".join(parts).strip()

    def _command(self, name: str) -> str:
        form = self._form
        if name == "sqrt":
            return form.root(self._argument())
        if name == "frac":
            above, below = self._argument(), self._argument()
            return f"{_bracketed(above)} / {_bracketed(below)}"
        if name in _WORDS:
            return self._argument(word=True)
        if name in _ABOVE:
            return _FIRST.sub(rf"\g<0>{_ABOVE[name]}", self._argument(), count=1)
        if name in FUNCTIONS:
            return form.upright(f" {name} ")
        one_of("symbol", name, [*SIGNS, *FUNCTIONS, *_WORDS, *_ABOVE, "sqrt", "frac"])
        return form.upright(SIGNS[name])

    def _argument(self, word: bool = False) -> str:
        """What a command is about; `word`: a group of upright letters, with its blanks."""
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        if not word or self._tokens[self._at : self._at + 1] != ["{"]:
            return self._part()
        self._at += 1
        return self._form.upright("".join(iter(self._next, "}")))


def _bracketed(text: str) -> str:
    """The text, in brackets if it has more than one part."""
    return f"({text})" if re.search("[ +−·×]", re.sub("<[^>]*>", "", text)) else text
