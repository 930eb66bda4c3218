"""A ring is filled to its share."""

import pytest

from explorer.ui.widgets.ring import Ring


def test_a_ring_is_filled_to_its_share(look, qtbot):
    ring = Ring(look, "How far", 40)
    qtbot.addWidget(ring)
    ring.show_share(0.5)
    picture = ring.grab().toImage()
    right, left = (picture.pixelColor(x, picture.height() // 2).name() for x in (picture.width() - 2, 1))
    assert right == look.theme.accent.lower()
    assert left == look.theme.line.lower()


@pytest.mark.parametrize("still", [False, True])
def test_it_fills_before_one_s_eyes_unless_little_should_move(appearance, qtbot, still):
    appearance.set_still(still)
    ring = Ring(appearance, "How far")
    qtbot.addWidget(ring)
    ring.show_share(1.0, fills=True)
    assert (ring._shown == 1.0) == (still or not appearance.moves)
    qtbot.waitUntil(lambda: ring._shown == 1.0)
