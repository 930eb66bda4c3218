"""Every page of the model that others trained."""

import pytest

from explorer.document.commands import SetSwitch
from explorer.lessons.loader import load
from explorer.pages.levels import places

STAGES = [stage.name for stage in places(load("stories260k").state().graph)]


@pytest.mark.parametrize("stage", STAGES)
def test_it_opens(desk, stage):
    assert desk("stories260k").page(stage).elements


def test_the_card_does_not_call_it_untrained(desk):
    page = desk("stories260k").page("model.card")
    assert page.has("others")
    assert not page.has("untrained")


def test_the_loss_names_its_own_end_mark(desk):
    own = desk("stories260k")
    own.do(SetSwitch("loss", "loss", "cross-entropy"))
    assert "and <i>&lt;/s&gt;</i> after the last" in own.page("loss").notes


def test_its_tokenizer_is_taken_apart(desk):
    assert desk("stories260k").page("generation.pieces").texts("own pieces") == [
        ["␣Once␣upon␣a␣time", "␣Once · ␣upon · ␣a · ␣time", "403 407 261 378"]
    ]


def test_a_sign_that_may_come_next_stands_in_quotes(desk):
    (first, *_) = desk("stories260k").page("generation.next").the("next words").lines
    assert first.entries[0].text == "“,”"
