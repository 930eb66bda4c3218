"""The base of all families of frozen dataclasses: ops, commands, gestures, and the parts of a page."""

from dataclasses import dataclass, field
from typing import dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True, eq=False)
class Frozen:
    """Each class derived from it is a frozen dataclass, without a decorator.

    `eq`: whether two instances are equal if their fields are.
    """

    def __init_subclass__(cls, eq: bool = True) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, eq=eq)(cls)
