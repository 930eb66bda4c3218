"""The question of a step: what is asked, how it is answered, the hints, and what came of the answers.

And what stands above the words of a step: which step it is, how far the lesson is, and the ways to other steps.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from itertools import takewhile
from typing import Any, Literal

from explorer.core.derivation import Row, shortened
from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, Cell, Node, Place
from explorer.core.numbers import quantity, read_answer, written
from explorer.lessons import prose
from explorer.lessons.answers import place_named
from explorer.lessons.mistakes import Part
from explorer.lessons.progress import Outcome
from explorer.lessons.schema import Choose, Lesson, MakeSo, Point, Predict, Step
from explorer.lessons.symbols import formula_html
from explorer.lessons.walk import Attempt, Faded, Hint, Walk
from explorer.pages import page as el
from explorer.pages.controls import Button, Controls, Menu, ProgressBar, Spread
from explorer.pages.element import Arrangement, Element
from explorer.pages.gestures import ForQuestion, ForSteps, Gesture

OURS = "How it is computed"
MORE = {1: "One more try.", 2: "Two more tries."}
EDITED = "The question is about the numbers with which this step began. <b>Reset</b> shows them again."
ADDED = "That was added in this step, so it is no answer. <b>Reset</b> shows again what is asked about."
WHERE = {
    "token": "Click a word at the top.",
    "cell": "Click a number in the matrix.",
    "head": "Choose a head above the page.",
}
ON_SLIDE = {**WHERE, "token": "Click a word.", "head": "Click a head."}
ENTER = ForQuestion("enter")
FEW = {1: "One number", 2: "Two numbers"}
FIELD, GAP, LARGE_GAP, WIDE, CURVE, LOW_CURVE = 200, 70, 84, 460, 150, 100
"""Pixels at text scale 1: the widths of a field on a slide, and of one in a gap, beside a page and on a slide; the
greatest width of lines with gaps: numbers far from their names are read in the wrong line; the heights of a curve, and
of one on a slide with a hint or the answer."""
BESIDE, TOGETHER = 22, 20
"""The letters that a line beside a page has room for, and the most of arithmetic that gets a line of its own if it does
not fit behind its name: "(0.7000 − 0.6250)²" broke before its second number."""
MOST_OF_WRONG = 3, 7
"""The most terms of a sum, and the most rows, of the derivation of a wrong number that a class sees."""


# Its own elements


class Grid(Arrangement):
    """Elements in rows and columns; the first column takes the width that the others leave."""

    rows: tuple[tuple[Element, ...], ...]
    most: int = 0  # the greatest width in pixels at text scale 1; 0: that of the page
    close: bool = False  # whether no room is between rows

    @property
    def inside(self) -> tuple[Element, ...]:
        return tuple([one for row in self.rows for one in row])


class Option(Element):
    """One of the answers to a question, as a button whose words take as many lines as they need."""

    text: str  # as of a `Passage`
    spoken: str  # its name for a screen reader
    asks: Gesture
    on: bool = True  # whether it can be chosen now
    outcome: Literal["", "right", "wrong"] = ""


class Options(Arrangement):
    """The answers to a question below each other."""

    options: tuple[Option, ...]
    abreast: bool = False  # whether they stand side by side where that takes less height

    @property
    def inside(self) -> tuple[Element, ...]:
        return self.options


class Figure(Element):
    """A number, or a sign behind it, with the marks of a `Passage`, as wide as it is."""

    text: str
    large: bool = False  # whether a class reads it


class Blank(Element):
    """A field for a number that is asked for; `asks` gets what is typed, `enters` is the gesture of the key Enter."""

    name: str  # for a screen reader
    typed: str
    asks: Gesture
    enters: Gesture
    hint: str = "?"  # the placeholder
    on: bool = True  # whether it can be typed in
    width: int = 0  # in pixels at text scale 1; 0: its own
    close: bool = False  # whether it is low, as in rows that stand close together
    said: str = ""  # whether what is typed is right, for a screen reader


# The page


def theirs(typed: float) -> str:
    """The title above the derivation of a number that a person typed."""
    return f"How one gets {typed:.12g}".replace("-", "−")


def number_in(text: str) -> float | None:
    """The number that is typed; None if it is no number."""
    try:
        return read_answer(text)
    except ExplorerError:
        return None


def words(
    id: str, markdown: str, numbers: Mapping[str, str], role: Any = "", letters: int = 0, sign: str = ""
) -> el.Passage:
    """Words of a lesson: Markdown with formulas and numbers.

    `letters`: the least height of indices and exponents in pixels; 0: two thirds of the letters beside them.
    `sign`: what stands before them, with the marks of a `Passage`.
    """
    html = prose.html(markdown, numbers).replace("<p>", "<p style='margin: 0 0 7px 0'>")
    head, last, rest = html.rpartition("<p style='margin: 0 0 7px 0'>")
    if last:  # below the last paragraph Qt would add a margin to that of the layout
        html = f"{head}<p style='margin: 0'>{rest}"
    if sign:
        first, bracket, rest = html.partition(">")
        html = f"{first}{bracket}{sign} {rest}"
    for tag in ("sub", "sup") if letters else ():  # Qt draws them at two thirds of the given size
        size = f"<span style='font-size: {round(1.5 * letters)}px'>"
        html = html.replace(f"<{tag}>", f"<{tag}>{size}").replace(f"</{tag}>", f"</span></{tag}>")
    return el.Passage(id, html, role, spoken=prose.plain(markdown, numbers))


@dataclass
class Asking:
    """The question of the present step of a walk, and how far one has come with it."""

    walk: Walk
    attempt: Attempt
    numbers: Mapping[str, str]  # those in its words
    letters: int = 0  # the least height of letters in pixels, for a class; 0: one student reads it
    done: bool = False  # whether it is closed
    edited: bool = False  # whether the page shows other numbers than those that are asked about
    reached: tuple[int, ...] | None = None  # the place that keys have reached, which may be given as the answer
    missed: str = ""  # why what was clicked is no answer

    @cached_property
    def step(self) -> Step:
        """The step, as long as it is shown."""
        return self.walk.step

    @property
    def question(self) -> Any:
        """What it asks."""
        return self.step.question

    @cached_property
    def gaps(self) -> Faded | None:
        """The derivation to fill in, if there is one."""
        return self.walk.gaps()

    @cached_property
    def ladder(self) -> tuple[Hint, ...]:
        """All hints; on a slide those in words, since R shows the derivation beside its table."""
        hints = self.walk.hints()
        return tuple(hint for hint in hints if isinstance(hint, str)) if self.letters else hints

    @property
    def typed(self) -> list[str]:
        """What is typed in each field, that of the asked number last."""
        blanks = 1 if self.gaps is None else max(len(self.gaps.blanks), 1)
        return [self.attempt.typed.get(place, "") for place in range(blanks)]

    def words(self, id: str, markdown: str, role: str = "", sign: str = "") -> el.Passage:
        """Words of the question."""
        return words(id, markdown, self.numbers, role, self.letters, sign)


def question_page(asking: Asking) -> tuple[Element, ...]:
    """What is asked, how it is answered, whether the answer was right, and hints."""
    question, attempt = asking.question, asking.attempt
    ask, more = asking.words("ask", question.ask, "asked"), _more(asking)
    wrong = attempt.verdict is not None and not attempt.verdict.right
    again = asking.done and (wrong or (attempt.verdict is None and not asking.letters))
    tip = "Forget your answer and ask once more"
    return (
        Grid("asked", ((ask, more),)) if asking.letters else ask,
        el.Passage("edited", EDITED if asking.edited else "", "small"),
        *BODIES[type(question)](asking),
        *(() if asking.letters else (more,)),  # above the hints, so that it stays under the pointer
        *_verdict(asking),
        *_hints(asking),
        Button("again", "Answer again" if again else "", ForQuestion("ask again"), tip, wraps=True),
    )


# How it is answered


def gaps_of(asking: Asking) -> tuple[Grid, ...]:
    """The derivation with gaps, if there is one; once it is over, a class sees only one that was filled in."""
    gaps, done, large = asking.gaps, asking.done, asking.letters > 0
    *typed, _ = asking.typed
    if gaps is None or (done and large and not any(typed)):
        return ()
    places = {(blank.part, blank.row): place for place, blank in enumerate(gaps.blanks[:-1])}
    rows: list[tuple[Element, ...]] = []
    for p, (_, part) in enumerate(gaps.whole if done else gaps.parts):
        for r, row in enumerate(part):
            id = f"row {len(rows)}"
            what = el.Passage(id, _told(row, large), "small")
            if (place := places.get((p, r))) is not None:
                rows.append((what, *_gap(asking, place, _named(gaps.parts[p][1][r]))))
            else:
                rows.append((what, *((Figure(f"number of {id}", row.value, large),) if row.value else ())))
    return (Grid("gaps", tuple(rows), WIDE, close=large),)


def _gap(asking: Asking, place: int, name: str) -> tuple[Element, ...]:
    """A field for a missing number, and behind it whether what is typed is right, once anything was answered."""
    assert asking.gaps is not None
    blank, number, large = asking.gaps.blanks[place], number_in(asking.typed[place]), asking.letters > 0
    right, wanted = number is not None and blank.judge(number).right, written(blank.value, blank.digits)
    told = f"wrong, it is {wanted}" if asking.done else "wrong"
    shown = "<good>✓</good>" if right else f"<wrong>✗ {wanted if asking.done else ''}</wrong>"
    if not asking.done and asking.attempt.verdict is None:
        told = shown = ""
    id, width = f"blank {place}", LARGE_GAP if large else GAP
    asks, said = ForQuestion("type", "", place), "right" if right and told else told
    typed, on = asking.typed[place], not asking.done
    field = Blank(id, f"Your number, {name}", typed, asks, ENTER, "?", on, width, large, said)
    return field, Figure(f"outcome of {id}", shown)


def _told(row: Row, large: bool) -> str:
    """A row without its value, as HTML: of a term that has only a number as its name, the arithmetic says all."""
    numbered = row.kind == "term" and row.label.removeprefix(f"{row.noun} ").isdecimal()
    told = (row.expression if numbered else "") or _named(row)
    if not large and len(told) > BESIDE and row.label and not numbered and 0 < len(row.expression) <= TOGETHER:
        return f"{escape(row.label, quote=False)}:<br>{escape(row.expression, quote=False)}"
    return escape(told, quote=False)


def _named(row: Row) -> str:
    """A row without its value."""
    return ": ".join(filter(None, (row.label, row.expression)))


def _predict(asking: Asking) -> list[Element]:
    """Takes a number that is typed and locked in."""
    typed, digits, large = asking.typed, asking.question.digits, asking.letters > 0
    number = number_in(typed[-1])
    line: list[Element] = []
    if not (asking.done and large and number is None):
        hint = quantity(digits, "decimal") if digits else "whole number"
        asks, width = ForQuestion("type", "", len(typed) - 1), FIELD if large else 0
        line.append(Blank("number", "Your number", typed[-1], asks, ENTER, hint, not asking.done, width))
    on, tip = all(map(str.strip, typed)) and number not in asking.attempt.tried, "Give this number as your answer"
    text = "" if asking.done else "Lock in"
    line.append(Button("lock", text, ForQuestion("lock"), tip, on=on, primary=True, wraps=True))
    return [*(() if large else gaps_of(asking)), Controls("answer", tuple(line))]


def _choose(asking: Asking) -> list[Element]:
    """Takes one of a few choices; a wrong one is marked as wrong. For a class, what is settled makes room."""
    walk, done, large, shown = asking.walk, asking.done, asking.letters > 0, []
    for i in walk.order(walk.at):
        choice = asking.question.choices[i]
        wrong, right = i in asking.attempt.tried and not choice.right, choice.right and done
        if wrong or choice.right or not (done and large):
            said = asking.words("", f"{'✗ ' * wrong}{'✓ ' * right}{choice.text}")
            id, asks, on = f"choice {i}", ForQuestion("give", i), not done and not wrong
            outcome: Literal["", "right", "wrong"] = "wrong" if wrong else "right" if right else ""
            shown.append(Option(id, said.text, said.spoken, asks, on, outcome))
    return [Options("choices", tuple(shown), large)]


def _point(asking: Asking) -> list[Element]:
    """Takes a word, a cell or a head that is clicked; on a slide, which has no bars, there is a button for each."""
    question, done, tried = asking.question, asking.done, asking.attempt.tried
    where = asking.missed or (ON_SLIDE if asking.letters else WHERE)[question.at]
    parts: list[Element] = [el.Passage("where", "" if done else where, "small")]
    if asking.letters and not done and (names := _names(asking)):
        places = (
            Button(f"place {i}", name, ForQuestion("give", (i,)), on=(i,) not in tried) for i, name in enumerate(names)
        )
        parts.append(Controls("places", tuple(places)))
    reached = None if done else asking.reached
    text = "" if reached is None else f"Answer: {place_named(question, reached, _engine(asking))}"
    give, tip = ForQuestion("give", reached), "Give this as your answer"
    return [*parts, Button("take", text, give, tip, wraps=True)]


def _names(asking: Asking) -> Sequence[str]:
    """The words or the heads, one of which is the answer; none where it is a number of a matrix."""
    question, engine = asking.question, _engine(asking)
    if question.at == "token":
        return engine.labels(question.axis)
    heads = engine.graph.n_heads
    count = heads.get(question.node, 0) or max(heads.values(), default=1)
    return [f"Head {head + 1}" for head in range(count)] if question.at == "head" else ()


def _make(asking: Asking) -> list[Element]:
    """Takes changes of numbers in the model, until a goal is reached."""
    question, graph = asking.question, _engine(asking).graph
    symbols = dict.fromkeys(graph.nodes[graph.place(name).node].symbol for name in question.allowed)
    allowed = " or ".join(f"<b>{formula_html(one)}</b>" for one in symbols) or "any teal number"
    most, how = question.edits, "" if question.allowed or question.edits else ", by hand or by learning"
    said = f" {FEW.get(most, f'{most} numbers')} may be changed." if most else ""
    # On a slide, a hint and what is told of the answer need the room.
    tight = asking.letters > 0 and (asking.done or asking.attempt.hints > 0)
    said = "" if tight else f"Change {allowed} on the page{how}.{said}"
    parts: list[Element] = [el.Passage("where", said, "small")]
    if asking.step.look.element == "steps":  # beside the question, the loss is seen to fall
        goals = [one.number for one in question.conditions if one.node == LOSS and one.sign in ("<", "<=")]
        id, goal = f"curve of {asking.step.id}", min(goals, default=None)
        height = LOW_CURVE if tight else CURVE
        parts.append(el.DescentPart(id, "curve of a goal", (goal,), height=height, goal=goal))
    return parts


Body = Callable[[Asking], list[Element]]
BODIES: dict[type, Body] = {Predict: _predict, Choose: _choose, Point: _point, MakeSo: _make}


def _engine(asking: Asking) -> Engine:
    return asking.walk.engine(asking.walk.at)


def was_there(asking: Asking, place: tuple[int, ...]) -> bool:
    """Whether the step began with a place: a word or a head may have been added in it."""
    question, engine = asking.question, _engine(asking)
    if question.at == "token":
        return place[0] < len(engine.labels(question.axis))
    shape = engine.value(engine.graph.place(question.node)).shape if question.node else ()
    return all(i < size for i, size in zip(place, shape, strict=False))


def elsewhere(clicked: Node, cell: Cell, meant: Node, asked: Place) -> str:
    """A sentence: the cell is in another table than the one that is asked for, so it is no answer."""
    name = f"<b>{formula_html(meant.symbol)}</b>"
    head = "" if asked.head is None else f" of head {asked.head + 1}"
    if cell.node == asked.node:
        return f"That is head {cell.index[0] + 1}. Click a number in {name}{head}."
    if clicked.symbol == meant.symbol:
        return f"That is another {name}. Click a number in {name}{head} of this step."
    return f"That number is in <b>{formula_html(clicked.symbol)}</b>. Click a number in {name}{head}."


# What came of it


def _more(asking: Asking) -> Button:
    """The button for one more hint."""
    ladder, asked = asking.ladder, asking.attempt.hints
    derives = asked + 1 == len(ladder) and not isinstance(ladder[-1], str)
    text = "Show how it is computed" if derives else "Another hint" if asked else "Give me a hint"
    if asking.done or asked >= len(ladder):
        text = ""
    last = "R shows the answer" if asking.letters else "the last one is the whole derivation"
    tip = f"One more hint; {last}"
    return Button("more", text, ForQuestion("hint"), tip, wraps=True)


def _verdict(asking: Asking) -> tuple[Element, ...]:
    """The outcome of the last answer: right or not, which mistake it was, and how the number is computed.

    If it is known how the wrong number comes about, both derivations can be shown side by side over the page; a class
    sees the right one beside the question anyway.
    """
    attempt, question, large = asking.attempt, asking.question, asking.letters > 0
    verdict, compared = attempt.verdict, attempt.compared
    said, title, parts = el.Passage("verdict", ""), OURS, () if verdict is None else verdict.derivation
    if verdict is not None:
        sign = "<b><good>✓</good></b>" if verdict.right else "<mark>✗</mark>"
        hinted = "With a hint." if verdict.right and attempt.hints else ""
        more = MORE.get(attempt.tries_left, "") if isinstance(question, Predict | Point) else ""
        text = " ".join(filter(None, (verdict.said(attempt.done), hinted, more)))
        if isinstance(question, Choose):
            said = asking.words("verdict", text, sign=sign)
        else:
            said = el.Passage("verdict", f"{sign} {escape(text)}", spoken=text)
    if large:
        parts = () if compared is None else _other_than(parts, compared[1])
        title = theirs(compared[0]) if compared is not None and parts else ""
    hidden = verdict is None or verdict.right or not attempt.done
    if hidden or (not large and (compared is not None or asking.gaps is not None)):
        title, parts = "", ()
    both = "" if compared is None or large else "Both derivations side by side"
    tip = "Show side by side how one gets your number and how the right number is computed"
    return said, Button("both", both, ForQuestion("both"), tip, wraps=True), *side("side", title, parts)


def _other_than(right: Sequence[Part], wrong: Sequence[Part]) -> tuple[Part, ...]:
    """A wrong derivation for a class, which sees the right one: from where they differ, with few terms of each sum.

    Where it is still long there is none: the verdict says what was done.
    """
    rows, known = ([row for _, part in parts for row in part] for parts in (wrong, right))
    both = zip(rows, known, strict=False)
    same = takewhile(lambda two: two[0] == replace(two[1], kind=two[0].kind), both)
    ends = (i for i, (row, _) in enumerate(same, 1) if row.kind in ("step", "result"))
    begins = max(ends, default=0)  # no sum begins midway
    found = tuple(shortened(rows[begins:], MOST_OF_WRONG[0]))
    return () if len(found) > MOST_OF_WRONG[1] else (("", found),)


def side(id: str, title: str, parts: Sequence[Part]) -> tuple[Element, ...]:
    """A derivation with its title."""
    rows = tuple(row for _, rows in parts for row in rows)
    return el.Passage(id, escape(title), "section"), el.Derivation(f"{id} rows", rows)


def _hints(asking: Asking) -> tuple[Element, ...]:
    """Why the answer is right, once it is given; and the hints that were asked for, the last of them the derivation."""
    walk, question, attempt, done = asking.walk, asking.question, asking.attempt, asking.done
    chooses = isinstance(question, Choose)
    wrong = attempt.verdict is not None and not attempt.verdict.right
    whys = [question.why]
    if chooses and (attempt.told or wrong):
        whys = [*(hint for hint in walk.told() if isinstance(hint, str)), *whys]
    why = asking.words("why", "\n\n".join(filter(None, whys)) if done else "", "why")
    shown = walk.told() if attempt.told and not chooses else () if done else asking.ladder[: attempt.hints]
    if asking.letters:  # on a slide all of them would take the room of the table that they are about
        shown = shown[-1:]
    said = [hint for hint in shown if isinstance(hint, str)]
    rows = tuple(row for hint in shown if not isinstance(hint, str) for _, part in hint for row in part)
    learned = isinstance(question, Predict) and question.learned is not None  # the number itself is an input
    if attempt.told and asking.letters and not learned:  # a class sees the derivation beside the question
        rows = ()
    hints = (asking.words(f"hint {i}", hint, "hint") for i, hint in enumerate(said))
    return why, *hints, el.Derivation("derivation", rows)


# Above the words

SIGNS = {"unseen": "  ○", "skipped": "  ○", "wrong": "  ✗"}
"""Behind the title of a step with a question that was not answered right; otherwise a tick."""
BACK, ON = 2, 3
"""Shares of the width of the buttons Back and Next, whatever is written on them: to press one again and again, one need
not move the mouse."""


def head_page(
    lesson: Lesson, at: int, found: Outcome, asks: bool, changed: bool, over: bool, away: bool = False
) -> tuple[Element, ...]:
    """The head of a step, counted from 0.

    `asks`: whether its question is open; `changed`: whether the model was edited in it; `over`: whether the end of the
    lesson is shown; `away`: whether the reader has gone to another page than the step's.
    """
    n, last = len(lesson.steps), at + 1 == len(lesson.steps)
    signs = ("" if step.question is None else SIGNS.get(found.of[step.id], "  ✓") for step in lesson.steps)
    titles = enumerate(zip(lesson.steps, signs, strict=True))
    entries = [(f"{i + 1}  {step.title}{sign}", ForSteps("go", i)) for i, (step, sign) in titles]
    entries.append(("The end of the lesson", ForSteps("end")))
    short, tip = f"{at + 1}/{n}", "Go to another step"
    fewer = f"{at + 1} of {n}  ▾", short, short, f"{at + 1}"
    jump = Menu("jump", f"Step {at + 1} of {n}", tuple(entries), tip, link=True, here=n if over else at, shorter=fewer)
    ask, tip, fewer = ForSteps("reset"), "Take back what was changed in this step", ("Reset", "Reset", "↺", "↺")
    reset = Button("reset", "Reset", ask, tip, "Reset step", changed, link=True, keys=True, shorter=fewer)
    ask, tip = ForSteps("leave"), "Leave the steps; the model stays as it is"
    leave = Button("leave", "✕", ask, tip, "Leave the steps", link=True, keys=True)
    ask, tip, on = ForSteps("back"), "Back to the step before (Alt+Left)", over or at > 0
    back = Button("back", "◂ Back", ask, tip, "Back", on, keys=True, shorter=("◂",))
    to_end = "What you have learned, what to revisit, and the next lesson (Alt+Right)"
    tip = "To all lessons" if over else to_end if last else "To the next step (Alt+Right)"
    text, main = "Lessons" if over else "Skip" if asks else "Finish" if last else "Next", over or not asks
    next_ = Button("next", f"{text} ▸", ForSteps("on"), tip, text, primary=main, keys=True, shorter=(text, "▸"))
    text, tip = "Show the page of this step", "You are on another page; what you changed stays"
    look = Button("look", f"↩ {text}", ForSteps("look"), tip, text, link=True, wraps=True)
    return (
        Spread("top", (jump, reset, leave), right=2),
        ProgressBar("progress", "How far the lesson is", (at + 1) / n, wide=True),
        Spread("ways", (back, next_), (BACK, ON)),
        *((look,) if away and not over else ()),
    )
