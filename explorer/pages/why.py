"""Where the answer comes from: the output layer read after each block, and a logit as an exact sum of parts."""

from html import escape

import numpy as np

from explorer.core.attribution import Ledger, Part, lens, stream
from explorer.core.graph import Stage
from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import exact, written
from explorer.core.ops import Array, Softmax
from explorer.pages.element import Element
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.page import BAR, NUMBER, Button, Choice, Column, Controls, Entry, Line, Listing, Note, Section
from explorer.pages.patching import patching
from explorer.pages.rows import row_choice
from explorer.pages.view import Cell, View

WORD, PART = "why.word", "why.part"
OTHERS, MOST_ROWS, MOST_BLOCKS = 6, 10, 5
"""Words to choose from; rows of a list of parts; blocks that are shown side by side."""


def why(view: View, stage: Stage) -> tuple[Element, ...]:
    """Which word is asked about, the lens, the ledger, and one part of it by words or by units."""
    sequence = DECODER_READS[view.state.model.kind]
    row = view.row(sequence, last=True)
    says = view.labels(view.nodes["output.logits"].axes[1])
    logits = view.values["output.logits"][row]
    best = [int(i) for i in np.argsort(-logits, kind="stable")[:OTHERS]]
    asked = view.chosen(WORD, best[0])
    word = int(asked) if asked in range(len(says)) else best[0]
    options = best if word in best else [*best, word]
    words = Choice(
        "word", "Why", tuple(says[i] for i in options), options.index(word), tuple(Keep(WORD, i) for i in options)
    )
    return (
        Controls("asked", (row_choice(view, sequence, "After", last=True), words)),
        *_lens(view, sequence, row, word),
        *_ledger(view, sequence, row, word),
        *patching(view, sequence, row, word, {name: _block(view, name) for name in stream(view.graph)}),
    )


def why_sentence(view: View, stage: Stage) -> str:
    """What happens there."""
    return "Each block only adds to a word's vector, so what the output layer reads is a sum, and so is each logit."


# The lens


def _lens(view: View, sequence: str, row: int, word: int) -> tuple[Element, ...]:
    """The likeliest word after each block, and the rank of the one asked about; then the likeliest behind all words."""
    found = lens(view.graph, view.values)
    says, there = view.labels(view.nodes["output.logits"].axes[1]), view.labels(sequence)
    lines = []
    for name, logits in found.items():
        share = float(Softmax().forward(logits[row][None].astype(np.float64))[0, word])
        rank = f"{1 + int((logits[row] > logits[row, word]).sum()):,}"
        line = Line.of(
            Entry(_block(view, name), leads=GoTo(view.nodes[name].stage)),
            says[int(logits[row].argmax())],
            *_number_and_bar(share),
            Entry(rank, tip="Its rank: 1 is the likeliest word"),
        )
        lines.append(line)
    columns = (
        Column("after"),
        Column("likeliest"),
        Column(f"“{says[word]}”", NUMBER),
        Column("", BAR, 160),
        Column("rank", NUMBER),
    )
    note = (
        "What the last norm and the output layer would say if the model ended here. In the middle of a model these are "
        "guesses that nobody asked it for: it was trained to be right at its end."
    )
    return (
        Section("lens", "The output layer, after each block"),
        Note("about the lens", note),
        Listing("lens here", "The likeliest word after each block", columns, tuple(lines)),
        Section("lens of all", "After each word"),
        _lens_of_all(view, found, says, there, row),
    )


def _lens_of_all(
    view: View, found: dict[str, Array], says: tuple[str, ...], there: tuple[str, ...], row: int
) -> Listing:
    """The likeliest word behind each of the sentence, after each block; in a deep model, after the last of them."""
    shown = list(found)[-MOST_BLOCKS:]
    lines = [
        Line.of(f"{word} →", *(Entry(says[int(found[name][i].argmax())], muted=i != row) for name in shown))
        for i, word in enumerate(there)
    ]
    columns = (Column("after"), *(Column(_short(name)) for name in shown))
    return Listing("lens words", "The likeliest word after each word, after each block", columns, tuple(lines), most=12)


def _short(node: str) -> str:
    """What a node of the residual stream is behind, as the head of a narrow column."""
    path = node.split(".")
    names = {"self": "attention", "cross": "cross-attention", "ffn": "feed-forward"}
    return f"{names[path[2]]} {path[1]}" if path[0] in ("decoder", "encoder") else "the embedding"


def _block(view: View, node: str) -> str:
    """What a node of the residual stream is behind, in words."""
    path = node.split(".")
    if path[0] not in ("decoder", "encoder"):
        return "the embedding"
    names = {"self": "attention", "cross": "attention to the source", "ffn": "feed-forward"}
    return f"layer {path[1]}, {names.get(path[2], path[2])}"


# The ledger


def _ledger(view: View, sequence: str, row: int, word: int) -> tuple[Element, ...]:
    says, there = view.labels(view.nodes["output.logits"].axes[1]), view.labels(sequence)
    ledger = Ledger(view.graph, view.values, row, word)
    parts = ledger.parts()
    low, high = _reach([part.value for part in parts])
    computed = [i for i, part in enumerate(parts) if part.kind in ("head", "net")]
    largest = max(computed, key=lambda i: abs(parts[i].value), default=0)  # heads and nets may be switched off
    opened = view.number(PART, largest, 0, len(parts) - 1)
    lines = []
    for i, part in enumerate(parts):
        name = Entry(_named(view, part, there[row]), leads=Keep(PART, i))
        lines.append(Line.of(name, *_number_and_bar(part.value), here=i == opened))
    logit = Cell("output.logits", (row, word))
    lines.append(Line.of("logit", *_number_and_bar(ledger.total), cell=logit, strong=True))
    columns = Column("from"), Column("of the logit", NUMBER), Column("", BAR, 220, (low, high))
    note = (
        f"The logit of <b>{escape(says[word])}</b> after <mark>{escape(there[row])}</mark> is the sum of these parts. "
        f"The last norm divides all of them by one number, the σ of this row, {written(ledger.sigma, 3)}, and that is "
        "taken as it is. Only differences of logits count: what all words get alike changes no probability."
    )
    return (
        Section("ledger", f"Why “{says[word]}”: its logit, term by term"),
        Note("about the ledger", note),
        Listing("parts", "The logit, term by term", columns, tuple(lines), most=20),
        *_opened(view, sequence, ledger, parts[opened], there),
    )


def _named(view: View, part: Part, word: str) -> str:
    match part.kind:
        case "word":
            return f"the word “{word}” itself"
        case "place":
            return "its place"
        case "head":
            return f"{_block(view, part.node)}: head {(part.head or 0) + 1}"
        case "constant":
            return "β of the norm, and the bias"
    return _block(view, part.node)


def _opened(view: View, sequence: str, ledger: Ledger, part: Part, there: tuple[str, ...]) -> tuple[Element, ...]:
    """One part as a sum of products: of a head by the words that it looks at, of a net by its units."""
    by, says, rest = ledger.products(part)
    match part.kind:
        case "head":
            names = view.labels("source") if ".cross." in part.node else there
            title, what = "by the words that it looks at", "attention"
        case "net":
            names, title, what = tuple(f"unit {k + 1}" for k in range(len(by))), "by its hidden units", "activation"
        case _:
            names, title, what = tuple(f"{k + 1}" for k in range(len(by))), "dimension by dimension", "number"
    name = _named(view, part, there[ledger.row])
    go = Button("go there", "Go to it", GoTo(view.nodes[part.node].stage), f"Go to the page of {name}")
    bar = Column("", BAR, 160, _reach((by * says).tolist()))
    columns = Column(""), Column(what, NUMBER), Column("× what it says", NUMBER), Column("= of the logit", NUMBER), bar
    lines = _lines(names, by, says, rest, part.value)
    return (
        Section("opened", f"{name[0].upper()}{name[1:]}, {title}"),
        Controls("there", (go,)),
        Listing("parts of the part", title, columns, lines, most=12),
    )


def _lines(names: tuple[str, ...], by: Array, says: Array, rest: float, total: float) -> tuple[Line, ...]:
    """The largest of the products; what is left of them is one line, so that they still add up."""
    shares = by * says
    order = np.argsort(-np.abs(shares), kind="stable")[:MOST_ROWS]
    shown = sorted(order.tolist()) if len(shares) <= MOST_ROWS else order.tolist()
    rows: list[tuple[str, tuple[float, ...], float]] = [
        (names[i], (float(by[i]), float(says[i])), float(shares[i])) for i in shown
    ]
    if len(shares) > MOST_ROWS or rest:
        others = len(shares) - len(shown)
        left = total - sum(value for *_, value in rows)
        rows.append((f"{others:,} others{' and the bias' * bool(rest)}" if others else "the bias", (), left))
    lines = []
    for name, factors, value in (*rows, ("together", (), total)):
        two = [Entry(written(factor, 3), tip=exact(factor)) for factor in factors] or [Entry(""), Entry("")]
        lines.append(Line.of(name, *two, *_number_and_bar(value), strong=name == "together" and not factors))
    return tuple(lines)


def _number_and_bar(value: float) -> tuple[Entry, Entry]:
    return Entry(written(value, 3), tip=exact(value)), Entry(written(value, 3), value)


def _reach(values: list[float]) -> tuple[float, float]:
    """The two ends of bars that show these numbers and their sum."""
    finite = [v for v in (*values, sum(values), 0.0) if np.isfinite(v)]
    low, high = min(finite), max(finite)
    return (low, high) if high > low else (0.0, 1.0)
