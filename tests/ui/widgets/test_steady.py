"""Labels whose place is laid out anew only when they need another height."""

import pytest
from PySide6.QtWidgets import QLabel

from explorer.ui.widgets.steady import SteadyLabel


@pytest.fixture
def label(qtbot, look):
    label = SteadyLabel("<a href='x'>x</a> · 1.0000<br><a href='y'>y</a> · 2.0000")
    qtbot.addWidget(label)
    label.resize(120, 50)
    label.show()
    return label


@pytest.fixture
def asked(monkeypatch):
    """The widths for which a label was asked how high it is."""
    widths, real = [], QLabel.heightForWidth
    monkeypatch.setattr(QLabel, "heightForWidth", lambda own, width: widths.append(width) or real(own, width))
    return widths


def test_it_is_as_high_as_its_words(label, qtbot):
    two = label.height()
    label.setText("<br>".join(["line"] * 4))
    assert label.height() == 2 * two
    assert label.label.height() == label.height()
    label.resize(40, label.height())
    label.setText("words that take more lines in a narrow place")
    assert label.height() == label.label.heightForWidth(40)


def test_with_other_numbers_it_is_as_high_as_before_and_is_not_asked(label, qtbot, asked):
    high = label.height()
    label.setText("<a href='x'>x</a> · 3.1415<br><a href='y'>y</a> · 7.0000")
    assert not asked
    assert label.height() == high == label.label.sizeHint().height()
    label.setText("<a href='x'>x</a> · 3.14159265358979<br><a href='y'>y</a> · 7.0000")
    assert asked


def test_with_another_font_it_is_asked(label, qtbot, asked):
    high, font = label.height(), label.label.font()
    font.setPointSizeF(2 * font.pointSizeF())
    label.label.setFont(font)
    qtbot.waitUntil(lambda: label.height() > high)
    assert asked
