"""What is said about the cell one points at, with the true numbers."""

import re
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from pixels import colours, pixels
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel

from explorer.core.engine import check_cell
from explorer.core.graph import Cell
from explorer.core.numbers import in_full, written
from explorer.document.commands import PinCells, Replace, SetCells, SetSwitch, SetTokens
from explorer.document.state import State
from explorer.lessons.loader import load
from explorer.pages.gestures import GoTo
from explorer.pages.matrix import matrix
from explorer.ui import inspector as inspector_module
from explorer.ui.appearance import Appearance
from explorer.ui.matrix.model import PLAYED
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import DerivationView
from explorer.ui.page.player import PlayerView
from explorer.ui.training import descent
from explorer.ui.widgets.formula import Formula, typeset
from explorer.ui.widgets.labels import SteadyLabel
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")

ENCODER = "encoder.1.self"


class Asked(QObject):
    """Notes who asks for another layout."""

    def __init__(self):
        super().__init__()
        self.by = []

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.LayoutRequest:
            self.by.append(watched)
        return False


@pytest.fixture
def point(window):
    """Points at a cell of a matrix, without its page, and returns the inspector."""

    def at(stage, name, row, column):
        window.bench.selection.go_to(stage)
        window.bench.bridge.flush()
        shown = matrix(window.bench.view, name)
        window.bench.selection.point(Cell(shown.place.node, shown.index(row, column)))
        QApplication.processEvents()
        return window.inspector

    return at


@pytest.fixture
def hover(window, hand, eye):
    """Points at a cell with the mouse, on its page, and returns the inspector."""

    def at(stage, name, row, column):
        eye.go_to(window, stage)
        view = eye.view(window, name)
        hand.hover(view, hand.cell(view, row, column))
        return window.inspector

    return at


@pytest.fixture
def printed(window, eye):
    """The example as the text prints it, its notes folded."""
    window.inspector._tell(notes=False)
    window.bench.open(window.bench.lesson, "printed")
    eye.settle(window)


def said(inspector):
    """All words that are in sight, without their mark-up."""
    labels = [label for label in inspector.findChildren(QLabel) if label.isVisible()]
    return "\n".join(re.sub(r"<br>", "\n", re.sub(r"<(?!br)[^>]+>", "", label.text())) for label in labels)


def part(inspector, id):
    """The widget of an element."""
    return inspector.elements.widgets[id]


def follow(inspector, id, link=0):
    """Follow a link of a passage."""
    part(inspector, id).label.linkActivated.emit(str(link))


def derivations(inspector):
    """The derivations in sight."""
    return [one for one in inspector.elements.widgets.values() if isinstance(one, DerivationView) and one.isVisible()]


def derivation(inspector):
    """The rows of all derivations in sight: label, expression, value, kind."""
    return [(r.label, r.expression, r.value, r.kind) for view in derivations(inspector) for r in view._rows]


def test_before_anything_is_pointed_at_the_stage_is_explained_and_there_is_a_hint(window, eye):
    eye.go_to(window, "source.embedding")
    assert "Why one-hot?" in said(window.inspector)
    eye.go_to(window, f"{ENCODER}.attention")
    words = said(window.inspector)
    assert words.startswith("What is it for?\nA word alone says little")
    assert words.index("Why divide by √d_k?") < words.index("Point at a number")
    assert not any(one.isVisible() for one in window.inspector.findChildren(Formula))


def test_escape_brings_the_hint_back(window, hand, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.scores", 1, 2)
    assert "Point at a number" not in said(inspector)
    assert "What is it for?" not in said(inspector)
    hand.key(Qt.Key.Key_Escape)
    assert said(inspector).startswith("What is it for?")
    assert "Point at a number" in said(inspector)
    assert window.bench.selection.cell is None
    assert window.bench.selection.reads == {}


def test_a_score_is_a_sum_of_products(window, eye, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.scores", 1, 2)
    query, key = (eye.value(window, f"{ENCODER}.head.1.{letter}")[i] for letter, i in (("Q", 1), ("K", 2)))
    rows = derivation(inspector)
    products = [f"{written(a, 4)} × {written(b, 4)}" for a, b in zip(query.tolist(), key.tolist(), strict=True)]
    assert [expression for _, expression, _, kind in rows if kind == "term"] == products
    assert [value for *_, value, kind in rows if kind == "term"] == [
        written(a * b, 4) for a, b in zip(query.tolist(), key.tolist(), strict=True)
    ]
    assert rows[-1][2:] == (written(float(query @ key), 4), "result")
    words = said(inspector)
    assert in_full(eye.value(window, f"{ENCODER}.head.1.scores")[1, 2]) in words
    assert "head 1, are → welcome" in words
    assert part(inspector, "formula").latex().startswith("S = ")
    assert "scores = " in words
    assert not part(window.inspector, "hint").isVisible()


def test_every_matrix_of_a_stage_can_be_explained(window, eye):
    """The result of each derivation is the number of the cell. Of all examples `test_every_derivation.py` asks it."""
    for stage in ("source.embedding", "encoder.1.self.attention", "encoder.1.ffn.layers", "loss"):
        eye.look_at(window, stage)
        for name in eye.views(window):
            place = window.bench.document.engine.graph.place(name)
            array = np.atleast_1d(eye.value(window, name))
            index = tuple(n - 1 for n in eye.value(window, name).shape)
            window.bench.selection.point(Cell(place.node, (*place.index, *index)))
            value = float(array[index or (0,)])
            assert in_full(eye.value(window, name)[index]) in part(window.inspector, "value").text(), name
            rows = derivation(window.inspector)
            if rows:
                shown = rows[-1][2].replace("−", "-").replace("∞", "inf")
                assert float(shown) == pytest.approx(value, abs=6e-5, rel=0.06), name


def test_the_inspector_grows_a_derivation_for_what_was_altered(window, eye, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.scaled", 0, 0)
    assert len(derivations(inspector)) == 2
    assert "scores in Encoder 1: Self-attention" in said(inspector)
    point(f"{ENCODER}.attention", f"{ENCODER}.head.1.Q", 0, 0)
    assert len(derivations(inspector)) == 1


def test_a_long_formula_makes_nothing_wider_than_the_column(window, eye, point):
    inspector = point("source.positions", "source.PE", 1, 2)
    eye.settle(window)
    assert part(inspector, "formula").isVisible()
    assert inspector.elements.width() <= inspector.area.viewport().width(), "the numbers below it were cut"


def test_the_window_comes_to_rest_where_a_line_of_code_is_broken(open_window, eye):
    """It laid the line out for ever, and took a whole core."""
    window = open_window("inside-a-storyteller", stage="decoder.1.self.attention", size=(1440, 900))
    window.bench.selection.choose(Cell("decoder.1.self.scores", (0, 1, 0)))
    eye.settle(window)
    code = [one for one in window.inspector.findChildren(SteadyLabel) if one.label.text() != one.text()]
    assert any("reshape" in one.text() for one in code if one.isVisible())
    for again in (False, True):
        asked = Asked()
        QApplication.instance().installEventFilter(asked)
        for _ in range(20):
            QApplication.processEvents()
        QApplication.instance().removeEventFilter(asked)
        assert not again or asked.by == []


def test_a_pinned_cell_says_that_it_is_given(printed, window, point):
    inspector = point(f"{ENCODER}.heads", f"{ENCODER}.head.2.output", 0, 0)
    assert "Given" in said(inspector)
    assert derivation(inspector) == []


def test_it_follows_edits_of_what_it_shows(window, eye, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.Q", 0, 0)
    before = said(inspector)
    window.bench.document.do(SetCells("source.table", {(0, 0): 3.0}))
    eye.settle(window)
    assert said(inspector) != before
    assert in_full(eye.value(window, f"{ENCODER}.Q")[0, 0, 0]) in said(inspector)
    rows = derivation(inspector)
    assert rows[0][1].startswith("3.0 × ")
    window.bench.document.undo()
    eye.settle(window)
    assert said(inspector) == before


def test_when_the_cell_goes_the_hint_comes_back(window, eye, point):
    inspector = point("source.embedding", "source.X", 2, 0)
    window.bench.document.do(SetTokens("source", ("You", "are")))
    eye.settle(window)
    assert "Point at a number" in said(inspector)


def test_another_size_of_text_finds_the_cell_gone_with_its_model(window, eye):
    """Its turn came before the news of another model: the cell was looked for there."""
    bench = window.bench
    bench.selection.choose(Cell("encoder.1.ffn.W_1", (0, 0)))
    assert window.inspector.told.about is not None
    emma = load("emma")
    bench.document.do(Replace(emma.state(), "Emma"))
    window.inspector._again.timeout.emit()
    assert window.inspector.told.about is None


def test_what_a_cell_feeds_is_one_click_away(window, hand, eye, point):
    inspector = point("source.positions", "source.H", 1, 0)
    words = said(inspector)
    fed = window.bench.selection.fed
    assert f"{ENCODER}.Q" in fed
    for child in fed:
        assert child.rpartition(".")[2] in words
    hand.click(window.tokens)  # the mouse leaves the matrix, the cell stays
    link = next(line for line in part(inspector, "fed").text().split("<br>") if ">Q<" in line)
    number = part(inspector, "fed").text().split("<br>").index(link)
    line_height = part(inspector, "fed").height() / len(fed)
    hand.click(part(inspector, "fed"), QPoint(4, int((number + 0.5) * line_height)))
    eye.settle(window)
    assert window.bench.selection.stage == f"{ENCODER}.attention"
    assert window.page().stage.name == f"{ENCODER}.attention"


def test_what_a_cell_feeds_is_reached_by_keys_too(window, hand, eye, point):
    inspector = point("source.positions", "source.H", 1, 0)
    assert part(inspector, "fed").label.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByKeyboard
    part(inspector, "fed").label.setFocus(Qt.FocusReason.TabFocusReason)
    hand.key(Qt.Key.Key_Tab)
    assert part(inspector, "fed").label.hasSelectedText()
    hand.key(Qt.Key.Key_Return)
    eye.settle(window)
    assert window.bench.selection.stage != "source.positions"


# In the printed text


def test_another_look_leaves_the_keys_at_the_link(window, hand, eye, point, appearance):
    point("encoder.1.self.attention", "encoder.1.self.head.1.Q", 0, 0)
    one = next(label for label in window.inspector.findChildren(QLabel) if "<a " in label.text() and label.isVisible())
    one.setFocus(Qt.FocusReason.TabFocusReason)
    one.setSelection(one.text().count(" "), 0)
    hand.key(Qt.Key.Key_Tab)
    focused = QApplication.focusWidget()
    link, first = focused.selectedText(), focused.selectionStart()
    assert link
    appearance.set_mode("dark")
    eye.settle(window)
    again = QApplication.focusWidget()
    assert again is not focused
    assert (again.selectedText(), again.selectionStart()) == (link, first)


def test_as_printed_it_agrees_with_the_reference(printed, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.weights", 0, 0)
    words = said(inspector)
    assert "In the printed text (004)" in words
    printed, computed = re.search(r"Printed (\S+) · computed (\S+)", words).groups()
    assert printed == computed
    assert "✓" in words
    assert "≠" not in words


def test_after_an_edit_it_does_not(printed, window, eye, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.weights", 0, 0)
    printed = re.search(r"Printed (\S+)", said(inspector))[1]
    window.bench.document.do(SetCells("source.table", {(0, 0): 2.0}))
    eye.settle(window)
    words = said(inspector)
    assert "≠" in words
    assert "✓" not in words
    assert re.search(r"Printed (\S+)", words)[1] == printed
    window.bench.document.undo()
    eye.settle(window)
    assert "✓" in said(inspector)


def test_what_no_reference_prints_has_none(printed, point):
    assert "In the printed text" not in said(point("output", "output.logits", 0, 0))


def test_another_setting_is_another_print(printed, window, eye, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.weights", 0, 0)
    assert part(inspector, "said").isVisible()
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    assert window.bench.selection.cell == Cell(f"{ENCODER}.weights", (0, 0, 0))
    assert not part(inspector, "said").isVisible()


# The derivation on the screen


def test_the_derivation_is_painted_and_spoken(window, eye, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.scores", 1, 2)
    view = derivations(inspector)[0]
    assert window.bench.appearance.theme.here_text in colours(pixels(view.grab().toImage()))
    value = written(eye.value(window, f"{ENCODER}.head.1.scores")[1, 2].item(), 4)
    assert view.accessibleDescription().endswith(f"= {value}")


def test_not_a_number_is_derived_without_a_crash(window, eye, point):
    window.bench.document.do(SetCells("source.table", {(0, 0): np.nan}))
    inspector = point(f"{ENCODER}.after", f"{ENCODER}.norm", 0, 0)
    assert derivation(inspector)[-1][2] == "NaN"
    window.bench.document.do(PinCells(f"{ENCODER}.scores", {(0, 0, 0): np.inf}))
    eye.settle(window)
    assert derivation(inspector)


def test_a_masked_score_says_why(window, eye, point):
    window.bench.document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    inspector = point("decoder.1.self.attention", "decoder.1.self.head.1.masked", 0, 2)
    assert derivation(inspector)[-1][2] == "−∞"
    assert "the mask is 0" in str(derivation(inspector))


# Gradients


@pytest.fixture
def gradients(window, eye):
    """The window on the textbook's model, its matrices showing gradients."""
    window.bench.open(window.bench.lesson, "textbook")
    window.bench.bridge.flush()
    window.bench.selection.show("gradient")
    return window


def checked(window, hand, node, index):
    """What the check of a cell says, in plain words."""
    window.bench.selection.choose(Cell(node, index))
    QApplication.processEvents()
    hand.click(part(window.inspector, "check"))
    return re.sub(r"<[^>]*>|&nbsp;", " ", part(window.inspector, "checked").text())


@pytest.mark.parametrize(
    ("node", "index"),
    [
        ("encoder.1.self.W_Q", (0, 0, 1)),
        long("source.table", (1, 0)),
        long("encoder.1.ffn.gamma", (2,)),
        ("decoder.1.self.scaled", (0, 2, 1)),
        ("output.temperature", ()),
    ],
)
def test_a_cell_is_checked_against_its_gradient(gradients, hand, node, index):
    said = checked(gradients, hand, node, index)
    assert int(re.search(r"✓ the same to (\d+) digits", said)[1]) >= 5
    gradient = float(gradients.bench.document.engine.gradients().of(node)[index])
    assert f"{gradient:.8f}".replace("-", "−")[:8] in said


def test_a_masked_score_is_minus_infinity_and_stays_it(gradients, hand):
    assert gradients.bench.document.engine.values["decoder.1.self.masked"][0, 0, 1] == -np.inf
    assert "✓ the same" in checked(gradients, hand, "decoder.1.self.masked", (0, 0, 1))


def test_a_pinned_cell_has_a_gradient_and_what_stands_above_it_none(gradients, hand):
    document = gradients.bench.document
    cells = {(i, j): 0.3 for i in range(3) for j in range(3)}
    document.do(PinCells("encoder.1.self.head.1.weights", cells))
    gradients.bench.bridge.flush()
    assert "✓ the same to" in checked(gradients, hand, "encoder.1.self.weights", (0, 1, 2))
    assert document.engine.gradients().of("encoder.1.self.weights")[0, 1, 2] != 0
    for above in ("W_Q", "W_K", "Q", "scores"):
        gradient = document.engine.gradients().of(f"encoder.1.self.{above}")
        assert not gradient[0].any()
        assert gradient[1].any()  # the other head's
        assert "✓ the same" in checked(gradients, hand, f"encoder.1.self.{above}", (0, 1, 1))


def test_a_check_in_single_precision(gradients, hand):
    state = gradients.bench.document.state
    single = State.of(replace(state.model, dtype="float32"), state.inputs, lesson=state.lesson, setting=state.setting)
    gradients.bench.open_state(gradients.bench.lesson, single)
    gradients.bench.bridge.flush()
    said = checked(gradients, hand, "output.W", (1, 1))
    assert "✓ the same to" in said
    assert "h is 4.9×10⁻³" in said


def test_a_gradient_is_followed_to_the_loss_link_by_link(gradients, eye):
    selection, inspector = gradients.bench.selection, gradients.inspector
    selection.choose(Cell("encoder.1.self.W_Q", (0, 0, 1)))
    way = []
    while selection.cell.node != "loss.value" and len(way) < 60:
        way.append(selection.cell.node)
        follow(inspector, "fed", part(inspector, "fed").text().count("<a ") - 1)
    assert way[:4] == ["encoder.1.self.W_Q", "encoder.1.self.Q", "encoder.1.self.scores", "encoder.1.self.scaled"]
    assert selection.cell.node == "loss.value"
    assert selection.stage == "loss"


def test_the_chain_rule_is_typeset(gradients):
    rules = set()
    for node, index in (("encoder.1.self.norm", (0, 1)), ("source.H", (0, 1)), ("loss.value", ())):
        gradients.bench.selection.choose(Cell(node, index))
        rules.add(part(gradients.inspector, "formula").latex())
    assert len(rules) == 3
    assert all(typeset(rule) is not None for rule in rules)


def test_the_check_of_a_large_model_is_not_waited_for(gradients, hand, qtbot, monkeypatch):
    monkeypatch.setattr(descent, "LARGE", 1)
    go_on = Event()
    monkeypatch.setattr(inspector_module, "check_cell", lambda *cell: check_cell(*cell) if go_on.wait() else None)
    assert "being computed" in checked(gradients, hand, "encoder.1.self.W_Q", (0, 0, 1))
    go_on.set()
    qtbot.waitUntil(lambda: "✓ the same to" in part(gradients.inspector, "checked").text())
    checked(gradients, hand, "encoder.1.self.W_Q", (0, 0, 1))
    gradients.bench.selection.choose(Cell("source.table", (0, 1)))
    qtbot.waitUntil(lambda: gradients.inspector._worker._then is None)
    assert not part(gradients.inspector, "checked").isVisible()  # it was of another cell


def test_a_long_name_is_broken_and_nothing_of_it_lost(gradients):
    gradients.bench.selection.choose(Cell("output.scaled", (0, 1)))
    QApplication.processEvents()
    view = derivations(gradients.inspector)[0]
    wide = QFontMetrics(view._bench.appearance.fonts.number)
    assert "through output.probabilities and loss.value in one" in " ".join(line.label for line in view._lines)
    assert all(wide.horizontalAdvance(line.label) <= view.width() for line in view._lines)


def test_the_labels_of_a_sum_stand_all_beside_its_terms_or_all_above_them(point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.output", 0, 0)
    view = derivations(inspector)[0]
    terms = [row for row in view._rows if row.kind == "term"]
    assert [term.label for term in terms] == ["You", "are", "welcome"]
    seen = set()
    for width in range(100, 500, 4):
        lines = view._broken(width, 0)
        beside = {any(line.label == term.label and line.expression for line in lines) for term in terms}
        assert len(beside) == 1, lines
        seen |= beside
        words = " ".join(f"{line.label} {line.expression}" for line in lines).split()
        assert sorted(words) == sorted(" ".join(f"{row.label} {row.expression}" for row in view._rows).split())
    assert seen == {True, False}


def test_the_stage_says_what_is_printed_and_on_request_its_slips(printed, window, eye, hand, qtbot):
    eye.go_to(window, f"{ENCODER}.attention")
    qtbot.waitUntil(part(window.inspector, "said").isVisible)
    words = said(window.inspector)
    assert "Prints W_Q, W_K, W_V, Q, K, V, weights, output" in words
    assert "A slip" not in words
    assert "▸ 6 notes on the printed text" in words
    notes = part(window.inspector, "notes")
    assert notes.height() >= notes.label.fontMetrics().height()
    hand.click(notes.label, QPoint(20, notes.height() // 2))
    assert "Where K is announced, W_Q is printed instead of W_K" in said(window.inspector)
    eye.go_to(window, "model.parameters")
    qtbot.waitUntil(lambda: not part(window.inspector, "said").isVisible())


def test_a_printed_stage_leads_to_the_lesson_on_what_is_wrong(window, eye, qtbot, request):
    eye.go_to(window, f"{ENCODER}.attention")
    assert not part(window.inspector, "errata").isVisible(), "whoever does not hold the text hears nothing of it"
    request.getfixturevalue("printed")
    qtbot.waitUntil(part(window.inspector, "errata").isVisible)
    follow(window.inspector, "errata")
    eye.settle(window)
    assert window.bench.lesson.id == "errata-004"
    assert window.lessons.guide.step.id == "print"
    assert window.bench.prints == ("you-are-welcome", "printed")
    assert not part(window.inspector, "errata").isVisible()


def test_a_cell_says_the_slip_that_is_printed_beside_it(printed, window, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.K", 0, 0)
    assert "A slip" not in said(inspector)
    follow(inspector, "notes")
    assert "A slip in “A Concrete Example”: Where K is announced" in said(inspector)
    assert "A slip" not in said(point(f"{ENCODER}.attention", f"{ENCODER}.head.1.weights", 0, 0))


def test_what_is_0_but_for_rounding_says_so(printed, point):
    assert "0, except for rounding" in said(point("output", "decoder.1.cross.concat", 0, 2))
    assert "0, except for rounding" not in said(point("output", "decoder.1.cross.concat", 0, 1))


def test_a_cell_that_is_not_on_the_page_in_sight_is_let_go(open_window, eye, hand):
    """After a turn of the wheel on the table of next words the inspector kept a cell of it over five pages."""
    window = open_window("roses-are-red")
    page = eye.go_to(window, "generation.next")
    listing = page.elements.widgets["next words"]
    hand.hover(listing.viewport(), QPoint(60, 40))
    hand.wheel(listing.viewport(), QPoint(60, 40), notches=-1)
    selection = window.bench.selection
    assert selection.cell is not None
    assert selection.cell.node in page.page.nodes
    hand.away(window)
    for stage in ("generation.next", "output"):  # the same cells stand there
        eye.go_to(window, stage)
        assert selection.cell is not None
    eye.go_to(window, "input.embedding")
    assert selection.cell is None
    assert selection.kept is None
    assert part(window.inspector, "hint").isVisible()


def test_a_cell_that_one_is_led_to_stays(window, eye, point):
    inspector = point(f"{ENCODER}.attention", f"{ENCODER}.head.1.Q", 0, 0)
    for stage, cell in (
        (f"{ENCODER}.attention", Cell(f"{ENCODER}.scores", (0, 0, 1))),
        ("output", Cell("output.logits", (0, 1))),
    ):
        perform(window.bench, GoTo(stage, cell=cell), inspector)
    eye.settle(window)
    assert window.bench.selection.cell == Cell("output.logits", (0, 1))


# The arithmetic of a cell, played


@pytest.fixture
def score(window, hand, eye):
    """A score that was chosen: the inspector."""
    eye.go_to(window, "encoder.1.self.attention")
    view = eye.view(window, "encoder.1.self.head.1.scores")
    hand.click(view, hand.cell(view, 0, 1))
    hand.away(window)
    return window.inspector


def values(inspector):
    return [value for _, _, value, _ in derivation(inspector)]


def test_the_player_makes_nothing_wider_than_the_column(window, score, eye, appearance):
    """The last digits of the results below it were cut, at 1024 pixels in usual text."""
    for width, height, scale in ((1024, 640, 1.0), (1600, 900, 3.0)):
        appearance.set_scale(scale)
        window.resize(width, height)
        eye.settle(window)
        window.actions_.fold_right.setChecked(False)
        eye.settle(window)
        (player,) = [one for one in score.elements.widgets.values() if isinstance(one, PlayerView)]
        assert player.isVisible()
        room = score.area.viewport().width() - score.elements.contentsMargins().left()
        assert player.minimumSizeHint().width() <= room - score.elements.contentsMargins().right(), scale


def test_the_key_p_plays_the_arithmetic_of_the_chosen_cell(window, score, hand, monkeypatch, qtbot):
    monkeypatch.setattr(Appearance, "moves", True)
    monkeypatch.setattr("explorer.ui.page.player.EACH", 5)
    whole, reads = values(score), dict(window.bench.selection.reads)
    seen, shown = [], []
    window.bench.selection.pointed.connect(lambda _: seen.append(dict(window.bench.selection.reads)))
    window.bench.selection.pointed.connect(lambda _: shown.append(values(score)))
    hand.key(Qt.Key.Key_P)
    assert shown[0] == ["?"] * len(whole)  # on a busy machine the first rows are there when the key has been taken
    qtbot.waitUntil(lambda: not score.player.playing)
    assert values(score) == whole
    one_by_one = [at for at in seen if all(len(some) == 1 and slice not in map(type, some[0]) for some in at.values())]
    assert [at[f"{ENCODER}.Q"][0] for at in one_by_one] == [(0, 0, k) for k in range(len(whole) - 1)]
    assert window.bench.selection.reads == reads, "at its end the row and the column are lit"


def test_it_is_paused_stepped_and_set_to_another_pace_and_the_cell_has_no_number_yet(
    window, score, hand, eye, monkeypatch
):
    monkeypatch.setattr(Appearance, "moves", True)
    player, whole = score.player, values(score)
    hand.click(player.button)
    assert player.playing
    hand.click(player.button)
    assert not player.playing
    assert window.bench.selection.unfinished
    assert "scores = ?" in said(score)
    table, role = eye.views(window)["encoder.1.self.head.1.scores"].table, Qt.ItemDataRole
    told = [[table.index(0, j).data(one) for one in (role.ToolTipRole, role.AccessibleTextRole)] for j in (1, 2)]
    assert told[0] == [PLAYED, "scores, row You, column are, ?, computed"]
    assert "?" not in told[1][1]
    player.slider.setFocus()
    hand.key(Qt.Key.Key_Right, times=2)
    assert values(score) == [*whole[:2], *["?"] * (len(whole) - 2)]
    hand.click(player.speed)
    assert player.speed.text() == "× 2"
    hand.key(Qt.Key.Key_Escape)
    assert not window.bench.selection.unfinished


def test_another_look_leaves_the_pace(window, score, hand, eye, appearance):
    before = score.player
    while score.player.speed.text() != "× 4":
        hand.click(score.player.speed)
    appearance.set_mode("dark")
    eye.settle(window)
    assert score.player is not before
    assert score.player.speed.text() == "× 4"
    hand.click(score.player.speed)
    assert score.player.speed.text() == "× 1"


def test_another_cell_stands_still_and_the_one_before_waits(window, score, hand, eye, monkeypatch):
    monkeypatch.setattr(Appearance, "moves", True)
    hand.key(Qt.Key.Key_P)
    assert score.player.playing
    view = eye.views(window)["encoder.1.self.head.1.scores"]
    hand.hover(view, hand.cell(view, 1, 1))
    assert not score.player.playing
    assert "?" not in values(score)
    hand.away(window)
    assert "?" in values(score), "the mouse has left: the chosen cell is where it was paused"


def test_with_less_motion_it_goes_row_by_row(window, score, hand, monkeypatch):
    monkeypatch.setattr(Appearance, "moves", False)
    window.bench.appearance.switched.emit()
    whole = values(score)
    hand.key(Qt.Key.Key_P)
    hand.key(Qt.Key.Key_P)
    assert not score.player.playing
    assert values(score) == [whole[0], *["?"] * (len(whole) - 1)]


def test_an_input_has_nothing_to_play(window, point, hand):
    point("source.embedding", "source.table", 0, 0)
    assert not window.inspector.play()
    hand.key(Qt.Key.Key_P)


def test_a_column_that_nobody_sees_reads_no_derivation_and_shows_it_once_it_is_seen(window, score, eye, monkeypatch):
    """Behind the tab Train each step of a run explained the chosen cell, for nobody."""
    inspector, document, read = window.inspector, window.bench.document, []
    told = inspector_module.inspected
    monkeypatch.setattr(inspector_module, "inspected", lambda *given: read.append(given[1]) or told(*given))
    window.show_tab("Train")
    read.clear()
    name = f"{ENCODER}.W_Q"
    document.do(SetCells(name, {(0, 0): 7.0} if document.state.inputs[name].ndim == 2 else {(0, 0, 0): 7.0}))
    window.bench.bridge.flush()
    assert not read
    window.show_tab("Pipeline")
    assert read
    assert inspector.told.about == told(
        window.bench.view, window.bench.selection.cell, window.bench.selection.fed, window.bench.selection.explained
    )


def test_a_cell_is_played_in_the_matrices_while_the_column_is_folded(window, score, hand, monkeypatch, qtbot):
    monkeypatch.setattr(Appearance, "moves", True)
    monkeypatch.setattr("explorer.ui.page.player.EACH", 5)
    window.actions_.fold_right.setChecked(True)
    reads, seen = dict(window.bench.selection.reads), []
    window.bench.selection.pointed.connect(lambda _: seen.append(dict(window.bench.selection.reads)))
    hand.key(Qt.Key.Key_P)
    assert not score.isVisible()
    qtbot.waitUntil(lambda: bool(seen) and not score.player.playing)
    assert len({str(one) for one in seen}) > 3
    assert window.bench.selection.reads == reads
    window.actions_.fold_right.setChecked(False)
    assert score.told.about.player.value == len(score.told.about.player.steps)
