"""Words on a page."""

import pytest

from explorer.pages.page import Section
from explorer.ui.page.note import SectionLabel


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Why “<s>”: its logit", "Why “&lt;s&gt;”: its logit"),
        ("“R&D”, merge by merge", "“R&D”, merge by merge"),
        ("The layer", "The layer"),
    ],
)
def test_a_word_in_a_heading_is_no_markup(qtbot, text, shown):
    """The mark <s> of a model of others was taken for a line through the words."""
    label = SectionLabel(None, Section("head", "Head"))
    qtbot.addWidget(label)
    label.tell(Section("head", text))
    assert label.text() == shown
