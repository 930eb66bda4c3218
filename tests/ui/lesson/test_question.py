"""Questions are answered before anything is shown, with mouse and keys."""

import re

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QFontMetrics
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton

from explorer.core.graph import Cell
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.lessons.loader import load
from explorer.lessons.schema import Choose
from explorer.pages.controls import Button
from explorer.pages.gestures import ForQuestion
from explorer.pages.page import Listing
from explorer.pages.steps.question import WHERE
from explorer.ui import view_state
from explorer.ui.errors import Message
from explorer.ui.page.answers import OptionView
from explorer.ui.page.controls import SentenceView
from explorer.ui.page.listing import ListingView
from explorer.ui.window.command_palette import CommandPalette
from tests.samples import each, long
from tests.ui.lesson.conftest import LESSON
from tests.ui.test_accessibility import nameless

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")
Key = Qt.Key
LOGITS, SHARES = "output.logits", "output.probabilities"


def part(panel, id):
    return panel._page.widgets[id]


def sentence(words):
    return SentenceView(None, Button("button", words, ForQuestion("hint"), wraps=True))


def options(panel):
    """The answers to choose from, in the order in which the lesson has them."""
    named = {id: one for id, one in panel._page.widgets.items() if isinstance(one, OptionView)}
    return [named[id] for id in sorted(named, key=lambda id: int(id.split()[1]))]


def numbers_in_sight(window):
    """All that the page writes in matrices and lists."""
    page = window.page().page
    lists = [element for element in page.elements if isinstance(element, Listing)]
    return [entry.text for one in lists for line in one.lines for entry in line.entries]


def test_while_a_question_is_open_the_column_does_not_say_what_the_page_is_for(window, guide, go):
    go(1)
    said = window.inspector.elements.widgets["stage"]
    assert "when the question is answered" in said.text()
    guide.tell()
    window.bench.selection.forget()  # the answered cell, of which the column tells now
    assert "Why softmax?" in said.text()


def test_a_number_is_covered_until_it_is_locked_and_then_the_difference_is_told(window, guide, panel, hand, eye, go):
    go(1)
    view = eye.views(window)[SHARES]
    assert next(view.matrix.text(0, i) for i in range(3)) == "?"
    assert view.matrix.told(window.bench.view, 0, 0) == "Answer the question first."
    assert not [text for text in numbers_in_sight(window) if text.startswith("0.6")]
    hand.hover(view.viewport(), view.visualRect(view.table.index(0, 0)).center())
    assert window.bench.selection.cell is None
    field = panel._page.fields[-1]
    button = part(panel, "lock")
    assert not button.isEnabled()
    hand.click(field)
    hand.type("abc")
    hand.click(button)
    assert any("'abc' is not a number" in message.text() for message in window.findChildren(Message))
    assert not guide.attempt.tried
    field.selectAll()
    for typed, more in (("1/2", "too small. Two more tries."), ("0.4", "too small. One more try.")):
        hand.type(typed)
        hand.click(button)
        assert part(panel, "verdict").text().endswith(more)
        assert "0.67" not in part(panel, "verdict").text()
        assert not part(panel, "side").isVisible()
        assert eye.views(window)[SHARES].matrix.text(0, 0) == "?"
        assert not button.isEnabled()  # the same number once more is no try
        assert not field.isReadOnly()
    hand.type("0.3")
    hand.click(button)
    assert "0.67" in part(panel, "verdict").text()
    assert "✗" in part(panel, "verdict").text()
    assert "more tr" not in part(panel, "verdict").text()
    assert field.isReadOnly()
    assert not button.isVisible()
    assert eye.views(window)[SHARES].matrix.text(0, 0) != "?"
    assert window.bench.selection.cell.node == SHARES
    assert part(panel, "why").isVisible()
    assert panel._next.text() == "Next ▸"
    go(0)
    go(1)  # it stays answered
    assert guide.question is None
    assert "✗" in part(panel, "verdict").text()


def test_a_letter_that_still_comes_to_a_field_after_undo_led_to_an_example_without_steps_does_nothing(
    window, panel, go, guide
):
    """A monkey typed it while the panel was made anew in another look."""
    asked = guide.lesson
    window.bench.open(load("tiny-gpt"))
    window.bench.bridge.flush()
    window.bench.open(asked)
    window.bench.bridge.flush()
    go(1)
    field, before = panel._page.fields[-1], panel._page.elements
    while window.bench.lesson is asked:
        window.bench.document.undo()
    window.bench.bridge.flush()
    assert guide.step is None
    field.setText("0.5")
    field.textEdited.emit("0.5")
    assert panel._page.elements is before


def test_who_answered_wrongly_on_another_day_has_the_tries_that_are_said_to_be_left(guide, panel, go):
    for _ in range(2):
        guide.walk.progress = guide.walk.progress.answered("predict", right=False)
    go(1)
    for typed, more in ((0.5, "Two more tries."), (0.4, "One more try.")):
        guide.answer(typed)
        assert part(panel, "verdict").text().endswith(more)
        assert guide.question is not None
    guide.answer(0.3)
    assert "0.67" in part(panel, "verdict").text()


def test_a_known_mistake_is_named(window, guide, panel, hand, go):
    go(1)
    hand.click(panel._page.fields[-1])
    for typed in ("0.5", "0.4", "66.52"):  # per cent
        hand.type(typed)
        hand.key(Key.Key_Return)
    assert guide.attempt.verdict.mistake.sentence in part(panel, "verdict").text()
    assert part(panel, "side").isVisible()
    assert window.lessons.both is None  # nothing else is computed than the right number


def test_a_key_that_comes_before_the_next_question_is_shown_answers_nothing(guide, panel, go):
    go(1)
    (field,) = panel._page.fields
    field.setText("0.5")
    others = [i for i, step in enumerate(guide.lesson.steps) if isinstance(step.question, Choose)]
    guide.go(others[0])
    field.returnPressed.emit()
    assert guide.question is guide.lesson.steps[others[0]].question
    assert not guide.attempt.tried


@pytest.mark.parametrize(
    ("numbers", "both", "alone"),
    [
        (("0.5", "0.4", "7.39"), True, False),
        long(("7.39", "0.5", "0.4"), True, False),  # the one of which it is known how one gets it
        (("0.5", "0.4", "0.3"), False, True),
        (("0.5", "7.39"), False, False),
        long(("7.39", "0.5", "0.67"), False, False),
    ],
)
def test_both_derivations_stand_side_by_side_where_both_are_known_and_the_tries_are_over(
    window, guide, panel, hand, eye, go, numbers, both, alone
):
    go(1)
    table = eye.views(window)[SHARES]
    stood = table.mapTo(window, table.rect().topLeft())
    hand.click(panel._page.fields[-1])
    for typed in numbers:
        hand.type(typed)
        hand.key(Key.Key_Return)
    card = window.lessons.both
    assert (card is not None, part(panel, "both").isVisible(), part(panel, "side").isVisible()) == (both, both, alone)
    assert table.mapTo(window, table.rect().topLeft()) == stood
    if both:
        assert card.isVisible()
        assert card.sides[0].widgets["side"].text() == "How one gets 7.39"
        assert not any(side.visibleRegion().isEmpty() for side in card.sides)
        asked = table.viewport().mapTo(window, table.visualRect(table.table.index(0, 0)).center())
        assert not card.geometry().contains(card.parentWidget().mapFrom(window, asked))


def test_both_derivations_are_closed_come_back_and_go_with_the_step(window, guide, panel, hand, go):
    go(1)
    hand.click(panel._page.fields[-1])
    for typed in ("0.5", "0.4", "7.39"):
        hand.type(typed)
        hand.key(Key.Key_Return)
    card = window.lessons.both
    hand.click(card.close_button)
    assert not card.isVisible()
    hand.click(part(panel, "both"))
    for leave in (panel.show_end, lambda: go(0)):
        card.open()
        assert card.isVisible()
        leave()
        assert not card.isVisible()


def test_hints_are_a_ladder_that_ends_in_the_derivation(window, guide, panel, hand, go):
    go(1)
    more = part(panel, "more")
    assert more.text() == "Give me a hint"
    hand.click(more)
    assert part(panel, "hint 0").isVisible()
    assert more.text() == "Show how it is computed"
    hand.click(more)
    assert part(panel, "derivation").isVisible()
    assert not more.isVisible()
    guide.answer(0.67)
    assert part(panel, "verdict").text().endswith("✓</span></b> Right: 0.67. With a hint.")
    assert not part(panel, "derivation").isVisible()


def test_a_wrong_choice_says_why_and_another_may_follow(window, guide, panel, hand, go):
    go(2)
    wrong, right = options(panel)
    hand.click(wrong)
    assert "smaller logit" in part(panel, "verdict").text()
    assert not wrong.isEnabled()
    assert guide.question is not None
    hand.click(right)
    assert guide.question is None
    assert "✓" in right.words.text()
    assert "Its share is 0.71 now." in part(panel, "verdict").text()


def test_from_a_wrong_choice_the_keys_go_to_one_that_is_left(anew, eye, hand):
    """From the last one they went to the list of stages: the next Enter left the step."""
    window = anew(lesson="cat-sat-on-the", step=0)
    guide, panel = window.lessons.guide, window.lessons.panel
    eye.settle(window)
    right, one, other = options(panel)  # in this order on the screen, too
    other.setFocus()
    hand.key(Key.Key_Space)
    assert not other.isEnabled()
    assert right.hasFocus()
    one.setFocus()
    hand.key(Key.Key_Space)
    assert right.hasFocus()
    hand.key(Key.Key_Space)
    assert guide.question is None
    assert panel._next.hasFocus()


def test_the_reason_for_a_wrong_choice_that_is_higher_than_its_place_is_seen_from_its_beginning(anew, eye, appearance):
    """In the largest text its first words stood above the place, and "dividing each" was the first line."""
    window = anew(lesson="softmax")
    window.resize(1024, 640)
    appearance.set_scale(3.0)
    window.lessons.begin_steps()
    guide, panel = window.lessons.guide, window.lessons.panel
    guide.go(0)
    eye.settle(window)
    guide.answer(next(at for at, one in enumerate(guide.question.choices) if not one.right))
    eye.settle(window)
    said, sight = part(panel, "verdict"), panel._scroll.viewport()
    assert said.height() > sight.height()
    assert said.mapTo(sight, QPoint()).y() == 0


def test_choices_are_mixed_the_same_in_a_sitting_and_another_way_the_next_time_or_as_written(
    open_window, tmp_path, eye
):
    choices = ", ".join(f'{{ text = "{letter}", why = "No." }}' for letter in "abcdefg")
    asked, places, window = f'choices = [{{ text = "right", right = true }}, {choices}]', {}, None
    for sitting in range(2):  # a window each
        for order in ("", '\norder = "as written"'):
            path = tmp_path / f"eight{sitting}{len(order)}.lesson.toml"
            path.write_text(
                re.sub(r"choices = \[.*?\n\]", lambda _, order=order: asked + order, LESSON, flags=re.DOTALL)
            )
            if order:
                window.files.open_lesson(load(path))
            else:
                window = open_window(load(path))
            guide = window.lessons.guide

            def shown(eye=eye, window=window):
                eye.settle(window)
                buttons = options(window.lessons.panel)
                return sorted(range(len(buttons)), key=lambda i: buttons[i].y())

            guide.go(2)
            first = shown()
            guide.answer(first[0] or first[1])  # a wrong one
            assert shown() == first
            guide.go(0)
            window.bench.document.undo()
            eye.settle(window)
            assert guide.at == 2
            assert shown() == first
            guide.ask_again()
            assert shown() == first
            places[sitting, bool(order)] = first
            guide.leave()
    assert places[0, False] != places[1, False]
    assert places[0, True] == places[1, True] == [*range(8)]


def test_a_choice_looks_as_what_can_be_chosen_and_what_was_chosen_has_its_colour(window, guide, panel, eye, go):
    go(2)
    theme, buttons = window.bench.appearance.theme, options(panel)

    def inks():
        eye.settle(window)
        labels = (button.words.label for button in buttons)
        return [label.palette().color(label.foregroundRole()).name() for label in labels]

    assert inks() == [theme.text, theme.text]
    guide.answer(0)
    assert inks() == [theme.here_text, theme.text]
    guide.answer(1)
    assert inks() == [theme.here_text, theme.accent_text]


def test_where_the_model_was_changed_it_is_said_which_numbers_are_asked_about(window, guide, panel, eye, go):
    go(1)
    said = part(panel, "edited")
    assert not said.isVisible()
    window.bench.document.do(SetCells(LOGITS, {(0, 0): 9.0}))
    eye.settle(window)
    assert said.isVisible()
    assert said.height() == said.height_at(said.width())
    guide.answer(0.67)
    assert guide.attempt.verdict.right
    assert said.isVisible()  # the page shows another number
    guide.reset()
    eye.settle(window)
    assert not said.isVisible()


def test_who_gave_no_answer_reads_why_the_right_one_is_right(window, guide, panel, go):
    go(2)
    guide.tell()
    said = panel._page.outcome()
    assert [(one.text(), one.label.property("role")) for one in said] == [
        ("<p style='margin: 0'>Its share is 0.71 now.</p>", "why")  # not in a hint's colour, which is that of a mistake
    ]


def test_a_cell_is_pointed_at(window, guide, panel, hand, eye, go):
    go(3)
    assert part(panel, "where").text() == WHERE["cell"]
    view = eye.views(window)[SHARES]
    hand.click(view.viewport(), hand.cell(view, 0, 2) - view.viewport().pos())
    assert guide.attempt.verdict.right
    assert guide.question is None


def test_a_click_into_another_table_is_no_answer_and_says_which_one_is_meant(window, guide, panel, hand, eye, go):
    go(3)
    window.actions_.light.trigger()  # the other table is a small picture in it
    eye.settle(window)
    said = part(panel, "where")
    view = eye.views(window)[LOGITS]
    hand.click(view.viewport(), hand.cell(view, 0, 2) - view.viewport().pos())
    assert not guide.attempt.tried
    assert guide.question is not None
    assert "That number is in" in said.text()
    assert "Click a number in" in said.text()
    window.bench.document.do(SetSwitch("loss", "loss", "cross-entropy"))
    eye.go_to(window, "loss")
    view = eye.view(window, "loss.target")  # the step began without this table
    hand.click(view.viewport(), hand.cell(view, 0, 0) - view.viewport().pos())
    assert "<i>y</i></b>" in said.text()
    eye.go_to(window, "output")
    view = eye.views(window)[SHARES]
    hand.click(view.viewport(), hand.cell(view, 0, 0) - view.viewport().pos())
    assert said.text() == WHERE["cell"]
    assert len(guide.attempt.tried) == 1


def test_a_wrong_place_may_be_pointed_at_twice_more_and_only_then_the_right_one_is_told(guide, panel, go):
    go(3)
    for cell, said in (
        ((0, 0), "There is a smaller number. Two more"),
        ((0, 1), "There is a smaller number. One more"),
    ):
        guide.answer(cell)
        guide.answer(cell)  # the same once more is no try
        assert said in part(panel, "verdict").text()
        assert guide.question is not None
    guide.answer((0, 2))
    assert guide.attempt.verdict.right


def test_who_goes_to_a_matrix_by_its_name_has_not_pointed_at_its_first_cell(window, guide, panel, eye, go):
    go(3)
    palette = CommandPalette(window)
    next(entry for entry in palette._all() if entry.words == SHARES).act()
    eye.settle(window)
    assert not guide.attempt.tried
    assert part(panel, "take").text() == "Answer: x → A"


def test_a_cell_that_was_pointed_at_when_the_document_was_saved_is_no_answer(window, guide, panel, eye, go):
    go(3)
    window.bench.selection.point(Cell(SHARES, (0, 1)))
    saved = view_state.kept(window)
    go(0)
    view_state.restore(window, saved)
    eye.settle(window)
    assert window.bench.selection.kept == Cell(SHARES, (0, 1))
    assert guide.question is guide.step.question
    assert not guide.attempt.tried


HEADS = """
format = 4
id = "two-heads"
title = "Two heads"
paragraph = "Which one looks more sharply?"
teaches = "that heads differ"
minutes = 1
example = "you-are-welcome"

[[step]]
id = "which"
title = "Which head?"
words = "Two heads."
head = 1
[step.look]
stage = "encoder.1.self.attention"
node = "encoder.1.self.weights"
rows = ["You"]
[step.question]
kind = "point"
ask = "Which head gives the largest share to *You*?"
at = "head"
node = "encoder.1.self.weights"
right = { largest = "You" }
"""


def test_to_ask_again_for_a_head_answers_nothing(anew, tmp_path, eye):
    """The step shows its own head again."""
    file = tmp_path / "heads.lesson.toml"
    file.write_text(HEADS)
    window = anew(step=0, lesson=load(file))
    guide, selection = window.lessons.guide, window.bench.selection
    selection.set_head(1)
    assert guide.attempt.verdict.right
    guide.ask_again()
    eye.settle(window)
    assert selection.head == 0
    assert not guide.attempt.tried
    selection.set_head(1)
    assert guide.attempt.verdict.right


@pytest.mark.parametrize("at", ["cell", "token", "head"])
def test_what_was_added_in_the_step_is_no_answer(anew, tmp_path, at):
    file, asked = tmp_path / "heads.lesson.toml", "encoder.1.self.head.1.weights"
    text = HEADS.replace('at = "head"', f'at = "{at}"')
    if at == "cell":
        text = text.replace(
            'node = "encoder.1.self.weights"\nright = { largest = "You" }',
            f'node = "{asked}"\nright = {{ largest = "all" }}',
        )
    file.write_text(text)
    window = anew(step=0, lesson=load(file))
    guide, selection, document = window.lessons.guide, window.bench.selection, window.bench.document
    document.do(SetTokens("source", ("You", "are", "welcome", "You")))
    document.do(SetSwitch("encoder.1.self", "heads", 4))
    window.bench.bridge.flush()
    for by in ("click", "arrow"):
        if at == "cell":
            selection.choose(Cell("encoder.1.self.weights", (0, 3, 3)), by)
        elif at == "token":
            selection.choose_token(("source", 3), by)
        else:
            selection.set_head(3)
        assert not guide.attempt.tried
        assert not part(window.lessons.panel, "take").isVisible()
        assert "was added in this step" in part(window.lessons.panel, "where").text()


def test_keys_go_past_cells_until_one_is_given_as_the_answer(window, guide, panel, hand, eye, go):
    go(3)
    view = eye.views(window)[SHARES]
    view.setCurrentIndex(view.table.index(0, 0))
    view.setFocus()
    for label in ("x → B", "x → C"):
        hand.key(Key.Key_Right)
        assert guide.question is not None
        assert part(panel, "take").text() == f"Answer: {label}"
    hand.click(part(panel, "take"))
    assert guide.attempt.verdict.right


@pytest.mark.parametrize(("at", "kind"), [(1, QLineEdit), (2, OptionView)])
def test_tab_goes_from_the_way_on_to_the_question_below_it(window, guide, panel, hand, go, at, kind):
    """Next keeps the keys from step to step, and Tab went from there to the words above the page."""
    go(at)
    controls = [one for one in panel._page.widgets.values() if isinstance(one, kind)]
    assert controls
    panel._next.setFocus()
    for control in controls:
        hand.key(Key.Key_Tab)
        assert QApplication.focusWidget() is control
    hand.key(Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier, times=len(controls))
    assert QApplication.focusWidget() is panel._next


def test_keys_go_past_lines_until_one_is_given_as_the_answer(window, guide, panel, hand, go):
    go(3)
    listings = window.page().findChildren(ListingView)
    lines = next(one for one in listings if all(line.cell is not None for line in one.listing.lines))
    lines.setFocus()
    hand.key(Key.Key_Down, times=2)
    assert guide.question is not None
    assert part(panel, "take").isVisible()
    right = next(i for i, line in enumerate(lines.listing.lines) if line.cell.index[-1] == 2)
    hand.click(lines.viewport(), lines.visualRect(lines.table.index(right, 0)).center())
    assert guide.attempt.verdict.right
    assert guide.attempt.tried == [(0, 2)]


def test_a_click_on_a_label_is_no_answer_but_one_on_the_current_cell_is(window, guide, hand, eye, go):
    go(3)
    view = eye.views(window)[SHARES]
    view.setCurrentIndex(view.table.index(0, 2))
    labels = view.horizontalHeader()
    hand.click(labels.viewport(), QPoint(labels.sectionViewportPosition(1) + 8, labels.height() // 2))
    assert guide.question is not None
    for _ in range(2):
        hand.click(view.viewport(), hand.cell(view, 0, 2) - view.viewport().pos())
    assert guide.attempt.verdict.right


def test_it_is_made_so(window, guide, panel, hand, eye, go):
    go(4)
    assert "One number may be changed." in part(panel, "where").text()
    assert not part(panel, "verdict").isVisible()
    view = eye.views(window)[LOGITS]
    hand.click(view.viewport(), hand.cell(view, 0, 2) - view.viewport().pos())
    hand.type("2")
    hand.key(Key.Key_Return)
    window.bench.bridge.flush()
    assert "Not yet" in part(panel, "verdict").text()
    hand.key(Key.Key_Up)
    hand.click(view.viewport(), hand.cell(view, 0, 2) - view.viewport().pos())
    hand.type("4")
    hand.key(Key.Key_Return)
    window.bench.bridge.flush()
    assert guide.attempt.verdict.right
    assert guide.question is None


def test_another_lesson_is_begun_at_a_question_where_numbers_are_changed(window, guide, eye, go):
    go(4)
    window.lessons.begin("two-vectors", False)  # its model has no node of that name
    eye.settle(window)
    assert guide.lesson.id == "two-vectors"


def test_a_lesson_is_begun_anew_at_such_a_question_that_was_answered_rightly(window, guide, eye, go):
    go(4)
    window.bench.document.do(SetCells(LOGITS, {(0, 2): 4.0}))
    window.bench.bridge.flush()
    assert guide.question is None
    window.lessons.guide.forget(guide.lesson.id)
    window.files.begin_lesson(guide.lesson)
    eye.settle(window)
    assert guide.at == 0


def test_every_control_of_every_kind_of_question_has_a_name(window, guide, eye, go):
    for at, step in enumerate(guide.steps):
        go(at)
        eye.settle(window)
        assert nameless(window) == [], step.id


def test_who_goes_to_a_question_can_type_at_once_and_still_undo_the_step(window, guide, hand, eye, appearance):
    hand.key(Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert guide.step.id == "predict"
    hand.key(Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert guide.at is None  # both steps begin with one state, so before it is where nobody went through steps
    window.bench.document.redo()
    window.resize(1024, 640)
    appearance.set_scale(2.5)
    window.lessons.panel.go(lambda: guide.go(1))
    eye.settle(window)
    field = window.lessons.panel._page.fields[-1]
    assert field.visibleRegion().isEmpty(), "above it are many words"
    hand.type("0.66")
    assert not field.visibleRegion().isEmpty(), "what is typed is in sight"
    hand.key(Key.Key_Return)
    assert guide.attempt.tried == [0.66]


def test_what_is_typed_stays_until_the_question_is_asked_again(window, guide, panel, hand, eye, appearance):
    panel.go(lambda: guide.go(1))
    hand.type("0.6")
    appearance.set_scale(1.5)
    eye.settle(window)
    assert panel._page.fields[-1].text() == "0.6"
    assert panel._page.fields[-1].hasFocus()
    assert part(panel, "lock").isEnabled()
    panel.go(guide.back)
    panel.go(guide.next)
    field = panel._page.fields[-1]
    assert (field.text(), field.selectedText(), field.hasFocus()) == ("0.6", "0.6", True)
    appearance.set_scale(1.0)
    eye.settle(window)
    assert panel._page.fields[-1].selectedText() == "0.6", "so that what is typed next replaces it"
    hand.type("0.67")
    hand.key(Key.Key_Return)
    assert guide.attempt.verdict.right
    guide.ask_again()
    assert panel._page.fields[-1].text() == ""


@pytest.mark.parametrize(("size", "scale"), [long((1024, 640), 1.5), ((1024, 640), 2.5)])
def test_in_larger_text_nothing_of_a_question_is_cut(window, guide, panel, eye, appearance, go, size, scale):
    window.resize(*size)
    go(1)
    guide.hint()

    def look():
        eye.settle(window)
        assert panel._page.width() <= panel._scroll.viewport().width()
        for button in panel.findChildren(SentenceView):
            if button.isVisible():
                assert button.height() >= button.heightForWidth(button.width())
                assert button.accessibleName().split() == button.text().rstrip(" ▸▾").split()

    appearance.set_scale(scale)
    look()
    assert "\n" in part(panel, "more").text()
    guide.hint()
    for number in (0.5, 0.4, 7.39):
        guide.answer(number)
    look()
    assert part(panel, "both").isVisible()
    shown = [part(panel, "derivation"), *(side.widgets["side rows"] for side in window.lessons.both.sides)]
    assert all(view._row_height >= QFontMetrics(appearance.fonts.number).height() for view in shown)
    go(3)
    window.bench.selection.choose(Cell(SHARES, (0, 1)), "arrow")
    look()
    assert part(panel, "take").isVisible()
    panel.show_end()
    look()


def test_what_is_typed_into_a_gap_stays_too(anew, hand, eye, appearance):
    """It was filled in again before there was a button to lock it in, which was an error of the program."""
    lesson = load("i-love-ai")
    window = anew(step=[step.id for step in lesson.steps].index("mixture-one-missing"), lesson=lesson)
    gap, _ = window.lessons.panel._page.fields
    hand.click(gap)
    hand.type("0.5")
    appearance.set_scale(1.25)
    eye.settle(window)
    asked = window.lessons.panel
    assert [field.text() for field in asked._page.fields] == ["0.5", ""]
    assert not part(asked, "lock").isEnabled()


def test_behind_a_number_the_way_on_has_the_keys(window, guide, panel, hand, eye):
    panel.go(lambda: guide.go(1))
    hand.type("0.66")
    hand.key(Key.Key_Return)
    hand.key(Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    eye.settle(window)
    assert panel._next.hasFocus()


def test_who_goes_from_a_number_to_a_choice_that_was_answered_wrongly_sees_it(guide, go):
    """It ended in an error: the field of the step before was looked for."""
    go(2)
    guide.answer(0)
    go(1)
    go(2)
    assert guide.attempt.tried == [0]
    assert guide.question is not None


def test_enter_goes_on_where_the_answer_is_given(window, guide, panel, hand, eye):
    panel.go(lambda: guide.go(1))
    hand.type("0.67")
    hand.key(Key.Key_Return)
    eye.settle(window)
    assert guide.at == 1  # the key that answers does no more
    hand.key(Key.Key_Return)
    assert guide.at == 2
    right = options(panel)[1]
    right.setFocus(Qt.FocusReason.TabFocusReason)
    hand.key(Key.Key_Space)
    assert guide.question is None
    assert guide.at == 2
    hand.key(Key.Key_Return)
    assert guide.at == 3


def test_who_goes_on_by_enter_reads_the_next_step_from_its_beginning(open_window, hand, eye, appearance):
    """The key that led there brought the field into sight, as typing does: title and words were above the panel."""
    appearance.set_scale(2.0)
    window = open_window("start-here", size=(1280, 720))
    guide, panel = window.lessons.guide, window.lessons.panel
    panel.go(lambda: guide.go(1))
    eye.settle(window)
    hand.type("0.5")
    assert panel._scroll.verticalScrollBar().value() > 0
    for _ in range(2):  # the answer, and the way on
        hand.key(Key.Key_Return)
        eye.settle(window)
    assert guide.at == 2
    assert panel._scroll.verticalScrollBar().maximum() > 0
    assert panel._scroll.verticalScrollBar().value() == 0


def test_a_cell_of_another_model_is_no_answer_to_a_question_that_was_left(open_window, qtbot):
    """The question went in a later turn than the lesson that another file takes the place of."""
    window = open_window("two-vectors")
    window.lessons.begin("what-a-trained-head-does", False)
    page = window.lessons.panel._page
    qtbot.waitUntil(lambda: "where" in page.widgets)
    assert page._asking.question.node == "decoder.2.self.head.3.weights"
    window.files.open_lesson(load("xor"))
    window.bench.selection.choose(Cell("layer.1.W", (0, 0)))
    assert window.bench.selection.cell == Cell("layer.1.W", (0, 0))


@pytest.mark.parametrize(("size", "scale"), [((1024, 640), 1.0), ((1280, 720), 2.0)])
def test_in_a_small_window_an_open_question_has_the_column_to_itself(anew, eye, appearance, size, scale):
    window = anew(lesson="emma")
    appearance.set_scale(scale)
    window.resize(*size)
    eye.settle(window)
    window.lessons.guide.go(4)
    eye.settle(window)
    field, lock = window.lessons.panel._page.fields[-1], part(window.lessons.panel, "lock")
    assert not window.inspector.isVisible() or window.inspector.height() == 0
    assert field.width() >= field.fontMetrics().horizontalAdvance(field.placeholderText()) + 20
    page = window.lessons.panel._page
    assert page.rect().contains(lock.geometry().translated(lock.parentWidget().mapTo(page, QPoint())))
    window.lessons.guide.leave()
    eye.settle(window)
    assert window.inspector.isVisible() is (scale == 1.0)
    assert window.inspector.maximumHeight() > 10_000


@each("size", [13, 16.25, 17, 19.5, 22, 38.75])
@each("words", ["Give me a hint", "Show how it is computed"])
def test_a_button_takes_as_much_room_whether_its_words_stood_on_one_line_or_more(qtbot, words, size):
    """A pixel less, by rounding, broke the words in two lines in the height of one, and both were cut."""
    button = sentence(words)
    qtbot.addWidget(button)
    button.setStyleSheet(f"QPushButton {{ font-size: {size}px; padding: 5px 12px; border: 1px solid grey }}")
    button.ensurePolished()
    wide = set()
    for width in (40, 2000):
        button.resize(width, 300)
        button.say(words)
        wide.add(button.sizeHint().width())
        assert button.heightForWidth(button.sizeHint().width()) == button.sizeHint().height()
    assert len(wide) == 1


def test_a_button_with_words_keeps_their_ampersand_and_its_width(qtbot):
    """It was left out, with a line below the letter after it: a word such as R&D read RD."""
    with_, without = sentence("Answer: R&D → and so on"), sentence("Answer: R+D → and so on")
    for button in (with_, without):
        qtbot.addWidget(button)
        button.resize(button.sizeHint())
    assert with_.text() == "Answer: R&&D → and so on"
    assert abs(with_.width() - without.width()) <= 2  # the signs are nearly as wide as each other
    with_.resize(with_.width() // 2, with_.height())
    assert with_.text().replace("\n", " ") == "Answer: R&&D → and so on"


def test_a_screen_reader_is_told_each_step_and_what_an_answer_brings(window, guide, panel, hand, go, monkeypatch):
    """The focus stayed on Next or in the field, and so nothing was said; a later outcome was read as an earlier one."""
    told = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: told.append(event.message()))
    go(2)
    assert told.pop().splitlines() == ["Step 3 of 5: Which grows?", "Now B is 3.", "Which share is the largest now?"]
    choices = [child for child in panel.findChildren(QPushButton) if child.property("choice") and child.isVisible()]
    next(child for child in choices if child.accessibleName() == "A").click()
    said = told.pop()
    assert "A has the smaller logit." in said
    assert panel._next.accessibleName() == panel._next.text().removesuffix(" ▸")
    go(1)
    assert told.pop().splitlines()[0] == "Step 2 of 5: A share"
    assert panel._next.accessibleName() == "Skip"
    panel._page.fields[-1].setFocus()
    hand.type("5")
    hand.key(Key.Key_Return)
    assert told == [part(panel, "verdict").label.accessibleName()]
    assert "too large" in told.pop()
    part(panel, "more").click()
    assert told == ["Take e to the power of each."]


def test_gaps_are_told_apart_by_their_names_and_say_whether_they_are_right(anew, tmp_path, eye):
    """Each was "Your number" to a screen reader, and the tick or cross beside it was not told."""
    path = tmp_path / "gaps.lesson.toml"
    path.write_text(LESSON.replace('hints = ["Take', 'fade = 2\nhints = ["Take'))
    window = anew(step=1, lesson=load(path))
    panel, guide = window.lessons.panel, window.lessons.guide
    first, second, last = panel._page.fields
    names = [field.accessibleName() for field in (first, second, last)]
    assert len(set(names)) == 3
    assert all(name.startswith("Your number") for name in names)
    assert first.accessibleDescription() == ""
    first.setText(f"{guide.walk.gaps().blanks[0].value:.6f}")
    second.setText("77")
    guide.answer(0.5)
    eye.settle(window)
    assert [field.accessibleDescription() for field in (first, second)] == ["right", "wrong"]


def test_products_with_gaps_stand_on_a_line_each(anew, eye):
    """“product 1: −1.3600 × −2.0000” took two cramped lines; a screen reader still hears which product it is."""
    lesson = load("you-are-welcome")
    window = anew(step=[step.id for step in lesson.steps].index("logit"), lesson=lesson)
    for size in ((1440, 900), (1024, 640)):
        window.resize(*size)
        eye.settle(window)
        page = window.lessons.panel._page
        rows = [one for id, one in page.widgets.items() if id.startswith("row ")]
        assert len(rows) > 3
        assert [what.height_at(what.width()) for what in rows] == [what.height_at(2000) for what in rows]
    assert page.fields[0].accessibleName() == "Your number, product 2: 1.4517 × 2.0000"


def test_what_is_judged_on_the_way_to_another_step_changes_nothing_of_this_one(window, guide, panel, go):
    """On a slide, going on from a change of numbers to a choice ended in an error: the walk was there already."""
    go(2)
    shown, at = part(panel, "ask").text(), guide.walk.at
    guide.walk.at = 0
    guide.answered.emit()
    panel._page.refresh()
    assert part(panel, "ask").text() == shown
    guide.walk.at = at
    guide.answer(0)
    assert part(panel, "verdict").text()
