"""Rectangles as (left, top, width, height)."""


def overlap(one, other):
    """Whether two of them share more than an edge."""
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )
