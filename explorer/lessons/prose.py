"""The texts of a step as HTML and as plain text: a little Markdown, formulas in ``$…$``, live numbers in ``{…}``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from html import escape
from typing import TYPE_CHECKING, Any

from explorer.core.engine import Engine
from explorer.core.numbers import decimals_of, percent, written
from explorer.lessons.mistakes import array_of
from explorer.lessons.schema import Choose, Step
from explorer.lessons.symbols import UnknownNameError, formula_html, formula_text, names_html

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_GRADIENT = "gradient "
_LOST, NEAR = re.compile(r"[{}]|\\[a-zA-Z]+|\$[a-zA-Z\\]\S*"), 20
"""Matches what only a number or a formula has, where its other bracket or a dollar is missing; letters around it."""
_NO_STRESS = re.compile(r"`[^`]*`|\$[^$]*\$|\\.|\{[^}]*\}")
_STRESSED = tuple(
    re.compile(rf"(?<!\*){sign}(?=[^\s*])([^*]+)(?<=[^\s*]){sign}(?!\*)") for sign in (r"\*", r"\*\*", r"\*\*\*")
)
_ALONE = re.compile(r"\S*(?:(?<!\w)\*+(?=\w)|(?<=\w)\*+(?!\w))\S*")
"""Code, formulas and numbers; stressed words; and an asterisk at one side of a word that has no other one."""
_BLANK, UNBROKEN = re.compile(r" (?![^<]*>)"), 20
"""A blank outside of a tag; and the longest formula, in letters, that stays on one line."""
_PAIR = re.compile(r"(?<=“\d,) (?=\d”)|(?:(?<=\bln)|(?<=\blog)|(?<=\bsin)|(?<=\bcos)) (?=[\d−])")
"""The blank in the name of a case of XOR, “0, 1”, or in “ln 0.7”, where no line should end."""
_FORM = re.compile(r"(?P<cell>.*?)\s*(?::\s*(?P<digits>\d?)(?P<share>%?)\s*)?", re.DOTALL)


def html(markdown: str, numbers: Mapping[str, str] = {}) -> str:
    """Markdown as HTML that Qt shows.

    Markdown has paragraphs, lists, ``**bold**``, ``*italic*``, `` `code` ``, ``$formula$`` and ``{NODE[row, column]}``.
    `numbers`: the number for each text in braces (`numbers_of`).

    Raises `UnknownNameError` if a formula uses a command that cannot be shown with letters and signs.
    """
    return str(_reader().render(markdown, {"numbers": numbers})).strip()


def plain(markdown: str, numbers: Mapping[str, str] = {}) -> str:
    """Markdown as plain text; parameters and errors as in `html`."""
    tokens = _reader().parse(markdown, {"numbers": numbers})
    return re.sub(r"\n{3,}", "\n\n", "".join(_plain(tokens, numbers))).strip()


def sentences(markdown: str) -> int:
    """How many sentences a text has; a line of a list without a full stop counts as one."""
    said = re.sub(r"\$[^$]*\$|\{[^}]*\}", "x", markdown)
    lines = filter(None, map(str.strip, plain(said).split("\n")))
    return sum(max(len(re.findall(r"[.!?][\"”’)]*(?=\s|$)", line)), 1) for line in lines)


def each_sentence(text: str) -> list[str]:
    """The sentences of a text, each up to its full stop; a list after a colon belongs to its sentence."""
    return re.split(r"(?<=[.!?])\s+(?=[A-Z“])", text)


def numbers_of(step: Step, engine: Engine) -> dict[str, str]:
    """The numbers that a step's texts show.

    `engine`: an engine with the values of the step's state.
    """
    return {inner: _number(inner, engine, *named) for inner, named in step.shown.items()}


def cells_in(markdown: str) -> list[str]:
    """The texts in braces in a text; its formulas are checked, too.

    Raises `UnknownNameError`: as in `html`.
    """
    if "*" in markdown:
        _require_pairs(markdown)
    if not any(sign in markdown for sign in "{}$\\"):
        return []
    found = list(_inline(_reader().parse(markdown, {})))
    for token in found:
        if token.type == "formula":
            formula_text(token.content)
        elif token.type == "text":
            _require_both(token.content, markdown)
    return [token.content for token in found if token.type == "number"]


def _require_pairs(markdown: str) -> None:
    """Refuse an asterisk that was meant to stress words, and would be shown as typed, because its pair is missing."""
    rest = _NO_STRESS.sub("x", markdown)
    for stressed in 2 * _STRESSED:  # one kind may stand within the other
        rest = stressed.sub(r"\1", rest)
    alone = _ALONE.search(rest)
    if alone is not None:
        remedy = "write *word* or **word**, and \\* for the sign itself."
        raise UnknownNameError("the asterisk in", alone[0], remedy)


def _require_both(text: str, markdown: str) -> None:
    """Refuse what was meant as a number or formula, and would be shown as typed, because a sign of the two is missing.

    `text`: what is neither in `markdown`, where a backslash before a sign makes it a letter of the text.
    """
    lost = _LOST.search(text)
    if lost is None or "\\\\" in markdown or f"\\{lost[0]}" in markdown:
        return
    if lost[0] not in "{}":
        remedy = "put a dollar before the formula, and one behind it"
        its_sign = ", and \\$ for the sign itself" if "$" in lost[0] else ""
        raise UnknownNameError("formula", lost[0], f"{remedy}{its_sign}.")
    at = lost.start()
    near = text[at : at + NEAR] if lost[0] == "{" else text[max(at - NEAR, 0) : at + 1]
    raise UnknownNameError("number", near, "a number stands between two brackets, { and }.")


def cell_of(inner: str) -> str:
    """The cell that a text in braces names, without its format: ":2" means two decimals, ":%" a share."""
    return _parts(inner)["cell"].strip().removeprefix(_GRADIENT)


def is_gradient(inner: str) -> bool:
    """Whether a text in braces names the gradient of the loss at a cell: "gradient output.logits[0, mat]"."""
    return inner.strip().startswith(_GRADIENT)


def texts_of(step: Step) -> list[str]:
    """All texts of a step that may show numbers."""
    question = step.question
    if question is None:
        return [step.words, step.slide, step.paper]
    choices = question.choices if isinstance(question, Choose) else ()
    answers = [text for choice in choices for text in (choice.text, choice.why)]
    asked = [question.ask, question.paper, question.why, *question.hints]
    return [step.words, step.slide, step.paper, *asked, *answers]


def _parts(inner: str) -> re.Match[str]:
    match = _FORM.fullmatch(inner)
    assert match is not None  # the pattern matches any text
    return match


def _number(inner: str, engine: Engine, node: str, cell: tuple[int, ...]) -> str:
    array = array_of(engine, node, "gradient" if is_gradient(inner) else "value")
    value, form = float(array[cell]), _parts(inner)
    if form["share"]:
        near_an_end = 0 < abs(value) < 0.005 or 0.995 <= value < 1
        return percent(value, int(form["digits"]) if form["digits"] else int(near_an_end))
    return written(value, int(form["digits"]) if form["digits"] else decimals_of(array))


# Reading


@cache
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # the import takes a tenth of a second, and only lessons with steps need it

    reader = MarkdownIt("zero").enable(["list", "emphasis", "backticks", "newline", "escape"])
    for kind, start, end in (("formula", "$", "$"), ("number", "{", "}")):
        reader.inline.ruler.before("escape", kind, partial(_read, kind=kind, start=start, end=end))
    reader.add_render_rule("text", _text)
    reader.add_render_rule("formula", _formula)
    reader.add_render_rule("number", _shown_number)
    return reader


def _read(state: "StateInline", silent: bool, kind: str, start: str, end: str) -> bool:
    """A rule of markdown-it: the text between two signs becomes a token."""
    if state.src[state.pos] != start:
        return False
    stop = state.src.find(end, state.pos + 1)
    if stop < 0:
        return False
    if not silent:
        state.push(kind, "", 0).content = state.src[state.pos + 1 : stop]
    state.pos = stop + 1
    return True


def _text(self: Any, tokens: Sequence["Token"], at: int, options: Any, env: Any) -> str:
    said = names_html(escape(tokens[at].content, quote=False).replace('"', "&quot;"))
    return _PAIR.sub("\u00a0", said)


def _formula(self: Any, tokens: Sequence["Token"], at: int, options: Any, env: Any) -> str:
    latex = tokens[at].content
    shown = formula_html(latex)
    return _BLANK.sub("\u00a0", shown) if len(formula_text(latex)) <= UNBROKEN else shown


def _shown_number(self: Any, tokens: Sequence["Token"], at: int, options: Any, env: Any) -> str:
    inner = tokens[at].content
    return escape(env.get("numbers", {}).get(inner, f"{{{inner}}}"))


def _inline(tokens: Sequence["Token"]) -> Iterator["Token"]:
    for token in tokens:
        yield from _inline(token.children or ())
        yield token


def _plain(tokens: Sequence["Token"], numbers: Mapping[str, str]) -> Iterator[str]:
    counted: list[int] = []
    for token in _inline(tokens):
        match token.type:
            case "text" | "code_inline":
                yield token.content
            case "formula":
                yield formula_text(token.content)
            case "number":
                yield numbers.get(token.content, f"{{{token.content}}}")
            case "softbreak":
                yield " "
            case "hardbreak":
                yield "\n"
            case "bullet_list_open":
                counted.append(0)
            case "ordered_list_open":
                counted.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                counted.pop()
                yield "\n"
            case "list_item_open":
                yield f"{counted[-1]}. " if counted[-1] else "• "
                counted[-1] += bool(counted[-1])
            case "paragraph_close":
                yield "\n" if token.hidden else "\n\n"
