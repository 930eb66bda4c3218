"""The table of the commands: for each the function that does it, and its arguments. And what commands share.

That is a parser with one-sentence errors, common options, and the handling of stop signals.
"""

import signal
import threading
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter, _ActionsContainer
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Any, NoReturn

from explorer import __version__
from explorer.paths import resources


class UsageError(Exception):
    """A command line that cannot be understood; the text says what is wrong and what would be right."""


Adds = Callable[[_ActionsContainer], object]
"""Adds an argument, or several, to a parser or to a group of arguments."""


class Command:
    """A command.

    `does`: the function that does it, as "FILE.FUNCTION" in this folder.
    """

    def __init__(self, does: str, *arguments: Adds) -> None:
        self.does, self.arguments = does, arguments


class Parser(ArgumentParser):
    """The parser of a command; it leaves the output of errors and the exit to `main`."""

    def __init__(self, name: str, command: Command, usage: str | None = None) -> None:
        self._name = name or "explorer"
        prog, form = f"explorer {name}".strip(), RawDescriptionHelpFormatter
        super().__init__(prog, usage, formatter_class=form, allow_abbrev=False)
        self.register("type", int, _read(int, "whole number"))
        self.register("type", float, _read(float, "number"))
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


def _read(kind: Callable[[str], object], what: str) -> Callable[[str], object]:
    """Reads what was typed for an option; the error says what it should be."""

    def read(text: str) -> object:
        try:
            return kind(text)
        except ValueError:
            raise ArgumentTypeError(f"'{text}' is not a {what}") from None

    return read


def _add(to: _ActionsContainer, arguments: Sequence[Adds]) -> None:
    for adds in arguments:
        adds(to)


def argument(name: str, **options: Any) -> Adds:
    """An argument or an option, as `ArgumentParser.add_argument` takes it."""
    return lambda to: to.add_argument(name, **options)


def arg(name: str, metavar: str, help: str, **options: Any) -> Adds:
    """An argument, or an option with a value."""
    return argument(name, metavar=metavar, help=help, **options)


def flag(name: str, help: str) -> Adds:
    """An option without a value."""
    return argument(name, action="store_true", help=help)


def group(title: str, *arguments: Adds) -> Adds:
    """Options below a title."""
    return lambda to: _add(to.add_argument_group(title), arguments)


def one_of(*arguments: Adds) -> Adds:
    """Options of which only one may be given."""
    return lambda to: _add(to.add_mutually_exclusive_group(), arguments)


# Options that several commands have

_NAMED = "lesson", "LESSON", "a name from `explorer list`, or a file (.toml or .explorer)"
LESSON = arg(*_NAMED)
WITH_STEPS = arg("lesson", "LESSON", "a name from `explorer list`, or a .toml")
FORCE = flag("--force", "write, too, over a file that is read here, or that this program has not written")
TOKENIZER = arg("--tokenizer", "FILE", "the tokenizer of a file of llama2.c, where it does not lie beside it")
MODEL = arg("--model", "FOLDER", "the model that the lesson needs, if it does not come along: its folder or its file")
CHECKPOINT = (
    argument("--dtype", choices=("float64", "float32"), help="in which a checkpoint is computed"),
    TOKENIZER,
    MODEL,
)
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


FORMATS = ("table", "json", "csv", "tsv", "numpy", "latex", "markdown", "python")

WINDOW = Command(
    "",
    arg(
        "file",
        "FILE",
        "a document (.explorer), a lesson (.toml), the name of a lesson, a model that others trained (its folder, "
        "or a .gguf file), or word vectors",
        nargs="?",
    ),
    TOKENIZER,
    MODEL,
    flag("--smoke-test", "start, do everything once, say what was done, end"),
    flag("--register-desktop", "give the program a menu entry, and its files their type, for you alone (Linux)"),
    argument("--version", action="version", version=f"explorer {__version__}"),
)
"""The program without a command."""
COMMANDS = {
    "list": Command(
        "lessons.list_all",
        flag(
            "--json",
            'print {"lessons": [{"id", "title", "steps", "questions", …}], "trained": [{"id", "title", "scores"}], '
            '"models": …, "vectors": …, "courses": …}',
        ),
    ),
    "show": Command(
        "show.show",
        LESSON,
        arg("nodes", "NODE", "what to print; all, if left out", nargs="*", default=[]),
        *GRADIENTS,
        EDITS,
        arg("--format", "FORMAT", "one of those below (table)", default="table"),
        arg("--out", "FILE", "FILE.npz for the nodes as arrays, FILE.py for a script"),
        *CHECKPOINT,
        FORCE,
    ),
    "explain": Command(
        "show.explain",
        LESSON,
        arg("cell", "CELL", "NODE[row,column], counted from 0; put it in quotes"),
        *GRADIENTS,
        EDITS,
        *CHECKPOINT,
    ),
    "render": Command(
        "render.render",
        LESSON,
        arg("stage", "STAGE", "what to draw"),
        arg("out", "OUT", "a file that ends in .png, .svg, .pdf, .gif or .mp4"),
        FORCE,
        arg(
            "--size",
            "WxH",
            "of a still picture in pixels of the window, such as 1280x720; what does not fit is drawn smaller. As "
            "large as needed, if left out",
        ),
        arg("--theme", "NAME", "of a still picture: light or dark, as on a screen; else it is as on paper"),
        flag("--frames", "what moves as numbered files: OUT-01.png, OUT-02.png, …"),
        one_of(
            arg("--learn", "STEPS", "what moves is the model while it learns, so many steps", type=int),
            arg("--cell", "CELL", "what moves is how this cell is computed: NODE[row,column]"),
        ),
        EDITS,
        *CHECKPOINT,
    ),
    "export": Command(
        "render.export",
        LESSON,
        arg("out", "OUT", "a file that ends in .xlsx or .py"),
        FORCE,
        EDITS,
        *CHECKPOINT,
    ),
    "check": Command(
        "lessons.check",
        arg("files", "FILE", "a lesson (.toml)", nargs="*", default=[]),
        MODEL,
        flag("--json", 'print {"lessons": […], "figures": […], "slips": […]}'),
    ),
    "replay": Command(
        "lessons.replay",
        arg("lessons", "LESSON", "a name from `explorer list`, or a .toml", nargs="*", default=[]),
        MODEL,
    ),
    "handout": Command(
        "render.handout",
        WITH_STEPS,
        arg("out", "OUT", "a file that ends in .pdf or .html"),
        FORCE,
        MODEL,
    ),
    "ink": Command(
        "render.ink",
        WITH_STEPS,
        MODEL,
        arg("--size", "WxH", "pixels of window and slides (1280x720)", default="1280x720"),
        flag("--json", "print JSON"),
    ),
    "glossary": Command(
        "lessons.define",
        arg("term", "TERM", "as it stands on the screen: d_model, softmax", nargs="?"),
        flag("--json", 'print [{"name", "also", "says", "formula", …}]'),
    ),
    "words": Command(
        "words.words",
        arg("action", "ACTION", "one of those above"),
        arg("words", "WORD", "words; for `train` text files, for `get` a name", nargs="*", default=[]),
        arg("-n", "N", "how many words to print, of `similar` and `analogy` (10)", type=int),
        arg("--vectors", "V", "a name from `explorer words list`, or a file (books)"),
        flag("--json", "print JSON"),
        group(
            "for train",
            arg("--out", "FILE", "ends in .txt, .npz, .safetensors, or .int8.safetensors (a quarter of the size)"),
            FORCE,
            arg("--words", "N", "give the N most frequent words a vector (20000)", type=int, dest="n_words"),
            arg("--least", "N", "only those that occur N times (5)", type=int),
            arg("--dims", "N", "numbers in a vector (100)", type=int),
            arg("--window", "N", "how many places apart two words stand together (10)", type=int),
            arg("--x-max", "X", "from this count on a pair has its full weight (100)", type=float),
            arg("--alpha", "X", "the exponent of the weight below that count (0.75)", type=float),
            arg("--rate", "X", "step size (0.05)", type=float),
            arg("--epochs", "N", "how often all pairs are used (50)", type=int),
            arg("--seed", "N", "the seed of all that is random (1)", type=int),
            arg("--vector", "KIND", "sum of a word's vectors as word and as context, or word alone (sum)"),
            arg("--remove", "N", "subtract the mean and N principal components at the end (0: neither)", type=int),
            arg("--cores", "N", "with numba: use N cores (all); the result does not depend on it", type=int),
            flag("--no-numba", "train in numpy alone, also where numba is installed"),
        ),
    ),
    "train": Command(
        "train.train",
        arg("recipe", "RECIPE", "a file (.toml), or a name from `explorer list`"),
        arg("--out", "FILE", "the document to write (.explorer)", required=True),
        FORCE,
        arg("--text", "FILE", "learn from this text, in place of the one that the recipe names, if any"),
        flag("--json", "print progress as JSON, an object a line"),
        arg("--keep-every", "S", "seconds after which the state is saved again (30)", type=float, default=30.0),
        flag("--attached", "stop where standard input ends or says `stop`: for a program that has started this one"),
    ),
    "generate": Command(
        "show.generate",
        arg("lesson", "MODEL", "a name from `explorer list`, a document (.explorer), or a model that others trained"),
        arg("text", "TEXT", "words that the model knows", nargs="?"),
        arg("--ids", "NUMBERS", "the numbers of the words in the place of TEXT, as in --ids '5 17 3'"),
        *CHECKPOINT,
        arg("-n", "N", "write up to N words (20)", type=int, default=20),
        arg("--temperature", "T", "what the logits are divided by (1)", type=float, default=1.0),
        arg("--top-k", "K", "choose among the K most probable words (0: all)", type=int, default=0),
        arg("--top-p", "P", "choose among the most probable words that together have P (1)", type=float, default=1.0),
        arg("--seed", "S", "the seed of the draws (0)", type=int, default=0),
        flag("--greedy", "always take the most probable word"),
        arg("--beams", "B", "follow the B most probable continuations", type=int),
        one_of(
            arg("--target", "TEXT", 'what a translator\'s answer begins with, such as "<es>"'),
            arg("--target-ids", "NUMBERS", "the same by the numbers of the words"),
        ),
        flag("--json", "print JSON"),
    ),
    "conventions": Command(
        "show.conventions",
        arg(*_NAMED, nargs="?"),
        arg("nodes", "NODE=NUMBERS", "what the text prints for a node; rows with ; between them", nargs="*"),
        arg("--given", "MATRIX", "a matrix alone, in the place of a LESSON"),
        arg("--printed", "NUMBERS", "what the text makes of it"),
        arg("--seconds", "S", "when to stop, at the latest (10)", type=float, default=10.0),
        arg("--out", "FILE", "write the model with the first setting found: a document (.explorer)"),
        arg("--number", "N", "write the N-th in its place", type=int),
        flag("--json", 'print {"ways": [{"changed", "slip", "rounded"}], …}'),
        EDITS,
        *CHECKPOINT,
        FORCE,
    ),
    "seek": Command(
        "show.seek",
        LESSON,
        arg("wish", "CELL=V", "such as 'encoder.1.self.weights[0,0,2]=0.9', counted from 0"),
        arg(
            "--change",
            "NODE",
            "an input that may change, a head's slice or a cell of one; several times for several",
            action="append",
            default=[],
        ),
        arg("--out", "FILE", "write the changed model: a document (.explorer)"),
        EDITS,
        *CHECKPOINT,
        FORCE,
    ),
    "questions": Command(
        "classroom.questions",
        arg("lessons", "LESSON", "a name from `explorer list`, or a file (.toml)", nargs="+"),
        arg("--out", "FILE", "a .xml for Moodle's import, or a .zip of QTI 2.1"),
        arg("--variants", "N", "so many of each question, with other numbers (1)", type=int),
        arg("--seed", "S", "of the numbers; the same draws the same (0)", type=int),
        flag("--same", "the numbers of the lesson, none drawn"),
        FORCE,
    ),
    "bundle": Command(
        "classroom.bundle",
        arg("folder", "FOLDER", "with lessons (.toml) and the weights beside them"),
        arg("--out", "FILE", "a file that ends in .lessons", dest="file", required=True),
        FORCE,
    ),
    "sheet": Command(
        "classroom.sheet",
        arg(
            "questions",
            "QUESTION",
            "LESSON/STEP, or a lesson for all of its questions; LESSON: a name, or a file (.toml)",
            nargs="+",
        ),
        arg("--out", "FILE", "a file that ends in .sheet.toml", dest="file", required=True),
        arg("--title", "TEXT", "what stands above it (Exercises)", default="Exercises"),
        arg("--seed", "S", "another seed gives other numbers (0)", type=int, default=0),
        FORCE,
    ),
    "answer": Command(
        "classroom.answer",
        arg("sheet", "SHEET", "a file that ends in .sheet.toml"),
        arg("--student", "NAME", "the name it is handed in under; the numbers depend on it", required=True),
        arg("--out", "FILE", "a file that ends in .answers.json; named after the student, if left out", dest="file"),
        flag("--time", "hand in how long each question took, too"),
        flag("--force", "begin again, and write over earlier answers"),
    ),
    "class": Command(
        "classroom.class_",
        arg(
            "files", "FOLDER", "folders or zips with files that end in .answers.json or .html, or such files", nargs="+"
        ),
        arg("--sheet", "SHEET", "judge each answer anew: a file that does not agree is left out"),
        arg("--grades", "FILE", "write a line for each student, as learning platforms import it (CSV)"),
        arg("--csv", "FILE", "write a line for each student and question"),
        flag("--json", 'print {"questions", "students", "topics", "left_out"}'),
        FORCE,
    ),
    "bench": Command(
        "bench.bench",
        arg(
            "figure",
            "FIGURE",
            "only figures with this in their names, such as gelu or 'hover over'; several for several",
            nargs="*",
        ),
        flag("--json", 'print {"figures": [{"name", "value", "limit", …}], "failed": […]}'),
    ),
}
"""The commands, in the order in which they are listed."""


def parse(command: str, argv: Sequence[str]) -> Namespace:
    """The parsed arguments after a command, or after ``explorer`` for the command "".

    Raises `UsageError`.
    """
    # Intermixed, because `show emma --set … weights` names a node after an option.
    return parser(command).parse_intermixed_args(argv)


def parser(command: str) -> Parser:
    """The parser of a command, or of ``explorer`` alone for the command ""."""
    if command:
        return Parser(command, COMMANDS[command])
    return Parser(command, WINDOW, "explorer [FILE]\n       explorer COMMAND …")


# Signals to stop

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals of Ctrl+C, of a request to end, and of a closed terminal (not on Windows)."""


@contextmanager
def stopped() -> Iterator[Event]:
    """An event that is set when this process is asked to stop. A second Ctrl+C ends it at once."""
    stop, interrupt = Event(), signal.getsignal(signal.SIGINT)

    def on_signal(number: int, frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, interrupt)

    with _on_signals(on_signal):
        yield stop


@contextmanager
def interrupted() -> Iterator[None]:
    """Each request to stop this process raises KeyboardInterrupt, as Ctrl+C does."""
    with _on_signals(signal.default_int_handler):
        yield


@contextmanager
def _on_signals(act: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Call `act` when this process is asked to stop.

    A signal that is ignored stays ignored: nohup, for example, starts a process that shall continue after the signal.
    """
    previous: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # only the main thread may set signal handlers
        previous = {one: signal.getsignal(one) for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN}
    for number in previous:
        signal.signal(number, act)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
