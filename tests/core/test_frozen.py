"""What the base makes of a class is what `dataclass` makes of it."""

from dataclasses import FrozenInstanceError, dataclass, field, replace
from inspect import signature
from pickle import dumps, loads
from threading import Barrier, Thread

import pytest

from explorer.core.frozen import Frozen


def contents():
    """Of a class with one field of each kind."""

    def doubled(self):
        self.twice.extend(2 * self.parts)

    return {
        "__annotations__": {"name": str, "size": int, "parts": list, "note": str, "twice": list},
        "size": 2,
        "parts": field(default_factory=list, kw_only=True),
        "note": field(default="", compare=False, repr=False),
        "twice": field(default_factory=list, init=False, compare=False),
        "__post_init__": doubled,
    }


THEIRS = dataclass(frozen=True)(type("Thing", (), contents()))
OURS = type("Thing", (Frozen,), contents())


def both(make):
    """The same of both classes, for both must be alike in it."""
    theirs, ours = make(THEIRS), make(OURS)
    assert ours == theirs
    return ours


def test_it_is_made_with_the_same_arguments():
    assert both(lambda kind: [str(one) for one in signature(kind).parameters]) == ["name", "size", "note", "parts"]
    assert both(lambda kind: vars(kind("a", parts=[1])))["twice"] == [1, 1]
    assert both(lambda kind: vars(replace(kind("a", 3, "b"), size=4)))["size"] == 4
    assert OURS("a").parts is not OURS("a").parts
    for wrong in ((), ("a", 1, "", [])):
        with pytest.raises(TypeError, match="argument"):
            OURS(*wrong)


def test_two_are_compared_and_shown_by_their_fields():
    assert both(lambda kind: repr(kind("a", parts=[1]))) == "Thing(name='a', size=2, parts=[1], twice=[1, 1])"
    assert both(lambda kind: (kind("a", note="b") == kind("a"), kind("a") == kind("a", 3))) == (True, False)
    assert OURS("a") != THEIRS("a")
    assert OURS("a").__eq__(3) is NotImplemented
    key = type("Key", (Frozen,), {"__annotations__": {"name": str, "note": str}, "note": field(compare=False)})
    assert len({key("a", "b"), key("a", "c"), key("b", "b")}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(type("Key", (Frozen,), {"__annotations__": {"name": list}})([]))


def test_nothing_of_it_is_set_or_deleted():
    one = OURS("a")
    for change in (lambda: setattr(one, "name", "b"), lambda: setattr(one, "other", 1), lambda: delattr(one, "name")):
        with pytest.raises(FrozenInstanceError, match="cannot"):
            change()
    assert vars(one) == vars(OURS("a"))


def test_a_class_can_do_without_equality_and_without_places():
    class Alone(Frozen, eq=False, kw_only=True):
        name: str

    class Derived(Alone, eq=False):
        size: int = 1

    one = Derived(name="a")
    assert one == one
    assert one != Derived(name="a")
    assert len({one, Derived(name="a")}) == 2
    with pytest.raises(TypeError, match="argument"):
        Alone("a")
    empty, other = (type(name, (Frozen,), {}) for name in ("Empty", "Other"))
    assert empty() == empty() != other()


class Sent(Frozen):
    name: str
    parts: tuple[int, ...] = ()


def test_one_that_came_without_init_is_compared_by_its_fields():
    sent = loads(dumps(Sent("a", (1,))))
    again = type("Again", (Frozen,), {"__annotations__": {"name": str}})
    one, other = (again.__new__(again) for _ in range(2))
    for each in (one, other):
        vars(each)["name"] = "a"
    assert sent == Sent("a", (1,))
    assert one == other
    assert hash(one) == hash(other)
    match sent:
        case Sent(name, parts):
            assert (name, parts) == ("a", (1,))


def test_two_threads_may_make_the_first_two():
    for _ in range(20):
        kind, both_there, made = type("Thing", (Frozen,), contents()), Barrier(2), []

        def make(kind=kind, both_there=both_there, made=made):
            both_there.wait()
            made.append(kind("a", parts=[1]))

        threads = [Thread(target=make) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made[0] == made[1]
        assert made[0].twice == [1, 1]
