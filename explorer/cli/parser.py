"""The table of the commands: for each the function that does it, and its arguments."""

from argparse import Namespace
from collections.abc import Sequence

from explorer import __version__
from explorer.cli import options
from explorer.cli.options import Argument, Command, arg, flag, group, one_of

FORMATS = ("table", "json", "csv", "tsv", "numpy", "latex", "markdown", "python")

WINDOW = Command(
    "",
    arg(
        "file",
        "FILE",
        "a document (.explorer), a lesson (.toml), the name of a lesson, or a model that others trained (its folder, "
        "or a .gguf file)",
        nargs="?",
    ),
    options.TOKENIZER,
    flag("--smoke-test", "start, do everything once, say what was done, end"),
    flag("--register-desktop", "give the program a menu entry, and its files their type, for you alone (Linux)"),
    Argument("--version", {"action": "version", "version": f"explorer {__version__}"}),
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
        options.LESSON,
        arg("nodes", "NODE", "what to print; all, if left out", nargs="*", default=[]),
        *options.GRADIENTS,
        options.EDITS,
        arg("--format", "FORMAT", "one of those below (table)", default="table"),
        arg("--out", "FILE", "FILE.npz for the nodes as arrays, FILE.py for a script"),
        Argument("--dtype", {"choices": ("float64", "float32"), "help": "in which a checkpoint is computed"}),
        options.TOKENIZER,
        options.FORCE,
    ),
    "explain": Command(
        "show.explain",
        options.LESSON,
        arg("cell", "CELL", "NODE[row,column], counted from 0; put it in quotes"),
        *options.GRADIENTS,
        options.EDITS,
    ),
    "render": Command(
        "render.render",
        options.LESSON,
        arg("stage", "STAGE", "what to draw"),
        arg("out", "OUT", "a file that ends in .png, .svg, .pdf, .gif or .mp4"),
        options.FORCE,
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
        options.EDITS,
    ),
    "export": Command(
        "render.export",
        options.LESSON,
        arg("out", "OUT", "a file that ends in .xlsx or .py"),
        options.FORCE,
        options.EDITS,
    ),
    "check": Command(
        "lessons.check",
        arg("files", "FILE", "a lesson (.toml)", nargs="*", default=[]),
        flag("--json", 'print {"lessons": […], "figures": […], "slips": […]}'),
    ),
    "replay": Command(
        "lessons.replay",
        arg("lessons", "LESSON", "a name from `explorer list`, or a .toml", nargs="*", default=[]),
    ),
    "handout": Command(
        "render.handout",
        options.WITH_STEPS,
        arg("out", "OUT", "a file that ends in .pdf or .html"),
        options.FORCE,
    ),
    "ink": Command(
        "render.ink",
        options.WITH_STEPS,
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
            options.FORCE,
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
        options.FORCE,
        arg("--text", "FILE", "learn from this text, in place of the one that the recipe names, if any"),
        flag("--json", "print progress as JSON, an object a line"),
        arg("--keep-every", "S", "seconds after which the state is saved again (30)", type=float, default=30.0),
        flag("--attached", "stop where standard input ends or says `stop`: for a program that has started this one"),
    ),
    "generate": Command(
        "show.generate",
        arg("model", "MODEL", "a name from `explorer list`, a document (.explorer), or a model that others trained"),
        arg("text", "TEXT", "words that the model knows", nargs="?"),
        arg("--ids", "NUMBERS", "the numbers of the words in the place of TEXT, as in --ids '5 17 3'"),
        options.TOKENIZER,
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
        Argument("lesson", {**options.LESSON.options, "nargs": "?"}),
        arg("nodes", "NODE=NUMBERS", "what the text prints for a node; rows with ; between them", nargs="*"),
        arg("--given", "MATRIX", "a matrix alone, in the place of a LESSON"),
        arg("--printed", "NUMBERS", "what the text makes of it"),
        arg("--seconds", "S", "when to stop, at the latest (10)", type=float, default=10.0),
        arg("--out", "FILE", "write the model with the first setting found: a document (.explorer)"),
        arg("--number", "N", "write the N-th in its place", type=int),
        flag("--json", 'print {"ways": [{"changed", "slip", "rounded"}], …}'),
        options.EDITS,
        options.FORCE,
    ),
    "seek": Command(
        "show.seek",
        options.LESSON,
        arg("wish", "CELL=V", "such as 'encoder.1.self.weights[0,0,2]=0.9', counted from 0"),
        arg(
            "--change",
            "NODE",
            "an input that may change, a head's slice or a cell of one; several times for several",
            action="append",
            default=[],
        ),
        arg("--out", "FILE", "write the changed model: a document (.explorer)"),
        options.EDITS,
        options.FORCE,
    ),
    "questions": Command(
        "classroom.questions",
        arg("lessons", "LESSON", "a name from `explorer list`, or a file (.toml)", nargs="+"),
        arg("--out", "FILE", "a .xml for Moodle's import, or a .zip of QTI 2.1"),
        arg("--variants", "N", "so many of each question, with other numbers (1)", type=int),
        arg("--seed", "S", "of the numbers; the same draws the same (0)", type=int),
        flag("--same", "the numbers of the lesson, none drawn"),
        options.FORCE,
    ),
    "bundle": Command(
        "classroom.bundle",
        arg("folder", "FOLDER", "with lessons (.toml) and the weights beside them"),
        arg("--out", "FILE", "a file that ends in .lessons", dest="file", required=True),
        options.FORCE,
    ),
    "sheet": Command(
        "classroom.sheet",
        arg("questions", "QUESTION", "LESSON/STEP, or a lesson for all of its questions", nargs="+"),
        arg("--out", "FILE", "a file that ends in .sheet.toml", dest="file", required=True),
        arg("--title", "TEXT", "what stands above it (Exercises)", default="Exercises"),
        arg("--seed", "S", "another seed gives other numbers (0)", type=int, default=0),
        options.FORCE,
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
        arg("files", "FOLDER", "folders with files that end in .answers.json, or such files", nargs="+"),
        arg("--sheet", "SHEET", "judge each answer anew: a file that does not agree is left out"),
        arg("--csv", "FILE", "write a line for each student and question"),
        flag("--json", 'print {"questions", "students", "topics", "left_out"}'),
        options.FORCE,
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


def parser(command: str) -> options.Parser:
    """The parser of a command, or of ``explorer`` alone for the command ""."""
    if command:
        return options.Parser(command, COMMANDS[command])
    return options.Parser(command, WINDOW, "explorer [FILE]\n       explorer COMMAND …")
