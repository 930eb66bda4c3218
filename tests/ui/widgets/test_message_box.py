"""Message boxes: no picture of the system's stands in them."""

from PySide6.QtWidgets import QMessageBox

from explorer.ui.widgets.message_box import message_box


def test_neither_the_box_nor_its_buttons_have_a_stock_picture(appearance, qtbot):
    box = message_box("Replace a.explorer?")
    qtbot.addWidget(box)
    box.setStandardButtons(QMessageBox.StandardButton.Save | QMessageBox.StandardButton.Cancel)
    box.show()
    assert box.icon() == QMessageBox.Icon.NoIcon
    assert box.iconPixmap().isNull()
    assert [button.icon().isNull() for button in box.buttons()] == [True, True]
