"""What a person can do to a document: one small class for each act. A command turns a state into a new one."""

from explorer.document.commands.model import (
    BecomeKind,
    Command,
    PinCells,
    Release,
    Replace,
    SetArray,
    SetCells,
    SetInputs,
    SetSwitch,
)
from explorer.document.commands.words import AddWords, SendWords, SetTokens, WriteOn
