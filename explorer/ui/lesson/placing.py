"""Where a page begins when a step opens: what the step names is in sight, and nothing is cut at the top of the page."""

from collections.abc import Iterable, Sequence

Span = tuple[int, int]
"""The first pixel and the one behind the last, from the top of a page."""
GAP = 10
"""Pixels above what stands first."""
LOWEST = 0.66
"""The middle of what is wanted stands above this part of what is in sight, if some part of the page begins there."""


def begin(parts: Iterable[Span], wanted: Sequence[Sequence[Span]], in_sight: int) -> int:
    """The pixel at which a page begins.

    As near to its top as it can be without what is wanted at the lower edge of the window, where the eye comes last; at
    the top, or where some of its parts begins and no other is cut.

    Parameters
    ----------
    parts : iterable of Span
        All that stands on the page, such as headings, switches, matrices, pictures.
    wanted : sequence of sequence of Span
        What is to be in sight together, the most that one wishes for first: of these the first that fits.
    in_sight : int
        Pixels in sight.
    """
    parts = [span for span in parts if span[0] < span[1]]
    starts = sorted({0, *(max(top - GAP, 0) for top, _ in parts)})
    for spans in wanted:
        if not spans:
            continue
        first, last = min(top for top, _ in spans), max(bottom for _, bottom in spans)
        if last - first > in_sight:
            continue
        lowest, highest = max(last - in_sight, 0), first
        fit = [start for start in starts if lowest <= start <= highest]
        whole = [start for start in fit if not any(top < start < bottom for top, bottom in parts)]
        if whole or fit:
            end = max(bottom for _, bottom in parts) - in_sight  # a page that begins below this leaves the window empty
            low = (first + last) / 2 - LOWEST * in_sight  # it stands lower where the page begins above this
            return next((start for start in whole or fit if low <= start <= end), (whole or fit)[0])
        return min(max(first - GAP, lowest), highest)
    spans = wanted[-1] if wanted else ()
    return max(min((top for top, _ in spans), default=0) - GAP, 0)
