"""The controls of gradient descent by hand: how to step, one step, many, play, how fast, pause, and back."""

from functools import lru_cache
from math import inf

from explorer.core.frozen import Frozen
from explorer.core.numbers import alone, live, quantity
from explorer.core.training.recipe import OPTIMISERS
from explorer.pages.controls import Button, Choice, Controls, Field, Number
from explorer.pages.element import Element
from explorer.pages.gestures import Descend
from explorer.pages.page import Note, Passage

MOST_AT_ONCE = 100_000
POWERS = -4, 1  # of ten, of the least and the greatest rate on the slider


class StepsByHand(Frozen):
    """The run of a document, and how the next steps by hand are taken."""

    loss: float  # of the document
    way: tuple[int, int, int] | None  # the first step, that of the document, and the last one; None without a run
    edited: bool  # whether the document was edited since its step
    optimiser: str  # a key of `OPTIMISERS`
    rate: float
    at_once: int  # how many steps a person takes at once
    going: bool  # whether there are steps left to take
    pace: float  # the most steps a second while it plays
    paces: tuple[float, ...]  # all that there are, the slowest first


def steps_page(steps: StepsByHand) -> tuple[Element, ...]:
    """Optimiser and learning rate; steps, one or many, and their pace; the loss; a slider through the run."""
    begun, at, last = steps.way or (0, 0, 0)
    back = Button("back", "Back", Descend("travel", at - 1), "One step back", on=at > begun, keys=True)
    taken = Controls("steps", (back, *_taken(steps.at_once, steps.going, steps.pace, steps.paces)))
    travel = "Travel through the run: drag, or the arrow keys; Home for its beginning"
    name, over = "Step of the run to go back to", "Give the model the weights from before the run"
    way = (
        Number("way", "", at, begun, last, Descend("travel"), travel, on=bool(steps.way), name=name, slides=True),
        Button("over", "Start over", Descend("start_over"), over, on=last > begun, keys=True),
    )
    where = f" after {quantity(at, 'step')}" * bool(steps.way) + ", then edited" * steps.edited
    loss = Passage("loss", f"Loss {live(steps.loss)}{where}", "strong", plain=True)
    return _how(steps.optimiser, steps.rate), taken, loss, Controls("back and forth", way)


# While steps play, these are the same in all frames.


@lru_cache(4)
def _how(optimiser: str, rate: float) -> Controls:
    kinds, rule = tuple(OPTIMISERS), "The rule that makes a step from the gradient"
    asks = tuple(Descend("set_kind", kind) for kind in kinds)
    number, sets, title = alone(rate, 6), Descend("set_rate"), "Learning rate"
    factor = f"{title}: what the gradient is multiplied by"
    how = (
        Choice("optimiser", "Optimiser", kinds, kinds.index(optimiser), asks, rule, listed=True),
        Field("rate", "Rate", number, None, sets, 40, True, factor, 72, gives=True, name=title, powers=POWERS),
    )
    return Controls("how", how)


@lru_cache(4)
def _taken(at_once: int, going: bool, pace: float, paces: tuple[float, ...]) -> tuple[Element, ...]:
    one, count, several = "Take one step down the gradient", Descend("set_at_once"), "How many steps to take"
    tip = "Take this many steps down the gradient"
    take = Button("take", "steps", Descend("take", at_once), tip, "Take these steps", keys=True)
    word, play = ("Pause", Descend("stop")) if going else ("Play", Descend("play"))
    slower, faster = pace > paces[0], pace < paces[-1]
    said = "as fast as it goes" if pace == inf else f"{pace:g} step{'s' * (pace != 1)} a second"
    return (
        Button("one", "One step", Descend("take", 1), one, primary=True, keys=True),
        Number("many", "", at_once, 1, MOST_AT_ONCE, count, several, name="How many steps", does=take),
        Button("play", word, play, "Take steps until it is paused", keys=True, longest="Pause"),
        Button("slower", "Slower", Descend("go_faster", -1), "Play slower", on=slower, keys=True),
        Button("faster", "Faster", Descend("go_faster", 1), "Play faster", on=faster, keys=True),
        Note("pace", said, wide=False),
    )
