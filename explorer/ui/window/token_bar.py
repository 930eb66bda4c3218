"""The token bar: the words of each sequence, which the user can type, add, remove and move.

Each sequence is a line of chips, which scrolls if they do not fit.
"""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.numbers import quantity
from explorer.core.vocabulary import tokens_of, typed
from explorer.document.commands import SetTokens
from explorer.document.continuation import as_read, nearest_words
from explorer.document.document import Change
from explorer.pages.equation import Rect
from explorer.ui.errors import show_error
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page.area import StageArea
from explorer.ui.theme import mark
from explorer.ui.turns import do_later
from explorer.ui.widgets.inputs import IconButton, PushButton
from explorer.ui.widgets.labels import Label, icon
from explorer.ui.widgets.layouts import put, row_in
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.widgets.tree import show_current
from explorer.ui.window.bar import Size
from explorer.ui.window.chips import Chip, Rail, WordEdit
from explorer.ui.window.division import LOW
from explorer.ui.window.words_line import ADDS, GAP, Line, Lines, lines_in
from explorer.ui.workbench import Workbench

MOST_NAMED = 3
TYPING = 320
"""The least width of the field for a whole sentence, in pixels at text scale 1."""

TOO_LONG = "It has learned no texts that are longer, so what it computes for the words behind them may be poor"


class TokenBar(QFrame):
    """The sequences of the model, side by side if there is room. It stores no words, but reads them from the graph.

    Models that read no words have no bar, because the rows of their tables are cases.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.setObjectName("tokenBar")
        self._bench = bench
        self._strips: dict[str, TokenStrip] = {}
        self._new: tuple[str, tuple[str, ...]] = ("", ())
        self._new_to = ""
        """The example to whose vocabulary these words are new."""
        self._row = PushButton("", self._go_to_row, parent=self, look="link", keys=True)
        self._row.hide()
        self._long = Label(role="muted", parent=self)
        self._long.setToolTip(TOO_LONG)
        self._long.hide()
        bench.appearance.changed.connect(self.restyle)
        bench.selection.token_changed.connect(self._light)
        bench.selection.token_chosen.connect(self._reveal)
        self.rebuild()

    # Its places

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._lines(width).height + self.height() - self.contentsRect().height()

    def sizeHint(self) -> QSize:
        return QSize(0, self.height())  # which is what it needs at its width; the steps of a lesson ask at each edit

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()  # the window then lets all stand anew
        return super().event(event)

    @property
    def _links(self) -> list[QWidget]:
        return [link for link in (self._row, self._long) if not link.isHidden()]

    def _lines(self, width: int) -> Lines:
        """Its parts in a width of so many pixels."""
        look, lines = self._bench.appearance, [strip.line for strip in self._strips.values()]
        low = self.window().height() < look.px(LOW)
        return lines_in(width, lines, [_size(link) for link in self._links], low, look.px)

    def stand(self) -> None:
        """Let each part stand in its place."""
        lines = self._lines(self.width())
        for strip, rect, parts in zip(self._strips.values(), lines.sequences, lines.parts, strict=True):
            put(strip, rect)
            strip.stand(parts)
        for link, rect in zip(self._links, lines.links, strict=True):
            put(link, rect)

    def follow(self, change: Change) -> None:
        """Show other words, if the change has any."""
        tokens = {f"{sequence}.tokens" for sequence in self._bench.document.engine.graph.sequences}
        if change.structure or not tokens.isdisjoint(change.changed):
            self.rebuild()

    def restyle(self) -> None:
        for strip in self._strips.values():
            strip.restyle()

    def rebuild(self) -> None:
        """Show the words of the present graph."""
        engine = self._bench.document.engine
        wanted = axes_of_words(engine.graph)
        editable = bool(engine.graph.sequences)
        if wanted != {axis: strip.title for axis, strip in self._strips.items()} or any(
            strip.editable != editable for strip in self._strips.values()
        ):
            self._make_strips(wanted, editable)
        for axis, strip in self._strips.items():
            strip.show_words(engine.labels(axis))
        self._say_new()
        self._say_long()
        if not self._strips:
            self.hide()
        elif self.parentWidget() is not None:  # without a parent, `show` would make it a window
            self.show()
        self._light()

    def _make_strips(self, wanted: dict[str, str], editable: bool) -> None:
        for strip in self._strips.values():
            strip.stop_typing()  # the typed text was for the old words
            strip.hide()
            strip.deleteLater()
        self._strips = {axis: TokenStrip(self._bench, axis, title, editable) for axis, title in wanted.items()}
        for strip in self._strips.values():
            strip.news.connect(self._note_new)
            strip.setParent(self)
            strip.show()

    def _light(self) -> None:
        for strip in self._strips.values():
            strip.light(self._bench.selection.token)

    def _reveal(self) -> None:
        """Scroll to a word that was chosen elsewhere."""
        token = self._bench.selection.chosen_token
        if token is not None and token[0] in self._strips:
            self._strips[token[0]].reveal(token[1])

    # Words that were new to the vocabulary

    def _note_new(self, axis: str, words: tuple[str, ...]) -> None:
        self._new, self._new_to = (axis, words), self._bench.document.wanted.lesson
        self._say_new()

    def _say_new(self) -> None:
        """Show in which rows of the table the new words are, as long as they are in the vocabulary."""
        axis, words = self._new
        graph = self._bench.document.engine.graph
        known = graph.vocabulary(axis) if axis in graph.sequences else ()
        there = [word for word in words if word in known and self._new_to == self._bench.document.state.lesson]
        self._row.setVisible(bool(there))
        if not there:
            return
        first = known.index(there[0])
        named = ", ".join(f"“{word}”" for word in there[:MOST_NAMED]) + ", …" * (len(there) > MOST_NAMED)
        rows = f"row {first + 1}" if len(there) == 1 else f"rows {first + 1} to {first + len(there)}"
        said = f"New: {named} → {rows} of the table, random numbers"
        if self._bench.lesson.card or self._bench.document.state.records:  # a trained model cannot use a random row
            near = nearest_words(there[0], [word for word in known if word not in there])
            said = f"Unknown to the model: {named}; it knows, for example: {near}"
        self._row.setText(with_ampersands(said))
        where = f"New words start with random numbers, in {rows} of {axis}.table. Click to go there and type others"
        self._row.setToolTip(where)
        self._row.setAccessibleName(f"Go to {rows} of {axis}.table")

    def _say_long(self) -> None:
        """Say that a text is longer than those that the model was made for, as its own file tells."""
        most = max((len(strip.chips) for strip in self._strips.values()), default=0)
        room = self._bench.document.state.model.room
        self._long.setText(f"{most} words; the model was made for texts of up to {room}")
        self._long.setVisible(0 < room < most)

    def _go_to_row(self) -> None:
        axis, words = self._new
        graph = self._bench.document.engine.graph
        row = next(i for i, word in enumerate(graph.vocabulary(axis)) if word in words)
        self._note_new("", ())
        self._bench.selection.go_to(graph.nodes[f"{axis}.table"].stage)
        for area in self.window().findChildren(StageArea):
            area.page()  # completes the page at once, so that its matrix exists
        # Only matrices of this document: another one may be beside it.
        views = [v for v in self.window().findChildren(MatrixView) if v.bench is self._bench and v.isVisible()]
        view = next((v for v in views if v.matrix.name == f"{axis}.table"), None)
        if view is not None:
            view.setCurrentIndex(view.table.index(row, 0))
            view.setFocus()
            # Later, after the layout of the page, which may be new.
            do_later(view, lambda: show_current(view, view.width(), 2 * view.rowHeight(0)))


def _size(part: QWidget) -> Size:
    """The size that a part likes."""
    return Size(*part.sizeHint().toTuple())


def axes_of_words(graph: Graph) -> dict[str, str]:
    """The axes of words, and their titles."""
    return {axis: "Words" if graph.words == ("query",) else axis.capitalize() for axis in graph.words}


class TokenStrip(QWidget):
    """The chips of one sequence, a button to add a word, and one to type the whole sentence.

    The key Tab reaches one chip, and the arrow keys go to the others.
    """

    news = Signal(str, tuple)
    """The sequence, and the words that were added to its vocabulary."""

    def __init__(self, bench: Workbench, axis: str, title: str, editable: bool) -> None:
        super().__init__()
        self._bench, self.axis, self.title, self.editable = bench, axis, title, editable
        self.chips: list[Chip] = []
        self._here = 0
        self._edit: tuple[int, int, WordEdit] | None = None  # first and end index of the words being typed; their field
        self._group = QButtonGroup(self, exclusive=False)
        content = QWidget()
        self._line = row_in(content)
        self._line.addStretch()
        self._rail = Rail(content)
        self._label = Label(role="muted")
        self._buttons: dict[str, PushButton] = {}
        back, after = (
            IconButton(partial(self._scroll, way), f"Show the {what}; so does the wheel", f"{title}: {what}")
            for way, what in ((-1, "words before these"), (1, "words after these"))
        )
        if editable:
            # `pressed`, not `clicked`: a word being typed has then just lost the focus, and was taken.
            for name, sign, tip, act in (
                (ADDS, "+", f"Add a token to {axis}", self.add),
                ("types", "✎", f"Type all of {axis}", self.edit_all),
            ):
                self._buttons[name] = PushButton(sign, tip=tip, look="chip", keys=True)
                self._buttons[name].pressed.connect(act)
                mark(self._buttons[name], add="true")
        self._arrows = {"back": back, "next": after}
        self._placed: dict[str, QWidget] = {"title": self._label, "back": back, "words": self._rail, "next": after}
        self._placed |= self._buttons
        for part in self._placed.values():
            part.setParent(self)
        bar = self._rail.horizontalScrollBar()
        bar.rangeChanged.connect(self._follow_scrolling)
        bar.valueChanged.connect(self._follow_scrolling)
        self.restyle()
        self._follow_scrolling()

    def restyle(self) -> None:
        """Follow the theme and the text scale; words are styled like all buttons."""
        look = self._bench.appearance
        self._line.setSpacing(look.px(GAP))
        for name, arrow in self._arrows.items():
            arrow.setIcon(icon(name, look.theme, "muted"))

    # Its places

    @property
    def line(self) -> Line:
        """The sizes of its parts."""
        bar, title = self._rail.horizontalScrollBar(), _size(self._label)
        wide, field = self._label.fontMetrics().horizontalAdvance, self._placed["words"]
        around = title.width - wide(self._label.text())
        named, counted = (Size(around + wide(text), title.height) for text in (self.title, self._counted))
        words, arrow = _size(self._rail), None
        if field is self._rail:
            arrow = _size(self._arrows["next"])
        else:
            words = Size(max(self._rail.width(), self._bench.appearance.px(TYPING)), field.sizeHint().height())
        buttons = {name: _size(button) for name, button in self._buttons.items()}
        return Line(named, counted, words, arrow, buttons, bar.value() == 0, 0 < bar.maximum() == bar.value())

    @property
    def _counted(self) -> str:
        return f"{self.title} · {len(self.chips)}"

    def stand(self, rects: Mapping[str, Rect]) -> None:
        """Show the parts that have rectangles."""
        self._label.setText(self._counted if "counted" in rects else self.title)
        for name, part in self._placed.items():
            rect = rects.get(name, rects.get("counted") if part is self._label else None)
            part.setVisible(rect is not None)
            if rect is not None:
                put(part, rect)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def _follow_scrolling(self) -> None:
        bar = self._rail.horizontalScrollBar()
        for name, end in (("back", bar.minimum()), ("next", bar.maximum())):
            if self._arrows[name].isEnabled() != (bar.value() != end):
                self._arrows[name].setEnabled(bar.value() != end)
                self.updateGeometry()  # in a low window, an arrow without use gives its room to the words

    # Showing words

    def show_words(self, words: tuple[str, ...]) -> None:
        """Show these words, and remove the field for typing."""
        focused = self._focused()
        self.stop_typing()
        while len(self.chips) > len(words):
            chip = self.chips.pop()
            self._group.removeButton(chip)
            self._line.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        while len(self.chips) < len(words):
            self._add_chip()
        for chip, word in zip(self.chips, words, strict=True):
            chip.say(word)
        self._label.setToolTip(f"{self.title}: {quantity(len(words), 'word')}")
        self._at(min(self._here, len(words) - 1))
        self._rail.updateGeometry()
        if focused is not None:
            self._focus(min(focused, len(words) - 1))

    def light(self, token: tuple[str, int] | None) -> None:
        """Mark the chip of the lit token."""
        for chip in self.chips:
            chip.setChecked(token == (self.axis, chip.position))

    def reveal(self, position: int) -> None:
        """Scroll to a chip."""
        self._rail.ensureWidgetVisible(self.chips[position], self._rail.height(), 0)

    def _add_chip(self) -> None:
        chip = Chip(len(self.chips), self.editable)
        chip.clicked.connect(
            lambda checked: self._bench.selection.choose_token((self.axis, chip.position) if checked else None)
        )
        chip.edit_wanted.connect(self.edit)
        chip.all_wanted.connect(self.edit_all)
        chip.remove_wanted.connect(lambda at: self._change(lambda words: words[:at] + words[at + 1 :]))
        chip.move_wanted.connect(self._move)
        chip.dropped.connect(self._drop)
        chip.focused.connect(self._at)
        chip.focus_wanted.connect(lambda at: self._focus(at if at < len(self.chips) else 0))
        self._group.addButton(chip)
        self._line.insertWidget(len(self.chips), chip)
        # Made after the buttons at its right, but before them for the key Tab, too.
        self.setTabOrder(self.chips[-1] if self.chips else self._arrows["back"], chip)
        chip.show()  # now, because a hidden widget takes no room in the line
        self.chips.append(chip)

    def _scroll(self, way: int) -> None:
        bar = self._rail.horizontalScrollBar()
        bar.setValue(bar.value() + way * self._rail.viewport().width() * 4 // 5)

    # The keys

    def _focused(self) -> int | None:
        if self._edit is not None and self._edit[2].hasFocus():
            return self._edit[0]
        return next((chip.position for chip in self.chips if chip.hasFocus()), None)

    def _focus(self, position: int) -> None:
        self.chips[position].setFocus(Qt.FocusReason.OtherFocusReason)

    def _at(self, position: int) -> None:
        """Make a chip the one that the key Tab reaches."""
        if self._here < len(self.chips):
            self.chips[self._here].setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._here = position
        self.chips[position].setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if self.chips[position].hasFocus():
            self.reveal(position)

    # Changing words: always by a command

    def _is_here(self) -> bool:
        """Whether the sequence still exists: a key may be pressed while another example is opened."""
        document = self._bench.document
        return all(self.axis in graph.sequences for graph in (document.wanted.graph, document.engine.graph))

    def edit(self, position: int) -> None:
        """Open a field for the word at a position, or, after the last word, for a new one."""
        if not self._is_here():
            return
        self.stop_typing()
        labels = self._bench.document.engine.labels(self.axis)
        editor = WordEdit(labels[position] if position < len(labels) else "", self._known())
        editor.setFixedWidth(editor.fontMetrics().averageCharWidth() * 18)
        if position < len(self.chips):
            self.chips[position].hide()
        self._line.insertWidget(position, editor)
        self._open(editor, position, position + 1)
        self._rail.content.adjustSize()
        self._rail.updateGeometry()  # gives the field room, if the line has some
        self._rail.ensureWidgetVisible(editor)

    def add(self) -> None:
        """Open a field for a new word after the last."""
        self._bench.bridge.flush()  # so that a word that was just typed is shown
        self.edit(len(self.chips))

    def edit_all(self) -> None:
        """Open a field for the whole sentence, to type or paste another one."""
        self._bench.bridge.flush()
        if not self._is_here():
            return
        self.stop_typing()
        words = self._bench.document.engine.labels(self.axis)
        editor = WordEdit(typed(words, self._known()), (), f"Type all words of {self.axis}")
        self._rail.hide()
        editor.setParent(self)
        editor.setGeometry(self._rail.geometry())
        self._placed["words"] = editor
        self._open(editor, 0, len(words))

    def _open(self, editor: WordEdit, first: int, behind: int) -> None:
        self._edit = (first, behind, editor)
        editor.finished.connect(self._typed)
        editor.kept.connect(self._keep)
        editor.left.connect(self._leave)
        editor.show()
        editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def stop_typing(self) -> None:
        """Remove the field for typing, and discard its text."""
        if self._edit is None:
            return
        (_, _, editor), self._edit = self._edit, None
        editor.blockSignals(True)
        self._line.removeWidget(editor)  # it goes later, and new words would be put before the last one
        self._placed["words"] = self._rail
        editor.hide()
        editor.deleteLater()
        self._rail.show()
        for chip in self.chips:
            chip.show()

    def _leave(self) -> None:
        if self._edit is not None:
            self.show_words(self._bench.document.engine.labels(self.axis))

    def _typed(self, text: str) -> None:
        assert self._edit is not None
        if not self._is_here():
            return
        first, behind, editor = self._edit
        typed_words = self._words_of(text, first, behind)
        if self._change(lambda words: [*words[:first], *typed_words, *words[behind:]], editor):
            self._leave()

    def _keep(self, text: str) -> None:
        """Take the typed text when the field loses the focus."""
        assert self._edit is not None
        if not self._is_here():
            return
        first, behind, _ = self._edit
        self._leave()
        typed_words = self._words_of(text, first, behind)
        if typed_words != list(self._bench.document.words(self.axis)[first:behind]):
            self._change(lambda words: [*words[:first], *typed_words, *words[behind:]])

    def _words_of(self, text: str, first: int, behind: int) -> list[str]:
        """The words of a text that was typed in the place of others."""
        is_all = first == 0 and behind >= len(self._bench.document.words(self.axis))
        words = tokens_of(text, self._known(), is_all)
        return as_read(self._bench.document.wanted, self.axis, words) if is_all else words

    def _known(self) -> tuple[str, ...]:
        return self._bench.document.engine.graph.vocabulary(self.axis)

    def _change(self, make: Callable[[list[str]], list[str]], at: QWidget | None = None) -> bool:
        """Give the sequence other words. Returns whether it was done."""
        if not self._is_here():
            return False
        document = self._bench.document
        known = set(self._known())
        words = tuple(make(list(document.words(self.axis))))
        try:
            document.do(SetTokens(self.axis, words))
        except ExplorerError as error:
            if at is not None:
                show_error(error, at)
            else:  # later, once the focus has moved
                do_later(self, partial(show_error, error, self))
            return False
        self.news.emit(self.axis, tuple(word for word in dict.fromkeys(words) if word not in known))
        return True

    def _move(self, at: int, to: int) -> None:
        if 0 <= to < len(self.chips):
            self._focus(to)

            def moved(words: list[str]) -> list[str]:
                if at < len(words):  # the document may have fewer words now than are shown
                    words.insert(to, words.pop(at))
                return words

            self._change(moved)

    def _drop(self, at: int, point: QPoint) -> None:
        local = self._rail.content.mapFromGlobal(point)
        nearest = min(self.chips, key=lambda chip: (chip.geometry().center() - local).manhattanLength())
        self._move(at, nearest.position)
