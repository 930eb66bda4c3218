"""Run by `test_two_screens` in a process of its own: a platform has its screens from the start.

Prints what stands where, after F5, a step, S and Esc.
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from explorer.app import make_window
from explorer.lessons.loader import load
from explorer.pages.gestures import ForPoll
from explorer.ui.appearance import Appearance
from explorer.ui.classroom import ClassDialogs

Key = Qt.Key


def run(file: str, pictures: str) -> None:
    app = QApplication([])
    window = make_window(load(Path(file)), Appearance(app, "light"))
    window.show()
    window.lessons.guide.go(0)
    said = {"screens": len(app.screens())}

    def turn() -> None:
        for _ in range(30):
            app.processEvents()

    def key(key: Key) -> None:
        turn()
        QTest.keyClick(QApplication.activeWindow().windowHandle(), key)
        turn()

    def where() -> list[str]:
        return [shown.screen().name() for shown in (window.lessons.presenter, window.lessons.speaker)]

    key(Key.Key_F5)
    said["own"] = window.screen().name()
    said["focus"] = QApplication.focusWidget() is window.lessons.speaker
    said["first"] = where()
    speaker, presenter = window.lessons.speaker, window.lessons.presenter
    said["active"] = QApplication.activeWindow() is speaker
    notes = speaker.page.widgets
    said["notes"] = notes["notes"].text()
    said["next"] = notes["following"].text()
    key(Key.Key_V)
    said["no poll"] = [any("to vote" in one.text() for one in own.findChildren(QLabel)) for own in (presenter, speaker)]
    key(Key.Key_T)
    said["clock"] = presenter.clock.runs
    key(Key.Key_PageDown)
    said["at"] = window.lessons.guide.at
    said["class"] = presenter.sheet.elements.widgets["output.probabilities"].matrix.text(0, 0)
    said["lecturer"] = speaker.sheet.elements.widgets["output.probabilities"].matrix.text(0, 0)
    said["asked"] = speaker.page.widgets["asked"].text()
    said["next picture"] = not speaker.page.widgets["next"].pixmap().isNull()
    said["times"] = notes["times"].text()
    for pressed in (Key.Key_V, Key.Key_A, Key.Key_A):
        key(pressed)
    said["voted"] = speaker.page.widgets["asked"].text()
    before = speaker.page.widgets["notes"].label.fontInfo().pointSizeF()
    window.bench.appearance.set_scale(2.5)
    turn()
    said["larger"] = speaker.page.widgets["notes"].label.fontInfo().pointSizeF() > before
    said["slide as large"] = speaker.sheet.fontInfo().pointSizeF() == before
    key(Key.Key_A)
    asked = speaker.page.widgets["asked"]
    votes = QRect(asked.mapTo(speaker, QPoint()), asked.size())
    said["votes in sight"] = speaker.rect().contains(votes)
    said["across"] = speaker._side.horizontalScrollBar().maximum()
    window.bench.appearance.set_scale(1.0)
    key(Key.Key_Right)
    ClassDialogs.to_read = lambda dialogs, *_: said.setdefault("files", dialogs._window is speaker) and []
    presenter.bench.selection.asked.emit(ForPoll("files"), presenter.poll)
    key(Key.Key_Right)
    key(Key.Key_Right)
    said["asked again"] = speaker.page.widgets["asked"].text() == said["asked"]
    for typed in (Key.Key_0, Key.Key_Period, Key.Key_5):
        key(typed)
    said["typed"] = [field.text() for field in presenter._question.fields]
    said["blank"] = presenter._cover.isVisible()
    for pressed in (Key.Key_D, Key.Key_Right):
        key(pressed)
    said["chosen"] = presenter._overview.currentRow()
    key(Key.Key_D)
    if pictures:
        presenter.grab().save(f"{pictures}/class.png")
        speaker.grab().save(f"{pictures}/lecturer.png")
    key(Key.Key_S)
    said["swapped"] = where()
    key(Key.Key_Escape)
    said["left"] = window.lessons.presenter is None and window.lessons.speaker is None
    said["kept"] = window.lessons.guide.at
    window.files.dialogs.keep = lambda name: "discard"
    window.close()
    print(json.dumps(said))


if __name__ == "__main__":
    run(*sys.argv[1:3])
