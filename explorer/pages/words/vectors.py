"""The card that chooses the vectors: those that come with the program, a file, a download, or the model's own table.

It also describes the vectors, with the model card of those that come with the program; and the card on where vectors
come from.
"""

import tomllib
from collections.abc import Callable, Sequence
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.numbers import percent, quantity, written
from explorer.core.progress import Progress, Report
from explorer.document.document import Change, Document
from explorer.pages.controls import Button, Check, Choice, Menu, ProgressBar
from explorer.pages.element import Element
from explorer.pages.page import NUMBER, Column, Entry, Line, Listing, Note
from explorer.pages.words.card import Shared, WordsCard
from explorer.paths import resources
from explorer.words import cache as files
from explorer.words import catalogue, similarity
from explorer.words.similarity import Score
from explorer.words.vectors import Vectors

OWN_TABLE = "this model's "
"""The beginning of the name of vectors that are a table of the open model."""
SCORES = {"wordsim353": "WordSim-353", "simlex999": "SimLex-999", "analogies": "Analogies"}


def about(name: str) -> str:
    """A description of the vectors of a name, in plain words, as rich text."""
    for one in catalogue.SHIPPED:
        if one.name == name:
            return escape(one.text[0].upper() + one.text[1:]) + "." + _limits(one.name)
    for offer in catalogue.OFFERED:
        if offer.name == name:
            return f"GloVe, trained on {escape(offer.text)}, {offer.licence} (public domain)."
    if name.startswith(OWN_TABLE):
        return "The rows of the embedding table of the example that is open; they change as you edit it."
    if name == "your text":
        return "Trained here, on the text further down this page."
    return f"Read from the file {escape(name)}."


@cache
def model_card(name: str) -> str:
    """The model card of vectors, as rich text; "" if they have none."""
    facts = _facts(name)
    if not facts:
        return ""
    training, vocabulary, limits = facts["training"], facts["vocabulary"], facts["limits"]
    rows = [
        ("Text", f"{facts['text']['what']}: {facts['text']['words']:,} words. {facts['text']['preparation']}"),
        ("Vocabulary", f"{vocabulary['words']:,} words: {vocabulary['which']}."),
        ("Method", f"{training['method']}."),
        ("Settings", training["settings"]),
        ("Command", training["command"]),
        ("Time", f"{training['time']}. {training['reproducible']}"),
        ("Storage", f"{training['storage']}."),
        ("Scores", "; ".join(_score(SCORES[key], score) for key, score in facts["scores"].items()) + "."),
        ("Limits", f"{limits['about']} Words that are not in it: {', '.join(limits['absent'])}."),
    ]
    for one in facts["tried"]:
        tests = zip(SCORES.values(), one["scores"], strict=False)
        scores = ", ".join(f"{test} {written(score, 2)}" for test, score in tests)
        rows.append(("Tried", f"{one['what']}: {scores}"))
    # Of several lines with the same title, only the first shows it.
    said = ["" if i and rows[i - 1][0] == title else title for i, (title, _) in enumerate(rows)]
    return "<table cellspacing='0' cellpadding='3'>%s</table>" % "".join(
        f"<tr><td><b>{title}</b>&nbsp;&nbsp;</td><td>{escape(text)}</td></tr>"
        for title, (_, text) in zip(said, rows, strict=True)
    )


def _score(test: str, score: dict[str, Any]) -> str:
    if "spearman" in score:
        return f"{test} {written(score['spearman'], 2)} by Spearman’s rank correlation, {score['pairs']:,} pairs"
    return f"{test} {percent(score['accuracy'])} right, {score['questions']:,} questions"


def _limits(name: str) -> str:
    """A sentence on the limits of vectors, from their model card; "" if they have none."""
    facts = _facts(name)
    absent = ", ".join(f"<i>{escape(word)}</i>" for word in facts.get("limits", {}).get("absent", [])[:6])
    return f" Words that came later are not in them: {absent}." if absent else ""


def _facts(name: str) -> dict[str, Any]:
    if name != catalogue.DEFAULT:
        return {}
    try:
        return tomllib.loads((resources() / "vectors" / f"{name}.toml").read_text("utf-8"))
    except OSError:
        return {}


TITLES = {"books": "English books", "reference": "Three words from Twitter (000)"}
DOING = {
    "parsing": "Reading",
    "waiting": "Waiting for another download of it",
    "downloading": "Downloading",
    "checking": "Checking",
    "evaluating": "Asking the analogy questions",
}
EXPLAINED = {
    "WordSim-353": "353 pairs: do the cosines put them in the same order as people do?",
    "SimLex-999": "999 pairs: are the two alike, or do they only occur together?",
    "analogies": "19,544 questions such as “Athens is to Greece as Oslo is to …”",
}
RESTRICTED = "The analogies are asked among the 30,000 most frequent words. 1 is as good as can be; chance gives 0."


OPENS = "Open vectors: GloVe or word2vec text, .gz, .bin, .safetensors, .npz"
COMPARES = "Compare with people's judgements: WordSim-353, SimLex-999, analogies"


class VectorsCard(WordsCard):
    """The card with the choice of vectors, their description, and their scores."""

    name, title, needs_vectors = "vectors", "Vectors", False

    def __init__(self, state: Shared, document: Document) -> None:
        super().__init__(state)
        self.document = document
        self.opened: dict[str, Vectors] = {}
        self.table = ""  # the model's own table that is loaded, if one is
        self.stale = False  # whether that table has changed since it was loaded
        self.doing = ""  # the work under way, in words; "": none
        self.share: float | None = None
        self.problem: ExplorerError | None = None
        self.scores: Sequence[Score] = ()
        self.carded = False

    # Choosing

    @property
    def choices(self) -> dict[str, str]:
        """The titles of all vectors that can be chosen, by name."""
        had = (offer.name for offer in catalogue.OFFERED if catalogue.present(offer) is not None)
        return {
            **{one.name: TITLES.get(one.name, one.name) for one in catalogue.SHIPPED},
            **{name: name for name in had},
            **{f"file {name}": name for name in self.opened},
            **{f"table {table}": f"This model's own {table}" for table in tables(self.document)},
        }

    def do(self, act: str, value: Any = None, field: str = "") -> None:
        match act:
            case "choose" if value in self.choices:  # otherwise a table of a model that is no longer open
                self._choose(value)
            case "get":
                self.start(partial(_downloaded, value), f"Downloading {value}")
            case "evaluate":
                hold = partial(self._hold_scores, self.vectors)
                self._run(partial(similarity.evaluate, self.vectors), "Comparing with people's judgements", hold)
            case "cancel":
                self.stop()
                self.doing = ""
                self._leave_table()
            case _:
                super().do(act, value, field)

    def _choose(self, name: str) -> None:
        kind, _, rest = name.partition(" ")
        if kind == "table":
            self.take_table(rest)
        elif kind == "file":
            self._take(self.opened[rest])
        else:
            self.start(partial(catalogue.load, name), f"Reading {name}")

    def start_default(self) -> None:
        """Read the vectors that come with the program."""
        self.start(_default, "Reading the vectors that come with the program")

    def open_file(self, file: Path) -> None:
        self.start(lambda report: files.load(file, report), f"Reading {file.name}")

    # Working

    def start(self, work: Callable[[Report], Vectors], words: str) -> None:
        """Load vectors, and import gensim, on a thread."""

        def ready(report: Report) -> Vectors:
            vectors = work(report)
            _ = vectors.keyed  # imports gensim, which takes long
            return vectors

        self._run(ready, words, self._take)

    def _run(self, work: Callable[[Report], Any], words: str, then: Callable[[Any], None]) -> None:
        if not self.doing:
            self.problem, self.doing, self.share = None, f"{words} …", None
            self.search(work, partial(self._end, then), slow=True)

    def _end(self, then: Callable[[Any], None], result: Any) -> None:
        self.doing = ""
        then(result)
        self._leave_table()

    def hear(self, now: Progress) -> None:
        """Store the progress of the work, in words."""
        parts = [DOING.get(now.what, now.what.capitalize())]
        if now.total:
            self.share = now.done / now.total
            parts.append(percent(self.share))
        if now.left is not None and now.done < now.total:
            parts.append(f"{round(now.left)} s left" if now.left < 90 else f"{round(now.left / 60)} min left")
        self.doing = ", ".join(parts)

    def fail(self, error: ExplorerError) -> None:
        """Store the error of failed work; the loaded vectors stay."""
        self.doing, self.searches = "", False
        self._leave_table()
        self.problem = error

    # What is loaded

    def _take(self, vectors: Vectors, table: str = "") -> None:
        self.table, self.stale, self.problem = table, False, None
        self.state.load(vectors)

    def take_table(self, table: str) -> None:
        """Load the model's own table with its current numbers."""
        self._take(own_table(self.document, table), table)

    def hear_of(self, change: Change) -> None:
        """React to a change of the document: note that the loaded table has changed, or is gone."""
        if self.table and self.table not in tables(self.document):
            self.table = ""
            self._leave_table()
        elif self.table:
            axis = self.table.replace(".table", ".words")
            self.stale |= change.structure or bool({self.table, axis} & change.changed)

    def _leave_table(self) -> None:
        """Load the program's vectors if the model of the loaded table is gone, unless other work is under way."""
        vectors = self.state.vectors
        if vectors is not None and vectors.name.startswith(OWN_TABLE) and not self.table:
            self.start_default()

    def load(self) -> None:
        self.scores, name = (), self.vectors.name
        if name != f"{OWN_TABLE}{self.table}":
            self.table = ""
            if name not in {one.name for one in (*catalogue.SHIPPED, *catalogue.OFFERED)}:
                self.opened[name] = self.vectors

    def _hold_scores(self, vectors: Vectors, scores: Sequence[Score]) -> None:
        """Keep the scores, unless other vectors were loaded meanwhile, or the model's own table has changed."""
        if vectors is self.state.vectors:
            self.scores = scores

    # The page

    def page(self) -> tuple[Element, ...]:
        free, vectors, choices = not self.doing, self.state.vectors, self.choices
        name = vectors.name if vectors is not None else ""
        wanted = f"table {self.table}" if self.table else f"file {name}" if name in self.opened else name
        chosen = list(choices).index(wanted) if wanted in choices else 0
        chooses = tuple(self.asks("choose", one) for one in choices)
        sets = []
        for one in catalogue.OFFERED:
            said = f"{one.name}  ·  {one.words:,} words  ·  {one.size / 1e6:.0f} MB  ·  {one.licence}"
            sets.append((said, self.asks("get", one.name)))
        card = model_card(name)
        controls: list[Element] = [
            Choice("choice", "", (*choices.values(),), chosen, chooses, "Vectors that are here", True, free),
            Button("open", "Open a file …", self.asks("open a file"), OPENS, "Open a file", free),
            Menu("get", "Get vectors …", tuple(sets), "Download one of the eight GloVe sets of gensim-data", free),
            Button("evaluate", "Evaluate", self.asks("evaluate"), COMPARES, on=free and vectors is not None),
        ]
        if card:
            tip = "Text, vocabulary, settings, scores and limits of these vectors"
            controls.append(Check("facts", "Model card", self.carded, self.asks("set", field="carded"), tip, free))
        bar = ProgressBar("bar", "How far reading or loading is", self.share)
        cancel = Button("cancel", "Cancel", self.asks("cancel"), "Stop; what is loaded stays")
        wrong: tuple[Note, ...] = ()
        if self.problem is not None:
            wrong = (Note("problem", f"⚠ {escape(self.state.screen.say(self.problem))}", wrong=True),)
        return (
            *self.line(*controls),
            *(() if free else self.line(bar, self.doing, cancel)),
            *wrong,
            *((Note("loaded", _loaded(vectors)),) if vectors is not None else ()),
            *((Note("card", card, selects=True),) if card and self.carded else ()),
            *((_scores(self.scores), Note("restricted", RESTRICTED)) if self.scores else ()),
        )


def _loaded(vectors: Vectors) -> str:
    norms = vectors.norms
    least, most, middle = (written(float(norm), 2) for norm in (norms.min(), norms.max(), np.median(norms)))
    lengths = f"Their lengths, called norms, go from {least} to {most}, with {middle} in the middle."
    return f"{quantity(len(vectors), 'word')}, {quantity(vectors.dims, 'number')} each. {about(vectors.name)} {lengths}"


def _scores(scores: Sequence[Score]) -> Listing:
    lines = tuple(
        Line.of(
            f"{one.name[0].upper()}{one.name[1:]}",
            "too few words" if one.value is None else written(one.value, 4),
            Entry("share answered rightly" if one.measure == "accuracy" else "Spearman’s rank correlation", muted=True),
            Entry(f"{one.asked:,} asked, {percent(one.missing)} without vectors", muted=True),
            Entry(EXPLAINED.get(one.name, ""), muted=True),
        )
        for one in scores
    )
    wide = Column("", width=500)
    return Listing("scores", "How well they do", (wide, Column("", NUMBER), wide, wide, wide), lines)


def _downloaded(name: str, report: Report) -> Vectors:
    from explorer.words.download import download

    download(catalogue.offered(name), report)
    return catalogue.load(name, report)


def _default(report: Report) -> Vectors:
    """The program's own vectors; if an installation lacks them, the three words of reference 000."""
    try:
        return catalogue.load(report=report)
    except ExplorerError:
        return catalogue.load("reference", report)


def tables(document: Document) -> list[str]:
    """The model's embedding tables."""
    graph = document.engine.graph
    names = [f"{sequence}.table" for sequence in graph.sequences]
    return [name for name in names if name in graph.nodes and graph.nodes[name].is_input]


def own_table(document: Document, table: str) -> Vectors:
    """An embedding table of the model as `Vectors`."""
    engine = document.engine
    rows, _ = engine.graph.axes_of(engine.graph.place(table))
    array = np.nan_to_num(np.asarray(engine.values[table], np.float32))
    return Vectors.of(f"{OWN_TABLE}{table}", engine.labels(rows), array)


class OriginsCard(WordsCard):
    """The card on where vectors come from: only text, which needs no vectors."""

    name, title, short, needs_vectors = "origins", "Where vectors come from", "Where they come from", False

    def page(self) -> tuple[Element, ...]:
        return (Note("words", (resources() / "vectors" / "origins.html").read_text("utf-8")),)
