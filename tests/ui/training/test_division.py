"""The places on the page "Train", without a window."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.ui.training.division import LEAST, LEFT, NARROW, divided, margins
from tests.ui.window.test_division import SCALES

BAR = 12


@given(st.integers(600, 2600), st.integers(300, 1400), SCALES, st.booleans(), st.sampled_from([None, 40, 90]))
def test_settings_run_and_messages_fill_the_page_and_a_scroll_bar_has_room_in_each(width, high, scale, opened, foot):
    def px(pixels):
        return round(pixels * scale)

    found = divided(width, high, px, BAR, opened, None if foot is None else lambda _: px(foot))
    run, below = found.run, found.foot
    assert found.settings == (0, 0, px(LEFT), high)
    assert run[:2] == (0 if found.folded else px(LEFT), 0)
    assert below[:2] == (run[0], run[3])
    assert run[2] == below[2] == max(width - run[0], 0)
    assert run[3] == high - below[3]
    assert found.narrow == (width < px(NARROW))
    assert found.folded == (found.narrow and not opened)
    assert found.rooms == (max(run[2] - sum(margins(px)) - BAR, px(LEAST)), px(LEFT) - BAR)
