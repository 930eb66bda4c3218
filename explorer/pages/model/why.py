"""The page of "why this word": the output layer applied after each block, and a logit as an exact sum of parts.

Patching: one part of the model at a time gets its numbers from a pass over another text, and the answer moves.
"""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from explorer.core import attribution
from explorer.core.engine import fresh
from explorer.core.frozen import Frozen
from explorer.core.graph import LOGITS, READ, Cell, Graph, Stage
from explorer.core.models.ends import DECODER_READS, TEMPERATURE
from explorer.core.numbers import as_share, exact, in_table, places_of_largest, quantity, written
from explorer.core.ops import Array
from explorer.core.vocabulary import is_mark, typed
from explorer.document.commands import PinCells
from explorer.pages import page as el
from explorer.pages.controls import Button, Check, Choice, Controls, row_choice
from explorer.pages.element import Element
from explorer.pages.gestures import Edit, GoTo, Keep
from explorer.pages.view import Told, View

SHOW, PLACE, OTHER = "patching.show", "patching.place", "patching.word"
NEAREST, TRIED, MOST_COLUMNS = 40, 3, 10
"""Words to choose from; words tried at each place for the first other text; the most places side by side, which a
window 1280 pixels wide has room for."""
EACH = 300_000
"""The overhead of one node, some 6 µs, in multiply-adds: in a small model it is most of the time."""
TO_PATCH, LENS, TO_PART = "work of patching", "work of the lens", "work of the ledger"


def patching(view: View, sequence: str, row: int, word: int, names: Mapping[str, str]) -> tuple[Element, ...]:
    """The choice of the other text, and how far each part at each place moves the answer: a click on a cell pins it.

    `sequence`: the sequence that the decoder reads.
    `row`, `word`: the index of the word after which the answer comes, and the number of the word that is asked about.
    `names`: the names in words of the nodes of the residual stream.
    """
    show = view.chosen(SHOW, False)
    tip = "Give each part, one at a time, the numbers that it has for another text, and see how the answer moves"
    check = Check(SHOW, "Try all parts", show, Keep(SHOW), tip)
    head: tuple[Element, ...] = (el.Section("patching", "Patching: each part reads the other text"),)
    if not show:
        return (*head, Controls("patch", (check,)))
    work = sum(view.graph.work.values())
    chosen = view.chosen(PLACE, None), view.chosen(OTHER, None)

    def tried(told: Told) -> tuple[_Other, list[int], Array]:
        other = _other(view, sequence, row, word)
        places = _places(view, other, row)
        pair = word, attribution.rival_of(other.values[LOGITS][row], word)
        here, there = (of[LOGITS][row, list(pair)] for of in (view.values, other.values))
        found = attribution.patched(view.graph, view.values, other.values, view.engine.pins, row, places, pair, told)
        return other, places, attribution.moved(found, here, there)

    compared = None if view.beside is None else view.beside.values
    of = view.values, compared, row, word, *chosen
    count = min(row + 1, MOST_COLUMNS)
    runs = (TRIED * count + len(attribution.sites(view.graph)) / 2) * len(view.nodes)
    size = work * len(attribution.sites(view.graph)) * count / 2 + EACH * runs
    outcome = view.awaited(TO_PATCH, size, of, tried)
    if outcome is None:
        return (*head, Controls("patch", (check,)), el.waiting(view, TO_PATCH, "Trying all parts"))
    other, places, shares = outcome
    asked, text = _asked(view, sequence, row, other), other.words
    says, there = view.labels(view.nodes[LOGITS].axes[1]), view.labels(sequence)
    rival = attribution.rival_of(other.values[LOGITS][row], word)
    other_text = escape(typed(text, view.graph.vocabulary(sequence)))
    note = (
        f"The other text is <i>{other_text}</i>. Each cell takes one part at one place from there and says "
        f"how far the answer then moves from <b>{escape(says[word])}</b> to <b>{escape(says[rival])}</b>: 0 not at "
        "all, 1 all the way, measured by their logits. A click puts that part in as a pin; undo takes it out."
    )
    if np.isnan(shares).all():
        answers = {int(values[LOGITS][row].argmax()) for values in (view.values, other.values)}
        answer = f", <b>{escape(says[answers.pop()])}</b>" if len(answers) == 1 else ""
        note = (
            f"The other text is <i>{other_text}</i>. Both have the same answer{answer}, so nothing can move from one "
            "to the other: choose another word, or take a pin out by undo."
        )
    if len(places) <= row:
        note += f" {_left_out(there, places, row)}"
    lines = []
    for site, along in zip(attribution.sites(view.graph), shares, strict=True):
        whole = site.node == site.after
        entries = []
        for place, share in zip(places, along.tolist(), strict=True):
            said = written(round(share, 2) + 0.0, 2) if np.isfinite(share) else "–"
            tip = f"{_site_named(site, names)} at “{there[place]}”: {said}. A click pins it"
            entries.append(el.Entry(said, share if np.isfinite(share) else 0.0, tip, leads=_Put(site, place, other)))
        lines.append(el.Line(tuple(entries), strong=whole))
    columns = tuple(el.Column(f"“{there[place]}”", el.HEAT, signed=True) for place in places)
    parts = tuple(_site_named(site, names) for site in attribution.sites(view.graph))
    title = "How far the answer moves, for each part and place"
    heat = el.Listing("patches", title, columns, tuple(lines), most=40, labels=parts)
    return (*head, Controls("patch", (check, *asked)), el.Note("about patching", note), heat)


def _places(view: View, other: "_Other", row: int) -> list[int]:
    """The places with a column: all of a short text; of a long one, the first where both passes differ, and the last.

    A word is not reached by what comes after it, so before the word that differs all numbers are the same, and a part
    from there moves nothing.
    """
    if row < MOST_COLUMNS:
        return list(range(row + 1))
    pairs = [(view.values[site.node], other.values[site.node]) for site in attribution.sites(view.graph)]
    same = ([np.array_equal(here[..., i, :], there[..., i, :]) for here, there in pairs] for i in range(row + 1))
    first = next((i for i, found in enumerate(same) if not all(found)), 0)
    last = max(row + 2 - MOST_COLUMNS, 0)
    return list(range(first, row + 1)) if first >= last - 1 else [first, *range(last, row + 1)]


def _left_out(words: Sequence[str], places: Sequence[int], row: int) -> str:
    """Which positions have no column, and why."""
    first, then = places[0], places[1] if len(places) > 1 else row
    same = f"Before “{escape(words[first])}” ({first}) all numbers are the same and move nothing. " if first else ""
    return same + (f"Of the places after it, the last {len(places) - 1} are shown." if then > first + 1 else "")


def _site_named(site: attribution.Site, names: Mapping[str, str]) -> str:
    if site.head is not None:
        return f"{names[site.after].partition(',')[0]}, head {site.head + 1}"
    named = names[site.after]
    return f"after {named.removesuffix(', feed-forward')}" if site.node == site.after else named  # it ends the layer


class _Put(Edit):
    """Pins a part to its numbers in the other pass. The command is made only for the one cell that is clicked."""

    site: attribution.Site
    place: int
    other: "_Other"

    def command(self, stroke: object = None) -> PinCells:
        there = self.other.values
        values = there[self.site.node][attribution.pin_of(self.site, self.place, there).cells]
        return PinCells(self.site.name, {(self.place, k): float(v) for k, v in enumerate(values)})


# The other text


class _Other(Frozen, eq=False):
    """The other text, and the values of the pass over it."""

    values: Mapping[str, Array]
    words: tuple[str, ...]
    # The index where it differs (None for the model beside), the number of its word there, and words to choose from.
    place: int | None = None
    number: int = 0
    near: tuple[int, ...] = ()


def _other(view: View, sequence: str, row: int, word: int) -> _Other:
    """The other text: that of the model beside, or this text with one other word."""
    beside, own = view.beside, view.labels(sequence)
    if beside is not None and all(
        site.node in beside.values and beside.values[site.node].shape == view.values[site.node].shape
        for site in attribution.sites(view.graph)
    ):
        return _Other(beside.values, beside.labels(sequence))
    place, number = _swap(view, sequence, row, word)
    words = view.graph.vocabulary(sequence)
    there = tuple(words[number] if i == place else one for i, one in enumerate(own))
    near = tuple(_nearest(view, sequence, place))
    return _Other(_pass(view, sequence, place, number), there, place, number, near)


def _asked(view: View, sequence: str, row: int, other: _Other) -> tuple[Element, ...]:
    if other.place is None:
        return ()
    own, words = view.labels(sequence), view.graph.vocabulary(sequence)
    options = other.near if other.number in other.near else (other.number, *other.near)
    places = tuple(f"“{own[i]}” ({i})" for i in range(row + 1))  # a piece may be "all"
    others, at = tuple(f"“{words[i]}”" for i in options), options.index(other.number)
    asks, asks_other = tuple(Keep(PLACE, i) for i in range(row + 1)), tuple(Keep(OTHER, i) for i in options)
    tips = "Where the other text differs", "The word of the other text, the most alike first"
    return (
        Choice("patched place", "In place of", places, other.place, asks, tips[0]),
        Choice("other word", "stands", others, at, asks_other, tips[1]),
    )


def _swap(view: View, sequence: str, row: int, word: int) -> tuple[int, int]:
    """The index where the other text differs, and the number of its word: as chosen, or those that change most.

    Those that change the answer of the model without pins: the other text stays when a part of it is put in.
    """
    n_words = len(view.graph.vocabulary(sequence))
    place, number = view.chosen(PLACE, None), view.chosen(OTHER, None)
    fits = number in range(n_words)
    if place in range(row + 1) and fits:
        return int(place), int(number)
    # The last word is not replaced: that would be another question. Nor is the mark at the beginning: no text lacks it.
    own = view.labels(sequence)
    replaced = [i for i in range(row) if not is_mark(own[i])] or [0]
    places = replaced if place not in range(row + 1) else [int(place)]
    here, best = view.values[LOGITS][row], (places[0], 0, -np.inf)
    if view.engine.pins:
        here = fresh(view.graph, dict(view.state.used), {}).values[LOGITS][row]
        word = word if view.chosen(WORD, None) is not None else int(here.argmax())
    for i in places:
        for one in [int(number)] if fits else _nearest(view, sequence, i)[:TRIED]:
            found = _pass(view, sequence, i, one)[LOGITS][row]
            change = float((here[word] - here.max()) - (found[word] - found.max()))
            best = max(best, (i, one, change), key=lambda tried: tried[2])
    return best[:2]


def _nearest(view: View, sequence: str, place: int) -> list[int]:
    """The words whose vectors are most like that of a word of the text, without the word itself and marks."""
    table, ids = view.values[f"{sequence}.table"], view.values[f"{sequence}.tokens"]
    words, own = view.graph.vocabulary(sequence), int(ids[place])
    lengths = np.sqrt(np.einsum("ij,ij->i", table, table)) + 1e-12
    alike = table @ table[own] / lengths
    order = np.argsort(-alike, kind="stable").tolist()
    return [i for i in order if i != own and not is_mark(words[i])][:NEAREST]


def _pass(view: View, sequence: str, place: int, number: int) -> Mapping[str, Array]:
    ids = view.values[f"{sequence}.tokens"].copy()
    ids[place] = number
    # Without pins: the pass of the unchanged model over the other text.
    return fresh(view.graph, {**view.state.used, f"{sequence}.tokens": ids}, {}).values


WORD, PART = "why.word", "why.part"
OTHERS, MOST_ROWS, MOST_WORDS, MOST_BLOCKS = 6, 10, 12, 5
BLOCKS = {"self": "attention", "cross": "cross-attention", "ffn": "feed-forward"}
"""The blocks of a layer in words, by their names in the graph."""
"""The most words to choose from, rows of a list of parts, rows of a list of words, and blocks side by side."""


def why(view: View, stage: Stage) -> tuple[Element, ...]:
    """The choice of a word, the ledger with one of its parts in detail, the lens, and patching."""
    sequence = DECODER_READS[view.state.model.kind]
    row = view.row(sequence, last=True)
    says = view.labels(view.nodes[LOGITS].axes[1])
    logits = view.values[LOGITS][row]
    best = places_of_largest(logits, OTHERS).tolist()
    asked = view.chosen(WORD, best[0])
    word = int(asked) if asked in range(len(says)) else best[0]
    options = best if word in best else [*best, word]
    asks = tuple(Keep(WORD, i) for i in options)
    words = Choice("word", "Why", tuple(says[i] for i in options), options.index(word), asks)
    return (
        Controls("asked", (row_choice(view, sequence, "After", last=True), words)),
        *_ledger(view, sequence, row, word),  # first, because what is chosen above is the word that it is about
        *_lens(view, sequence, row, word),
        *patching(view, sequence, row, word, {name: _block(name) for name in attribution.stream(view.graph)}),
    )


# The lens


def _lens(view: View, sequence: str, row: int, word: int) -> tuple[Element, ...]:
    """The most probable word after each block, with the rank of the asked word; then the same after every word."""
    graph, head = view.graph, el.Section("lens", "The output layer, after each block")

    def measured(told: Told) -> attribution.Lens:
        return attribution.lens(graph, view.values, view.engine.pins, row, MOST_BLOCKS)

    found = view.awaited(LENS, _work_of_lens(graph), (view.values, row), measured)
    if found is None:
        return head, el.waiting(view, LENS, "Reading the stream after each block")
    says, there = view.labels(view.nodes[LOGITS].axes[1]), view.labels(sequence)
    lines, shares = [], []
    after = found.nodes, found.logits, found.sums.tolist(), found.first.tolist()
    for name, logits, total, first in zip(*after, strict=True):
        share = float(np.exp(float(logits[word]) - total))
        shares.append(share)
        rank = f"{1 + int((logits > logits[word]).sum()):,}"
        line = el.Line.of(
            el.Entry(_block(name), leads=GoTo(view.nodes[name].stage)),
            says[first],
            el.Entry(as_share(share, 3), tip=exact(share)),
            el.Entry(as_share(share, 3), share),
            el.Entry(rank, tip="Its rank: 1 is the likeliest word"),
        )
        lines.append(line)
    probability, rank_of = el.numeric(f"“{says[word]}”", "rank")
    bar = el.Column("", el.BAR, 160, el.reach_of(np.array(shares)))
    columns = el.Column("after"), el.Column("likeliest"), probability, bar, rank_of
    note = (
        "What the last norm and the output layer would say if the model ended here. In the middle of a model these "
        "are guesses that it was not trained for: it was trained to be right at its end."
    )
    if float(view.values[TEMPERATURE]) != 1:
        note += " The temperature is not used here."
    here = el.Listing("lens here", "The likeliest word after each block", columns, tuple(lines))
    all_words = el.Section("lens of all", "After each word"), _lens_of_all(found, says, there, row)
    return (el.beside((el.COLUMN, (head, el.Note("about the lens", note), here)), (el.COLUMN, all_words)),)


def _work_of_lens(graph: Graph) -> float:
    """The multiply-adds of the lens, weighed as in `Graph.work`."""
    tokens, table = graph.shape(LOGITS)[0], graph.size(attribution.output_layer(graph).parents[1])
    return table * (READ * (1 + MOST_BLOCKS) + MOST_BLOCKS * tokens + len(attribution.stream(graph)))


def _lens_of_all(found: attribution.Lens, says: tuple[str, ...], there: tuple[str, ...], row: int) -> el.Listing:
    """The most probable word after each word of the sentence, by block; in a deep model, only for the last blocks."""
    shown, places = found.likeliest, range(len(there))
    lines = [
        el.Line.of(f"{there[i]} →", *(el.Entry(says[int(numbers[i])], muted=i != row) for numbers in shown.values()))
        # The chosen word comes first if it would be out of sight.
        for i in (places if row < MOST_WORDS else (row, *places[:row], *places[row + 1 :]))
    ]
    columns = (el.Column("after"), *(el.Column(_block(name, "{block} {layer}")) for name in shown))
    return el.Listing(
        "lens words", "The likeliest word after each word, after each block", columns, tuple(lines), MOST_WORDS
    )


def _block(node: str, words: str = "layer {layer}, {block}") -> str:
    """The block before a node of the residual stream, in words."""
    stack, *path = node.split(".")
    if stack not in ("decoder", "encoder"):
        return "the embedding"
    return words.format(layer=path[0], block=BLOCKS.get(path[1], path[1]))


# The ledger


def _ledger(view: View, sequence: str, row: int, word: int) -> tuple[Element, ...]:
    says, there = view.labels(view.nodes[LOGITS].axes[1]), view.labels(sequence)
    ledger = attribution.Ledger(view.graph, view.values, row, word)
    title = el.Section("ledger", f"Why “{says[word]}”: its logit, term by term")
    heads = READ * sum(view.graph.size(name) for name in view.nodes if name.endswith(".W_O"))  # reading each W_O
    # If the lens is computed on a thread, this is too: at the same time here and there, both take three times as long.
    size = max(heads, _work_of_lens(view.graph))
    parts = view.awaited(TO_PART, size, (view.values, row, word), lambda told: ledger.parts())
    if parts is None:
        return title, el.waiting(view, TO_PART, "Taking the logit apart")
    values = [part.value for part in parts]
    total, held = _with_pins(view, ledger, values, word)
    computed = [i for i, part in enumerate(parts) if part.kind in ("head", "net", "block")]
    largest = max(computed, key=lambda i: abs(parts[i].value), default=0)  # heads and nets may be switched off
    opened = view.number(PART, largest, 0, len(parts) - 1)
    lines = []
    for i, part in enumerate(parts):
        name = el.Entry(_named(view, part, there[row]), leads=Keep(PART, i))
        lines.append(el.Line.of(name, *_number_and_bar(part.value), here=i == opened))
    if held:
        lines.append(el.Line.of("what is pinned on the way", *_number_and_bar(held)))
    capped = ledger.node != LOGITS
    logit = "logit before its cap" if capped else "logit"
    lines.append(el.Line.of(logit, *_number_and_bar(total), cell=Cell(ledger.node, (row, word)), strong=True))
    bar = el.Column("", el.BAR, 220, _reach([*values, held]), signed=True)
    columns = el.Column("from"), *el.numeric("of the logit"), bar
    divisor = "the σ" if ledger.centres else "the RMS"
    note = (
        f"The logit of <b>{escape(says[word])}</b> after <mark>{escape(there[row])}</mark>"
        f"{', before its cap,' if capped else ''} is the sum of these parts. The last norm divides all of them by one "
        f"number, {divisor} of this row, {written(ledger.sigma, 3)}, which is not taken apart. Only differences of "
        "logits count: what is added to all words alike changes no probability."
    )
    terms = el.Listing("parts", "The logit, term by term", columns, tuple(lines), most=20)
    of_one = _opened(view, ledger, parts[opened], there)
    return (el.beside((el.COLUMN, (title, el.Note("about the ledger", note), terms)), (el.COLUMN, of_one)),)


ROUNDING = 1e-4
"""The part of the largest term that rounding may leave between a logit and the sum of its terms."""


def _with_pins(view: View, ledger: attribution.Ledger, values: list[float], word: int) -> tuple[float, float]:
    """The logit, and what pinned cells of the stream make of it beside its parts; 0 but for rounding is 0."""
    if not view.engine.pins:
        return ledger.total, 0.0
    total = float(view.values[ledger.node][ledger.row, word])
    held = total - sum(values)
    return total, 0.0 if abs(held) <= ROUNDING * max(map(abs, values), default=0.0) else held


def _named(view: View, part: attribution.Part, word: str) -> str:
    match part.kind:
        case "word":
            names = {part.node} | view.graph.ancestors(part.node)  # a norm or dropout follows
            added = {"segment_rows": "its segment", "PE": "its place"}
            own = [said for end, said in added.items() if any(name.endswith(f".{end}") for name in names)]
            return f"the word “{word}” with {' and '.join(own)}" if own else f"the word “{word}” itself"
        case "place":
            return "its segment" if part.node.endswith(".segment_rows") else "its place"
        case "head":
            return f"{_block(part.node)}: head {(part.head or 0) + 1}"
        case "bias":
            return f"{_block(part.node)}: the bias"
        case "constant":
            return "β of the norm, and the bias"
    return _block(part.node)


def _opened(
    view: View, ledger: attribution.Ledger, part: attribution.Part, there: tuple[str, ...]
) -> tuple[Element, ...]:
    """One part as a sum of products: for a head, over the words that it looks at; for a net, over its units."""
    by, says, rest = ledger.products(part)
    match part.kind:
        case "head":
            names = view.labels("source") if ".cross." in part.node else there
            title, what = "by the words that it looks at", "attention"
        case "net":
            names, title = tuple(f"unit {k + 1}" for k in range(len(by))), "by its hidden units"
            made = attribution.made_by(view.graph, view.nodes[part.node])
            what = "what passes" if view.nodes[made.parents[0]].short == "gated" else "activation"
        case _:
            names, title, what = tuple(f"{k + 1}" for k in range(len(by))), "dimension by dimension", "number"
    name = _named(view, part, there[ledger.row])
    go = Button("go there", "Go to it", GoTo(view.nodes[part.node].stage), f"Go to the page of {name}")
    bar = el.Column("", el.BAR, 160, _reach((by * says).tolist()), signed=True)
    columns = el.Column(""), *el.numeric(what, "× what it says", "= of the logit"), bar
    lines = _lines(names, by, says, rest, part.value)
    return (
        el.Section("opened", f"{name[0].upper()}{name[1:]}, {title}"),
        Controls("there", (go,)),
        el.Listing("parts of the part", title, columns, lines, most=12),
    )


def _lines(names: tuple[str, ...], by: Array, says: Array, rest: float, total: float) -> tuple[el.Line, ...]:
    """The largest products, and one line with the sum of the others, so that the lines still add up."""
    shares = by * says
    order = places_of_largest(np.abs(shares), MOST_ROWS)
    shown = sorted(order.tolist()) if len(shares) <= MOST_ROWS else order.tolist()
    rows: list[tuple[str, tuple[float, ...], float]] = [
        (names[i], (float(by[i]), float(says[i])), float(shares[i])) for i in shown
    ]
    if len(shares) > MOST_ROWS or rest:
        others = len(shares) - len(shown)
        left = total - sum(value for *_, value in rows)
        rows.append((f"{quantity(others, 'other')}{' and the bias' * bool(rest)}" if others else "the bias", (), left))
    lines = []
    for name, factors, value in (*rows, ("together", (), total)):
        two = [el.Entry(in_table(factor, 3), tip=exact(factor)) for factor in factors] or [el.Entry(""), el.Entry("")]
        lines.append(el.Line.of(name, *two, *_number_and_bar(value), strong=name == "together" and not factors))
    return tuple(lines)


def _number_and_bar(value: float) -> tuple[el.Entry, el.Entry]:
    said = in_table(value, 3)
    return el.Entry(said, tip=exact(value)), el.Entry(said, value)


def _reach(values: list[float]) -> tuple[float, float]:
    """The numbers at the two ends of bars that show these values and their sum."""
    return el.signed_reach(np.array([*values, sum(values)]))
