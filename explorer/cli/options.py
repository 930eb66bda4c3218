"""What commands share: a parser with one-sentence errors, common options, and the handling of stop signals."""

import signal
import threading
from argparse import ArgumentParser, RawDescriptionHelpFormatter, _ActionsContainer
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any, NamedTuple, NoReturn

from explorer.paths import resources


class UsageError(Exception):
    """A command line that cannot be understood; the text says what is wrong and what would be right."""


class Argument(NamedTuple):
    """An argument or an option of a command."""

    name: str
    options: dict[str, Any]  # as `ArgumentParser.add_argument` takes them


class Group(NamedTuple):
    """Arguments that stand below a title or, if it is "", of which only one may be given."""

    title: str
    arguments: "tuple[Argument | Group, ...]"


class Command:
    """A command.

    `does`: the function that does it, as "FILE.FUNCTION" in this folder.
    """

    def __init__(self, does: str, *arguments: Argument | Group) -> None:
        self.does, self.arguments = does, arguments


class Parser(ArgumentParser):
    """The parser of a command; it leaves the output of errors and the exit to `main`."""

    def __init__(self, name: str, command: Command, usage: str | None = None) -> None:
        self._name = name or "explorer"
        prog, form = f"explorer {name}".strip(), RawDescriptionHelpFormatter
        super().__init__(prog, usage, formatter_class=form, allow_abbrev=False)
        _add(self, command.arguments)

    def format_help(self) -> str:
        """The help, with the words of `resources/commands.toml` before and behind the arguments."""
        import tomllib  # not needed to run a command

        said = tomllib.loads((resources() / "commands.toml").read_text("utf-8"))[self._name]
        self.description, self.epilog = said["about"], said.get("epilog")
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Raise the error without the usage before it."""
        raise UsageError(f"{message}; see `{self.prog} --help`")


def _add(to: _ActionsContainer, arguments: tuple[Argument | Group, ...]) -> None:
    for one in arguments:
        if isinstance(one, Argument):
            to.add_argument(one.name, **one.options)
        else:
            _add(to.add_argument_group(one.title) if one.title else to.add_mutually_exclusive_group(), one.arguments)


def arg(name: str, metavar: str, help: str, **options: Any) -> Argument:
    """An argument, or an option with a value."""
    return Argument(name, {"metavar": metavar, "help": help, **options})


def flag(name: str, help: str) -> Argument:
    """An option without a value."""
    return Argument(name, {"action": "store_true", "help": help})


def group(title: str, *arguments: Argument | Group) -> Group:
    """Options below a title."""
    return Group(title, arguments)


def one_of(*arguments: Argument) -> Group:
    """Options of which only one may be given."""
    return Group("", arguments)


LESSON = arg("lesson", "LESSON", "a name from `explorer list`, or a file (.toml or .explorer)")
WITH_STEPS = arg("lesson", "LESSON", "a name from `explorer list`, or a .toml")
FORCE = flag("--force", "write, too, over a file that is read here, or that this program has not written")
TOKENIZER = arg("--tokenizer", "FILE", "the tokenizer of a file of llama2.c, where it does not lie beside it")
GRADIENTS = (
    flag("--grad", "the gradient of the loss"),
    arg("--grad-of", "CELL", "the gradient of this number instead, as in 'output[0,1]', counted from 0"),
)
_READ = "other words for what the model reads first, split at blanks or into pieces"
_SET = "set a cell, as in 'source.table[0,1]=2.5', counted from 0; a computed one is pinned"
EDITS = group(
    "edits, made in this order",
    arg("--setting", "NAME", "such as textbook or printed; if left out, the one that the lesson opens with"),
    arg("--switch", "B.N=V", "set a switch, as in encoder.1.self.scale=none", action="append", default=[]),
    one_of(
        arg("--tokens", "TEXT", _READ),
        arg("--ids", "NUMBERS", "the same by the numbers of the words, as in --ids '5 17 3'"),
    ),
    one_of(
        arg("--target", "TEXT", "other words for the sequence a decoder reads, split at blanks"),
        arg("--target-ids", "NUMBERS", "the same by the numbers of the words"),
    ),
    arg("--set", "CELL=V", _SET, action="append", default=[], dest="sets"),
)


def fields_of(one: object, *names: str) -> dict[str, Any]:
    """Some attributes of an object, such as parsed arguments, by name."""
    return {name: getattr(one, name) for name in names}


SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals of Ctrl+C, of a request to end, and of a closed terminal (not on Windows)."""


@contextmanager
def stopped() -> Iterator[Event]:
    """An event that is set when this process is asked to stop. A second Ctrl+C ends it at once.

    A signal that is ignored stays ignored: nohup, for example, starts a process that shall continue after the signal.
    """
    stop = Event()
    previous: dict[int, Any] = {}

    def on_signal(number: int, frame: object) -> None:
        stop.set()
        if signal.SIGINT in previous:
            signal.signal(signal.SIGINT, previous[signal.SIGINT])

    if threading.current_thread() is threading.main_thread():  # only the main thread may set signal handlers
        previous = {one: signal.getsignal(one) for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN}
    for number in previous:
        signal.signal(number, on_signal)
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
