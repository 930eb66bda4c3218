"""Presenter mode: the present step in full screen, for a class. It is controlled by keys, also those of a clicker."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QColor,
    QCursor,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QRubberBand, QTableView, QWidget

from explorer.core.errors import ExplorerError
from explorer.teaching.notes import minutes
from explorer.ui.dialogs import show_keys_of_presenter
from explorer.ui.errors import show_error
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.lecturer import Clock, Overview
from explorer.ui.lesson.letters import Enlarged, in_look, scale_for
from explorer.ui.lesson.poll import PRESSES, PollView
from explorer.ui.lesson.question import StepPage
from explorer.ui.lesson.sheet import StepSheet
from explorer.ui.page.answers import BlankView
from explorer.ui.page.overlays import Motion
from explorer.ui.turns import later
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import around
from explorer.ui.workbench import Workbench

Key = Qt.Key
NEXT = (Key.Key_Right, Key.Key_Down, Key.Key_PageDown, Key.Key_Space, Key.Key_Enter, Key.Key_Return, Key.Key_N)
BACK = (Key.Key_Left, Key.Key_Up, Key.Key_PageUp, Key.Key_Backspace, Key.Key_P)
NEVER_TYPED = (Key.Key_PageDown, Key.Key_PageUp, Key.Key_F1)
"""These keep their meaning while a text field has the focus: the first two are those of a clicker."""
UNDO, REDO = ("Ctrl+Z",), ("Ctrl+Y", "Ctrl+Shift+Z")
DOT = 13
"""Diameter of the pointer, in pixels at text scale 1."""
LEAST_DRAG, LEAST_MOVE = 40, 8
KEYS, FEW_KEYS = "R reveal · D all steps · Z zoom · F freeze · B black · Esc leave · F1 all keys", "F1 all keys"
FROZEN = "Frozen · F goes on"
KEYS_MS, AROUND = 3000, 30
"""When the mode begins, some keys are named below the words or, without room there, at the upper right: for how many
milliseconds, and with how many pixels at text scale 1 around them."""
TYPED_IN = (QLineEdit, QAbstractSpinBox, QComboBox)


class Presenter(QWidget):
    """The window that the class sees."""

    left = Signal()  # presenter mode was left
    swap_wanted = Signal()  # asks to swap the screens
    covered = Signal()  # the window was frozen, or is live again

    def __init__(self, bench: Workbench, guide: Guide) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle("Presenter mode – Transformer Explorer")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for keys, act in ((UNDO, guide.undo), (REDO, guide.redo)):
            action = QAction(self)
            action.setShortcuts([QKeySequence(key) for key in keys])
            action.triggered.connect(act)
            self.addAction(action)
        self._program, self._guide = bench, guide
        self.clock = Clock(self)
        if guide.step is not None:
            self.clock.at(guide.step.id)
        self._look = Enlarged(bench.appearance, self, 1.0)
        self.bench = in_look(bench, self._look)
        self.sheet: StepSheet | None = None
        self.beside: QWidget | None = None
        """The lecturer's window, in which the same keys work."""
        self._typed: str | None = None
        self._points = self._freezes = False
        self._from: QPoint | None = None
        self._rested: QPoint | None = QCursor.pos()
        self._column = column_in(self)
        self._bar = Label("", "bar", self, wraps=True)
        self._bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._begun = QTimer(self, singleShot=True, interval=KEYS_MS)
        self._begun.timeout.connect(self._say)
        self._cover = Cover(self)
        self._overview = Overview(bench, guide, self)
        self._overview.chosen.connect(self._go)
        self.poll = PollView(self.bench, guide, self, lambda: self.beside or self)
        self._band = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self._acts: dict[int, Callable[[], object]] = {
            Key.Key_R: guide.reveal,
            Key.Key_B: lambda: self._cover.toggle("#000000"),
            Key.Key_Period: lambda: self._cover.toggle("#000000"),
            Key.Key_W: lambda: self._cover.toggle("#ffffff"),
            Key.Key_G: lambda: self._type(""),
            Key.Key_C: self.toggle_change,
            Key.Key_D: lambda: self._lay_over(self._overview.open),  # all steps as small pictures
            Key.Key_L: self.toggle_pointer,
            Key.Key_M: self.toggle_terms,
            Key.Key_V: lambda: self._lay_over(self._vote),
            Key.Key_Z: self.zoom,
            Key.Key_S: self.swap_wanted.emit,
            Key.Key_T: self.clock.toggle,
            Key.Key_F: self.freeze,
            Key.Key_F1: lambda: show_keys_of_presenter(self.beside or self),
            Key.Key_Escape: self.leave,
            Key.Key_F5: lambda: None,  # some clickers send F5 again
            **dict.fromkeys(NEXT, lambda: self._step(guide.next)),
            **dict.fromkeys(BACK, lambda: self._step(guide.back)),
            Key.Key_Home: lambda: self._go(0),
            Key.Key_End: lambda: self._go(len(guide.steps) - 1),
        }
        self._motion: Motion | None = None
        self.clock.ticked.connect(self._say)
        guide.leaving.connect(self._remember)
        guide.stepped.connect(self._follow)
        guide.answered.connect(self._show_answer)
        self._again = later(self, self._rebuild)
        bench.appearance.changed.connect(self._restyle)

    # Beginning and end

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.take_keys_of(self)
        self.bench.bridge.goes_before(self)
        self.activateWindow()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._begun.start()
        self._say()

    def take_keys_of(self, window: QWidget) -> None:
        """Handle the keys of a visible window before the widget with the focus: a matrix would take the arrow keys.

        The filter is on the window, since one on the application sees all events, and took a quarter of all time.
        """
        handle = window.windowHandle()
        assert handle is not None
        handle.installEventFilter(self)

    def leave(self) -> None:
        """End presenter mode; the present step stays."""
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._points:
            self.toggle_pointer()
        if self.clock.runs:
            self.clock.toggle()
        self._begun.stop()
        super().closeEvent(event)
        self.left.emit()

    # The slide

    def _remember(self) -> None:
        if self._motion is not None:
            self._motion.remember()

    def _follow(self) -> None:
        guide = self._guide
        if guide.step is None or guide.at is None:
            self.close()
            return
        self.clock.at(guide.step.id)
        self._rested = QCursor.pos()
        self.poll.close_poll()
        if self.sheet is None:  # its numbers were still being computed when the mode began
            self._rebuild()
        else:
            self.sheet.stand_alone(False)
            self._tell(self.sheet)
        self._say()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        if self._motion is not None:
            self._motion.begin()

    def _rebuild(self) -> None:
        """Build the slide again, in the size of the screen and the look of the program."""
        guide = self._guide
        if guide.step is None or guide.at is None or self.width() < 2:
            return
        self._rested = QCursor.pos()
        self._look.dress(scale_for(self.width(), self.height()))
        if self.sheet is not None:
            self._column.removeWidget(self.sheet)
            self.sheet.hide()
            self.sheet.deleteLater()
        self.sheet = sheet = StepSheet(self.bench, vectors=guide.vectors)

        def settled() -> bool:
            return sheet.is_settled and self.bench.appearance.turns.idle

        self._motion = Motion(sheet, self.bench, lambda: sheet.elements, settled)
        self._column.addWidget(self.sheet)
        self.sheet.shared.connect(self._say_keys)
        self.sheet.lower()
        self._question = StepPage(self.bench, guide, self.sheet.gaps)
        self._question.setAccessibleName("Question")
        self.sheet.ask(self._question, lambda: guide.question is not None)
        self._tell(self.sheet)
        self._say()
        self.poll.fit()

    def _tell(self, sheet: StepSheet) -> None:
        """Show the present step."""
        guide = self._guide
        assert guide.at is not None
        self._question.show_step()
        sheet.tell(guide.lesson, guide.at, guide.numbers, guide.before)
        self._make_room()
        sheet.arrange()

    def _make_room(self) -> None:
        """Leave out the words where two derivations are compared, which need their room."""
        if self.sheet is not None and self._guide.attempt.compared is not None:
            self.sheet.leave_out_words()

    def _show_answer(self) -> None:
        if self.sheet is None:
            return
        self._question.follow()
        self._make_room()
        if isinstance(self.focusWidget(), PushButton):  # from a field that is hidden now: the keys go on
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.sheet.refresh()
        self.sheet.arrange()

    def _restyle(self) -> None:
        """Follow the program's look, in a turn of its own."""
        self._program.appearance.turns.add(self._again)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rebuild()
        for whole in (self._cover, self._overview, self.poll):
            whole.setGeometry(self.rect())
        self._say()

    # Keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove and watched is self.windowHandle():
            return not event.buttons() and not self._points and self._rests(event.globalPosition().toPoint())
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        return QApplication.activePopupWidget() is None and self._key_pressed(event)

    def _rests(self, at: QPoint) -> bool:
        """Whether the mouse has hardly moved since the step was shown; then it does not point at what is below it."""
        if self._rested is not None and (at - self._rested).manhattanLength() >= LEAST_MOVE:
            self._rested = None
        return self._rested is not None

    def _key_pressed(self, event: QKeyEvent) -> bool:
        """Handle a key; returns whether it was handled."""
        key = event.key()
        held = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if held:
            return False
        if self._typed is not None:
            return self._number_typed(event)
        focus = QApplication.focusWidget()
        beside = focus is not None and focus is self.beside
        if not self.poll.isHidden():
            return self.poll.key_pressed(event)
        if not self._overview.isHidden():
            return self._overview.key_pressed(event) or (beside and self._pass_on(event))
        if beside:  # keys typed in the lecturer's window answer the question on the slide
            focus = self.focusWidget()
        if _is_typed(event, focus) and key not in NEVER_TYPED and (key != Key.Key_Escape or around(focus, QTableView)):
            return beside and self._pass_on(event)
        if (event.text().isdecimal() or event.text() == "-") and not isinstance(focus, QTableView):
            if self._question.be_typed_in():  # its field then gets this key
                return beside and self._pass_on(event)
            if event.text().isdecimal():  # no number is asked for: that of a step, as for slides elsewhere
                return self._number_typed(event)
        if key in PRESSES and isinstance(focus, PushButton):  # Tab has led there: a mouse gives buttons no focus
            focus.click()
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        if (act := self._acts.get(key)) is not None:
            act()
        return act is not None

    def _pass_on(self, event: QKeyEvent) -> bool:
        """Send a key to the widget with the focus in this window, although another window is active."""
        focus = self.focusWidget()
        if focus is not None:
            QApplication.sendEvent(focus, QKeyEvent(event.type(), event.key(), event.modifiers(), event.text()))
        return True

    def _step(self, act: Callable[[], None]) -> None:
        """Go one step; a blank screen is uncovered, a frozen one is not."""
        self._cover.uncover()
        try:
            act()
        except ExplorerError as error:
            show_error(error, self.beside or self)

    def _go(self, step: int) -> None:
        self._step(lambda: self._guide.go(step))

    def _type(self, number: str | None) -> None:
        """Show the number of a step as typed so far; None: no number is typed."""
        self._typed = number
        self._say()

    def _number_typed(self, event: QKeyEvent) -> bool:
        """Handle a digit, or a key after G or a digit: Backspace, Enter, or any other key, which cancels."""
        typed, key = self._typed or "", event.key()
        if event.text().isdecimal():
            if int(typed + event.text()) <= len(self._guide.steps):  # there is no later step
                self._type(typed + event.text())
        elif key == Key.Key_Backspace:
            self._type(typed[:-1])
        else:
            self._type(None)
            if typed and key in (Key.Key_Return, Key.Key_Enter):
                self._go(int(typed) - 1)
        return True

    def _say(self) -> None:
        """Update the bar with the keys or the typed number, and the clock in the first line."""
        timed = self.beside is None and (self.clock.runs or self.clock.seconds >= 1)
        if self.sheet is not None:
            self.sheet.say_time(minutes(self.clock.seconds) if timed else "")
        self._say_keys()

    def _say_keys(self) -> None:
        self._bar.setVisible(self._freezes or self._typed is not None or self._begun.isActive())
        said = f"Go to step {self._typed or '…'} of {len(self._guide.steps)}, then Enter"
        if self._typed is None:
            said = FROZEN if self._freezes else ""
        bar, free = self._bar, QRect() if self.sheet is None else self.sheet.free
        bar.setText(said or KEYS)
        high = bar.heightForWidth(free.width())
        if high <= free.height():
            bar.setGeometry(free.x(), free.bottom() + 1 - high, free.width(), high)
        else:  # there the bar would cover choices at the bottom
            bar.setText(said or FEW_KEYS)
            wide = QFontMetrics(bar.font()).horizontalAdvance(bar.text()) + self._look.px(AROUND)
            if self.sheet is not None:  # wide enough to cover the whole title of the lesson, not half of it
                wide = max(wide, self.width() - self.sheet.corner)
            bar.resize(wide, bar.heightForWidth(wide))
            bar.move(self.width() - bar.width(), 0)
        if self._cover.isHidden() or self._typed is not None:
            bar.raise_()

    # Acts of the keys

    def _lay_over(self, act: Callable[[], object]) -> None:
        """Show what covers the slide, but never over a frozen picture."""
        if not self.frozen:
            act()

    def _vote(self) -> None:
        """Show the question of the step as a poll; where there is none, the lecturer's screen says so."""
        if not self.poll.open():
            show_error(ExplorerError("no-poll"), self.beside or self)

    def toggle_change(self) -> None:
        """Show what the last edit changed, Δ, or the values again; before an edit, the lecturer's screen says so."""
        showing, last = self.bench.selection.showing, self.bench.view.last
        if showing != "change" and not (last.before or last.added or last.removed):
            show_error(ExplorerError("no-change"), self.beside or self)
            return
        self._guide.showing_wanted.emit("values" if showing == "change" else "change")

    def toggle_terms(self) -> None:
        """Write out a sum or list that was too long, in place of the words; or show the words again."""
        if self.sheet is not None:
            self._rested = QCursor.pos()
            self.sheet.write_all(not self.sheet.all_terms)

    def toggle_pointer(self) -> None:
        """Show the mouse as a large dot, or as an arrow again."""
        self._points = not self._points
        if self._points:
            QApplication.setOverrideCursor(_dot(self._look.theme.here, self._look.px(DOT)))
        else:
            QApplication.restoreOverrideCursor()

    def freeze(self) -> None:
        """Freeze the picture that the class sees, or show the live slide again.

        On a single screen the picture says that it is frozen: nothing else could tell the lecturer.
        """
        self._cover.uncover()  # else the picture would be of the black screen
        self._freezes = self.beside is None
        self._say_keys()
        self._cover.toggle_picture(self.grab())
        self._freezes = False
        self._say_keys()
        self.covered.emit()

    @property
    def frozen(self) -> bool:
        """Whether the class sees a frozen picture."""
        return self._cover.frozen

    def zoom(self) -> None:
        """Let what the step names fill the slide, as large as possible; or show the whole slide again."""
        if self.sheet is not None:
            self.sheet.stand_alone(not self.sheet.alone)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is not None:
            self._band.setGeometry(QRect(self._from, event.position().toPoint()).normalized())
            self._band.show()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        band = self._band.geometry()
        wide = not self._band.isHidden() and min(band.width(), band.height()) > LEAST_DRAG
        self._band.hide()
        self._from = None
        if wide:
            self.zoom()


class Cover(QWidget):
    """Covers the class's window: with a picture of what it showed, and over that with one colour."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._colour = ""
        self._picture: QPixmap | None = None
        self.hide()

    def toggle(self, colour: str) -> None:
        """Cover with one colour, or take the colour away again."""
        self._show("" if self._colour == colour else colour, self._picture)

    def toggle_picture(self, picture: QPixmap) -> None:
        """Cover with a picture, or uncover all again."""
        self._show("", None if self.frozen else picture)

    def uncover(self) -> None:
        """Take the colour away; a frozen picture stays."""
        self._show("", self._picture)

    @property
    def frozen(self) -> bool:
        """Whether there is a frozen picture."""
        return self._picture is not None

    def _show(self, colour: str, picture: QPixmap | None) -> None:
        self._colour, self._picture = colour, picture
        self.setVisible(bool(colour) or self.frozen)
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._picture is not None and not self._colour:
            painter.drawPixmap(self.rect(), self._picture)
        else:
            painter.fillRect(self.rect(), QColor(self._colour))


def _is_typed(event: QKeyEvent, widget: QWidget | None) -> bool:
    """Whether a widget takes a key as input; a field for a number takes no letters, and no key once it is answered."""
    if isinstance(widget, BlankView):
        return not (widget.isReadOnly() or event.text().isalpha() or event.key() == Key.Key_Space)
    return isinstance(widget, TYPED_IN)


def _dot(colour: str, size: int) -> QCursor:
    picture = QPixmap(size, size)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor("#ffffff"), max(size // 12, 1)))
    painter.setBrush(QColor(colour))
    painter.drawEllipse(QRectF(1, 1, size - 2, size - 2))
    painter.end()
    return QCursor(picture)
