"""A poll: a class chooses among answers, votes are counted, the commonest mistake is shown beside the right answer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from explorer.core.derivation import Row as DerivedRow
from explorer.core.frozen import Frozen
from explorer.core.numbers import quantity, written
from explorer.lessons.answers import right_or_mistake
from explorer.lessons.mistakes import ROUNDED, Part, derivation
from explorer.lessons.prose import html, numbers_of
from explorer.lessons.schema import Point, Predict
from explorer.lessons.walk import faded
from explorer.pages import page as el
from explorer.pages.controls import Button, Controls, Number
from explorer.pages.element import Element
from explorer.pages.gestures import ForPoll
from explorer.teaching.class_page import as_plain
from explorer.teaching.gradebook import Gradebook
from explorer.teaching.items import ChoiceItem, Item, NumberItem, Wrong, bare, letter_of, strong

CHOICES, MOST_VOTES = 4, 999
"""How many answers a number question offers, the right one included; the most votes for each answer."""
FIRST, LAST = 4, 3
"""How many rows of a longer derivation are shown, of its beginning and of its end."""
MOST_BELOW = 6
"""The most answers that stand one below the other."""
LETTER, APART = 56, 24
"""Pixels at text scale 1 that a letter takes beside its answer, and that are free between two columns."""
SHOWS = ("choices", "counts", "both")
"""The stages of a poll, in order."""


class Ballot(Frozen):
    """One of the answers."""

    text: str  # HTML
    right: bool
    mistake: str = ""  # its name in files of answers
    why: str = ""  # HTML: what was done wrong, or why it is right
    derivation: tuple[Part, ...] = ()
    choice: int = -1  # of a choice its number in files of answers; -1 for a number


class Poll(Frozen):
    """A question, its answers, and the votes for each."""

    id: str  # id of the question: "emma/score"
    title: str
    ask: str  # HTML
    ballots: tuple[Ballot, ...]
    counts: tuple[int, ...]
    given: tuple[DerivedRow, ...] = ()  # the derivation with gaps that the question is about
    show: str = SHOWS[0]
    cast: tuple[int, ...] = ()  # the places of the votes that were counted one by one, which can be taken back

    def turn(self, by: int) -> "Poll | None":
        """The poll at the next or an earlier stage; None after the last and before the first."""
        at = SHOWS.index(self.show) + by
        return replace(self, show=SHOWS[at]) if 0 <= at < len(SHOWS) else None

    def count(self, place: int, hands: int) -> "Poll":
        """The poll with another number of votes for one answer."""
        hands = min(max(hands, 0), MOST_VOTES)
        return replace(self, counts=(*self.counts[:place], hands, *self.counts[place + 1 :]), cast=())

    def vote(self, place: int) -> "Poll":
        """The poll with one more vote for one answer."""
        more = self.count(place, self.counts[place] + 1)
        return replace(more, cast=(*self.cast, place)) if more.counts != self.counts else self

    def take_back(self) -> "Poll":
        """The poll without the last single vote; the same if there is none since a number was typed or files came."""
        if not self.cast:
            return self
        place = self.cast[-1]
        return replace(self.count(place, self.counts[place] - 1), cast=self.cast[:-1])

    def counted(self, book: Gradebook) -> "Poll":
        """The poll with the first answers in the files of a class as votes; other answers are ignored."""
        chosen: Counter[str | float] = Counter()
        for student in book.students:
            one = book.cell(student, self.id)
            if one.tries:
                first = one.tries[0]
                # Of choices several may be right, and each has its own votes.
                chosen[first.answer] += 1
                chosen["" if first.right else first.mistake or "?"] += 1

        def votes(ballot: Ballot) -> int:
            return chosen[ballot.choice if ballot.choice >= 0 else "" if ballot.right else ballot.mistake]

        return replace(self, counts=tuple(map(votes, self.ballots)), cast=())

    @property
    def commonest(self) -> Ballot | None:
        """The wrong answer with the most votes; None if no wrong answer has votes."""
        wrong = [(n, one) for n, one in zip(self.counts, self.ballots, strict=True) if n and not one.right]
        return max(wrong, key=lambda pair: pair[0])[1] if wrong else None


def poll_of(item: Item, order: tuple[int, ...] = ()) -> Poll | None:
    """A poll about a question; for a number, the likeliest mistakes are the other answers. None if there are none.

    `order`: the order of the choices, as numbers counted from 0.
    """
    ask = html(item.question.ask, numbers_of(item.step, item.engine))
    if isinstance(item, ChoiceItem):
        places = order or tuple(range(len(item.options)))
        ballots = []
        for i in places:
            option = item.options[i]
            mistake, why = "" if option.right else f"chose {letter_of(i)}", option.told or option.feedback
            if option.right and (isinstance(item.question, Point) or not why):  # of a place only that it is right
                why = item.why
            ballots.append(Ballot(option.text, option.right, mistake, why, choice=i))
    else:
        ballots = _numbers(item)
    if len(ballots) < 2:
        return None
    question, given = item.question, tuple[DerivedRow, ...]()
    if isinstance(question, Predict) and question.fade > 0:  # where all is left out, only names would be left
        given = tuple(row for _, part in faded(question, item.engine).parts for row in part)
    return Poll(item.id, item.title, ask, tuple(ballots), (0,) * len(ballots), given)


def _numbers(item: NumberItem) -> list[Ballot]:
    question, engine = item.question, item.engine
    how = derivation(engine, question.node, question.cell, question.of, question.learned)
    found = {item.value: Ballot(written(item.value, item.digits), True, "", item.why, how)}
    names, graph = set[str](), engine.graph
    shares = graph.nodes[graph.place(question.node).node].op.shares

    def says_little(wrong: Wrong) -> bool:
        """Whether nobody would vote for it, as for a share that is not from 0 to 1; or only the rounding is wrong."""
        return (shares and not 0 <= wrong.value <= 1) or wrong.name in ROUNDED

    for wrong in sorted(item.wrong, key=says_little):
        _, mistake = right_or_mistake(question, wrong.value, engine)
        # By its name a mistake is counted in files, so one ballot only is of each name.
        if mistake is not None and mistake.name not in names and len(names) < CHOICES - 1:
            names.add(mistake.name)
            text, why = written(wrong.value, item.digits), escape(f"{mistake.sentence}.")
            found[wrong.value] = Ballot(text, False, mistake.name, why, mistake.derivation)
    return [found[value] for value in sorted(found)]


# The page


def poll_page(poll: Poll, side: int) -> tuple[Element, ...]:
    """The page of a poll at its present stage.

    `side`: the width of a derivation in pixels at text scale 1; two stand side by side.
    """
    # Whoever has only the screen of the class sees that a letter counted, and not yet for which answer.
    votes = f"· {quantity(sum(poll.counts), 'vote')}".replace(" ", "\xa0")  # no line ends within
    counted = f" {votes}" if poll.show == SHOWS[0] else ""
    asked = [el.Section("title", poll.title + counted), el.Note("ask", strong(poll.ask))]
    if poll.given and poll.show == SHOWS[0]:  # beside the counts it would take the room of the table
        asked.append(el.Note("given", _shortened(poll.given)))
    match poll.show:
        case "choices":
            return (*asked, *_choices(poll, side))
        case "counts":
            return (*asked, *_counts(poll, side))
    return (*asked, *_both(poll, side))


def _choices(poll: Poll, width: int) -> list[Element]:
    """The answers, one below the other; where they are many, in two columns: all must be in sight at once."""
    if len(poll.ballots) <= MOST_BELOW:
        return [_choice(i, one, 2 * width + APART) for i, one in enumerate(poll.ballots)]
    rows = [_choice(i, one, width) for i, one in enumerate(poll.ballots)]
    half = (len(rows) + 1) // 2
    columns = (el.Stack(f"column {i}", "", tuple(rows[i : i + half]), width) for i in (0, half))
    return [el.Row.of("columns", columns)]


def _choice(place: int, ballot: Ballot, width: int) -> Element:
    """A letter, and beside it the answer, which breaks there if it is long."""
    button = Button(f"vote {place}", letter_of(place), ForPoll("vote", place), "One more chose this")
    text = el.Note(f"text {place}", f"<font size='5'><b>{bare(ballot.text)}</b></font>", wide=False)
    return el.Row.of(f"choice {place}", (button, el.Stack(f"answer {place}", "", (text,), width - LETTER)))


def _counts(poll: Poll, side: int) -> list[Element]:
    most, total = max(1, *poll.counts), sum(poll.counts)
    lines = []
    for place, (count, ballot) in enumerate(zip(poll.counts, poll.ballots, strict=True)):
        text = f"{letter_of(place)}  {as_plain(ballot.text)}"
        said = f"{count} of {total}"
        lines.append(el.Line.of(el.Entry(text, tip=text), el.Entry(said, count / most), str(count)))
    boxes = [
        Number(
            f"count {place}", letter_of(place), count, 0, MOST_VOTES, ForPoll(f"count {place}"), "How many chose this"
        )
        for place, count in enumerate(poll.counts)
    ]
    files = Button("from files", "From files …", ForPoll("files"), "Count the first answers in files of a class")
    said = "Type how many chose each, or take the files of a class. A letter counts one more, Backspace takes it back."
    return [_votes(lines, side), Controls("counts", (*boxes, files)), el.Note("how", said)]


def _votes(lines: Sequence[el.Line], side: int) -> Element:
    """The votes for each answer as bars; where they are many, in two columns, as the answers."""
    if len(lines) <= MOST_BELOW:
        return _bars("votes", lines, 420, 260)
    half = (len(lines) + 1) // 2
    text, bar = side // 2, side // 6  # which may grow threefold, and then both columns have one scale
    columns = (
        el.Stack(f"votes from {i}", "", (_bars(f"votes {i}", lines[i : i + half], text, bar),), side) for i in (0, half)
    )
    return el.Row.of("votes", columns)


def _bars(id: str, lines: Sequence[el.Line], text: int, bar: int) -> el.Listing:
    columns = (el.Column("", width=text), el.Column("", el.BAR, width=bar), el.Column("", el.NUMBER))
    return el.Listing(id, "How many chose what", columns, tuple(lines), len(lines))


def _both(poll: Poll, width: int) -> list[Element]:
    wrong, right = poll.commonest, next(one for one in poll.ballots if one.right)
    sides = [("right", right, "Right")]
    if wrong is not None:
        sides.insert(0, ("wrong", wrong, "The commonest mistake"))
    stacks = [_side(id, one, poll, title, width) for id, one, title in sides]
    said = [el.Note("none", "Nobody chose a wrong answer.")] if wrong is None and any(poll.counts) else []
    return [*said, el.Row.of("both", stacks)]


def _side(id: str, ballot: Ballot, poll: Poll, title: str, width: int) -> el.Stack:
    place = poll.ballots.index(ballot)
    name, total = f"{letter_of(place)}&nbsp;&nbsp;{bare(ballot.text)}", sum(poll.counts)
    chosen = f" ({poll.counts[place]} of {total})" if total else ""
    rows = [row for _, part in ballot.derivation for row in part]
    how = (el.Note(f"rows {id}", _shortened(rows)),) if rows else ()
    why = (el.Note(f"why {id}", ballot.why),) if ballot.why else ()
    return el.Stack(f"side {id}", title, (el.Note(f"name {id}", f"<b>{name}</b>{chosen}"), *why, *how), width)


def _shortened(derived: Sequence[DerivedRow]) -> str:
    """The rows of a derivation; of a long one only the first and the last, as all would have to be scrolled."""
    rows = [_written(row) for row in derived if row.label or row.expression != row.value or len(derived) == 1]
    if len(rows) > FIRST + LAST + 1:
        rows[FIRST:-LAST] = [f"… {len(rows) - FIRST - LAST} more"]
    return "<br>".join(rows)


def _written(derived: DerivedRow) -> str:
    """A row of a derivation as one line that may be wrapped."""
    label, expression, value = map(escape, (derived.label, derived.expression, derived.value))
    said = f"{label}: {expression}" if label and expression else label or expression
    if derived.kind == "heading" or not value:
        return said
    value = f"<b>{value}</b>" if derived.kind == "result" else value
    return f"{said} = {value}" if said else value
