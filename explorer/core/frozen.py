"""The base of all families of frozen dataclasses: ops, commands, gestures, and the parts of a page."""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from threading import RLock
from typing import Any, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """Each class derived from it is a frozen dataclass, without a decorator.

    Of each class only ``__init__`` is made; its other methods are written here, once for all. `dataclass` makes six for
    each, in four times the time. And all that is made of a class is made when the first of it is asked for, most often
    when there is a first instance: of 270 classes, 180 have none when the window is seen, and making these took a
    fifteenth of the time until then.

    `eq`: whether two instances are equal if their fields are; `kw_only`: whether fields are given by their names only.
    """

    def __init_subclass__(cls, eq: bool = True, kw_only: bool = False) -> None:
        super().__init_subclass__()
        if not cls.__doc__:
            cls.__doc__ = cls.__name__  # `dataclass` would write one, with all types, in most of its time
        for name in _MADE if eq else _MADE_ALWAYS:
            setattr(cls, name, _Later(cls, name, eq, kw_only))

    def __repr__(self) -> str:
        shown = [f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.repr]  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


_MADE_ALWAYS = ("__init__", "__match_args__", "__dataclass_fields__")
_MADE = (*_MADE_ALWAYS, "__eq__", "__hash__")
_LOCK = RLock()
"""Held while a class is completed: two threads may make the first two instances of it."""


class _Later:
    """Stands for a part of a class until that is first asked for, and completes the class then."""

    __slots__ = ("eq", "kind", "kw_only", "name")

    def __init__(self, kind: type, name: str, eq: bool, kw_only: bool) -> None:
        self.kind, self.name, self.eq, self.kw_only = kind, name, eq, kw_only

    def __get__(self, one: object, owner: type | None = None) -> Any:
        with _LOCK:
            if vars(self.kind)[self.name] is self:
                self._complete()
        made = vars(self.kind)[self.name]
        return made.__get__(one, owner) if callable(made) else made

    def _complete(self) -> None:
        kind: Any = self.kind
        dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=self.kw_only)(kind)
        parts = fields(kind)
        places = tuple(part.name for part in parts if part.init and not part.kw_only)
        setattr(kind, "__match_args__", places)  # noqa: B010 - mypy takes it for the name of a pattern
        if self.eq:
            kind.__eq__, kind.__hash__ = _comparison(parts)
        kind.__init__ = _constructor(parts, hasattr(kind, "__post_init__"))


def _comparison(parts: Iterable[Field[Any]]) -> tuple[Callable[[Any, object], Any], Callable[[Any], int]]:
    """``__eq__`` and ``__hash__``, from the fields of a class."""
    compared = attrgetter(*[part.name for part in parts if part.compare] or ["__class__"])

    def equal(one: object, other: object) -> Any:  # a bool, or NotImplemented
        if one is other:
            return True
        return compared(one) == compared(other) if type(one) is type(other) else NotImplemented

    return equal, lambda one: hash(compared(one))


def _constructor(parts: Iterable[Field[Any]], is_checked: bool) -> Callable[..., None]:
    """The ``__init__`` that `dataclass` would make, from the fields of a class, in a third of the time."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    places, by_name, body = ["self"], ["*"], []
    for part in parts:
        name, taken, default = part.name, part.name, ""
        if part.default is not MISSING:
            known[f"_default_{name}"], default = part.default, f"=_default_{name}"
        elif part.default_factory is not MISSING:
            known[f"_make_{name}"], default = part.default_factory, "=_MISSING"
            taken = f"_make_{name}() if {name} is _MISSING else {name}" if part.init else f"_make_{name}()"
        if part.init:
            (by_name if part.kw_only else places).append(name + default)
        if part.init or part.default_factory is not MISSING:
            body.append(f"_set(self,{name!r},{taken})")
    if is_checked:
        body.append("self.__post_init__()")
    given = ",".join(places + by_name[len(by_name) == 1 :])
    exec(f"def __init__({given}):\n " + "\n ".join(body or ["pass"]), known)
    made: Callable[..., None] = known["__init__"]
    return made
