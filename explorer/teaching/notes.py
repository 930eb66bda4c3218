"""What a lecturer sees beside a slide: a clock, used and planned times, notes, the question, and the next step."""

from collections.abc import Callable, Mapping
from html import escape
from typing import NamedTuple

from explorer.core.engine import Engine
from explorer.core.numbers import written
from explorer.lessons import prose
from explorer.lessons.answers import place_named, right_places
from explorer.lessons.mistakes import array_of
from explorer.lessons.schema import Choose, Lesson, Point, Predict, Step
from explorer.lessons.walk import Walk
from explorer.pages.element import Element
from explorer.pages.page import Passage
from explorer.teaching.items import bare, letter_of
from explorer.teaching.poll import Poll

ON = {
    "choices": "shows the votes",
    "counts": "shows the commonest mistake beside the right answer",
    "both": "ends the vote",
}
"""What → does in each stage of a poll."""


class Times(NamedTuple):
    """What a clock shows."""

    seconds: float  # for which it has run
    runs: bool
    used_in: Callable[[str], float]  # the seconds used in a step


def minutes(seconds: float) -> str:
    """Seconds as minutes and seconds, as a clock shows them."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"


def notes_page(
    walk: Walk, numbers: Mapping[str, str], times: Times, frozen: bool, poll: Poll | None, votes: bool
) -> tuple[Element, ...]:
    """The page beside the present step of a walk; `numbers`: those in its words.

    `frozen`: whether the class sees a frozen picture; `poll`: what the class votes on now; `votes`: whether it can
    vote on the question.
    """
    lesson, at, step = walk.lesson, walk.at, walk.step
    last = at + 1 == len(lesson.steps)
    said = prose.html(step.notes, numbers) if step.notes else "None for this step."
    if step.slide:  # the class reads a shorter text
        said += f"<p><b>In full:</b></p>{prose.html(step.words, numbers)}"
    following = "This is the last step" if last else f"Next: {escape(lesson.steps[at + 1].title)}"
    asked = _asked(step, numbers, walk.engine(at)) + "<br>V: the class votes." * votes if poll is None else _voted(poll)
    return (
        Passage("clock", minutes(times.seconds) + ("" if times.runs else "  (T starts the clock)"), "title"),
        Passage("frozen", "The class sees a frozen picture (F)" if frozen else "", "here"),
        Passage("times", _times(lesson, at, times)),
        Passage("heading", "Notes", "section"),
        Passage("notes", said),
        Passage("asked", asked if step.question is not None else ""),
        Passage("following", following, "section"),
    )


def _times(lesson: Lesson, at: int, times: Times) -> str:
    """The times of this step and of all steps, used and planned."""
    step, used = lesson.steps[at], [times.used_in(one.id) for one in lesson.steps[: at + 1]]
    rows = (
        ("This step", used[-1], step.minutes),
        ("Up to here", sum(used), sum(one.minutes for one in lesson.steps[: at + 1])),
        ("All steps", times.seconds, sum(one.minutes for one in lesson.steps) or lesson.minutes),
    )
    cells = "".join(
        f"<tr><td>{name}&nbsp;&nbsp;</td><td align='right'>{minutes(taken)}&nbsp;&nbsp;</td>"
        f"<td align='right'>{minutes(60 * plan) if plan else '–'}</td></tr>"
        for name, taken, plan in rows
    )
    return f"<table><tr><td></td><td>used&nbsp;&nbsp;</td><td>planned</td></tr>{cells}</table>"


def _asked(step: Step, numbers: Mapping[str, str], engine: Engine) -> str:
    """The question for the class, and what is right: a choice, a number or a place."""
    question = step.question
    if question is None:
        return ""
    right = list[str]()
    match question:
        case Choose():
            right = [prose.html(one.text, numbers) for one in question.choices if one.right]
        case Predict():
            right = [written(float(array_of(engine, question.node, question.of)[question.cell]), question.digits)]
        case Point():
            places = [escape(place_named(question, place, engine)) for place in right_places(question, engine)]
            right = [" or ".join(places)]
    said = f"<b>Asked:</b> {prose.html(question.ask, numbers)}" + "".join(f"<p>✓ {bare(one)}</p>" for one in right)
    return said.replace("<p>", "").replace("</p>", "<br>").removesuffix("<br>")


def _voted(poll: Poll) -> str:
    """A poll: letters, votes and what is right, also while the class sees none of this."""
    rows = "".join(
        f"<tr><td>{letter_of(place)} {'✓' * one.right}&nbsp;</td><td>{bare(one.text)}&nbsp;&nbsp;</td>"
        f"<td align='right'>{votes}</td></tr>"
        for place, (one, votes) in enumerate(zip(poll.ballots, poll.counts, strict=True))
    )
    keys = f"A letter counts one more vote, Backspace takes the last one back; → {ON[poll.show]}."
    return f"<b>The class votes:</b> {bare(poll.ask)}<table>{rows}</table>{keys}"
