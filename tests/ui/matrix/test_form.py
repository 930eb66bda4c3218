"""How large a matrix is follows from its form: what is reckoned is what stands there."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize

from explorer.ui.matrix.box import MatrixBox
from explorer.ui.widgets.formula import typeset
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures")


def boxes(page):
    found = [box for box in page.elements.widgets.values() if isinstance(box, MatrixBox) and box.isVisible()]
    assert found
    return found


@pytest.mark.parametrize("size", [(1280, 720), long((1000, 620))])
@pytest.mark.parametrize(
    ("lesson", "stages"),
    [
        ("you-are-welcome", ("encoder.1.self.attention", "decoder.1.cross.attention", "output")),
        ("tiny-gpt", ("decoder.1.self.heads", "decoder.1.ffn.layers")),
    ],
)
def test_what_is_reckoned_is_what_stands_there(open_window, eye, size, lesson, stages):
    typeset("x")
    window = open_window(lesson)
    window.resize(*size)
    for stage in stages:
        for box in boxes(eye.go_to(window, stage)):
            shape, caption = box.shape, box._heading.caption
            assert box.size() == shape.size, box.matrix.name
            head = QRect(QPoint(), shape.head(shape.form.above))
            parts = (part for part in (box._heading.formula, caption) if not part.isHidden())
            assert all(head.contains(part.geometry()) for part in parts if part.width()), box.matrix.name
            assert box.view.size() == QSize(shape.extent.width, shape.extent.height), box.matrix.name
            assert caption.isHidden() or caption.sizeHint() == box._heading.size_of(caption.text()), caption.text()
            if shape.base is not None and not shape.small:
                assert shape.base == box.view.y() + shape.extent.top, box.matrix.name
            if shape.where:
                assert box._small.size() == shape.picture, box.matrix.name


def test_in_another_form_it_stays_as_it_is_until_it_is_told_to_stand(open_window, eye):
    box = boxes(eye.go_to(open_window("you-are-welcome"), "encoder.1.self.attention"))[0]
    before = box.view.size(), box.view.pos(), box.view.letters
    larger = box.sizes.shape(box.form._replace(times=2.0))
    assert larger.extent.width > box.view.width()
    box.be(times=2.0)
    assert (box.view.size(), box.view.pos(), box.view.letters) == before
    box.stand()
    assert box.view.width() == larger.extent.width
    assert box.view.y() == larger.head(larger.form.above).height() + box._below


def test_the_symbol_before_a_small_picture_is_whole_whatever_its_heading_was(open_window, eye):
    """Its words had stood above the formula: the symbol kept the lower half of the line, and lost its subscript."""
    page = eye.go_to(open_window("i-love-ai"), "decoder.1.self.attention")
    box = next(box for box in boxes(page) if box.matrix.name.endswith("W_Q"))
    box.be(tight=True)
    assert box.small
    box.be(above=True)
    box.stand()
    formula = box._heading.formula
    assert formula.height() >= formula.sizeHint().height()
