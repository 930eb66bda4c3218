"""A column of elements: what stays of it when other elements come."""

from PySide6.QtCore import QCoreApplication, QEvent

from explorer.pages.page import Item, Note, Row
from explorer.ui.page.column import Elements


def test_a_sign_goes_with_its_element_into_another_row(bench, qtbot):
    column = Elements(bench, 10)
    qtbot.addWidget(column)

    def row(name):
        return (Row(name, (Item("", Note("a", "a", wide=False)), Item("=", Note("b", "b", wide=False)))),)

    column.tell(row("first"))
    column.resize(400, 200)
    column.show()
    column.tell(row("second"))
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    column.share_room(300)  # with a sign that went with the first row it would raise
    layout = column.layout_of(column.elements[0])
    assert layout.minimumSize().width() > 0
    column.resize(300, 200)
    QCoreApplication.processEvents()
    (sign,) = (one for one in column.holder_of(column.elements[0]).children() if getattr(one, "text", str)() == "=")
    assert sign.isVisible()
