import pytest

from explorer.core.switches import SWITCHES, Switch

ALL = {f"{kind}.{name}": switch for kind, switches in SWITCHES.items() for name, switch in switches.items()}


@pytest.mark.parametrize("switch", ALL.values(), ids=ALL)
def test_what_a_switch_holds_it_takes_from_text_too(switch):
    for value in (switch.default, *switch.choices):
        for given in (value, str(value)):
            parsed = switch.parse(given)
            assert parsed == value
            assert type(parsed) is type(switch.default)


@pytest.mark.parametrize("switch", ALL.values(), ids=ALL)
def test_what_is_not_one_of_its_values_is_refused(switch):
    for value in ("", "nonsense", None, "nan", "inf", float("inf"), -1, "-1", 10**400, [], {}):
        assert switch.parse(value) is None, value


@pytest.mark.parametrize(
    ("value", "parsed"),
    [("on", True), ("Off", False), ("true", True), ("False", False), (True, True), ("1", None), (1, None), (2.0, None)],
)
def test_yes_and_no(value, parsed):
    assert Switch(False, "yes or no").parse(value) is parsed


@pytest.mark.parametrize(("value", "parsed"), [("3", 3), (3.0, 3), (2.5, None), ("2.5", None), (True, None), (0, None)])
def test_a_whole_number_is_not_rounded(value, parsed):
    assert Switch(1, "count", least=1).parse(value) == parsed


def test_a_number_has_limits():
    switch = Switch(0.5, "number", least=0.25, most=2)
    assert [switch.parse(x) for x in (0.25, 2, "1e0", 0.2, 2.1)] == [0.25, 2, 1, None, None]


@pytest.mark.parametrize(
    ("switch", "allowed"),
    [
        (Switch(True, "a"), "on or off"),
        (Switch("x", "a", ("x", "y")), "x, y"),
        (Switch(1, "a", least=1), "a whole number of 1 or more"),
        (Switch(1, "a", most=8), "a whole number from 0 to 8"),
        (Switch(1.0, "a", least=1, most=1e6), "a number from 1 to 1,000,000"),
        (Switch(0.5, "a"), "a number of 0 or more"),
    ],
)
def test_a_message_says_what_is_allowed(switch, allowed):
    assert switch.allowed == allowed
