"""Words typed, added, removed and moved in the bar on top."""

from dataclasses import replace

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QPushButton

from explorer.core.graph import Cell
from explorer.document.commands import SetTokens
from explorer.document.commands.words import MOST_TOKEN_LENGTH
from explorer.lessons.document_lesson import lesson_of, new_lesson
from explorer.lessons.loader import load
from explorer.ui.errors import Message
from explorer.ui.widgets.written import written_in
from explorer.ui.window.chips import Chip, WordEdit
from tests.checkpoints.small import translator
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")

Key, Modifier = Qt.Key, Qt.KeyboardModifier
ALT, CONTROL = Modifier.AltModifier, Modifier.ControlModifier


@pytest.fixture
def words(window):
    """The words of a sequence, as the engine has them; the chips must say the same."""

    def read(axis="source"):
        window.bench.bridge.flush()
        engine = window.bench.document.engine
        chips = window.tokens._strips[axis].chips
        assert [chip.accessibleName() for chip in chips] == [
            f"Token {i}: {word}" for i, word in enumerate(engine.labels(axis))
        ]
        return list(engine.labels(axis))

    return read


@pytest.fixture
def chip(window, qtbot):
    """A chip, laid out."""

    def find(position, axis="source"):
        QApplication.processEvents()
        found = window.tokens._strips[axis].chips[position]
        qtbot.waitUntil(found.isVisible)
        return found

    return find


def editor(window):
    found = [e for e in window.tokens.findChildren(WordEdit) if e.isVisible()]
    return found[0] if found else None


def add_button(window, axis="source"):
    (found,) = [
        b
        for b in window.tokens.findChildren(QPushButton)
        if b.accessibleName() == f"Add a token to {axis}" and b.isVisible()
    ]
    return found


# Typing


def test_double_click_and_typing_replaces_a_word_by_one_by_several_or_by_none(window, hand, words, chip):
    hand.double_click(chip(1))
    hand.type("nonsense")
    hand.key(Key.Key_Escape)
    assert editor(window) is None
    assert words() == ["You", "are", "welcome"]
    assert chip(1).isVisible()
    assert window.bench.document.history.undo_label is None
    for typed, expected in (
        ("were", "You were welcome"),
        ("are  so   very", "You are so very welcome"),
        ("", "You welcome"),
    ):
        hand.double_click(chip(1))
        assert editor(window).text() == "are"
        assert editor(window).hasFocus()
        hand.enter(typed)
        assert words() == expected.split()
        assert editor(window) is None
        hand.key(Key.Key_Z, CONTROL)
        assert words() == ["You", "are", "welcome"]
        hand.key(Key.Key_Y, CONTROL)
        assert words() == expected.split()
        hand.key(Key.Key_Z, CONTROL)


def test_words_typed_in_the_place_of_one_stand_where_it_stood(window, hand, words, chip, eye):
    hand.double_click(chip(1))
    hand.enter("are so very")
    assert words() == ["You", "are", "so", "very", "welcome"]
    eye.settle(window)
    places = [one.x() for one in window.tokens._strips["source"].chips]
    assert places == sorted(places)


def test_keys_open_a_word_and_after_typing_the_focus_is_on_it(window, hand, words, chip):
    before = "welcome"
    for key, typed in ((Key.Key_F2, "late"), (Key.Key_Return, "here"), (Key.Key_Enter, "there")):
        chip(2).setFocus()
        hand.key(key)
        assert editor(window).text() == before
        hand.enter(typed)
        assert words() == ["You", "are", typed]
        assert QApplication.focusWidget() is chip(2)
        before = typed
    hand.key(Key.Key_F2)
    hand.key(Key.Key_Escape)
    assert QApplication.focusWidget() is chip(2)


def test_after_a_click_on_a_word_letters_are_another_word(window, hand, words, chip):
    """They were lost, or shortcuts: who clicked a word and typed "pool" played a cell and switched the light on."""
    hand.click(chip(2))
    played = []
    window.actions_.play_cell.triggered.connect(played.append)
    for letter in "pool":
        hand.key(getattr(Qt.Key, f"Key_{letter.upper()}"))
    assert editor(window).text() == "pool"
    hand.key(Qt.Key.Key_Return)
    assert words() == ["You", "are", "pool"]
    assert not played
    assert not window.actions_.light.isChecked()
    hand.key(Qt.Key.Key_Z, CONTROL)
    assert words() == ["You", "are", "welcome"]


def test_going_elsewhere_takes_what_was_typed(window, hand, words, chip, said):
    hand.double_click(chip(1))
    hand.type("were")
    window.setFocus()
    assert editor(window) is None
    assert words() == ["You", "were", "welcome"]
    hand.double_click(chip(1))
    hand.type("w" * 65)
    window.setFocus()
    assert "up to 64" in said()
    assert words() == ["You", "were", "welcome"]
    hand.key(Key.Key_Z, CONTROL)
    assert words() == ["You", "are", "welcome"]


@pytest.mark.parametrize(
    "lesson", [load("xor"), load("emma"), new_lesson("encoder", ["a b c d"])], ids=["net", "lookup", "encoder"]
)
def test_what_is_being_typed_does_not_go_into_another_example(window, hand, chip, eye, lesson):
    hand.double_click(chip(1))
    hand.type("mine")
    window.bench.open(lesson)
    eye.settle(window)
    assert window.bench.document.history.undo_label.startswith("Open")
    assert editor(window) is None


@pytest.mark.parametrize(
    "key", [Key.Key_Return, *map(long, [Key.Key_F2, Key.Key_Delete, "move", "all"]), "drop", "typed"]
)
def test_a_key_that_reaches_a_word_of_the_example_before_does_nothing(window, hand, chip, qtbot, key):
    """A key that is sent to the word itself, past the window, comes before the bar is made anew."""
    old = chip(1)
    if key == "typed":
        hand.double_click(old)
        old = editor(window)
        old.setText("Ihr")
    window.bench.open(load("emma"))
    opened = window.bench.document.wanted
    assert "source" not in opened.graph.sequences
    match key:
        case "move":
            qtbot.keyClick(old, Key.Key_Right, ALT)
        case "all":
            old.all_wanted.emit()
        case "drop":
            old.dropped.emit(1, old.mapToGlobal(old.rect().center()))
        case "typed":
            qtbot.keyClick(old, Key.Key_Return)
        case _:
            qtbot.keyClick(old, key)
    window.bench.bridge.flush()
    assert window.bench.document.wanted is opened
    assert editor(window) is None


def test_a_word_that_is_gone_is_not_moved(window, chip):
    """Words are changed from what the newest act has made of them, which may not be shown yet."""
    last = chip(2)
    window.bench.document.do(SetTokens("source", ("You", "are")))
    last.move_wanted.emit(2, 1)
    assert window.bench.document.words("source") == ("You", "are")


def test_looking_at_a_word_or_adding_nothing_and_going_elsewhere_changes_nothing(window, hand, words, chip):
    hand.double_click(chip(1))
    window.setFocus()
    hand.click(add_button(window))
    window.setFocus()
    hand.click(add_button(window))
    hand.key(Key.Key_Return)
    assert words() == ["You", "are", "welcome"]
    assert window.bench.document.history.undo_label is None


def test_while_a_word_is_typed_the_others_stay_in_sight_where_the_line_has_room(window, hand, chip, eye):
    window.resize(1280, 720)
    hand.double_click(chip(2))
    eye.settle(window)
    assert in_sight(window, chip(0))
    assert in_sight(window, chip(1))


def test_known_words_are_offered(window, hand, words, chip):
    hand.double_click(chip(0))
    hand.key(Key.Key_A, CONTROL)
    hand.type("wel")
    completer = editor(window).completer()
    assert completer.currentCompletion() == "welcome"
    assert completer.popup().isVisible()
    hand.key(Key.Key_Down)
    hand.key(Key.Key_Return)
    if editor(window) is not None:  # Enter took the offer; once more takes the word
        assert editor(window).text() == "welcome"
        hand.key(Key.Key_Return)
    assert words() == ["welcome", "are", "welcome"]


def test_add_one_word_or_several_also_by_keyboard(window, hand, words):
    hand.click(add_button(window))
    assert editor(window).text() == ""
    hand.type("here")
    hand.key(Key.Key_Return)
    assert words() == ["You", "are", "welcome", "here"]
    QApplication.processEvents()
    hand.click(add_button(window))
    hand.type("and now")
    hand.key(Key.Key_Return)
    assert words() == ["You", "are", "welcome", "here", "and", "now"]
    assert words("target") == ["<start>", "de", "nada"]
    add_button(window, "target").setFocus()
    hand.key(Key.Key_Space)
    hand.type("gracias")
    hand.key(Key.Key_Return)
    assert words("target") == ["<start>", "de", "nada", "gracias"]


def test_a_new_word_gets_a_row_of_its_own_in_the_table(window, hand, eye, chip, words):
    eye.go_to(window, "source.embedding")
    table = eye.views(window)["source.table"]
    rows = table.table.rowCount()
    before = eye.value(window, "source.table").copy()
    hand.double_click(chip(0))
    hand.enter("Zebras")
    eye.settle(window)
    table = eye.views(window)["source.table"]
    assert table.table.rowCount() == rows + 1
    labels = [table.table.headerData(i, Qt.Orientation.Vertical, Qt.ItemDataRole.DisplayRole) for i in range(rows + 1)]
    assert labels == ["You", "are", "welcome", "Zebras"]
    assert (eye.value(window, "source.table")[:rows] == before).all()
    onehot = eye.views(window)["source.onehot"]
    assert eye.texts(onehot)[0] == ["0.0", "0.0", "0.0", "1.0"]
    hand.key(Key.Key_Z, CONTROL)
    eye.settle(window)
    assert eye.views(window)["source.table"].table.rowCount() == rows
    assert words()[0] == "You"


# Removing


def test_delete_removes_and_undo_brings_back(window, hand, words, chip):
    for key in (Key.Key_Delete, Key.Key_Backspace):
        hand.click(chip(1))
        hand.key(key)
        assert words() == ["You", "welcome"]
        assert QApplication.focusWidget() is chip(1)
        hand.key(key)
        assert words() == ["You"]
        for expected in (["You", "welcome"], ["You", "are", "welcome"]):
            hand.key(Key.Key_Z, CONTROL)
            assert words() == expected


def test_the_last_word_can_neither_be_removed_nor_typed_away(window, hand, words, chip, said):
    window.bench.document.do(SetTokens("source", ("You",)))
    words()
    chip(0).setFocus()
    hand.key(Key.Key_Delete)
    assert "at least one word" in said()
    assert words() == ["You"]
    shiboken6.delete(window.findChild(Message))
    hand.double_click(chip(0))
    hand.enter("  ")
    assert "at least one word" in said()
    assert editor(window).hasFocus()
    assert words() == ["You"]


def test_a_word_that_is_too_long(window, hand, words, chip, said):
    hand.double_click(chip(1))
    hand.enter("x" * (MOST_TOKEN_LENGTH + 1))
    assert f"up to {MOST_TOKEN_LENGTH} characters" in said()
    assert words() == ["You", "are", "welcome"]
    assert editor(window).hasFocus()
    hand.key(Key.Key_Backspace)
    hand.key(Key.Key_Return)
    assert words()[1] == "x" * MOST_TOKEN_LENGTH


# Moving


def test_alt_and_arrows_move_a_word_also_while_they_are_the_keys_to_the_next_step(window, eye, hand, words, chip):
    window.lessons.begin("you-are-welcome", False)
    eye.settle(window)
    guide, step = window.lessons.guide, window.lessons.guide.at
    chip(0).setFocus()
    hand.key(Key.Key_Right, ALT)
    assert words() == ["are", "You", "welcome"]
    assert guide.at == step
    window.setFocus()
    hand.key(Key.Key_Right, ALT)
    assert guide.at == step + 1


def test_alt_and_arrows_move_a_word_and_the_focus_with_it(window, hand, words, chip):
    hand.click(chip(0))
    hand.key(Key.Key_Right, ALT)
    assert words() == ["are", "You", "welcome"]
    assert QApplication.focusWidget() is chip(1)
    hand.key(Key.Key_Right, ALT)
    assert words() == ["are", "welcome", "You"]
    hand.key(Key.Key_Right, ALT)
    assert words() == ["are", "welcome", "You"]
    hand.key(Key.Key_Left, ALT)
    assert words() == ["are", "You", "welcome"]
    hand.key(Key.Key_Z, CONTROL)
    assert words() == ["are", "welcome", "You"]


@pytest.mark.parametrize(("taken", "to", "order"), [(0, 2, "are welcome You"), (2, 0, "welcome You are")])
def test_dragging_moves_a_word(window, hand, words, chip, taken, to, order):
    way = chip(to).mapTo(window, chip(to).rect().center()) - chip(taken).mapTo(window, chip(taken).rect().center())
    hand.press(chip(taken))
    hand.move(way.x() // 2)
    assert chip(taken).cursor().shape() == Qt.CursorShape.ClosedHandCursor
    hand.move(way.x())
    hand.release(way.x())
    assert words() == order.split()
    assert window.bench.selection.token is None  # it was no click
    state = window.bench.document.state
    hand.press(chip(1))
    for right in (40, 0):
        hand.move(right)
    hand.release(0)
    assert window.bench.document.state is state, "a drag that comes back moves nothing"


# Following


def test_a_click_lights_a_word_up_and_another_click_puts_it_out(window, hand, chip):
    hand.click(chip(1))
    assert window.bench.selection.token == ("source", 1)
    assert chip(1).isChecked()
    hand.click(chip(0, "target"))
    assert window.bench.selection.token == ("target", 0)
    assert not chip(1).isChecked()
    hand.click(chip(0, "target"))
    assert window.bench.selection.token is None
    assert not any(c.isChecked() for strip in window.tokens._strips.values() for c in strip.chips)


def test_many_words_stay_on_one_line_that_scrolls(window, eye, words, chip):
    count = 512
    low = window.tokens.height()
    window.bench.document.do(SetTokens("source", tuple(f"word{i}" for i in range(count))))
    eye.settle(window)
    assert len(words()) == count
    assert len({c.y() for c in window.tokens._strips["source"].chips}) == 1
    assert window.tokens.height() <= 2 * low
    for position in (0, count - 1, count // 2):
        chip(position).setFocus()
        assert in_sight(window, chip(position))
    assert window.width() == 1600
    assert eye.by_name(window.tokens, "Source: words after these").isEnabled()
    assert not window.grab().isNull()


def in_sight(window, chip):
    """Whether all of a chip can be seen."""
    return chip.visibleRegion().boundingRect() == chip.rect()


def in_sight_at(view, point):
    """Whether a point of a matrix can be seen."""
    return view.viewport().visibleRegion().contains(point)


def test_arrows_keys_and_a_choice_elsewhere_scroll_to_the_words_behind(window, hand, eye, chip, qtbot):
    window.bench.document.do(SetTokens("source", tuple(f"word{i}" for i in range(60))))
    eye.settle(window)
    assert in_sight(window, chip(0))
    hand.click(eye.by_name(window.tokens, "Source: words after these"))
    assert not in_sight(window, chip(0))
    while (button := eye.by_name(window.tokens, "Source: words after these")).isEnabled():
        hand.click(button)
    assert in_sight(window, chip(59))
    chip(0).setFocus()
    hand.key(Key.Key_Right, times=2)
    assert QApplication.focusWidget() is chip(2)
    hand.key(Key.Key_End)
    assert QApplication.focusWidget() is chip(59)
    assert in_sight(window, chip(59))
    hand.key(Key.Key_Left)
    # Tab comes back to where one was.
    hand.key(Key.Key_Tab)
    hand.key(Key.Key_Backtab)
    assert QApplication.focusWidget() is chip(58)
    hand.key(Key.Key_Home)
    assert QApplication.focusWidget() is chip(0)
    assert not in_sight(window, chip(50))
    window.bench.selection.choose_token(("source", 50))
    qtbot.waitUntil(lambda: in_sight(window, chip(50)))


@pytest.mark.usefixtures("page_in_sight")
def test_no_word_is_seen_in_part(window, eye, appearance):
    appearance.set_scale(2.0)
    window.resize(1280, 720)
    eye.settle(window)
    chips = [chip for strip in window.tokens._strips.values() for chip in strip.chips]
    seen = [chip.text() for chip in chips if in_sight(window, chip)]
    assert 0 < len(seen) < len(chips)
    written = [one.text for one in written_in(window.tokens)]
    assert [chip.text() for chip in chips if chip.text() in written] == seen


def test_rows_of_examples_are_no_words(window):
    for lesson in ("jump", "softmax", "xor", "two-vectors"):
        window.bench.open(load(lesson))
        window.bench.bridge.flush()
        assert window.tokens.isHidden(), lesson
        assert window.tokens._strips == {}, lesson
        window.bench.document.undo()
        window.bench.bridge.flush()
        assert window.tokens.isVisible()


# The whole sentence


def open_all(window, hand):
    """Press the button that makes one field of all words."""
    hand.click(next(b for b in window.tokens.findChildren(QPushButton) if b.accessibleName() == "Type all of source"))


def all_of(window, hand, text):
    """Type all words of a sequence."""
    open_all(window, hand)
    hand.enter(text)


def test_another_sentence_is_typed_or_pasted_and_escape_keeps_the_one_of_before(window, hand, words, chip):
    open_all(window, hand)
    assert editor(window).text() == "You are welcome"
    hand.type("nonsense")
    hand.key(Key.Key_Escape)
    assert editor(window) is None
    assert words() == ["You", "are", "welcome"]
    assert chip(1).isVisible()
    all_of(window, hand, "so  it   goes")
    assert words() == ["so", "it", "goes"]
    hand.key(Key.Key_Z, CONTROL)
    assert words() == ["You", "are", "welcome"]
    QApplication.clipboard().setText("so\nit\r\n\tgoes \n")
    open_all(window, hand)
    hand.key(Key.Key_V, CONTROL)
    hand.key(Key.Key_Return)
    assert words() == ["so", "it", "goes"]


def test_a_text_that_is_too_long_is_counted_and_stays(window, hand, words, said):
    QApplication.clipboard().setText("word " * 10_000)
    open_all(window, hand)
    hand.key(Key.Key_V, CONTROL)
    hand.key(Key.Key_Return)
    assert "up to 512 tokens; 10000 were given" in said()
    assert words() == ["You", "are", "welcome"]
    assert len(editor(window).text()) == 50_000


# Words that are new


def test_new_words_say_where_their_rows_are(window, hand, eye, words, qtbot):
    eye.go_to(window, "output")
    all_of(window, hand, "You like striped zebras")
    eye.settle(window)
    link = eye.by_name(window.tokens, "Go to rows 4 to 6 of source.table")
    assert "“like”, “striped”, “zebras”" in link.text()
    hand.click(link)
    eye.settle(window)
    assert window.bench.selection.stage == "source.embedding"
    assert window.bench.selection.cell == Cell("source.table", (3, 0))
    table = eye.views(window)["source.table"]
    qtbot.waitUntil(lambda: in_sight_at(table, table.visualRect(table.currentIndex()).center()))
    assert link.isHidden()
    # Typing goes there at once.
    hand.type("7")
    hand.key(Key.Key_Return)
    assert eye.value(window, "source.table")[3, 0] == 7


def test_new_words_that_are_undone_are_not_spoken_of_nor_those_of_one_example_in_another(window, hand, eye, words):
    all_of(window, hand, "You like zebras")
    eye.settle(window)
    assert eye.by_name(window.tokens, "Go to rows 4 to 5 of source.table")
    hand.key(Key.Key_Z, CONTROL)
    words()
    assert window.tokens._row.isHidden()
    hand.key(Key.Key_Y, CONTROL)
    words()
    window.bench.open(new_lesson("encoder-decoder", ["You like zebras", "a b"], layers=1, d_model=4))
    eye.settle(window)
    assert window.tokens._row.isHidden()


def test_words_of_a_lesson_on_attention_can_be_followed_but_not_changed(open_window, hand, eye):
    window = open_window("translation-lookup")
    chips = {axis: strip.chips for axis, strip in window.tokens._strips.items()}
    assert [c.accessibleName() for c in chips["query"]] == ["Token 0: with", "Token 1: below"]
    assert len(chips["key"]) == 3
    assert not [b for b in window.tokens.findChildren(QPushButton) if not isinstance(b, Chip) and b.isVisible()]
    hand.double_click(chips["query"][0])
    assert editor(window) is None
    chips["query"][0].setFocus()
    hand.key(Key.Key_Delete)
    assert len(window.tokens._strips["query"].chips) == 2
    window.bench.selection.choose_token(None)
    hand.click(chips["key"][1])
    assert window.bench.selection.token == ("key", 1)
    assert eye.views(window)["K"].lit(0, 1)
    assert eye.views(window)["weights"].lit(1, 1)


def test_a_click_on_plus_while_a_word_is_typed_adds(window, hand, words, chip):
    hand.double_click(chip(0))
    hand.type("half")
    hand.click(add_button(window))
    assert editor(window) is not None
    assert editor(window).text() == ""
    hand.type("more")
    hand.key(Key.Key_Return)
    assert words() == ["half", "are", "welcome", "more"]


def test_the_menu_of_a_word(window, hand, words, chip, qtbot):
    """Its right-click menu says and does the same as the keys."""
    one = chip(1)
    at = one.rect().center()
    QApplication.sendEvent(one, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, one.mapToGlobal(at)))
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert [action.text() for action in menu.actions()] == [
        "Type another word",
        "Remove",
        "Move left",
        "Move right",
        "Type the whole sentence",
    ]
    hand.key(Key.Key_Down, times=2)
    hand.key(Key.Key_Return)
    assert words() == ["You", "welcome"]
    assert QApplication.activePopupWidget() is None


def test_a_word_that_a_trained_model_does_not_know_is_said_to_be_unknown(open_window):
    window = open_window("tiny-gpt")
    window.tokens._strips["input"].add()
    window.tokens._strips["input"]._typed("dogg")
    window.bench.bridge.flush()
    said = window.tokens._row.text()
    assert said.startswith("Unknown to the model: “dogg”; it knows, for example: dog")
    assert not window.tokens._row.isHidden()


def test_what_is_typed_for_a_model_of_pieces_falls_into_pieces_and_what_nobody_types_into_stays_in_its_own(anew, hand):
    window = anew(lesson="tiny-reader")
    document, strip = window.bench.document, window.tokens._strips["input"]
    strip.edit_all()
    assert strip._edit[2].text() == "The flibbertigibbet was a"
    strip._typed("A dragon slept")
    window.bench.bridge.flush()
    words = document.words("input")
    assert "".join(words) == "A␣dragon␣slept"
    assert len(words) > 3
    assert window.tokens._row.isHidden()  # nothing is unknown
    document.do(SetTokens("input", list("The")))
    window.bench.bridge.flush()
    strip.edit_all()
    window.setFocus()
    assert strip._edit is None
    assert document.words("input") == tuple("The")
    strip.edit_all()
    hand.type("A dragon")
    window.setFocus()
    assert "".join(document.words("input")) == "A␣dragon"


def test_an_answer_that_is_typed_keeps_the_start_of_a_translator_of_others(window):
    window.bench.open(lesson_of(translator(), "A translator")[0])
    window.bench.bridge.flush()
    strip = window.tokens._strips["target"]
    for text in ("b", "b a"):
        strip.edit_all()
        strip._keep(strip._edit[2].text())
        strip.edit_all()
        strip._typed(text)
        window.bench.bridge.flush()
        assert window.bench.document.words("target") == ("<pad>", *text.split())


def test_a_text_that_is_longer_than_the_model_was_made_for_is_told(window):
    """Rotary positions go on for ever, so nothing else shows that the model never saw such a text."""
    state = translator()
    window.bench.open(lesson_of(replace(state, model=replace(state.model, room=2)), "A translator")[0])
    window.bench.bridge.flush()
    said = window.tokens._long
    assert said.isHidden()
    for words, told in (("a b", ""), ("a b a", "3 words; the model was made for texts of up to 2")):
        window.bench.document.do(SetTokens("source", words.split()))
        window.bench.bridge.flush()
        assert said.isHidden() == (not told)
        assert not told or said.text() == told
    window.bench.document.undo()
    window.bench.bridge.flush()
    assert said.isHidden()


def test_tab_reaches_the_words_before_the_buttons_at_their_right(window, hand):
    """The buttons + and ✎ of all sequences came first, and then the words, which stand at their left."""
    source, target = window.tokens._strips.values()
    source.chips[0].setFocus()
    reached = []
    for _ in range(5):
        hand.key(Key.Key_Tab)
        reached.append(QApplication.focusWidget().accessibleName())
    assert reached == [
        *("Add a token to source", "Type all of source", target.chips[target._here].accessibleName()),
        *("Add a token to target", "Type all of target"),
    ]
