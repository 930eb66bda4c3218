import importlib

import numpy as np
import pytest
from pixels import pixels
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from explorer.lessons.loader import catalogue, load
from explorer.ui.appearance import palette
from explorer.ui.theme import DARK, LIGHT
from explorer.ui.widgets import formula as formula_module
from explorer.ui.widgets.formula import Formula, typeset
from explorer.ui.widgets.typesetting import Mrow, Row
from tests.started import started

SCALED = r"Z_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}}"


def paint(widget, ratio=1.0, size=None):
    """The widget on white, on a screen of `ratio` device pixels per pixel, in the size that it likes or another one."""
    widget.resize(size or widget.sizeHint())
    image = QImage(widget.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    widget.render(painter, QPoint(), renderFlags=QWidget.RenderFlag.DrawChildren)
    painter.end()
    return image


def inked(image):
    """Rows and columns from the first to the last that have any ink."""
    ys, xs = np.nonzero(pixels(image) != QColor("#ffffff").rgba())
    assert xs.size, "nothing was drawn"
    return int(xs.min()), int(xs.max()), int(ys.min()), int(ys.max())


@pytest.fixture(autouse=True)
def loaded():
    typeset("x")


@pytest.mark.parametrize(
    "latex",
    [
        "Q",
        "W_Q",
        SCALED,
        r"\mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V",
        r"\gamma \odot \frac{x-\mu}{\sqrt{\sigma^2+\epsilon}} + \beta",
        r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}",
    ],
)
@pytest.mark.parametrize("ratio", [2.0, 4.0])  # dense enough to tell ink from its soft edge
def test_the_whole_formula_is_inside(qtbot, latex, ratio):
    widget = Formula(latex)
    qtbot.addWidget(widget)
    image = paint(widget, ratio)
    left, right, top, bottom = inked(image)
    assert left > 0
    assert top > 0
    assert right < image.width() - 1
    assert bottom < image.height() - 1
    assert right - left > 0.8 * image.width() - 6 * ratio  # and it fills the width it asked for


def test_it_is_sharp_on_a_dense_screen(qtbot):
    widget = Formula("|")
    qtbot.addWidget(widget)
    one, two = inked(paint(widget, 1.0)), inked(paint(widget, 4.0))
    assert two[3] - two[2] == pytest.approx(4 * (one[3] - one[2]), abs=8)
    middle = paint(widget, 4.0)
    row = [middle.pixelColor(x, middle.height() // 2).lightness() for x in range(middle.width())]
    assert min(row) < 40  # a stroke of its own colour, not a blurred one


def test_symbols_beside_each_other_stand_on_one_line(qtbot):
    row = QWidget()
    qtbot.addWidget(row)
    layout = QHBoxLayout(row)
    widgets = [Formula(latex, em=1.0) for latex in ("Q", "W_Q", r"K^\top", SCALED)]
    label = QLabel("H")
    for widget in (*widgets, label):
        layout.addWidget(widget)
    row.show()
    lines = [widget.y() + widget.baseline() for widget in widgets]
    assert lines == pytest.approx([lines[0]] * 4, abs=0.6)
    metrics = label.fontMetrics()
    text_line = label.y() + (label.height() - metrics.height()) / 2 + metrics.ascent()
    assert lines[0] == pytest.approx(text_line, abs=1)
    assert len({widget.sizeHint().height() for widget in widgets[:3]}) == 1


def test_it_grows_with_its_font(qtbot):
    widget = Formula(SCALED)
    qtbot.addWidget(widget)
    before = widget.sizeHint()
    font = widget.font()
    font.setPointSizeF(2 * font.pointSizeF())
    widget.setFont(font)
    after = widget.sizeHint()
    assert after.width() == pytest.approx(2 * before.width(), rel=0.08)
    assert after.height() == pytest.approx(2 * before.height(), rel=0.08)


@pytest.mark.parametrize(("theme", "role"), [(LIGHT, "text"), (LIGHT, "here_text"), (DARK, "accent_text")])
def test_it_takes_its_colour_from_its_surroundings(qtbot, theme, role):
    widget = Formula(r"\blacksquare\blacksquare", em=3)
    qtbot.addWidget(widget)
    colours = QPalette()
    colours.setColor(QPalette.ColorRole.WindowText, getattr(theme, role))
    widget.setPalette(colours)
    image = paint(widget)
    left, right, top, bottom = inked(image)
    middle = image.pixelColor(left + (right - left) // 4, (top + bottom) // 2)
    assert middle.name() == getattr(theme, role)


@pytest.mark.parametrize("latex", [r"\frac{a", "x^", "{", r"\text{<b>}&", r"\begin{bmatrix} a", r"\sqrt", "&"])
def test_what_cannot_be_read_is_shown_as_it_is(qtbot, latex):
    widget = Formula(latex)
    qtbot.addWidget(widget)
    inked(paint(widget))
    assert widget.accessibleName() == latex
    assert widget.sizeHint().width() > 0


def test_nothing_to_show(qtbot):
    widget = Formula("")
    qtbot.addWidget(widget)
    widget.show()
    assert widget.sizeHint().isValid()
    widget.set_latex("Q")
    inked(paint(widget))
    widget.set_latex("")
    image = paint(widget)
    assert all(image.pixelColor(x, 3) == QColor("#ffffff") for x in range(image.width()))


def test_the_screen_reader_says_the_formula(qtbot):
    widget = Formula()
    qtbot.addWidget(widget)
    widget.set_latex("W_Q")
    assert (widget.latex(), widget.accessibleName()) == ("W_Q", "W_Q")


def test_a_formula_is_typeset_once(qtbot):
    typeset.cache_clear()
    widgets = [Formula("a + b", em=em) for em in (1.0, 2.0, 3.0)]
    for widget, theme in zip(widgets, (LIGHT, DARK, LIGHT), strict=True):
        qtbot.addWidget(widget)
        widget.setPalette(palette(theme))
        paint(widget)
        paint(widget)
    assert typeset.cache_info().misses == 1


def test_before_ziamath_is_loaded_the_window_comes_first(qtbot, monkeypatch):
    loaded_now = False
    monkeypatch.setattr(formula_module, "can_typeset_now", lambda: loaded_now)
    row = QWidget()
    qtbot.addWidget(row)
    layout = QHBoxLayout(row)
    widgets = [Formula(SCALED), Formula(r"\frac{a")]
    for widget in widgets:
        layout.addWidget(widget)
    typeset.cache_clear()
    assert all(widget.sizeHint().width() > 0 for widget in widgets)  # an estimate
    row.grab()
    assert typeset.cache_info().misses == 0
    with qtbot.waitExposed(row):
        row.show()
    qtbot.waitUntil(lambda: typeset.cache_info().misses == 2)
    loaded_now = True
    qtbot.waitUntil(lambda: all(widget.size() == widget.sizeHint() for widget in widgets))


def test_a_formula_scrolled_into_view_later_gets_its_size(qtbot, monkeypatch):
    loaded_now = False
    monkeypatch.setattr(formula_module, "can_typeset_now", lambda: loaded_now)
    row = QWidget()
    qtbot.addWidget(row)
    layout = QHBoxLayout(row)
    widget = Formula(r"\mathrm{softmax}\left(x\right)")
    layout.addWidget(widget)
    row.layout().activate()
    loaded_now = True  # another formula was shown in the meantime
    with qtbot.waitExposed(row):
        row.show()
    qtbot.waitUntil(lambda: widget.size() == widget.sizeHint())


def test_starting_does_not_import_ziamath():
    code = (
        "import sys; from PySide6.QtWidgets import QApplication; app = QApplication([]);"
        "from explorer.ui.widgets.formula import Formula; f = Formula('Q'); f.sizeHint();"
        "sys.exit('ziamath' in sys.modules or 'pyqtgraph' in sys.modules)"
    )
    assert started(code).returncode == 0


def test_ziamath_is_loaded_beside_the_window():
    code = """
import sys, threading
from PySide6.QtWidgets import QApplication
from explorer.ui.widgets.formula import Formula, typeset
from explorer.ui.widgets.typesetting import Mrow, Row

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "ziamath" and threading.current_thread() is threading.main_thread():
            sys.exit("the window waits for it")

sys.meta_path.insert(0, Finder)
app = QApplication([])
shown = Formula("Q")
shown.show()
while typeset.cache_info().misses == 0:
    app.processEvents()
"""
    run = started(code)
    assert run.returncode == 0, run.stderr


def test_a_layout_that_heard_the_estimate_hears_the_real_size(qtbot, monkeypatch):
    """Whoever asks in between, the formula is not cut off."""
    monkeypatch.setattr(formula_module, "can_typeset_now", lambda: False)
    holder = QWidget()
    qtbot.addWidget(holder)
    row = QHBoxLayout(holder)
    shown = Formula(r"A = \mathrm{softmax}(S)")
    row.addWidget(shown)
    estimate = row.itemAt(0).sizeHint()
    monkeypatch.setattr(formula_module, "can_typeset_now", lambda: True)
    real = shown.sizeHint()
    assert real != estimate
    assert row.itemAt(0).sizeHint() == real


def test_whoever_only_asked_how_large_it_would_be_hears_of_the_real_size(qtbot, monkeypatch):
    """A box reckons with that alone: the end of "softmax(z_T)" was cut until something else moved."""
    monkeypatch.setattr(formula_module, "can_typeset_now", lambda: False)
    shown = Formula(r"P = \mathrm{softmax}(z_T)")
    qtbot.addWidget(shown)
    estimate = shown.size_of(shown.latex())
    monkeypatch.setattr(formula_module, "can_typeset_now", lambda: True)
    with qtbot.waitSignal(shown.sized):
        shown.grab()
    assert shown.size_of(shown.latex()) != estimate


GROWING = (
    r"\left( \frac{a}{b} \right)",
    r"\left[ \sum_{i} \left( \frac{x_i}{\sqrt{y}} \right)^2 \right]",
    r"\overline{AB} \to \hat{p}",
    r"\max_i \left| x_i \right| + \lim_{x \to 0} \frac{(1)}{2}",
    r"\begin{pmatrix} a & \frac{b}{c} \\ c & d \end{pmatrix}",
    r"\lfloor \frac{a}{b} \rfloor | \frac{a}{b} |",
)


def test_a_row_that_is_set_once_is_the_one_that_ziamath_sets_twice(monkeypatch):
    graph = load("you-are-welcome").state().graph
    formulas = {
        node.op.formula(*(graph.nodes[parent].symbol for parent in node.parents))
        for node in graph.nodes.values()
        if not node.is_input
    }
    once = {latex: typeset.__wrapped__(latex) for latex in (*formulas, *GROWING)}
    monkeypatch.setattr(Row, "_get_height_nostretch", Mrow._get_height_nostretch)
    assert {latex: typeset.__wrapped__(latex) for latex in once} == once
    assert len(once) > 20


@pytest.mark.parametrize("latex", [r"\overline{X}", r"\bar{X}", r"\sqrt{x}", r"\frac{a}{b}", r"\hat{p}"])
def test_all_of_a_formula_has_the_colour_that_is_asked_for(latex):
    """The bars above the means of a linear regression were black on black."""
    svg = typeset(latex).svg
    assert b"black" not in svg
    assert b"currentColor" in svg


MOST_NODES = 200
"""That ziamath makes for one formula, which takes some 10 ms of a turn."""


def test_no_formula_of_an_example_holds_the_window(monkeypatch):
    """For how high a row is, ziamath would make all that stands in it a second time: twice as much for each level."""
    typeset("x")
    nodes = importlib.import_module("ziamath.nodes.mnode").Mnode
    made = []
    original = nodes.fromelement
    monkeypatch.setattr(nodes, "fromelement", lambda *args, **more: (made.append(1), original(*args, **more))[1])
    found = {}
    for lesson in catalogue():
        graph = lesson.state().graph
        for node in graph.nodes.values():
            symbols = [graph.nodes[parent].symbol for parent in node.parents]
            for latex in {node.symbol, "" if node.is_input else node.op.formula(*symbols)} - found.keys():
                made.clear()
                typeset.cache_clear()
                typeset(latex)
                found[latex] = len(made)
    assert max(found.values()) > 50, "nothing was counted"
    assert {latex: n for latex, n in found.items() if n > MOST_NODES} == {}


def test_in_a_place_that_is_too_narrow_all_of_it_is_there_but_smaller(qtbot):
    typeset("x")
    widget = Formula(SCALED)
    qtbot.addWidget(widget)
    most = widget.sizeHint().width() // 2
    small = widget.size_of(SCALED, most=most)
    assert small.width() == most
    left, right, *_ = inked(paint(widget))
    inside = inked(paint(widget, size=small))
    assert inside[1] < most - 1
    assert inside[1] - inside[0] == pytest.approx((right - left) / 2, abs=3)
