"""What a step names, as large as its place on a slide: matrices in lines, pictures, a list, gradient descent."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from explorer.pages.drawing import AttentionLines
from explorer.pages.element import Element
from explorer.ui.lesson.lines import Lines, rows_of, sizes
from explorer.ui.lesson.presenter_look import Fitted, in_look
from explorer.ui.lesson.room import height_at
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements
from explorer.ui.page.elements import Drawn
from explorer.ui.page.listing import ListingView
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import delete_now
from explorer.ui.workbench import Workbench

ACROSS, DOWN = 10, 6
"""Pixels at text scale 1 between matrices beside each other, and between lines of them."""
AIRY, AIRIER = 52, 100
"""Pixels at text scale 1: the height of a row where there is room is `AIRY` + `AIRIER` / number of rows."""
MOST, SHARE, EDGE = 2.6, 0.985, 4
"""Greatest size relative to the scale of the words; share of the size that would fill a place, since letters have whole
pixels; and pixels that stay free at its edge."""
MUCH = 1000, 500
"""The size of a place in which pictures are compared."""


class Hero(QWidget):
    """The elements that a step names, in a look of their own: its scale is chosen so that they fill a place.

    `bench`: in the look of the sheet.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._look = Fitted(bench.appearance, self, bench.appearance.scale)
        self._fitted_bench = in_look(bench, self._look)
        self.elements = Elements(self._fitted_bench, bench.appearance.px(8))
        self.elements.down = DOWN
        self._column = column_in(self, self.elements)
        self._column.addStretch(1)
        self._across = 1

    @property
    def scale(self) -> float:
        """Its present text scale."""
        return self._look.scale

    def make_anew(self, scale: float) -> None:
        """Build the same elements in another size: a matrix measures its letters only once."""
        before = self.elements
        self._column.removeWidget(before)
        before.hide()
        before.setParent(None)  # else it would be styled once more
        shown: Sequence[Element] = before.elements
        delete_now(before)
        self._look.dress(scale)
        self.elements = Elements(self._fitted_bench, self._look.px(8))
        self.elements.down = DOWN
        self._column.insertWidget(0, self.elements)
        self.elements.tell(shown)
        self.elements.show()  # with all in it: a widget added to a visible one is shown a turn later

    # Its parts

    @property
    def boxes(self) -> list[MatrixBox]:
        """Its matrices."""
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, MatrixBox)]

    @property
    def pictures(self) -> list[PicturePlace]:
        """The drawings with a size of their own, if nothing else stands beside the matrices."""
        found = [
            one for one in self.elements.widgets.values() if isinstance(one, PicturePlace) and one not in self.filling
        ]
        return found if len(found) + len(self.boxes) == len(self.elements.widgets) else []

    @property
    def filling(self) -> list[Drawn]:
        """The pictures that fill their place."""
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, Drawn) and widget.fills]

    @property
    def rest(self) -> list[QWidget]:
        """All that is neither a matrix nor a picture that fills its place, such as the parts of gradient descent."""
        others = (*self.boxes, *self.filling)
        return [one for one in self.elements.widgets.values() if one not in others]

    @property
    def listing(self) -> ListingView | None:
        """The list that it shows, if it shows nothing else."""
        alone = next(iter(self.elements.widgets.values())) if len(self.elements.widgets) == 1 else None
        return alone if isinstance(alone, ListingView) else None

    # Its size

    def scale_in(self) -> Callable[[int, int], float]:
        """Returns a function from a width and a height to the scale at which all that the step names fits."""
        base, now, px = self._bench.appearance.scale, self.scale, self._look.px
        boxes, filling = self.boxes, self.filling
        if filling:
            below = sum(box.whole_size(rows_of(box), False).height() + px(DOWN) for box in boxes)
            most = min(one.scale_in(*MUCH) for one in filling)  # its letters are small already: its size counts more
            return lambda width, height: min(
                base * (one.scale_in(width, max(height - below, 1)) / most) ** 2 for one in filling
            )
        if boxes and len(boxes) == len(self.elements.widgets):
            taken = sizes(boxes, px(ACROSS), px(DOWN))
        elif boxes and self.pictures:
            wide, high = self._of_pictures
            taken = [
                one
                for across, down in sizes(boxes, px(ACROSS), px(DOWN))
                for one in ((across + wide, max(down, high)), (max(across, wide), down + px(DOWN) + high))
            ]
        else:
            grown = self._grown
            taken = [(across, height_at(self.elements, across) - grown) for across in self._widths()]

        def scale(width: int, height: int) -> float:
            fits = max(min((width - EDGE) / across, (height - EDGE) / max(down, 1)) for across, down in taken)
            return min(now * fits * SHARE, MOST * base)

        return scale

    def scale_of_rest(self, width: int, height: int) -> float:
        """The scale at which the rest takes at most half of a place."""
        now, most = self.scale, self._bench.appearance.scale
        wide = max((one.minimumSizeHint().width() for one in self.rest), default=0)
        high = sum(height_at(one, width) for one in self.rest)
        return min(now * min((width - EDGE) / max(wide, 1), 0.5 * height / max(high, 1)), most)

    @property
    def _grown(self) -> int:
        """Pixels by which matrices beside something else, or the lines of a list, are higher than needed."""
        if self.listing is not None:
            return self.listing.grown
        lines = self._lines(self._across).lines
        return sum(rows_of(line[0]) * (line[0].view.rowHeight(0) - line[0].view.extent.low) for line in lines)

    def _widths(self) -> list[int]:
        """Widths to try for what is no matrix, in pixels of the present scale."""
        least = max(self.elements.minimumSizeHint().width(), 1)
        lists = [one for one in self.elements.widgets.values() if isinstance(one, ListingView)]
        whole = max([least, self.elements.sizeHint().width(), *(one.whole_width for one in lists)])
        if lists:  # with less, the words in it would be cut
            return [whole]
        return sorted({least, whole, *(round(least + (whole - least) * k / 4) for k in (1, 2, 3))})

    def _lines(self, width: int) -> Lines:
        px = self._look.px
        rows = max((len(box.matrix.rows) for box in self.boxes), default=1)
        return Lines(self.boxes, width, px(ACROSS), px(DOWN), px(AIRY + AIRIER / rows))

    @property
    def _of_pictures(self) -> tuple[int, int]:
        """Width and height of the pictures side by side, in pixels."""
        pictures = self.pictures
        for one in pictures:
            one.fill()  # an empty place does not know how large its picture will be
        hints = [one.sizeHint() for one in pictures]
        grown = sum(one.picture.grown for one in self._lines_between_words)
        wide = sum(one.width() + self._look.px(ACROSS) for one in hints) - grown
        return wide, max(one.height() for one in hints)

    @property
    def _lines_between_words(self) -> list[PicturePlace]:
        """Of the drawings, those of attention lines, whose words may stand farther apart."""
        return [one for one in self.pictures if isinstance(one.data, AttentionLines)]

    def _free_of_pictures(self, place: QSize) -> QSize:
        """The room for the matrices in a place: beside the drawings if all fits so, else above them."""
        if not self.pictures or self.filling:
            return place
        px, (wide, high) = self._look.px, self._of_pictures
        fits = (across + wide <= place.width() for across, _ in sizes(self.boxes, px(ACROSS), px(DOWN)))
        return place - (QSize(wide, 0) if any(fits) else QSize(0, high + px(DOWN)))

    def fill(self, place: QSize) -> float:
        """Fill a place. Returns the factor by which it is too small; 1 or less if all fits."""
        self._across = max(place.width(), 1)
        free = self._free_of_pictures(place)
        lines = self._lines(free.width())
        alone = len(self.boxes) == len(self.elements.widgets)
        if alone or self.pictures:
            lines.share(free.height())
        elif lines.lines and not self.filling:  # what stands beside them keeps its height, and rows get the rest
            lines.share(lines.height + max(place.height() - EDGE - self.high + self._grown, 0))
        else:
            lines.share(min(place.height(), lines.height))
        # Only a picture gets a height: with one, matrices would be folded as on a low page.
        self.elements.share_room(place.width(), place.height() if self.filling else None)
        lines.say_all()
        if self.filling:
            return 0.0
        if (one := self.listing) is not None:
            before = one.grown
            one.grow(max(place.height() - EDGE - self.high + before, 0))
            if one.grown != before:  # reported at once: else it would keep the height that it had in the place before
                self.elements.updateGeometry()
        high = lines.height if alone else self.high - EDGE
        if self.pictures and not alone:  # what is cut beside them takes no more than it was given
            high = max(high, place.height() - free.height() + lines.height)
            below = free.width() == place.width()
            for picture in self._lines_between_words:
                picture.picture.spread(lines.widest if below else 0)  # beside them matrices have what is free
        return max(high / max(place.height(), 1), lines.widest / max(free.width(), 1))

    @property
    def high(self) -> int:
        """The height in pixels that it needs at the width of its place."""
        column = self._column
        return column.heightForWidth(self._across) if column.hasHeightForWidth() else column.minimumSize().height()
