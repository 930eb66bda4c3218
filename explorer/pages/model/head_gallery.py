"""The page on what the heads of a trained model do, measured over many sentences."""

from collections import deque
from html import escape
from operator import is_

from explorer.core.graph import Stage
from explorer.core.numbers import alone, in_table, quantity, written
from explorer.core.ops import Array
from explorer.core.vocabulary import Vocabulary
from explorer.pages import page as el
from explorer.pages.controls import Check, Choice, Controls
from explorer.pages.element import Element
from explorer.pages.gestures import GoTo, Keep, hold, is_held
from explorer.pages.view import Told, View
from explorer.pages.whole.page import whole_below
from explorer.training.head_gallery import LEAST, MEASURES, Annotated, Head, gallery, sentences_for

COSTS, SORTED = "head gallery.costs", "head gallery.sorted"
TO_MEASURE, TO_WEIGH = "work of measuring heads", "work of switching off heads"
NAMED = f"A head gets a name if {LEAST:.0%} or more of its attention goes there, and twice what chance gives."
MOST = 16  # heads listed before somebody asks for more
LOOKS, SCORES = 800, 760
"""The widths of the two halves of the page, side by side, in pixels at text scale 1."""


def head_gallery(view: View, stage: Stage) -> tuple[Element, ...]:
    """What each head does, how much the loss grows without it, and its score in each measure."""
    sentences, source = _sentences(view)
    costs = view.chosen(COSTS, False)
    measured = _measured(view, tuple(sentences), costs=False)
    tip = "Switch each head off in turn, then hold it at its mean. With hundreds of heads this takes many minutes."
    there = _there(measured or ())
    first = view.number(SORTED, 0, 0, len(there))
    controls: tuple[Element, ...] = (Check(COSTS, "What is lost without each", costs, Keep(COSTS), tip),)
    if there and len(measured or ()) > MOST:
        orders = "layer", *there
        tip = "Which heads stand first: as they follow each other in the model, or those that look most at one place"
        controls += (Choice(SORTED, "Sorted by", orders, first, (Keep(SORTED),), tip, listed=True),)
    if view.state.pins:  # they belong to the words above, and those measured are others
        source += f" {ALL_ON}"
    head = el.Note("source", source), Controls("what", controls)
    if measured is None:
        return *head, el.waiting(view, TO_MEASURE, "Measuring all heads"), whole_below(view)
    lost: tuple[Element, ...] = ()
    if costs:
        weighed = _measured(view, tuple(sentences), costs=True)
        lost = (el.waiting(view, TO_WEIGH, "Switching off each head"),)
        if weighed is not None:
            lost = el.Note("about the costs", ABOUT_COSTS), _costs(_ordered(weighed, there, first))
        lost = el.Section("lost", "What is lost without each head"), *lost
    measured = _ordered(measured, there, first)
    scores = el.Section("measures", "Where each head looks"), _scores(measured), el.Note("rules", _rules(measured))
    looks = el.Section("gallery", "What each head does"), _gallery(view, measured)
    return *head, el.beside((SCORES, (*lost, *scores)), (LOOKS, looks)), whole_below(view)


def _ordered(heads: tuple[Head, ...], there: list[str], first: int) -> tuple[Head, ...]:
    """Heads as they follow each other (0), or with the largest share of a measure first; equal ones stay in order."""
    if not first or len(heads) <= MOST:
        return heads
    return tuple(sorted(heads, key=lambda head: -head.scores[there[first - 1]].share))


def _sentences(view: View) -> tuple[list[Annotated], str]:
    """The sentences to measure on, and a text about them."""
    found = sentences_for(view.state)
    if found:
        n = f"{len(found)} sentences of the model's grammar that it never learned from"
        if isinstance(view.state.model.axes["input.words"], Vocabulary):
            n = f"{len(found)} short stories, written for this page"
        return found, f"Measured on <b>{n}</b>. {NAMED}"
    own = view.labels("input")
    said = "Only the sentence above is measured, since the program has no grammar of its words: that says little."
    return [(own, ())], f"{said} {NAMED}"


ALL_ON = "All parts of the model are on for that, also those that are switched off or held now."

EACH = 250
"""One measure of one attention weight takes as long as this many multiply-adds."""
_KEPT: deque[tuple[tuple[object, ...], list[Array], tuple[Head, ...]]] = deque(maxlen=4)
"""The last results, each with the model and weights that it belongs to: every edit of the words makes the page anew.
Four fit: two compared models, each with and without the costs."""


def _measured(view: View, sentences: tuple[Annotated, ...], costs: bool) -> tuple[Head, ...] | None:
    """The measured heads; None while they are being measured."""
    state = view.state
    weights = [array for name, array in state.used.items() if not name.endswith((".tokens", ".target"))]
    of = state.model.switches, sentences, costs
    for before, arrays, heads in _KEPT:
        if before == of and len(arrays) == len(weights) and all(map(is_, arrays, weights)):
            return heads
    longest, own = max(len(words) for words, _ in sentences), len(view.graph.axes["input"])
    size = sum(view.graph.work.values()) * len(sentences) * longest / own * (1 + 2 * len(_heads(view)) * costs)
    size += EACH * len(MEASURES) * len(_heads(view)) * len(sentences) * longest**2

    def measure(told: Told) -> tuple[Head, ...]:
        return tuple(gallery(state, sentences, costs, told))

    found = view.awaited(TO_WEIGH if costs else TO_MEASURE, size, (state, costs), measure)
    if found is not None:
        _KEPT.append((of, weights, found))
    return found


def _heads(view: View) -> list[tuple[str, int]]:
    names = [name for name in view.nodes if name.endswith(".self.weights")]
    return [(name, head) for name in names for head in range(view.graph.n_heads.get(name, 1))]


def _name(head: Head) -> str:
    return f"layer {head.block.split('.')[1]}, head {head.head + 1}"


def _gallery(view: View, measured: tuple[Head, ...]) -> el.Listing:
    looks_at = el.Column("looks, for example", width=300)
    columns = el.Column("head"), looks_at, *el.numeric("share", "chance"), *map(el.Column, ("switch", "", ""))
    lines, again, held = [], "Let the head work again", "Hold the output of the head"
    at_mean = f"{held}, at every word, at its mean over the sentences"
    for head in measured:
        one, example = head.scores.get(head.does), head.example.partition(":")[0]
        looks = MEASURES[head.does][0] if head.does else "at no named place"
        if not head.does and (common := _common(head)):
            one, looks = head.scores[common], f"{MEASURES[common][0]}, but less than twice the chance"
        node = f"{head.block}.head.{head.head + 1}.output"
        name = node if view.graph.find(node) else f"{head.block}.output"
        off, averaged = is_held(view, name), is_held(view, name, head.mean)
        ways = "switch on" if off else "switch off", "compute it again" if averaged else "hold at its mean"
        line = el.Line.of(
            el.Entry(_name(head), leads=GoTo(f"{head.block}.heads")),
            el.Entry(f"{looks}: {example}" if example else looks, tip=head.example, muted=not head.does),
            written(one.share, 2) if one else "",
            el.Entry(written(one.by_chance, 2) if one else "", muted=True),
            el.Entry("off" if off else "at its mean" if averaged else "on", muted=not off and not averaged),
            el.Entry(ways[0], tip=again if off else f"{held} at 0", leads=hold(view, name)),
            el.Entry(ways[1], tip=again if averaged else at_mean, leads=hold(view, name, head.mean)),
        )
        lines.append(line)
    return el.Listing("heads", "What each head does", columns, tuple(lines), most=MOST)


def _common(head: Head) -> str:
    """The measure in which an unnamed head has its largest share, if that is at least `LEAST`; else ""."""
    shares = {name: one.share for name, one in head.scores.items() if one.rows and one.share >= LEAST}
    return max(shares, key=lambda name: shares[name], default="")


def _costs(measured: tuple[Head, ...]) -> el.Listing:
    lines, tip = [], "nats for each word, with the output of the head held at"
    for head in measured:
        if head.cost is not None:
            losses = {"0": head.cost.without, "its mean": head.cost.averaged}
            entries = (el.Entry(in_table(loss, 3), tip=f"{tip} {held}") for held, loss in losses.items())
            lines.append(el.Line.of(_name(head), *entries, " ".join(f"“{word}”" for word in head.cost.words)))
    columns = el.Column("head"), *el.numeric("loss +", "mean +"), el.Column("words it costs", width=420)
    return el.Listing("costs", "What is lost without each head", columns, tuple(lines), most=MOST)


ABOUT_COSTS = (
    "Loss + says how much the loss of a word grows, in nats, if the output of the head is held at 0; mean +, if it is "
    "held at its mean; below 0, words are foretold better without it. If two heads do the same, one does it alone when "
    "the other is switched off, and the loss hardly grows."
)


def _there(measured: tuple[Head, ...]) -> list[str]:
    """The measures that apply to some word of these sentences."""
    return [name for name in MEASURES if any(head.scores[name].rows for head in measured)]


def _rules(measured: tuple[Head, ...]) -> str:
    said = "; ".join(f"<b>{escape(name)}</b> {escape(MEASURES[name][0])}" for name in _there(measured))
    if not said:
        return "A head cannot be measured on so few words: write a longer sentence."
    return (
        f"Where a head looks: {said}. A number is the share of attention that the head gives to such a place, over the "
        "words that have one. A place that is also the word itself, the word before or the first word is counted "
        "only as that."
    )


def _score(share: float, rows: int) -> el.Entry:
    said = "< 0.01" if share < 0.01 else written(share, 2)
    return el.Entry(said, share, f"{alone(share, 2)}, over {quantity(rows, 'place')}") if rows else el.Entry("")


def _scores(measured: tuple[Head, ...]) -> el.Listing:
    there = _there(measured)
    lines = []
    for head in measured:
        scores = (_score(one.share, one.rows) for one in map(head.scores.__getitem__, there))
        lines.append(el.Line.of(el.Entry(_name(head), leads=GoTo(f"{head.block}.heads")), *scores))
    columns = (el.Column("head"), *(el.Column(name, el.HEAT) for name in there))
    return el.Listing("all scores", "All heads in all measures", columns, tuple(lines), most=MOST)
