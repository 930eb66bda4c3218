"""Formulas within sentences, as HTML and as plain text: the few commands of LaTeX that letters and signs can show."""

import re
from html import escape

from explorer.lessons.names import UnknownNameError, one_of

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
        return small if _all_changed(text, small) else f"_{text if len(text) == 1 else f'({text})'}"

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
        while (token := self._next()) != "}":
            self._at -= 1
            parts.append(self._part())
        assert token == "}"
        return "".join(parts).strip()

    def _command(self, name: str) -> str:
        form = self._form
        if name == "sqrt":
            return form.root(self._argument())
        if name == "frac":
            above, below = self._argument(), self._argument()
            return f"{_bracketed(above)} / {_bracketed(below)}"
        if name in _WORDS:
            return self._word()
        if name in _ABOVE:
            return _FIRST.sub(rf"\g<0>{_ABOVE[name]}", self._argument(), count=1)
        if name in FUNCTIONS:
            return form.upright(f" {name} ")
        one_of("symbol", name, [*SIGNS, *FUNCTIONS, *_WORDS, *_ABOVE, "sqrt", "frac"])
        return form.upright(SIGNS[name])

    def _argument(self) -> str:
        self._skip_blanks()
        return self._part()

    def _skip_blanks(self) -> None:
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1

    def _word(self) -> str:
        """A word in upright letters, with its blanks."""
        self._skip_blanks()
        if self._next() != "{":
            self._at -= 1
            return self._part()
        letters: list[str] = []
        while (token := self._next()) != "}":
            letters.append(token)
        return self._form.upright("".join(letters))


def _bracketed(text: str) -> str:
    """The text, in brackets if it has more than one part."""
    return f"({text})" if re.search("[ +−·×]", re.sub("<[^>]*>", "", text)) else text
