"""Where the words of a map stand."""

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF

from explorer.ui.words.word_map import RINGS, LabelPlacement, lead

VIEW = QRectF(0, 0, 800, 400)
SPOTS = st.lists(st.tuples(st.floats(0, 800), st.floats(0, 400)), min_size=1, max_size=30)


@given(SPOTS)
def test_what_is_said_to_be_free_is_free(spots):
    points = [QPointF(x, y) for x, y in spots]
    places = LabelPlacement(VIEW, points, 4, len(points))
    taken = [QRectF(x - 4, y - 4, 8, 8) for x, y in spots]
    for spot in points:
        place, clashes = places.freest(spot, 50, 14)
        assert place.width() == 50
        if clashes:
            continue
        assert VIEW.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(place)
        inner = place.adjusted(1e-9, 1e-9, -1e-9, -1e-9)
        assert not any(inner.intersects(other) for other in taken)
        taken.append(place)
        places.take(spot, place)


def test_a_word_alone_stands_beside_its_point():
    spot = QPointF(100, 100)
    place, clashes = LabelPlacement(VIEW, [spot], 4, 1).freest(spot, 50, 14)
    assert (place, clashes) == (QRectF(100 + RINGS[0], 93, 50, 14), 0)
    assert lead(spot, place) is None


def test_points_in_one_place_get_places_of_their_own():
    spot = QPointF(100, 100)
    places = LabelPlacement(VIEW, [spot] * 4, 4, 4)
    found = []
    for _ in range(4):
        place, clashes = places.freest(spot, 50, 14)
        assert not clashes
        assert not any(place.intersects(other) for other in found)
        places.take(spot, place)
        found.append(place)


def test_a_word_that_stands_off_has_a_line_to_its_point():
    assert lead(QPointF(100, 100), QRectF(140, 90, 50, 14)) == QPointF(140, 100)
    assert lead(QPointF(100, 100), QRectF(120, 120, 50, 14)) == QPointF(120, 120)
