"""The bar on top: its settings stand beside the tabs, as buttons or, where these take too much room, as a list."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QPushButton, QStyle

from explorer.ui.widgets.written import written_in
from explorer.ui.window.top_bar import shortened
from tests.samples import long
from tests.ui.conftest import lesson_of

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")


def settings(window):
    """What offers the settings: the names of its buttons in sight, and the list, if that is in sight."""
    buttons = [b.text() for b in window.top_bar._settings.findChildren(QPushButton) if b.isVisible()]
    (box,) = window.top_bar._settings.findChildren(QComboBox)
    return buttons, box if box.isVisible() else None


def test_at_1280_all_stands_on_one_line(anew, eye):
    window = anew()
    window.resize(1280, 720)
    for lesson in ("you-are-welcome", "xor", "jump"):
        window.bench.open(lesson_of(lesson))
        eye.settle(window)
        bar = window.top_bar
        middle = bar.showing.mapTo(bar, bar.showing.rect().center()).y()
        assert middle - bar.title.geometry().center().y() in range(-2, 3), lesson
        buttons, box = settings(window)
        assert bool(buttons) is (box is None), lesson


def test_the_tip_of_a_title_names_words_that_look_like_markup(anew):
    """A model that was made of the words <s> the cat had a tip with the cat struck out."""
    bar = anew(lesson=replace(lesson_of("xor"), title="<s> the cat")).top_bar
    assert "&lt;s&gt; the cat" in bar.title.toolTip()


@pytest.mark.parametrize(("tab", "size"), [("Train", (1280, 720)), ("Words", (1000, 720))])
def test_the_settings_are_the_same_whichever_tab_was_open_when_the_look_was_changed(anew, eye, tab, size):
    window = anew(lesson="xor")
    window.resize(*size)
    eye.settle(window)
    before, place = settings(window), window.top_bar._settings.geometry()
    window.show_tab(tab)
    window.actions_.theme.trigger()
    eye.settle(window)
    if tab == "Train":
        assert (settings(window), window.top_bar._settings.geometry()) == (before, place)
    window.show_tab("Pipeline")
    eye.settle(window)
    assert (settings(window), window.top_bar._settings.geometry()) == (before, place)
    bar = window.top_bar
    assert bar.title.geometry().right() < bar._tabs["Pipeline"].geometry().left()


def test_beside_train_the_bar_is_on_one_line_again_after_large_text(anew, eye, appearance):
    """What the matrices show is hidden there, and kept the room of large text."""
    window = anew(lesson="tiny-gpt", tab="Train")
    window.resize(1280, 720)
    eye.settle(window)
    high = window.top_bar.height()
    for scale in (2.0, 1.0):
        appearance.set_scale(scale)
        eye.settle(window)
    assert window.top_bar.height() == high


def test_in_the_largest_text_no_line_of_the_bar_beside_train_is_empty(anew, eye, appearance):
    """What the matrices show is hidden there, and kept a line of 85 pixels."""
    window = anew()
    window.resize(1024, 640)
    appearance.set_scale(3.0)
    eye.settle(window)
    bar = window.top_bar
    high = bar.height()
    assert bar.showing.geometry().top() > bar._settings.geometry().bottom()
    for _ in range(2):
        window.show_tab("Train")
        eye.settle(window)
        assert bar.height() <= high - bar._settings.height()
        window.show_tab("Pipeline")
        eye.settle(window)
        assert bar.height() == high


@pytest.mark.parametrize("sizes", [((1280, 2.0), (1280, 3.0), (1024, 3.0)), long(((1280, 2.5), (1600, 3.0)))])
def test_in_large_text_the_title_does_not_lie_under_a_tab(anew, eye, appearance, qtbot, sizes):
    window = anew("model.changes")
    bar = window.top_bar

    def has_room():
        others = [*bar._tabs.values(), bar.menu, bar._settings, bar.showing]
        assert not any(bar.title.geometry().intersects(one.geometry()) for one in others)
        middle = bar.title.geometry().center().y()
        assert middle >= bar._settings.geometry().top(), "below the tabs it has more room"
        assert bar.title.sizeHint().width() <= bar.title.width()
        for tab in bar._tabs.values():
            around = 8 * (scale == 3.0)  # of the empty room beside the word
            assert tab.sizeHint().width() <= tab.width() + around, "no tab is cut"
        assert bar.showing.sizeHint().width() <= bar.showing.width()

    for width, scale in sizes:
        window.resize(width, 720)
        appearance.set_scale(scale)
        eye.settle(window)
        qtbot.waitUntil(has_room)
        places = [part.geometry() for part in (bar, bar.title, bar._settings)]
        window.stand()
        eye.settle(window)
        now = [part.geometry() for part in (bar, bar.title, bar._settings)]
        assert places == now, "it was fitted by sizes of before"
    appearance.set_scale(1.0)
    eye.settle(window)
    qtbot.waitUntil(lambda: bar.menu.text().strip() == "Menu")


def test_a_title_that_would_stand_in_small_letters_comes_before_buttons_for_what_matrices_show(anew, eye, appearance):
    """In a window of 1280 pixels the letters were half as large as in one of 1024, whose bar had a list."""
    window = anew(lesson="softmax")
    window.resize(1280, 720)
    appearance.set_scale(2.0)
    eye.settle(window)
    title, bar = window.top_bar.title, window.top_bar
    assert title.text() == "Softmax of three numbers  ▾"
    assert title.sizeHint().width() <= title.width()
    assert not any(button.isVisible() for button in bar.showing.group.buttons())


@pytest.mark.parametrize(("width", "scale"), [(1024, 2.0), (1280, 3.0)])
def test_in_large_text_the_bar_has_two_lines_and_what_matrices_show_is_a_list(
    anew, eye, hand, appearance, width, scale
):
    """Its four buttons stood on a third line, and the bar took a third of a window of 640 pixels."""
    window = anew("loss")
    window.resize(width, 640)
    appearance.set_scale(scale)
    eye.settle(window)
    bar, showing = window.top_bar, window.top_bar.showing
    (box,) = showing.findChildren(QComboBox)
    assert box.isVisible()
    assert not any(button.isVisible() for button in showing.group.buttons())
    assert showing.geometry().top() == bar._settings.geometry().top()
    assert bar.title.sizeHint().width() <= bar.title.width()
    assert [box.model().item(i).isEnabled() for i in range(box.count())] == [True, True, False, True]
    box.setFocus()
    hand.key(Qt.Key.Key_Down)
    assert window.bench.selection.showing == "change"
    hand.key(Qt.Key.Key_Down)  # no step of a run was made
    assert window.bench.selection.showing == "gradient"
    appearance.set_scale(1.0)
    eye.settle(window)
    assert not box.isVisible()
    assert showing.group.checkedButton().text() == "Gradient"
    showing.show_in_matrices("values")
    assert box.currentText() == "Values"


@pytest.mark.parametrize(
    ("title", "room", "short"),
    [
        ("XOR: one or the other, not both", 40, "XOR: one or the other, not both"),
        ("XOR: one or the other, not both", 20, "XOR"),
        ("You are welcome → de nada", 15, "You are welcome"),
        ("Printed: this → that", 15, "Printed: this"),
        ("Printed: this → that", 5, "Printed: this → that"),  # then it is cut
    ],
)
def test_a_title_ends_where_its_beginning_means_something(title, room, short):
    assert shortened(title, lambda text: len(text) <= room) == short


def test_in_large_text_the_menu_scrolls_and_has_no_second_column_beside_the_screen(anew, eye, appearance, hand, qtbot):
    window = anew("model.changes")
    appearance.set_scale(3.0)
    eye.settle(window)
    menu = window.top_bar.menu.menu()
    menu.popup(QPoint(0, 0))
    qtbot.waitUntil(menu.isVisible)
    actions = [action for action in menu.actions() if action.isVisible() and not action.isSeparator()]
    assert len({menu.actionGeometry(action).left() for action in actions}) == 1
    assert not menu.rect().contains(menu.actionGeometry(actions[-1]).center())
    for key, action in [
        (Qt.Key.Key_Up, actions[-1]),  # its first press shows the last entry
        *((Qt.Key.Key_Down, action) for action in actions if action.isEnabled()),
    ]:
        hand.key(key)
        assert menu.activeAction() is action
        assert menu.rect().contains(menu.actionGeometry(action).center()), action.text()
    menu.close()


def test_a_setting_is_chosen_from_the_list(anew, eye, hand):
    window = anew(lesson="xor")
    window.resize(1280, 720)
    eye.settle(window)
    _, box = settings(window)
    box.setFocus()
    hand.key(Qt.Key.Key_Down)
    assert window.bench.document.state.setting == list(window.bench.lesson.settings)[1]
    window.bench.document.undo()
    eye.settle(window)
    assert box.currentText() == window.bench.lesson.settings[window.bench.document.state.setting].title


def test_an_ampersand_in_a_name_is_a_sign(anew, eye):
    window = anew(lesson="two-vectors")
    window.files.begin_lesson(replace(window.bench.lesson, title="R&D"))
    eye.settle(window)
    assert window.top_bar.title.text() == "R&&D  ▾"


def entries(menu):
    return [action for action in menu.actions() if action.isVisible() and not action.isSeparator()]


def icon_of(menu):
    return menu.style().pixelMetric(QStyle.PixelMetric.PM_SmallIconSize, None, menu)


def parts_of(menu):
    return [action.menu() for action in entries(menu) if action.menu() is not None]


def test_no_menu_has_more_than_twelve_lines_or_is_higher_than_the_window(anew, eye, appearance, qtbot):
    window = anew("model.changes")
    window.resize(900, 560)
    window.files.kept.keep(window.bench.lesson, window.bench.document.state)
    for scale in (1.0, 3.0):
        appearance.set_scale(scale)
        eye.settle(window)
        for top in (window.top_bar.menu.menu(), window.top_bar.title.menu()):
            for menu in (top, *parts_of(top)):
                menu.popup(window.mapToGlobal(QPoint(0, 0)))
                qtbot.waitUntil(menu.isVisible)
                assert 0 < len(entries(menu)) <= 12  # a longer one is not read, and is higher than a small window
                assert menu.height() <= window.height(), scale
                assert icon_of(menu) == appearance.px(16)  # it stayed as small as in usual text
                menu.close()


def test_the_menu_says_that_it_is_one_and_f10_opens_it(anew, eye, hand, qtbot):
    window = anew()
    button = window.top_bar.menu
    assert button.text().strip() == "Menu"
    assert button.geometry().left() < window.top_bar.title.geometry().left()
    assert button.sizeHint().width() <= button.width()
    hand.key(Qt.Key.Key_F10)
    qtbot.waitUntil(button.menu().isVisible)
    button.menu().close()


def test_all_that_can_be_done_by_a_key_is_in_a_menu_too(anew):
    window = anew()
    top = window.top_bar.menu.menu()
    offered = {action for menu in (top, *parts_of(top)) for action in menu.actions()}
    by_key_alone = {"Menu", "Next stage", "Previous stage", "Next part of the window", "Previous part", "Next step"}
    missing = {action.text() for action in window.actions() if action.shortcuts() and action not in offered}
    assert missing == by_key_alone | {"Step before"}


def test_the_references_are_no_tab_and_the_menu_of_help_leads_to_them(anew, eye):
    window = anew(lesson="xor")
    assert [tab.text() for tab in window.top_bar._tabs.values()] == ["Pipeline", "Train", "Words", "Lessons"]
    window.actions_.references.trigger()
    eye.settle(window)
    assert window.tabs.currentWidget() is window.tabs.references
    assert not any(tab.isChecked() for tab in window.top_bar._tabs.values())
    (help_menu,) = [action.menu() for action in window.top_bar.menu.menu().actions() if action.text() == "Help"]
    assert window.actions_.references in help_menu.actions()


def test_the_title_does_not_touch_the_ring_of_the_focus(anew):
    window = anew()
    (title,) = [one for one in written_in(window.top_bar) if one.text.startswith("You are welcome")]
    assert title.place.left() - window.top_bar.title.x() >= 8


@pytest.mark.parametrize(
    ("lesson", "scale", "says"),
    [
        ("emma", 2.0, "Emma hates games but she is a great friend"),
        ("changed-since-2017", 2.5, "What changed since 2017"),
    ],
)
def test_in_large_text_a_title_has_two_lines_if_it_would_be_cut(anew, eye, appearance, lesson, scale, says):
    window = anew(lesson=lesson)
    window.resize(1280, 720)
    eye.settle(window)
    high = window.top_bar._settings.height() * scale
    appearance.set_scale(scale)
    eye.settle(window)
    title = window.top_bar.title
    assert title.text().count("\n") == 1
    assert title.text().removesuffix("  ▾").replace("\n", " ") == says
    assert title.sizeHint().width() <= title.width() + 1
    assert title.height() <= high + 2, "the bar is no higher for it"
    window.resize(1900, 720)
    eye.settle(window)
    assert "\n" not in title.text()


def test_beside_two_lines_of_choices_a_title_on_two_lines_has_larger_letters(anew, eye, appearance):
    """In the largest text in the smallest window they were half as large as all others."""
    window = anew()
    window.resize(1024, 640)
    appearance.set_scale(3.0)
    eye.settle(window)
    bar = window.top_bar
    assert bar.title.text() == "You are welcome → de\nnada  ▾"
    assert bar.title.font().pointSizeF() > 0.8 * appearance.fonts.ui.pointSizeF()
    assert bar.title.sizeHint().width() <= bar.title.width() + 1
    assert bar.title.height() <= bar._settings.height() + bar.showing.height()
