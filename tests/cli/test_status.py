"""How far the reading of a large model is."""

import sys

import pytest

from explorer.cli import main, status
from tests.checkpoints.small import write


@pytest.fixture
def clock(monkeypatch):
    """The time as the reading sees it, to be set."""
    now = [0.0]
    monkeypatch.setattr(status, "monotonic", lambda: now[0])
    return now


def read(clock, terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with status.reading() as told:
        for second in range(40):
            clock[0] = float(second)
            told(second * 1e8, 4e9)
    return capsys.readouterr().err


def test_on_a_terminal_one_line_counts_and_goes(clock, monkeypatch, capsys):
    said = read(clock, True, monkeypatch, capsys).split("\r\x1b[K")
    assert said[1] == "reading 4.0 billion numbers, 2%", "nothing is said within the first second"
    assert said[-2:] == ["reading 4.0 billion numbers, 98%", ""]
    assert len(said) == 41


def test_elsewhere_a_line_comes_now_and_then(clock, monkeypatch, capsys):
    """A log of a cluster would fill with one a tensor."""
    lines = read(clock, False, monkeypatch, capsys).splitlines()
    assert lines == [f"reading 4.0 billion numbers, {part}%" for part in (2, 40, 78)]


def test_of_a_small_model_nothing_is_said_on_a_busy_machine(clock, capsys):
    """It was “0.0 billion numbers, 0%”."""
    with status.reading() as told:
        clock[0] = 30.0
        told(0, 1e6)
    assert capsys.readouterr().err == ""


def test_a_model_is_read_with_word_of_it(clock, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(status, "LEAST", 0)
    monkeypatch.setattr(status, "PATIENCE", -1.0)
    monkeypatch.setattr(status, "LINE_EVERY", 0.0)
    folder = str(write(tmp_path))
    for command in (
        ("show", folder, "final.gamma"),
        ("explain", folder, "final.gamma[0]"),
        ("generate", folder, "--ids", "1"),
    ):
        assert main(command) == 0
        assert "reading 0.0 billion numbers, " in capsys.readouterr().err, command
