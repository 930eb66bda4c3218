"""What a person can do to a document: one small class for each act. A command turns a state into a new one."""

from explorer.document.commands.base import Command
from explorer.document.commands.cells import SetArray, SetCells, SetInputs
from explorer.document.commands.kinds import BecomeKind
from explorer.document.commands.pins import PinCells, Release
from explorer.document.commands.replace import Replace
from explorer.document.commands.switches import SetSwitch
from explorer.document.commands.words import AddWords, SendWords, SetTokens
from explorer.document.commands.writing import WriteOn

__all__ = [
    "AddWords",
    "BecomeKind",
    "Command",
    "PinCells",
    "Release",
    "Replace",
    "SendWords",
    "SetArray",
    "SetCells",
    "SetInputs",
    "SetSwitch",
    "SetTokens",
    "WriteOn",
]
