"""What stands in the window while a large file is read with which the program was started."""

import pytest

from explorer.document.commands import SetTokens
from explorer.ui.window.awaiting import AwaitingPage
from explorer.ui.window.opening import OpeningPage
from tests.checkpoints.small import write
from tests.ui.test_files import answer  # noqa: F401  (a fixture)

pytestmark = pytest.mark.usefixtures("no_pictures")
NAMED = "small[*] – Transformer Explorer"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "small").mkdir()
    return write(tmp_path / "small")


@pytest.fixture
def started(open_window):
    """The window as it is when the program was started with a large file: another model is in it."""
    return open_window("tiny-gpt", awaits="small")


@pytest.mark.parametrize("large", [False, True])
def test_only_the_model_with_which_the_program_was_started_is_shown_and_undo_leads_to_no_other(
    started, folder, qtbot, monkeypatch, large
):
    """The page of tiny-gpt was there for a second, and Ctrl+Z led to it, although nobody had opened it."""
    if large:
        monkeypatch.setattr("explorer.document.document.LARGE", 1)
    assert started.tabs.opening.said.text() == "Opening small …"
    assert started.windowTitle() == NAMED
    document, shown = started.bench.document, []
    started.tabs.currentChanged.connect(lambda _: shown.append(document.state.lesson))
    started.files.open_path(folder)
    qtbot.waitUntil(lambda: not started.files.reader.at_work)
    assert document.computing is large
    assert isinstance(started.tabs.opening, AwaitingPage) is large
    qtbot.waitUntil(lambda: not document.computing)
    started.bench.bridge.flush()
    assert shown == [document.state.lesson] != ["tiny-gpt"]
    assert (started.tabs.opening, started.tabs.shows_first) == (None, True)
    assert started.windowTitle() == "small (llama)[*] – Transformer Explorer"
    assert not started.actions_.undo.isEnabled()
    assert not started.files.modified
    document.do(SetTokens("input", ("5", "7", "3")))
    document.undo()
    document.undo()
    assert document.wanted.lesson == document.state.lesson != "tiny-gpt"
    document.settle()


def test_a_file_that_cannot_be_opened_leads_to_the_opening_page(started, tmp_path, qtbot, answer):  # noqa: F811
    (tmp_path / "config.json").write_text("nothing")
    asked = answer(started).asked
    started.files.open_path(tmp_path)
    qtbot.waitUntil(lambda: isinstance(started.tabs.opening, OpeningPage))
    assert [what for what, _ in asked] == ["tell"]
    assert started.windowTitle().startswith("tiny-gpt")
    assert started.tabs.currentWidget() is started.tabs.opening
    started.tabs.opening.field.setText("the dog sat on the")
    started.tabs.opening.field.returnPressed.emit()
    assert started.bench.document.words("input")[1] == "dog"


def test_a_large_model_that_is_stopped_while_it_is_computed_leads_to_the_opening_page(
    started, folder, qtbot, monkeypatch
):
    monkeypatch.setattr("explorer.document.document.LARGE", 1)
    started.files.open_path(folder)
    qtbot.waitUntil(lambda: started.bench.document.computing)
    started.bench.document.stop()
    qtbot.waitUntil(lambda: isinstance(started.tabs.opening, OpeningPage))
    assert started.bench.document.wanted.lesson == "tiny-gpt"
    assert not started.actions_.undo.isEnabled()


def test_a_stage_that_is_chosen_meanwhile_is_shown(started):
    started.go_to_stage("decoder.1.self.attention")
    assert (started.tabs.opening, started.tabs.shows_first) == (None, True)
    assert started.windowTitle().startswith("tiny-gpt")
