"""Loss: terms from the derivation, right words to choose."""

import numpy as np
import pytest
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.word_gradients import WordGradients
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.lessons.loader import load
from explorer.ui.page.listing import Listing


@pytest.fixture
def panel(window, eye):
    return eye.go_to(window, "loss")


@pytest.fixture
def document(window):
    return window.bench.document


def listing(panel, words=False):
    (found,) = [view for view in panel.findChildren(Listing) if isinstance(view.rows, WordGradients) == words]
    return found


def texts(panel, words=False):
    rows = listing(panel, words).rows
    return [[rows.text(i, j) for j in range(rows.columnCount())] for i in range(rows.rowCount())]


def dots(panel):
    from explorer.ui.widgets.curves import Curves

    (picture,) = panel.findChildren(Curves)
    return picture.drawing.dots


def notes(panel):
    return " ".join(note.text() for note in panel.findChildren(Note))


def number(text):
    return float(text.replace("−", "-"))


def right(window, eye):
    return eye.value(window, "output.probabilities")[np.arange(3), eye.value(window, "loss.target")]


def test_a_term_for_each_position(window, panel, eye):
    p = right(window, eye)
    words = window.bench.document.engine.labels("output.words")
    for i, row in enumerate(texts(panel)):
        assert row[1] == words[eye.value(window, "loss.target")[i]]
        assert number(row[2]) == pytest.approx(p[i], abs=1e-4)
        assert number(row[4]) == pytest.approx(-np.log(p[i]), abs=1e-4)
    assert [(dot.x, dot.y) for dot in dots(panel)] == [(x, -np.log(x)) for x in p]
    assert f"{eye.value(window, 'loss.value'):.4f}" in notes(panel)


def test_the_mean_of_the_terms_is_the_loss(window, panel, eye):
    assert np.mean([dot.y for dot in dots(panel)]) == pytest.approx(float(eye.value(window, "loss.value")), rel=1e-12)


def test_an_edit_is_followed(window, document, panel, eye):
    document.do(SetCells("output.b", {(1,): 3.0}))
    eye.settle(window)
    assert [dot.x for dot in dots(panel)] == right(window, eye).tolist()


def choose(panel, hand, row, text):
    view = listing(panel)
    view.setFocus()
    view.setCurrentIndex(view.rows.index(row, 1))
    hand.key(Qt.Key.Key_Return)
    (box,) = view.findChildren(QComboBox)
    box.lineEdit().selectAll()
    hand.type(text)
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.hide()
    hand.key(Qt.Key.Key_Return)
    return box


def test_a_right_word_is_chosen_by_typing(window, document, panel, eye, hand):
    choose(panel, hand, 1, "hola")
    eye.settle(window)
    assert document.engine.values["loss.target"][1] == 7
    assert texts(panel)[1][1] == "hola"
    assert [dot.x for dot in dots(panel)] == right(window, eye).tolist()
    document.undo()
    eye.settle(window)
    assert texts(panel)[1][1] != "hola"


def test_a_right_word_that_follows_is_held_and_the_others_still_follow(window, document, panel, eye, hand):
    document.do(SetSwitch("loss", "targets", "next word"))
    eye.settle(window)
    choose(panel, hand, 1, "hola")
    eye.settle(window)
    assert document.engine.pinned("loss.target", (1,))
    assert [row[1] for row in texts(panel)] == ["de", "hola", "<end>"]
    document.do(SetTokens("target", ("<start>", "por", "favor")))
    eye.settle(window)
    assert [row[1] for row in texts(panel)] == ["por", "hola", "<end>"]
    assert "next ones of the sentence" in notes(panel)
    document.undo()
    document.undo()
    eye.settle(window)
    assert [row[1] for row in texts(panel)] == ["de", "nada", "<end>"]


def test_an_unknown_word_is_said_and_changes_nothing(window, document, panel, hand, said):
    before = document.state
    choose(panel, hand, 1, "holla")
    assert "did you mean 'hola'" in said()
    assert document.state is before


def test_the_same_word_again_is_no_edit(window, document, panel, hand):
    before = document.state
    choose(panel, hand, 0, texts(panel)[0][1])
    assert document.state is before


def test_a_probability_of_zero_costs_infinity(window, document, panel, eye):
    document.do(PinCells("output.probabilities", {(0, int(eye.value(window, "loss.target")[0])): 0.0}))
    eye.settle(window)
    assert texts(panel)[0][4] == "∞"
    assert len(dots(panel)) == 2
    assert not window.grab().isNull()


def test_squared_error(window, document, panel, eye):
    document.do(SetSwitch("loss", "loss", "mean squared error"))
    eye.settle(window)
    P, y = eye.value(window, "output.probabilities"), eye.value(window, "loss.target")
    assert len(texts(panel)) == P.size
    np.testing.assert_allclose([dot.x for dot in dots(panel)], (P - y).ravel())
    np.testing.assert_allclose([dot.y for dot in dots(panel)], ((P - y) ** 2).ravel())
    document.do(SetSwitch("loss", "loss", "cross-entropy"))
    eye.settle(window)
    assert len(texts(panel)) == 3


def test_what_a_lesson_adds_to_the_loss_is_shown(open_window, eye):
    window = open_window("roses-are-red")
    eye.go_to(window, "loss")
    assert {"loss.likelihood", "loss.L_1", "loss.value"} <= eye.views(window).keys()


def test_another_example_may_be_opened_from_here(window, panel, eye):
    window.bench.open(load("xor"))  # with another rate: what one step would do is told anew
    eye.settle(window)
    assert window.bench.lesson.id == "xor"


def test_without_a_loss_there_is_no_stage(window, document, panel, eye):
    document.do(SetSwitch("loss", "loss", "none"))
    eye.settle(window)
    assert window.bench.selection.stage != "loss"


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(window, document, panel, eye, count):
    document.do(SetTokens("target", tuple(f"w{i}" for i in range(count))))
    eye.settle(window)
    assert len(texts(panel)) == count
    assert len(dots(panel)) == count
    assert not window.grab().isNull()


# P − y


def test_p_minus_y_is_n_times_the_gradient_of_the_logits(window, document, panel, eye):
    P, right = eye.value(window, "output.probabilities"), eye.value(window, "loss.target")
    gradient = document.engine.gradients().of("output.scaled")
    for position in (0, 2):
        window.bench.selection.choose_token(("target", position))
        for word, row in enumerate(texts(panel, words=True)):
            y = word == right[position]
            assert row[1] == str(int(y))
            assert number(row[2]) == pytest.approx(P[position, word], abs=1e-4)
            assert number(row[3]) == pytest.approx(P[position, word] - y, abs=1e-4)
            assert number(row[3]) == pytest.approx(3 * gradient[position, word], abs=1e-4)
    assert len(listing(panel, words=True).rows.columns) == 5


@pytest.fixture
def bad_guess(open_window, eye):
    window = open_window("cat-sat-on-the")
    window.bench.open(window.bench.lesson, "wrong")
    window.bench.bridge.flush()
    eye.look_at(window, "loss")
    return window


def test_the_step_that_the_reference_takes_stands_beside_the_true_one(bad_guess, eye, qtbot):
    panel, descent = bad_guess.panel(), bad_guess.bench.descent
    rows = texts(panel, words=True)
    assert [row[3] for row in rows] == ["−0.9000", "0.1000", "0.1000", "0.7000"]
    assert [row[5] for row in rows] == ["0.1140", "0.1031", "0.1031", "0.6798"]
    assert [row[6] for row in rows] == ["0.19", "0.09", "0.09", "0.63"]
    assert "the print moves the probabilities" in notes(panel)
    descent.set_rate(0.2)
    assert "P after a step at 0.2" in [column.title for column in listing(panel, words=True).rows.columns]
    ahead = [row[5] for row in texts(panel, words=True)]
    descent.take(1)
    eye.settle(bad_guess)
    assert [row[2] for row in texts(panel, words=True)] == ahead
    assert len(texts(panel, words=True)[0]) == 6  # the print is of the first step
    assert "the print moves" not in notes(panel)


def test_a_step_that_cannot_be_taken_is_not_foretold(bad_guess, eye):
    bad_guess.bench.document.do(SetCells("output.logits", {(0, 1): np.inf}))
    eye.settle(bad_guess)
    assert len(texts(bad_guess.panel(), words=True)[0]) <= 6


def test_pinned_probabilities_pass_nothing_on(window, document, panel, eye):
    document.do(PinCells("output.probabilities", {(0, word): 0.125 for word in range(8)}))
    eye.settle(window)
    assert {row[3] for row in texts(panel, words=True)} == {"0.0000"}


def test_another_loss_has_no_such_list(window, document, panel, eye):
    document.do(SetSwitch("loss", "loss", "mean squared error"))
    eye.settle(window)
    assert not [view for view in panel.findChildren(Listing) if isinstance(view.rows, WordGradients)]


def test_names_of_dots_stay_within_the_axes(window, panel, eye):
    from explorer.ui.widgets.curves import Curves
    from PySide6.QtCore import QPointF, QRectF
    from PySide6.QtGui import QImage, QPainter

    dots = eye.plot(window, Curves)._dots
    image = QImage(200, 100, QImage.Format.Format_ARGB32)
    painter, taken = QPainter(image), []
    dots._axes = QRectF(50, 10, 100, 60)
    for place in (QPointF(50, 12), QPointF(50, 12), QPointF(149, 69)):
        dots._write(painter, "nada", place, "#000000", taken)
    painter.end()
    assert all(dots._axes.contains(place) for place in taken)
    assert not taken[0].intersects(taken[1])


def test_which_words_lead_to_which(open_window, eye):
    """The pairs of a text, by the context window that the mask leaves."""
    window = open_window("roses-are-red")
    panel = eye.go_to(window, "loss")

    def pairs():
        return [(row[0], row[1]) for row in texts(panel)]

    assert pairs() == [
        ("0  roses", "are"),
        ("1  roses are", "red"),
        ("2  are red", "violets"),
        ("3  red violets", "are"),
        ("4  violets are", "blue"),
    ]
    window.bench.document.do(SetSwitch("decoder.1.self", "window", 1))
    eye.settle(window)
    assert [after for after, _ in pairs()] == ["0  roses", "1  are", "2  red", "3  violets", "4  are"]
    window.bench.document.do(SetSwitch("decoder.1.self", "window", 0))
    eye.settle(window)
    assert pairs()[-1] == ("4  roses are red violets are", "blue")


def test_where_nothing_is_to_be_said_nothing_is_counted(window, document, panel, eye):
    document.do(SetTokens("target", ("<start>", "de", "<pad>", "<pad>")))
    eye.settle(window)
    rows = texts(panel)
    assert [row[1] for row in rows] == ["de", "<end>", "<pad>", "<pad>"]
    assert [row[4] for row in rows[2:]] == ["not counted"] * 2
    loss = eye.value(window, "loss.value")
    assert loss == pytest.approx(sum(number(row[4]) for row in rows[:2]) / 2, abs=1e-4)
    assert [dot.name for dot in dots(panel)] == ["<start>", "de"]
    assert "nothing is counted" in notes(panel)
    window.bench.selection.choose_token(("target", 3))
    eye.settle(window)
    assert "its gradient is 0" in notes(panel)
    assert {row[3] for row in texts(panel, words=True)} == {"0.0000"}
    window.bench.selection.choose_token(("target", 1))
    eye.settle(window)
    P = eye.value(window, "output.probabilities")[1]
    assert number(texts(panel, words=True)[1][3]) == pytest.approx(P[1], abs=1e-4)


def test_a_page_of_the_same_nodes_in_another_kind_of_model_has_its_switches(open_window, eye):
    window = open_window("i-love-ai")
    eye.go_to(window, "loss")
    window.bench.open(load("cat-sat-on-the"))
    eye.settle(window)
    eye.go_to(window, "loss")
    assert "2.3026" in notes(eye.go_to(window, "loss")) or "0.3567" in notes(eye.go_to(window, "loss"))
