"""Where the parts of the bar on top stand, and in which form: one pure function of a width and of their sizes."""

from typing import NamedTuple

from explorer.core.frozen import Frozen
from explorer.pages.equation import Rect

TITLE, PART, LEAST_TITLE, SHARED_TITLE = 170, 0.21, 40, 100
"""Pixels at text scale 1: the title's width in a window of `NARROW`, its share of more width, its least width, and its
least width on one line with the choices.
"""
NARROW = 900
READ_TITLE = 80
"""With less room for the title (pixels at text scale 1), the menu has no word, because its icon is enough."""
SPARE = 40
"""Pixels at text scale 1 that stay free in a row with choices, for the word that something is being computed."""
LEFT, RIGHT, DOWN, GAP = 8, 14, 4, 4
"""Pixels at text scale 1 beside the bar, above and below each row, and between neighbours."""
AROUND, BETWEEN, LINES = 20, 16, 4
"""Pixels that do not grow with the text, which needs the room: the most beside the bar; between the two choices; and
between them where they stand below each other.
"""


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


class Choice(Frozen):
    """The sizes of a choice: as buttons, and folded as a list to open, which needs to be no wider than `most`."""

    buttons: Size
    folded: Size
    most: int


class Title(Frozen):
    """The sizes of the title of what is open."""

    whole: int  # the width of all of it on one line, which is as high as a tab
    short: int  # the width of its shortest form on one line
    lines: dict[str, Size]  # all of it on two lines: the size in each of the smaller letters, the largest first


class Parts(Frozen):
    """The sizes of what stands in the bar, in pixels; and the text scale."""

    scale: float
    menu: Size
    icon: Size  # the menu without its word
    title: Title
    tabs: tuple[Size, ...]
    settings: Choice
    showing: Choice  # what matrices show
    acts: Size  # undo, redo, and the theme
    chooses: bool = True  # whether the settings are in sight beside the open tab
    shows: bool = True  # whether what matrices show is in sight, too

    def px(self, pixels: int) -> int:
        """Pixels at this text scale."""
        return round(pixels * self.scale)

    def first_row(self, *others: int) -> int:
        """The width of the first row: the tabs, parts of these widths (none where it is 0), and what is free."""
        widths = [*(tab.width for tab in self.tabs), *filter(None, others)]
        return sum(widths) + len(widths) * self.px(GAP) + self.left + self.right

    @property
    def left(self) -> int:
        """The pixels beside the bar at the left."""
        return min(self.px(LEFT), AROUND)

    @property
    def right(self) -> int:
        """The pixels beside the bar at the right."""
        return min(self.px(RIGHT), AROUND)


class Forms(NamedTuple):
    """In which form and in which row the parts stand."""

    menu: Size
    title: Size
    settings: Size
    showing: Size
    acts: Size  # 0 pixels wide: there is no room for them, and the menu has them, too
    settings_fold: bool
    showing_folds: bool
    menu_says: bool  # whether the menu has its word
    letters: str  # those of a title on two lines; "": it stands on one line
    apart: bool  # whether the choices stand in the second row
    below: bool  # whether the title does, too
    in_lines: bool  # whether each choice has a line of its own


def forms_in(width: int, parts: Parts) -> Forms:
    """The forms of the parts in this width.

    With less and less room the settings become a list, the choices go to the second row, then the title, what matrices
    show becomes a list, each choice has a line of its own, the menu loses its word, and the acts go.
    """
    px, gap, title, settings, showing = parts.px, parts.px(GAP), parts.title, parts.settings, parts.showing
    usual = px(TITLE) + int(max(width - NARROW, 0) * PART)
    others = parts.menu.width + usual + sum(tab.width for tab in parts.tabs) + parts.acts.width
    others += gap * (len(parts.tabs) + 4) + px(SPARE)
    settings_fold = others + settings.buttons.width + BETWEEN + showing.buttons.width > width
    chosen, shown = settings.folded if settings_fold else settings.buttons, showing.buttons
    choices = chosen.width + BETWEEN + shown.width
    apart = others + choices > width
    room = width - min(px(24), 2 * AROUND) - choices - gap  # for a title beside the choices
    below = apart and width - others + usual + gap < min(px(TITLE), room)
    # Otherwise the choices would take two lines, or the title would stand in small letters.
    saved = showing.buttons.width - showing.folded.width
    showing_folds = below and (room < px(SHARED_TITLE) or room < title.short <= room + saved)
    if showing_folds:
        choices, room, shown = choices - saved, room + saved, showing.folded
    if settings_fold:  # the list takes what is free, as far as its words need it
        free = width - choices - (px(SPARE) if apart else others) - below * (min(title.whole, room) + gap)
        chosen = Size(max(min(chosen.width + free, settings.most), chosen.width), chosen.height)
    in_lines = (below and room < px(SHARED_TITLE)) or (apart and choices > width - parts.left - parts.right)
    if in_lines:
        room += choices - max(chosen.width, shown.width)
    # What is left for the menu, the title and the acts.
    menu, acts = parts.menu, parts.acts
    beside = 0 if apart else chosen.width + BETWEEN + shown.width
    over = parts.first_row(menu.width, 0 if below else usual, beside, acts.width) - width
    if (over > 0) if below else (usual - over < px(READ_TITLE)):
        over, menu = over - menu.width + parts.icon.width, parts.icon
    if below and over > 0:
        acts = Size(0, 0)
    most, least = (room, 0) if below else (usual - over, usual if over <= 0 else 0)
    wide = max(min(title.whole, most), least, px(LEAST_TITLE))
    letters, high = "", parts.tabs[0].height
    if below and wide < title.short:
        smaller = [*title.lines] if in_lines else [*title.lines][-1:]
        letters = next((one for one in smaller if title.lines[one].width <= wide), smaller[-1])
        high = title.lines[letters].height
    says, named = menu is parts.menu, Size(wide, high)
    return Forms(menu, named, chosen, shown, acts, settings_fold, showing_folds, says, letters, apart, below, in_lines)


class Bar(NamedTuple):
    """The bar in some width. A part without a rectangle is out of sight."""

    height: int
    rects: dict[str, Rect]
    forms: Forms


def arranged(width: int, parts: Parts) -> Bar:
    """The bar in this width: one row or, where that is too narrow, two.

    The tabs stay in their places whatever the title is and whichever tab is open: choices that are out of sight keep
    their room.
    """
    forms = forms_in(width, parts)
    title, choices = {"title": forms.title}, {"choices": _choices(forms, parts.shows)} if parts.chooses else {}
    acts = {"acts": forms.acts} if forms.acts.width else {}
    beside = 0 if forms.apart else forms.settings.width + BETWEEN + forms.showing.width
    named = 0 if forms.below else forms.title.width
    over = parts.first_row(forms.menu.width, named, beside, forms.acts.width) - width
    less = max(-(-over // len(parts.tabs)), 0)  # of what is around the words of each tab
    tabs = {f"tab {k}": Size(tab.width - less, tab.height) for k, tab in enumerate(parts.tabs)}
    begin = {"menu": forms.menu} | ({} if forms.below else title) | tabs
    first = begin, acts if forms.apart else choices | acts
    second = title if forms.below else {}, choices if forms.apart else {}
    rects: dict[str, Rect] = {}
    top, gap = parts.px(DOWN), parts.px(GAP)
    for at_left, at_right in (first, second) if any(second) else (first,):
        high = max(size.height for size in (at_left | at_right).values())
        x, end = parts.left, width - parts.right
        for name, size in at_left.items():
            rects[name] = (x, top + (high - size.height) // 2, *size)
            x += size.width + gap
        for name, size in reversed(at_right.items()):
            rects[name] = (end - size.width, top + (high - size.height) // 2, *size)
            end -= size.width + gap
        rects.setdefault("computing", (x, top, max(end - x, 0), high))  # what is free in the first row
        top += high + parts.px(DOWN)
    if parts.chooses:
        rects |= _each_choice(rects.pop("choices"), forms, parts.shows)
    return Bar(top, rects, forms)


def _choices(forms: Forms, shows: bool) -> Size:
    """The size of both choices together; without the second, its place is kept beside the first, but not below it."""
    settings, showing = forms.settings, forms.showing
    if not forms.in_lines:
        return Size(settings.width + BETWEEN + showing.width, max(settings.height, showing.height))
    return Size(max(settings.width, showing.width), settings.height + shows * (LINES + showing.height))


def _each_choice(around: Rect, forms: Forms, shows: bool) -> dict[str, Rect]:
    """The rectangles of the choices in that of both."""
    x, y, _, high = around
    settings, showing = forms.settings, forms.showing
    if forms.in_lines:
        there = {"settings": (x, y, *settings), "showing": (x, y + settings.height + LINES, *showing)}
    else:
        right = x + settings.width + BETWEEN
        there = {
            "settings": (x, y + (high - settings.height) // 2, *settings),
            "showing": (right, y + (high - showing.height) // 2, *showing),
        }
    return there if shows else {"settings": there["settings"]}
