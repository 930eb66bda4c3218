"""Where elements below each other stand, in pixels: for the same width and sizes of words, the same rectangles."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple, Protocol

from explorer.pages import controls, equation
from explorer.pages import page as el
from explorer.pages.element import Arrangement, Element
from explorer.pages.equation import Line, Part, Placed, Rect, Room, Size
from explorer.pages.matrix import Matrix
from explorer.pages.steps.question import Grid, Options

CONTROLS = (
    controls.Button,
    controls.Check,
    controls.Choice,
    controls.Menu,
    controls.Number,
    controls.Ring,
    controls.Slider,
)
NARROW = Matrix, el.Maths, *CONTROLS
"""Elements that are as wide as they like to be, at the left; others take the width of the page."""
WORDS = el.Header, el.Note, el.Section
"""Elements that stay in sight even where something else makes the page wider than what is in sight."""
ACROSS, DOWN, COLUMNS, CHOICES, FORM = 10, 6, 6, 4, 5
"""Pixels between controls on a line, between such lines, between columns (at any text scale), between options; and
between the lines of a form, in a stack, and in a scheme."""
PICTURES = el.Picture, el.Traces, el.DescentPart
"""Elements that may state a size of their own."""
WIDE, MOST_TIMES = 1400, 1.5
"""On a page wider than `WIDE`, in pixels at text scale 1, pictures are larger, by at most the factor `MOST_TIMES`."""
SIGN = 22
"""The width of an operator sign in pixels at text scale 1."""
ANY = 2**24 - 1
"""More pixels than any element takes."""


class Ask(NamedTuple):
    """What an element asks for, in pixels; heights are asked for with a width."""

    likes: int
    least: int = 0
    share: int = 0  # the least width beside others on a line; 0: it always takes the width that it likes
    fewer: tuple[int, ...] = ()  # the widths of its shorter texts, the longest first
    most: int = ANY  # the greatest width
    # Of a matrix: see `equation.Size`; and whether it is a small picture.
    base: int | None = None
    side: tuple[int, int] | None = None
    small: bool = False
    lowest: int = 0  # of a picture that fills the page: the least height


class Metrics(Protocol):
    """The sizes of what elements show in one look."""

    @property
    def room(self) -> int:
        """The width in sight: words take no more of a wider page."""

    @property
    def sight(self) -> int | None:
        """The height in sight, which pictures may fill; None if there is no such limit, as on paper."""

    @property
    def down(self) -> int:
        """The pixels between two lines of a row."""

    @property
    def fixed(self) -> Mapping[str, int]:
        """The widths of stacks that have one of their own, by id."""

    @property
    def drawn(self) -> float:
        """By what further factor pictures may be larger."""

    @property
    def begins(self) -> Mapping[str, Collection[int]]:
        """For rows, by id, the indices of what always begins a line."""

    def px(self, pixels: float) -> int:
        """Pixels at text scale 1, converted to this screen."""

    def ask(self, id: str) -> Ask | None:
        """What an element asks for; None if it shows nothing now."""

    def high(self, id: str, width: int) -> int:
        """The height of an element in a width."""


def own_size(element: Element) -> tuple[int, int] | None:
    """The width and height that a picture states, in pixels at text scale 1; 0 for one that it does not state."""
    if not isinstance(element, PICTURES) or (isinstance(element, el.Picture) and element.fills):
        return None
    return element.width, element.height


def picture_size(element: Element, narrow: int, metrics: Metrics) -> tuple[int, int] | None:
    """The width and height in pixels of a picture that states them: narrower on a narrow page, larger on a wide one.

    None if it states neither, 0 for one that it does not state. `narrow`: the width of the stack around it.
    """
    own = own_size(element)
    if own is None or not any(own):
        return None
    across, high = map(metrics.px, own)
    if not all(own):
        return min(across, metrics.room), high
    if isinstance(element, el.DescentPart) and 0 < metrics.px(element.all_from) <= metrics.room:
        across = metrics.room
    wide = 1.0 if metrics.room == ANY else metrics.room / metrics.px(WIDE)
    times = min(min(max(wide, 1.0), MOST_TIMES) * metrics.drawn, max(narrow / across, 1.0))
    return max(min(round(across * times), narrow), 0), round(high * times)


class Scene(NamedTuple):
    """The places of the elements that show something, and of titles and signs, by id; and the height of all."""

    places: dict[str, Rect]
    height: int


def title_of(stack: el.Stack) -> str:
    """The id of the title of a stack."""
    return f"{stack.id}: title"


def sign_of(element: Element) -> str:
    """The id of the sign before an element of a row."""
    return f"{element.id}: sign"


def arrange(elements: Sequence[Element], width: int, between: int, metrics: Metrics) -> Scene:
    """Elements below each other in a width, with `between` pixels between two that show something."""
    return filled(elements, [scene_of(one, width, between, metrics) for one in elements], width, between, metrics)


def filled(elements: Sequence[Element], scenes: Sequence[Scene], width: int, between: int, metrics: Metrics) -> Scene:
    """The scenes of elements, below each other; a picture that fills the page takes what they leave of the height."""
    found, room = list(scenes), min(width, metrics.room)
    for i, one in enumerate(elements):
        ask = metrics.ask(one.id) if isinstance(one, el.Picture) and one.fills else None
        if ask is not None and isinstance(one, el.Picture):
            needed = metrics.high(one.id, room)
            found[i] = Scene({one.id: (0, 0, room, needed)}, needed)
            if metrics.sight is not None:
                rest = metrics.sight - below(found, between).height + needed
                high = max(rest, min(ask.lowest, needed), 0)
                there = not one.spare or rest >= ask.lowest
                found[i] = Scene({one.id: (0, 0, room, high)}, high) if there else Scene({}, 0)
    return below(found, between)


def below(scenes: Sequence[Scene], between: int) -> Scene:
    """Scenes below each other, with `between` pixels between two that show something."""
    places, y = dict[str, Rect](), 0
    for scene in scenes:
        if scene.places:
            y += between if places else 0
            places |= _moved(scene, 0, y)
            y += scene.height
    return Scene(places, y)


def _moved(scene: Scene, x: int, y: int) -> dict[str, Rect]:
    return {id: (left + x, top + y, wide, high) for id, (left, top, wide, high) in scene.places.items()}


def asked(element: Element, metrics: Metrics) -> Ask | None:
    """What an element asks for, also if it arranges others; None if it shows nothing now."""
    if not isinstance(element, Arrangement):
        return metrics.ask(element.id)
    if isinstance(element, el.Stack) and (fixed := metrics.fixed.get(element.id)):
        return Ask(fixed, fixed)
    below_head = element.elements if isinstance(element, el.Stack) else element.inside
    inside = [ask for one in below_head if (ask := asked(one, metrics)) is not None]
    if isinstance(element, el.Stack) and (head := head_of(element, metrics)):
        gaps = metrics.px(DOWN) * (len(head) - 1)
        least = min(sum(one.least for _, one in head) + gaps, max(metrics.room, *(one.least for _, one in head), 0))
        inside.append(Ask(sum(one.likes for _, one in head) + gaps, least))
    if not inside:
        return None
    likes, least = max(ask.likes for ask in inside), max(ask.least for ask in inside)
    match element:
        case el.Scheme():
            left, *others = inside
            likes = left.likes + max(one.likes for one in others)
            return Ask(likes, likes)
        case el.Row():
            likes = sum(ask.likes for ask in inside) + metrics.px(ACROSS) * (len(inside) - 1)
            return Ask(likes, least_of(element, metrics))
        case controls.Controls() if not isinstance(element, controls.Form):
            likes = sum(ask.likes for ask in inside) + metrics.px(ACROSS) * (len(inside) - 1)
            return Ask(likes, least)
        case el.Stack(elements=elements):
            # It can be narrower to stand beside others if something in it can.
            flows = any(
                isinstance(one, (el.Row, controls.Controls)) and not isinstance(one, controls.Form) for one in elements
            )
            shares = flows or any(ask.share for ask in inside)
            return Ask(likes, least, max(ask.share or ask.least for ask in inside) if shares else 0)
    return Ask(likes, least)


def scene_of(element: Element, width: int, between: int, metrics: Metrics) -> Scene:
    """An element, at the origin; see `arrange`."""
    match element:
        case el.Picture(fills=True):  # see `filled`
            return Scene({}, 0)
        case el.Row():
            return _row(element, width, between, metrics)
        case el.Stack():
            return _stack(element, metrics.fixed.get(element.id) or width, between, metrics)
        case el.Scheme():
            return _scheme(element, metrics)
        case controls.Form():
            whole = [_leaf(one, width, metrics, whole=True) for one in element.inside]
            return below(whole, metrics.px(FORM))
        case controls.Spread():
            return _spread(element, width, between, metrics)
        case Options():
            return _options(element, width, metrics)
        case Grid():
            return _grid(element, width, metrics)
        case controls.Controls():
            return _flow(element.inside, width, metrics)
        case Arrangement():
            raise NotImplementedError(type(element).__name__)
    return _leaf(element, width, metrics)


def _leaf(element: Element, width: int, metrics: Metrics, whole: bool = False) -> Scene:
    """An element that arranges no others. `whole`: whether it takes the width even if it usually does not."""
    ask = metrics.ask(element.id)
    if ask is None:
        return Scene({}, 0)
    wide = min(width, metrics.room) if isinstance(element, WORDS) else width
    narrow = not whole and (
        isinstance(element, NARROW)
        or (isinstance(element, controls.Field) and (element.gives or not element.hint))
        or (isinstance(element, controls.ProgressBar) and not element.wide)
    )
    wide = min(max(min(wide, ask.likes if narrow else ask.most), ask.least), width)
    high = metrics.high(element.id, wide)
    return Scene({element.id: (0, 0, wide, high)}, high)


def _stack(stack: el.Stack, width: int, between: int, metrics: Metrics) -> Scene:
    """Elements below a title, and a button behind that, or below it where both have no room."""
    head, x, line = head_of(stack, metrics), 0, list[tuple[str, int, int]]()
    inside = [scene_of(one, width, between, metrics) for one in stack.elements]
    behind = sum(ask.likes + metrics.px(DOWN) for _, ask in head[1:])
    if behind and max(ask.likes for _, ask in head[:1]) + behind > width:
        heads = [_line([(id, 0, min(ask.likes, width))], metrics) for id, ask in head]
        return below([*heads, *inside], metrics.px(DOWN))
    for id, ask in head:
        wide = ask.likes if line else width if not behind else max(min(ask.likes, width - behind), 0)
        line.append((id, x, wide))
        x += wide + metrics.px(DOWN)
    return below([_line(line, metrics), *inside], metrics.px(DOWN))


def head_of(stack: el.Stack, metrics: Metrics) -> list[tuple[str, Ask]]:
    """The title of a stack, and the button behind it, by id."""
    ids = [title_of(stack), *([] if stack.control is None else [stack.control.id])]
    return [(id, ask) for id in ids if (ask := metrics.ask(id)) is not None]


def _scheme(scheme: el.Scheme, metrics: Metrics) -> Scene:
    """The right factor above the result, and the left one beside it, with their last rows at one height."""
    column = below([_leaf(one, ANY, metrics) for one in (*scheme.above, scheme.result)], metrics.px(DOWN))
    left = _leaf(scheme.left, ANY, metrics)
    beside = left.places[scheme.left.id][2] if left.places else 0
    down = max(left.height - column.height, 0)
    places = _moved(left, 0, column.height + down - left.height) | _moved(column, beside, down)
    return Scene(places, column.height + down)


# Rows


class Seen(NamedTuple):
    """The elements of a row that show something."""

    items: list[el.Item]
    asks: list[Ask]
    parts: list[Part]  # without widths


def seen(row: el.Row, metrics: Metrics) -> Seen:
    """The elements of a row that show something, with the facts that decide where its lines may break."""
    found, begins = Seen([], [], []), metrics.begins.get(row.id, ())
    before: Ask | None = None
    for place, item in enumerate(row.items):
        ask, one = asked(item.element, metrics), item.element
        if ask is not None:
            # A number alone on a line below small pictures would be lost.
            keeps = before is not None and before.small and isinstance(one, Matrix) and one.values.size == 1
            found.items.append(item)
            found.asks.append(ask)
            sign = item.sign if place else ""
            found.parts.append(Part((0,), sign=sign, keeps=keeps, begins=place in begins))
        before = ask
    return found


def room_in(width: int, metrics: Metrics) -> Room:
    """The room of a row."""
    return Room(width, metrics.px(ACROSS), metrics.px(SIGN))


def least_of(row: el.Row, metrics: Metrics) -> int:
    """The width of the widest piece of a row that cannot be broken: a narrower row would be cut."""
    there = seen(row, metrics)
    parts = [part._replace(widths=(ask.least,)) for part, ask in zip(there.parts, there.asks, strict=True)]
    room = room_in(0, metrics)
    return max((equation.across(parts, piece, room, 0) for piece in equation.broken(parts, room)), default=0)


def torn(row: el.Row, width: int, metrics: Metrics) -> int:
    """How many lines of a row begin inside a term, in a width."""
    parts, lines = _lines(seen(row, metrics), room_in(width, metrics))
    return sum(equation.is_torn(parts, line) for line in lines[1:])


def _lines(there: Seen, room: Room) -> tuple[list[Part], list[Line]]:
    widths = shared(there.asks, room.width, room.gap)
    parts = [part._replace(widths=(wide,)) for part, wide in zip(there.parts, widths, strict=True)]
    return parts, equation.broken(parts, room)


def _row(row: el.Row, width: int, between: int, metrics: Metrics) -> Scene:
    """Elements side by side, on as many lines as it takes; a sign stands close to the numbers before it."""
    there, room = seen(row, metrics), room_in(width, metrics)
    parts, lines = _lines(there, room)
    # Beside a button words stand at the middle of their line; else at its top.
    top = not any(isinstance(one, controls.Button) for one in row.inside)
    scenes, sizes = list[Scene](), list[Size]()
    for item, ask, part in zip(there.items, there.asks, parts, strict=True):
        wide = part.widths[0]
        if isinstance(item.element, Arrangement):
            scene = scene_of(item.element, wide, between, metrics)
        else:
            high = metrics.high(item.element.id, wide)
            scene = Scene({item.element.id: (0, 0, wide, high)}, high)
        scenes.append(scene)
        side = ask.side or (wide, scene.height // 2)
        sizes.append(Size(wide, scene.height, ask.base, side, top and ask.side is None))
    packs = not any(part.begins for part in parts)
    placed = equation.placed([part.sign for part in parts], sizes, lines, room, metrics.down, packs)
    return Scene(_in_row(there, scenes, placed, room, metrics), placed.height)


def _in_row(there: Seen, scenes: Sequence[Scene], placed: Placed, room: Room, metrics: Metrics) -> dict[str, Rect]:
    places = dict[str, Rect]()
    for i, (item, scene, rect) in enumerate(zip(there.items, scenes, placed.parts, strict=True)):
        if item.holds and i in placed.signs:
            left, middle = placed.signs[i]
            high = metrics.high(sign_of(item.element), room.sign)
            places[sign_of(item.element)] = left, middle - high // 2, room.sign, high
        places |= _moved(scene, rect[0], rect[1])
        if isinstance(item.element, Arrangement):
            places[item.element.id] = rect
    return places


def shared(asks: Sequence[Ask], width: int, gap: int) -> list[int]:
    """The widths of elements side by side: some are narrower if that brings all onto one line."""
    wides = [max(min(ask.likes, width), ask.least) for ask in asks]
    gaps, sharing = gap * (len(asks) - 1), sum(ask.share > 0 for ask in asks)
    least = [ask.share or wide for ask, wide in zip(asks, wides, strict=True)]
    if sharing and sum(wides) + gaps > width >= sum(least) + gaps:
        left = (width - gaps - sum(least)) // sharing
        more = [wide + left * (ask.share > 0) for ask, wide in zip(asks, least, strict=True)]
        wides = [max(min(ask.likes, wide), ask.least) for ask, wide in zip(asks, more, strict=True)]
    return wides


def _options(options: Options, width: int, metrics: Metrics) -> Scene:
    """Options below each other, or side by side and equally high where they may and that is lower."""
    gap, n = metrics.px(CHOICES), len(options.options)
    column = arrange(options.options, width, gap, metrics)
    each = (width - gap * (n - 1)) // max(n, 1)
    high = max((metrics.high(one.id, each) for one in options.options), default=0)
    if not options.abreast or not 0 < high < column.height:
        return column
    ends = [(width - gap * (n - 1)) * i // n + gap * i for i in range(n + 1)]
    lefts = zip(options.options, ends, ends[1:], strict=False)
    return Scene({one.id: (left, 0, end - gap - left, high) for one, left, end in lefts}, high)


def _grid(grid: Grid, width: int, metrics: Metrics) -> Scene:
    """Elements in columns, the first as wide as those behind it let it be; a button stands at the top of its row.

    Those of a single row stand below each other where the first would have the smaller part of the width, or where that
    is no higher.
    """
    rows = [[(one, ask) for one in row if (ask := metrics.ask(one.id)) is not None] for row in grid.rows]
    behind = [max(row[i][1].likes for row in rows if len(row) > i) for i in range(1, max(map(len, rows)))]
    room = min(width, metrics.px(grid.most) or width) - sum(COLUMNS + wide for wide in behind)
    column = arrange(grid.inside, width, metrics.px(DOWN), metrics) if len(rows) == 1 else None
    if column is not None and room < sum(behind):
        return column
    lines: list[Scene] = []
    for row in rows:
        parts, x = list[tuple[str, int, int]](), 0
        for i, ((one, ask), wide) in enumerate(zip(row, (room, *behind), strict=False)):
            across = min(wide, ask.likes) if i else wide
            parts.append((one.id, x + (wide - across if i == 1 else 0), across))
            x += wide + COLUMNS
        lines.append(_line(parts, metrics, {one.id for one, _ in row if isinstance(one, controls.Button)}))
    scene = below(lines, 0 if grid.close else metrics.px(2))
    return scene if column is None or scene.height < column.height else column


def _flow(elements: Sequence[Element], width: int, metrics: Metrics) -> Scene:
    """Elements side by side, on another line where one is full; some are narrower if that brings all onto one line."""
    gap = metrics.px(ACROSS)
    asks = [(one, ask) for one in elements if (ask := metrics.ask(one.id)) is not None]
    wides = shared([ask for _, ask in asks], width, gap)
    lines, x = [list[tuple[str, int, int]]()], 0
    for (one, _), wide in zip(asks, wides, strict=True):
        if lines[-1] and x + wide > width:
            lines.append([])
            x = 0
        lines[-1].append((one.id, x, wide))
        x += wide + gap
    return below([_line(line, metrics) for line in lines], metrics.px(DOWN))


def _spread(spread: controls.Spread, width: int, gap: int, metrics: Metrics) -> Scene:
    """Elements on one line: as wide as the longest texts that have room together, or as their shares of the width."""
    asks = [(one, ask) for one in spread.inside if (ask := metrics.ask(one.id)) is not None]
    room = width - gap * (len(asks) - 1)
    if spread.shares:
        least = [min((ask.likes, *ask.fewer)) for _, ask in asks]
        tight = [wide * sum(spread.shares) > room * share for wide, share in zip(least, spread.shares, strict=True)]
        free = room - sum(wide for wide, cut in zip(least, tight, strict=True) if cut)
        shares = [0 if cut else share for cut, share in zip(tight, spread.shares, strict=True)]
        ends = [round(free * sum(shares[:i]) / max(sum(shares), 1)) for i in range(len(asks) + 1)]
        wides = [wide if cut else b - a for wide, cut, (a, b) in zip(least, tight, pairwise(ends), strict=True)]
    else:
        ways = zip_longest(*((ask.likes, *ask.fewer) for _, ask in asks))
        for way in ways:
            wides = [ask.likes if wide is None else wide for (_, ask), wide in zip(asks, way, strict=True)]
            if sum(wides) <= room:
                break
    parts, x = list[tuple[str, int, int]](), 0
    for i, ((one, _), wide) in enumerate(zip(asks, wides, strict=True)):
        if i == len(asks) - spread.right:
            x += max(room - sum(wides), 0)
        parts.append((one.id, x, wide))
        x += wide + gap
    return _line(parts, metrics)


def _line(parts: Sequence[tuple[str, int, int]], metrics: Metrics, tops: Collection[str] = ()) -> Scene:
    """Elements by id, each with its left end and its width, at the middle of their line, or at its top."""
    highs = [metrics.high(id, wide) for id, _, wide in parts]
    high = max(highs, default=0)
    return Scene(
        {
            id: (x, 0 if id in tops else (high - own) // 2, wide, own)
            for (id, x, wide), own in zip(parts, highs, strict=True)
        },
        high,
    )
