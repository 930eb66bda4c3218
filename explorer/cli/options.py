"""A parser whose errors are one sentence, and the options that several commands have."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import NoReturn

from explorer.cli.errors import UsageError

FORCE = "write, too, over a file that is read here, or that this program has not written"


class Parser(ArgumentParser):
    """One that leaves the wording and the exit to `main`."""

    def __init__(self, command: str, description: str, usage: str | None = None, epilog: str | None = None) -> None:
        prog = f"explorer {command}".strip()
        form = RawDescriptionHelpFormatter
        super().__init__(prog, usage, description, epilog, formatter_class=form, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, without the usage in front."""
        raise UsageError(f"{message}; see `{self.prog} --help`")


def add_force(parser: Parser) -> None:
    """Let a command write over a file that it would leave alone."""
    parser.add_argument("--force", action="store_true", help=FORCE)


def add_lesson(parser: Parser) -> None:
    """The example that a command is about."""
    parser.add_argument("lesson", metavar="LESSON", help="a name from `explorer list`, or a file (.toml or .explorer)")


def add_tokenizer(parser: Parser) -> None:
    """What goes with a file of llama2.c."""
    what = "the tokenizer of a file of llama2.c, where it does not lie beside it"
    parser.add_argument("--tokenizer", metavar="FILE", help=what)


def add_gradients(parser: Parser) -> None:
    """Gradients instead of values."""
    parser.add_argument("--grad", action="store_true", help="the gradient of the loss")
    what = "the gradient of this number instead, as in 'output[0,1]', counted from 0"
    parser.add_argument("--grad-of", metavar="CELL", help=what)


def add_edits(parser: Parser) -> None:
    """What is changed before a command looks."""
    edits = parser.add_argument_group("edits, made in this order")
    add = edits.add_argument
    add(
        "--setting", metavar="NAME", help="such as textbook or printed; if left out, the one that the lesson opens with"
    )
    add("--switch", action="append", default=[], metavar="B.N=V", help="set a switch, as in encoder.1.self.scale=none")
    add("--tokens", metavar="TEXT", help="other words for what the model reads first, split at blanks or into pieces")
    add("--ids", metavar="NUMBERS", help="the same by the numbers of the words, as in --ids '5 17 3'")
    add("--target", metavar="TEXT", help="other words for the sequence a decoder reads, split at blanks")
    add("--target-ids", metavar="NUMBERS", help="the same by the numbers of the words")
    what = "set a cell, as in 'source.table[0,1]=2.5', counted from 0; a computed one is pinned"
    add("--set", action="append", default=[], metavar="CELL=V", dest="sets", help=what)
