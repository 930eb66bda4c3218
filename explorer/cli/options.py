"""What commands share: a parser with one-sentence errors, common options, and the handling of stop signals."""

import signal
import threading
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any, NoReturn


class UsageError(Exception):
    """A command line that cannot be understood; the text says what is wrong and what would be right."""


FORCE = "write, too, over a file that is read here, or that this program has not written"


class Parser(ArgumentParser):
    """An argument parser that leaves the output of errors and the exit to `main`."""

    def __init__(self, command: str, description: str, usage: str | None = None, epilog: str | None = None) -> None:
        prog = f"explorer {command}".strip()
        form = RawDescriptionHelpFormatter
        super().__init__(prog, usage, description, epilog, formatter_class=form, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise the error without the usage before it."""
        raise UsageError(f"{message}; see `{self.prog} --help`")


def add_force(parser: Parser) -> None:
    """Add the option to overwrite a file that the command would otherwise refuse to overwrite."""
    parser.add_argument("--force", action="store_true", help=FORCE)


def add_lesson(parser: Parser) -> None:
    """Add the argument for the example that a command is about."""
    parser.add_argument("lesson", metavar="LESSON", help="a name from `explorer list`, or a file (.toml or .explorer)")


def add_tokenizer(parser: Parser) -> None:
    """Add the option for the tokenizer of a llama2.c file."""
    what = "the tokenizer of a file of llama2.c, where it does not lie beside it"
    parser.add_argument("--tokenizer", metavar="FILE", help=what)


def add_gradients(parser: Parser) -> None:
    """Add the options for gradients instead of values."""
    parser.add_argument("--grad", action="store_true", help="the gradient of the loss")
    what = "the gradient of this number instead, as in 'output[0,1]', counted from 0"
    parser.add_argument("--grad-of", metavar="CELL", help=what)


def add_edits(parser: Parser) -> None:
    """Add the options for edits that are made before a command reads the model."""
    edits = parser.add_argument_group("edits, made in this order")
    add = edits.add_argument
    add(
        "--setting", metavar="NAME", help="such as textbook or printed; if left out, the one that the lesson opens with"
    )
    add("--switch", action="append", default=[], metavar="B.N=V", help="set a switch, as in encoder.1.self.scale=none")
    read = edits.add_mutually_exclusive_group().add_argument
    read("--tokens", metavar="TEXT", help="other words for what the model reads first, split at blanks or into pieces")
    read("--ids", metavar="NUMBERS", help="the same by the numbers of the words, as in --ids '5 17 3'")
    read = edits.add_mutually_exclusive_group().add_argument
    read("--target", metavar="TEXT", help="other words for the sequence a decoder reads, split at blanks")
    read("--target-ids", metavar="NUMBERS", help="the same by the numbers of the words")
    what = "set a cell, as in 'source.table[0,1]=2.5', counted from 0; a computed one is pinned"
    add("--set", action="append", default=[], metavar="CELL=V", dest="sets", help=what)


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
