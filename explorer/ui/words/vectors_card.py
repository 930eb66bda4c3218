"""Which vectors are loaded: those that come with the program, a file, a download, or the model's own table.

What is known of vectors: a sentence or two, and the model card of those that come with the program.

A short page on where vectors come from.
"""

import tomllib
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QMenu, QProgressBar, QPushButton, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.document.document import Change
from explorer.paths import resources
from explorer.sentences import sentence
from explorer.ui.background import Background
from explorer.ui.errors import show_error
from explorer.ui.widgets.inputs import ComboBox
from explorer.ui.words.card import Card, TabState, label
from explorer.ui.workbench import Workbench
from explorer.words import cache, catalogue
from explorer.words.progress import Progress, Report
from explorer.words.similarity import Score
from explorer.words.vectors import Vectors

SCORES = {"wordsim353": "WordSim-353", "simlex999": "SimLex-999", "analogies": "Analogies"}


def about(name: str) -> str:
    """What vectors of a name are, in plain words, as rich text."""
    for one in catalogue.SHIPPED:
        if one.name == name:
            return escape(one.text[0].upper() + one.text[1:]) + "." + _limits(one.name)
    for offer in catalogue.OFFERED:
        if offer.name == name:
            return f"GloVe, trained on {escape(offer.text)}, {offer.licence} (public domain)."
    if name.startswith("this model's "):
        return "The rows of the embedding table of the example that is open; they change as you edit it."
    if name == "your text":
        return "Trained here, on the text further down this page."
    return f"Read from the file {escape(name)}."


def model_card(name: str) -> str:
    """The model card that comes with vectors, as rich text; "" where there is none."""
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
    rows += [("Tried", f"{one['what']}: {_tried(one['scores'])}") for one in facts["tried"]]
    # A heading for the first of several lines of a kind is enough.
    said = ["" if i and rows[i - 1][0] == title else title for i, (title, _) in enumerate(rows)]
    return "<table cellspacing='0' cellpadding='3'>%s</table>" % "".join(
        f"<tr><td><b>{title}</b>&nbsp;&nbsp;</td><td>{escape(text)}</td></tr>"
        for title, (_, text) in zip(said, rows, strict=True)
    )


def _score(test: str, score: dict[str, Any]) -> str:
    if "spearman" in score:
        return f"{test} {written(score['spearman'], 2)} by Spearman’s rank correlation, {score['pairs']:,} pairs"
    return f"{test} {score['accuracy']:.0%} right, {score['questions']:,} questions"


def _tried(scores: list[float]) -> str:
    tests = zip(SCORES.values(), scores, strict=False)
    return ", ".join(f"{test} {written(score, 2)}" for test, score in tests)


def _limits(name: str) -> str:
    """What the model card says of the limits, in one sentence."""
    facts = _facts(name)
    absent = ", ".join(f"<i>{escape(word)}</i>" for word in facts.get("limits", {}).get("absent", [])[:6])
    scores = facts.get("scores", {}).get("wordsim353", {})
    parts = [f" Words that came later are not in them: {absent}." if absent else ""]
    if "spearman" in scores:
        parts.append(f" On WordSim-353 they reach {scores['spearman']:.2f}.")
    return "".join(parts)


def _facts(name: str) -> dict[str, Any]:
    """The model card as a table; empty for vectors that have none."""
    if name != catalogue.DEFAULT:
        return {}
    try:
        return tomllib.loads((resources() / "vectors" / f"{name}.toml").read_text("utf-8"))
    except OSError:
        return {}


KINDS = "Word vectors (*.txt *.gz *.vec *.bin *.safetensors *.npz);;All files (*)"
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


class VectorsCard(Card):
    """The choice of vectors, what they are, and how well they do."""

    title = "Vectors"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        super().__init__(bench, state)
        self.background = Background(self)
        self.background.progressed.connect(self._say_progress)
        self.background.failed.connect(self._fail)
        self.background.busy.connect(self._wait)
        self.opened: dict[str, Vectors] = {}
        self._table = ""
        self._stale = False
        self.choice = ComboBox()
        self.choice.setAccessibleName("Vectors")
        self.choice.setToolTip("Vectors that are here")
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.activated.connect(self._choose)
        self.open = self._button("Open a file…", "Open vectors: GloVe or word2vec text, .gz, .bin, .safetensors, .npz")
        self.open.clicked.connect(self._ask)
        self.get = self._button("Get vectors…  ▾", "Download one of the eight GloVe sets of gensim-data")
        self.menu = QMenu(self.get)
        for one in catalogue.OFFERED:
            title = f"{one.name}  ·  {one.words:,} words  ·  {one.size / 1e6:.0f} MB  ·  {one.licence}"
            self.menu.addAction(title, partial(self._get, one.name)).setToolTip(one.about)
        self.get.setMenu(self.menu)
        self.evaluate = self._button("Evaluate", "Compare with people's judgements: WordSim-353, SimLex-999, analogies")
        self.evaluate.clicked.connect(self._evaluate)
        self.facts = self._button("Model card", "Text, vocabulary, settings, scores and limits of these vectors")
        self.facts.setCheckable(True)
        self.facts.toggled.connect(self._show_card)
        self._controls: tuple[QWidget, ...] = (self.choice, self.open, self.get, self.evaluate, self.facts)
        self._focus: QWidget | None = None
        self.line(*self._controls)
        self.about = label("", "", wrap=True)
        self.about.setTextFormat(Qt.TextFormat.RichText)
        self.page.addWidget(self.about)
        self.card = label("", "", wrap=True)
        self.card.setTextFormat(Qt.TextFormat.RichText)
        self.card.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.card.hide()
        self.page.addWidget(self.card)
        self.bar = QProgressBar()
        self.bar.setAccessibleName("How far reading or loading is")
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(bench.appearance.px(260))
        self.doing = label("", "muted")
        self.cancel = self._button("Cancel", "Stop; what is loaded stays")
        self.cancel.clicked.connect(self.background.stop)
        self.working = self.line(self.bar, self.doing, self.cancel)
        self.working.hide()
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        self.page.addWidget(self.problem)
        self.scores = label("", "", wrap=True)
        self.scores.setTextFormat(Qt.TextFormat.RichText)
        self.scores.hide()
        self.page.addWidget(self.scores)
        self._list()
        bench.bridge.changed.connect(self._follow)

    def _button(self, title: str, tip: str) -> QPushButton:
        button = QPushButton(title)
        button.setToolTip(tip)
        button.setAccessibleName(title.rstrip(" ▾…"))
        return button

    # Choosing

    def _list(self) -> None:
        """All there is to choose from, by its name."""
        now = self.choice.currentData()
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for one in catalogue.SHIPPED:
                self.choice.addItem(TITLES.get(one.name, one.name), one.name)
            for offer in catalogue.OFFERED:
                if catalogue.present(offer) is not None:
                    self.choice.addItem(offer.name, offer.name)
            for name in self.opened:
                self.choice.addItem(name, f"file {name}")
            for table in tables(self.bench):
                self.choice.addItem(f"This model's own {table}", f"table {table}")
            self.choice.setCurrentIndex(max(self.choice.findData(now), 0))

    def _choose(self) -> None:
        data: str = self.choice.currentData()
        kind, _, name = data.partition(" ")
        if kind == "table":
            self._take_table(name)
        elif kind == "file":
            self._take(self.opened[name])
        else:
            self.start(partial(catalogue.load, data), f"Reading {data}")

    def start_default(self) -> None:
        """Read the vectors that come with the program."""
        self.start(_default, "Reading the vectors that come with the program")

    def open_file(self, file: Path) -> None:
        """Read a file in the background."""
        self.start(lambda report: cache.load(file, report), f"Reading {file.name}")

    def _ask(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Open word vectors", "", KINDS)
        if name:
            self.open_file(Path(name))

    def _get(self, name: str) -> None:
        def work(report: Report) -> Vectors:
            from explorer.words.download import download

            download(catalogue.offered(name), report)
            return catalogue.load(name, report)

        self.start(work, f"Downloading {name}")

    # Working

    def start(self, work: Callable[[Report], Vectors], words: str) -> None:
        """Load vectors beside the window, and gensim with them."""

        def ready(report: Report) -> Vectors:
            vectors = work(report)
            _ = vectors.keyed  # imports gensim, which takes its time
            return vectors

        self._run(ready, words, self._take)

    def _run(self, work: Callable[[Report], Any], words: str, then: Callable[[Any], None]) -> None:
        if not self.background.at_work:
            self.problem.hide()
            self.doing.setText(f"{words} …")
            # A bar without an end runs to and fro in Qt; where nothing may move it stays empty until there is progress.
            self.bar.setRange(0, 0 if self.bench.appearance.moves else 1)
            self._focus = next((control for control in self._controls if control.hasFocus()), None)
            self.background.ask(work, then)

    def _wait(self, on: bool) -> None:
        """While there is work, nothing else can be asked for."""
        self.working.setVisible(on)
        for control in self._controls:
            control.setEnabled(not on)
        if not on:
            self._say_choice()
            if self._focus is not None:
                self._focus.setFocus()

    def _say_progress(self, now: Progress) -> None:
        parts = [DOING.get(now.what, now.what.capitalize())]
        if now.total:
            self.bar.setRange(0, 1000)
            self.bar.setValue(round(1000 * now.done / now.total))
            parts.append(f"{now.done / now.total:.0%}")
        if now.left is not None and now.done < now.total:
            parts.append(f"{round(now.left)} s left" if now.left < 90 else f"{round(now.left / 60)} min left")
        self.doing.setText(", ".join(parts))

    def _fail(self, error: ExplorerError) -> None:
        self.problem.setText(f"⚠ {sentence(error)}")
        self.problem.show()
        show_error(error, self.open)

    # What is loaded

    @staticmethod
    def _known() -> set[str]:
        return {*(one.name for one in catalogue.SHIPPED), *(one.name for one in catalogue.OFFERED)}

    def _take(self, vectors: Vectors, table: str = "") -> None:
        self._table, self._stale = table, False
        self.problem.hide()
        if not table and vectors.name not in self._known():
            self.opened[vectors.name] = vectors
        self.scores.hide()
        self.state.load(vectors)
        self._list()
        self._say_choice()

    def _take_table(self, table: str) -> None:
        self._take(own_table(self.bench, table), table)

    def _say_choice(self) -> None:
        vectors = self.state.vectors
        self.evaluate.setEnabled(vectors is not None and not self.background.at_work)
        if vectors is None:
            return
        wanted = f"table {self._table}" if self._table else vectors.name
        place = max(self.choice.findData(wanted), self.choice.findData(f"file {vectors.name}"))
        self.choice.setCurrentIndex(place)

    def _follow(self, change: Change) -> None:
        """The model's own table follows the model."""
        if change.structure:
            self._list()
        if self._table not in tables(self.bench):
            if self._table:
                self._table = ""
                self.start_default()
            return
        axis = self._table.replace(".table", ".words")
        if change.structure or {self._table, axis} & change.changed:
            self._stale = True
            self._catch_up()

    def _catch_up(self) -> None:
        """Read the table anew, as soon as somebody sees it: an edit elsewhere does not wait for this page."""
        if self._stale and self.isVisible():
            self._stale = False
            self._take_table(self._table)

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._catch_up()

    def load(self) -> None:
        vectors = self.vectors
        if not self._table and vectors.name not in self._known() and self.opened.get(vectors.name) is not vectors:
            self.opened[vectors.name] = vectors
            self.scores.hide()
            self._list()
            self._say_choice()
        norms = vectors.norms
        lengths = f"Norms from {written(float(norms.min()), 2)} to {written(float(norms.max()), 2)}, "
        lengths += f"{written(float(np.median(norms)), 2)} in the middle."
        size = f"{len(vectors):,} words, {vectors.dims} numbers each."
        self.about.setText(f"{size} {about(vectors.name)} {lengths}")
        self.card.setText(model_card(vectors.name))
        self.facts.setVisible(bool(self.card.text()))
        self._show_card(self.facts.isChecked())

    def _show_card(self, on: bool) -> None:
        self.card.setVisible(on and bool(self.card.text()))

    # How well they do

    def _evaluate(self) -> None:
        vectors = self.vectors

        def work(report: Report) -> list[Score]:
            from explorer.words.similarity import evaluate

            return evaluate(vectors, report)

        self._run(work, "Comparing with people's judgements", self._say_scores)

    def _say_scores(self, scores: list[Score]) -> None:
        rows = [
            f"<tr><td><b>{one.name[0].upper()}{one.name[1:]}</b></td><td align='right'>"
            f"{'too few words' if one.value is None else written(one.value, 4)}</td>"
            f"<td>{'share answered rightly' if one.measure == 'accuracy' else 'Spearman’s rank correlation'}</td>"
            f"<td align='right'>{one.asked:,} asked, {one.missing:.0%} without vectors</td>"
            f"<td>{EXPLAINED.get(one.name, '')}</td></tr>"
            for one in scores
        ]
        self.scores.setText(f"<table cellspacing='0' cellpadding='4'>{''.join(rows)}</table>{RESTRICTED}")
        self.scores.show()


def _default(report: Report) -> Vectors:
    """The program's own vectors; the reference's three words where they are missing from an installation."""
    try:
        return catalogue.load(report=report)
    except ExplorerError:
        return catalogue.load("reference", report)


def tables(bench: Workbench) -> list[str]:
    """The model's embedding tables."""
    graph = bench.document.engine.graph
    names = [f"{sequence}.table" for sequence in graph.sequences]
    return [name for name in names if name in graph.nodes and graph.nodes[name].is_input]


def own_table(bench: Workbench, table: str) -> Vectors:
    """A table of the model as vectors like any others."""
    engine = bench.document.engine
    rows, _ = engine.graph.axes_of(engine.graph.place(table))
    array = np.nan_to_num(np.asarray(engine.values[table], np.float32))
    return Vectors.of(f"this model's {table}", engine.labels(rows), array)


LONGEST_LINE = 860
"""Pixels at text scale 1 that a line of prose is long at most: longer ones are hard to read."""
TEXT = """
<p><b>Drawn by chance.</b> A new model starts with random rows in its embedding table. Then no word is like any other:
cosines lie around 0, and nearest words are accidents. That is not a fault; training moves the rows.</p>
<p><b>Trained beforehand.</b> GloVe reads a large text once, counts which words stand near each other, and looks for
vectors whose dot products match the logarithms of these counts. Words that keep the same company end up pointing the
same way. Such tables can be had ready-made, and a model can begin with them and go on learning, or keep them as they
are.</p>
<p><b>Trained from scratch with the model.</b> Large language models start by chance and learn the table together with
all other weights, from the one task of predicting the next token. The table then fits this model and no other.</p>
<p><b>What none of them can do.</b> One word has one vector here, whatever it means in a sentence: a river's bank and
a money bank share a row. Making a vector depend on its neighbours is what attention is for. And a vector knows only
its text: what the text thought of people and peoples is in the numbers, too.</p>
"""


class OriginsCard(Card):
    """Plain sentences; it needs no vectors."""

    needs_vectors = False

    title = "Where vectors come from"
    short = "Where they come from"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        super().__init__(bench, state)
        words = label(TEXT, "", wrap=True)
        words.setTextFormat(Qt.TextFormat.RichText)
        words.setMaximumWidth(bench.appearance.px(LONGEST_LINE))
        self.page.addWidget(words)
