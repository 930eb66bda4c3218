"""What a person can do to a document: one small class for each act. A command turns a state into a new one."""

from explorer.document.commands.base import Command
from explorer.document.commands.cells import PinCells, Release, SetArray, SetCells, SetInputs
from explorer.document.commands.model import BecomeKind, Replace, SetSwitch
from explorer.document.commands.words import AddWords, SendWords, SetTokens, WriteOn
