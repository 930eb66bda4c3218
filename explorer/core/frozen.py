"""The base of all families of frozen dataclasses: ops, commands, gestures, and the parts of a page."""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """Each class derived from it is a frozen dataclass, without a decorator.

    Of each class only ``__init__`` is made; its other methods are written here, once for all. `dataclass` makes six for
    each, in four times the time: for 300 classes that is an eighth of the time until the window is seen.

    `eq`: whether two instances are equal if their fields are; `kw_only`: whether fields are given by their names only.
    """

    def __init_subclass__(cls, eq: bool = True, kw_only: bool = False) -> None:
        super().__init_subclass__()
        dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
        parts = fields(cls)  # type: ignore[arg-type]
        cls.__init__ = _constructor(parts, hasattr(cls, "__post_init__"))  # type: ignore[method-assign]
        if eq:
            cls.__eq__, cls.__hash__ = _comparison(parts)  # type: ignore[assignment, method-assign]

    def __repr__(self) -> str:
        shown = [f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.repr]  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


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
