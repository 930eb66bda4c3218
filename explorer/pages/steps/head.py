"""What stands above the words of a step: which step it is, how far the lesson is, and the ways to other steps."""

from explorer.lessons.progress import Outcome
from explorer.lessons.schema import Lesson
from explorer.pages.controls import Button, Menu, ProgressBar, Spread
from explorer.pages.element import Element
from explorer.pages.gestures import ForSteps

SIGNS = {"unseen": "  ○", "skipped": "  ○", "wrong": "  ✗"}
"""Behind the title of a step with a question that was not answered right; otherwise a tick."""
BACK, ON = 2, 3
"""Shares of the width of the buttons Back and Next, whatever is written on them: to press one again and again, one need
not move the mouse."""


def head_page(lesson: Lesson, at: int, found: Outcome, asks: bool, changed: bool, over: bool) -> tuple[Element, ...]:
    """The head of a step, counted from 0.

    `asks`: whether its question is open; `changed`: whether the model was edited in it; `over`: whether the end of the
    lesson is shown.
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
    return (
        Spread("top", (jump, reset, leave), right=2),
        ProgressBar("progress", "How far the lesson is", (at + 1) / n, wide=True),
        Spread("ways", (back, next_), (BACK, ON)),
    )
