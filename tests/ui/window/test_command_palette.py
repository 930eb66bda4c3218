import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from explorer.core.graph import Cell
from explorer.lessons.document_lesson import opened
from explorer.lessons.loader import load
from explorer.library.transformer import Transformer
from explorer.ui.window.command_palette import CommandPalette, Entry, found
from tests.checkpoints.small import write
from tests.refusals import refuses

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")

CTRL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def palette(hand, qtbot):
    """Opens the palette of a window by its key and types the last letter of a text: the others were pasted."""

    def open_it(window, text=""):
        hand.key(Qt.Key.Key_K, CTRL)
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), CommandPalette))
        shown = QApplication.activePopupWidget()
        shown.field.insert(text[:-1])
        hand.type(text[-1:])
        return shown

    return open_it


def rows(palette):
    return [palette.list.topLevelItem(i).text(0) for i in range(palette.list.topLevelItemCount())]


def test_letters_lead_to_a_stage(window, palette, hand, qtbot):
    palette(window, "feed enc")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.selection.stage == "encoder.1.ffn.layers")
    assert QApplication.activePopupWidget() is None


@pytest.mark.parametrize("typed", ["glossary", "references", "lessons", "class"])
def test_each_part_of_the_window_is_found_by_its_name(window, palette, typed):
    """“Glossary” is written above the column, and nothing had it in its name."""
    assert typed in rows(palette(window, typed))[0].lower()


def test_a_tab_that_an_action_opens_is_listed_once(window, palette):
    """“References” stood twice, as a tab and as an action, and both did the same."""
    assert rows(palette(window, "references")).count("References") == 1


def test_a_matrix_is_pointed_at_on_its_stage_from_any_tab(window, palette, hand, qtbot):
    window.show_tab("Words")
    palette(window, "decoder.1.cross.scores")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.selection.cell is not None)
    assert window.bench.selection.cell.node == "decoder.1.cross.scores"
    assert window.bench.selection.stage == "decoder.1.cross.attention"
    assert window.tabs.currentIndex() == 0


def test_a_matrix_is_in_sight_and_has_the_keys(window, palette, hand, eye, qtbot):
    """It could be far below, and keys went nowhere."""
    window.resize(1000, 420)
    palette(window, "encoder.1.ffn.W_2")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "encoder.1.ffn.W_2" in eye.views(window))
    view = eye.views(window)["encoder.1.ffn.W_2"]
    qtbot.waitUntil(view.hasFocus)
    assert not view.visibleRegion().isEmpty()
    hand.type("7")
    hand.key(Qt.Key.Key_Return)
    assert eye.value(window, "encoder.1.ffn.W_2")[0, 0] == 7


def test_a_matrix_is_pointed_at_in_the_head_that_is_shown(window, palette, hand, qtbot):
    window.bench.selection.set_head(1)
    palette(window, "encoder.1.self.scores")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.selection.cell == Cell("encoder.1.self.scores", (1, 0, 0)))


@pytest.mark.parametrize(
    ("typed", "head", "at"),
    [
        ("encoder.1.self.head.2.scores[2, 0]", 1, (1, 2, 0)),
        ("encoder.1.self.scores[1,2,0]", 1, (1, 2, 0)),
        ("encoder.1.self.head.2.scores", 1, (1, 0, 0)),
        ("encoder.1.self.scores[0,2,1]", 0, (0, 2, 1)),
    ],
)
def test_a_cell_is_pointed_at_in_its_head(window, palette, hand, qtbot, typed, head, at):
    """What explain and the inspector call a cell was found nowhere."""
    shown = palette(window, typed)
    assert rows(shown)[0].startswith(f"encoder.1.self.head.{head + 1}.scores[")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.selection.cell == Cell("encoder.1.self.scores", at))
    assert window.bench.selection.head == head


def test_a_cell_of_a_tensor_is_pointed_at(window, palette, hand, qtbot, tmp_path):
    """Keys of two heads are shared by four: the page shows a head that reads them."""
    window.bench.open(*opened(write(tmp_path))[:1])
    window.bench.bridge.flush()
    name = "model.layers.1.self_attn.k_proj.weight"
    assert rows(palette(window, f"{name}[4,0]")) == [f"Nothing here has “{name}[4,0]” in its name."]
    window.findChild(CommandPalette).close()
    assert rows(palette(window, f"{name}[3, 5]"))[0] == "decoder.2.self.head.2.W_K[5,1]"
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.selection.cell == Cell("decoder.2.self.W_K", (1, 5, 1)))
    assert window.bench.selection.head == 2


def test_a_cell_of_a_matrix_that_is_a_picture_is_among_its_numbers_and_takes_what_is_typed(
    window, palette, hand, eye, qtbot
):
    """The inspector said “type a number”, and the picture took none; the cell could be below the window."""
    window.resize(1280, 720)
    window.bench.open(load("stories260k"))
    window.bench.bridge.flush()
    eye.settle(window)
    palette(window, "decoder.1.self.W_O[40,30]")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "decoder.1.self.W_O" in eye.views(window))
    view = eye.views(window)["decoder.1.self.W_O"]
    qtbot.waitUntil(lambda: view.hasFocus() and (view.currentIndex().row(), view.currentIndex().column()) == (40, 30))
    qtbot.waitUntil(lambda: view.viewport().visibleRegion().contains(view.visualRect(view.currentIndex()).center()))
    hand.type("2.5")
    hand.key(Qt.Key.Key_Return)
    assert eye.value(window, "decoder.1.self.W_O")[40, 30] == 2.5


def test_a_word_of_the_sentence_stays_lit(window, palette, hand, qtbot):
    palette(window, "welcome source")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.selection.chosen_token == ("source", 2))


def test_a_technical_term_is_explained_under_any_of_its_names(window, palette, hand, qtbot):
    shown = palette(window, "rotary")
    assert rows(shown)[0] == "rotary positions"
    shown.field.clear()
    hand.type("rope")
    assert rows(shown)[0] == "rotary positions, RoPE", "who types another name sees why the entry fits"
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(window.terms.isVisible)
    assert "rotary" in window.terms.term.also


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("dark mode", "Light or dark"),
        ("screenshot", "Copy this page as a picture"),
        ("shortcut", "Keys"),
        ("font size", "Larger text"),
        ("slides", "Present the steps"),
        ("checkpoint", "Open a model that others trained …"),
    ],
)
def test_an_act_is_found_by_what_others_call_it(window, palette, typed, found):
    assert any(row.startswith(found) for row in rows(palette(window, typed))[:3])


def test_an_example_is_opened(window, palette, hand, qtbot):
    palette(window, "emma hates example")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.lesson.id == "emma")
    shown = palette(window, "scores")
    found = [shown.list.topLevelItem(i).text(1) for i in range(shown.list.topLevelItemCount())]
    assert "Matrix · Attention" in found, "where a stage has the name of its group, that was said twice"


def test_arrows_choose_among_what_fits_and_a_click_does_too(window, palette, hand, qtbot):
    shown = palette(window, "light or dark")
    assert rows(shown) == ["Light or dark"]
    dark = window.bench.appearance.theme.dark
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.appearance.theme.dark is not dark)
    shown = palette(window, "stage encoder 1")
    names = rows(shown)
    hand.key(Qt.Key.Key_Down)
    assert shown.list.currentItem().text(0) == names[1]
    hand.key(Qt.Key.Key_Return)
    assert window.bench.selection.stage == "encoder.1.self.heads"


def test_what_fits_nothing_is_said_and_esc_leaves(window, palette, hand, qtbot):
    stage = window.bench.selection.stage
    shown = palette(window, "xyzzy")
    assert rows(shown) == ["Nothing here has “xyzzy” in its name."]
    hand.key(Qt.Key.Key_Return)
    assert QApplication.activePopupWidget() is shown
    hand.key(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    assert window.bench.selection.stage == stage


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("atention", "Self-attention"),
        ("embeding", "Embeddings"),
        ("self atenttion", "Self-attention"),
        ("dark teme", ""),
    ],
)
def test_a_name_with_a_slip_finds_what_is_written_alike(window, palette, hand, typed, first):
    """A newcomer typed “softmx”, read that nothing has it in its name, and took it that the program has no softmax."""
    shown = palette(window, typed)
    above, *others = rows(shown)
    assert above == f"Nothing here has “{typed}” in its name. Similar names:"
    assert first in others[0]
    hand.key(Qt.Key.Key_Up)
    assert shown.list.currentItem().text(0) == others[0], "the sentence is no entry"
    if first:
        hand.key(Qt.Key.Key_Return)
        assert QApplication.activePopupWidget() is None
        assert window.page().stage.title == first


def test_entries_in_which_a_word_begins_with_what_is_typed_come_first():
    entries = [
        Entry(words, about, lambda: None)
        for words, about in (
            ("a.scores", "Matrix"),
            ("unscores", "Matrix"),
            ("Scores", "Stage"),
            ("x", "scores"),
            ("y", "z"),
        )
    ]
    assert [entry.words for entry in found(entries, "SCORES")] == ["a.scores", "Scores", "x", "unscores"]
    assert found(entries, "") == entries
    assert [entry.words for entry in found(entries, "matrix a.scores")] == ["a.scores"]


def test_a_name_stands_in_full(window, palette):
    """All names of a term stood in the line, and most of them were cut off behind the first two."""
    window.resize(1280, 720)
    shown = palette(window, "attention")
    column, metrics = shown.list.columnWidth(0), shown.list.fontMetrics()
    assert [one for one in rows(shown) if metrics.horizontalAdvance(one) > column] == []


def test_a_stage_comes_before_lessons_and_terms_of_the_same_word(window, palette):
    """Enter opened a lesson about slides on attention, and one's own place was left."""
    assert rows(palette(window, "attention"))[:3] == ["Self-attention", "Self-attention", "Cross-attention"]


def test_no_two_stages_are_listed_with_the_same_words(window, palette):
    """ "Heads & concat, Decoder 1" stood twice: nobody could tell which attention was meant."""
    shown = palette(window, "heads")
    items = [shown.list.topLevelItem(i) for i in range(shown.list.topLevelItemCount())]
    stages = [(one.text(0), one.text(1)) for one in items if one.text(1).startswith("Stage")]
    assert len(stages) == len(set(stages)) == 3


def test_what_a_link_says_is_found():
    entries = [Entry("Positions", "Stage · Source", None), Entry("Positions", "Stage · Target", None)]
    assert found(entries, "Source: Positions") == entries[:1]


def test_what_is_named_by_the_word_stands_before_what_is_only_of_that_kind():
    kinds = [Entry("loss", "Matrix · Training", print), Entry("What a trained head does", "Example", print)]
    assert [entry.words for entry in found(kinds, "train")] == ["What a trained head does", "loss"]


def test_it_is_as_high_as_what_fits_and_its_rows_are_alike(window, palette, hand):
    shown = palette(window)
    high, row = shown.height(), shown.list.visualItemRect(shown.list.topLevelItem(0)).height()
    hand.type("zzz")
    assert shown.list.topLevelItemCount() == 1
    assert shown.height() < high / 2, "one line stood in an empty list"
    assert shown.list.viewport().height() >= shown.list.visualItemRect(shown.list.topLevelItem(0)).height()
    for _ in range(3):
        hand.key(Qt.Key.Key_Backspace)
    assert shown.height() == high
    assert shown.list.visualItemRect(shown.list.topLevelItem(0)).height() == row


def test_a_matrix_is_found_by_the_name_that_its_file_has_for_it(open_window, qtbot, tmp_path):
    """Who knows a model from its file had to learn our names first."""
    window = open_window(opened(write(tmp_path))[0])
    palette, typed = CommandPalette(window), "layers.1.self_attn.q_proj"
    qtbot.addWidget(palette)
    (entry,) = found(list(palette._all()), typed)
    assert entry.shown(typed) == "decoder.2.self.W_Q, model.layers.1.self_attn.q_proj.weight"
    (entry,) = found(list(palette._all()), "blocks.1.attn.hook_pattern")
    assert entry.shown("blocks.1.attn.hook_pattern") == "decoder.2.self.weights, blocks.1.attn.hook_pattern"
    m = Transformer(window.bench.lesson, window.bench.document)
    with refuses(
        "'model.layers.1.mlp.up_proj.weight' is a tensor of the file; its numbers stand here, .* in decoder.2.ffn.W_1."
    ):
        m["model.layers.1.mlp.up_proj.weight"]
    with refuses("There is no node 'model.layers.7'"):
        m["model.layers.7"]
    with refuses("'0.mlp.down_proj.weight' is a tensor of the file; its numbers stand here, .* in decoder.1.ffn.W_2."):
        m["0.mlp.down_proj.weight"]
    with refuses("There is no node ''"):
        m[""]
