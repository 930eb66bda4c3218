"""The parsers of the command line, and their help."""

from argparse import Namespace
from collections.abc import Sequence

from explorer import __version__
from explorer.cli import lesson_parsers
from explorer.cli.options import FORCE, Parser, add_edits, add_force, add_gradients, add_lesson, add_tokenizer

FORMATS = ("table", "json", "csv", "tsv", "numpy", "latex", "markdown", "python")

_PROGRAM = """\
Every number of a transformer, live and editable.

  explorer [FILE]                  open the window, on a document or a lesson if one is named
  explorer list                    the lessons, models and vectors there are
  explorer show LESSON [NODE…]     the numbers, as a table, JSON, CSV, LaTeX or Python
  explorer explain LESSON CELL     how one cell is computed
  explorer render LESSON STAGE F   a stage as a picture: F is a .png, .svg, .pdf, .gif or .mp4
  explorer export LESSON F         the whole model as a live spreadsheet (.xlsx) or a numpy script (.py)
  explorer check [FILE…]           are the lessons valid, and are all printed numbers found again?
  explorer replay [LESSON…]        do all steps of a lesson work, forward, backward and by a jump?
  explorer handout LESSON F        a lesson on paper: F is a .pdf or .html
  explorer ink LESSON              whose is the ink on the page of each step, and how full is its slide?
  explorer glossary [TERM]         what a term or symbol means
  explorer conventions LESSON …    which settings give the numbers that a text prints
  explorer seek LESSON CELL=V      change inputs until a cell has the value
  explorer questions LESSON …      questions for a learning platform: Moodle XML or QTI
  explorer bundle FOLDER --out F   lessons of yours in one file, to be handed on
  explorer sheet LESSON …          an exercise sheet: numbers of her own for each student
  explorer answer SHEET            answer it, and save what is handed in
  explorer class FOLDER            what a class answered: a table, mistakes by name, what to talk about
  explorer words ACTION [WORD…]    similar words, cosines, analogies; train vectors on your own text
  explorer train RECIPE --out F    train a model; started again, it goes on where it stopped
  explorer generate MODEL TEXT     a trained model continues a text
  explorer bench                   how fast is it here?

Only the window needs a display. `explorer COMMAND --help` tells more.
"""

_SHOW = """\
Print nodes of a lesson, or of a model that others trained.

NODE is a node (source.X), the part of a node that belongs to one head (encoder.1.self.head.2.Q), or the beginning of a
path, which means all nodes below it (encoder.1.self). Without NODE all are printed. `--format json` lists all names.
What leaves layer 3 of a stack is encoder.3.out or decoder.3.out, whatever the layer is made of; decoder.0.out is what
enters the first layer.

In the place of LESSON may stand the folder of a checkpoint (config.json and safetensors): gpt2, gpt_neo, gpt_neox,
opt, phi, llama, mistral, mixtral, qwen2, qwen3, qwen3_moe, gemma, gemma2, gemma3_text, olmo, olmo2, bert, distilbert,
roberta, t5 and marian; a GGUF file (.gguf: llama, qwen2, qwen3, gemma, gemma2, gemma3), or a file of llama2.c (.bin).
Where there is a tokenizer in the folder (tokenizer.json, vocab.json with merges.txt, or SentencePiece's), or beside the
file (tok*.bin), --tokens takes plain text, which the tokenizer takes apart; else its words are numbers. The numbers of
pieces can always be given by --ids.
Up to 10 million numbers are computed in float64, more in float32, or as --dtype says.
"""

_FORMATS = """\
formats:
  table   for reading: 8 digits, labels at rows and columns. A node stacked over heads is written head by head.
  json    {"lesson", "switches", "nodes": {NAME: {"symbol", "stage", "rows", "columns", "value"}}}. A stacked node and
          the slices of its heads are both listed, each under its name; "rows" and "columns" label its last two axes. A
          vector has "columns": null, a single number both null. Not finite: "inf", "-inf", "nan". With --grad, "grad"
          stands behind "value" where the node has a gradient; whole numbers have none.
  csv     one line a number: node,row,column,row_label,column_label,value, with --grad also grad. Row and column count
          from 0, as in --set; labels may repeat. A vector leaves the column empty, a single number the row too.
          Stacked: head by head.
  tsv, numpy, markdown
          each matrix by itself, as the window copies it: with its name and labels in the first row and column; as a
          Python array. Tsv and numpy have all digits.
  latex   one pmatrix a node, with its row labels; needs the package amsmath.
  python  a script that computes the nodes, and all they come from, with numpy alone, and compares. Where there are too
          many numbers to print, --out FILE.py writes it, the large arrays into FILE.py.npz beside it.

examples:
  explorer show emma weights
  explorer show you-are-welcome encoder.1.self.head.1 --set 'encoder.1.self.head.1.W_Q[0,1]=2.5'
  explorer show you-are-welcome output --setting textbook --tokens 'You are great' --format json
  explorer show emma --format python > emma.py
  explorer show you-are-welcome output --grad
  explorer show ./SmolLM2-135M output.logits decoder.3.out --ids '5 17 3' --out nodes.npz
"""

_RENDER = """\
Draw a stage as the window shows it, without the window, into OUT: an image (.png, two pixels for each pixel of the
window), or a vector graphic (.svg, .pdf). STAGE is named as in the map of nodes: encoder.1.self.attention.

A .gif moves: attention moves word by word, a picture of the whole model step by step, and any other page while the
model learns. With --cell the arithmetic of one cell comes row by row, below the matrices of the stage that it reads. An
.mp4 shows the same, where the program ffmpeg is installed.
"""

_EXPORT = """\
Write the whole model of a lesson into OUT, with all its numbers and how they are computed.

  .xlsx   a spreadsheet with a working formula in each cell: change a teal number, or choose another word, and
          everything follows, in Excel, LibreOffice or any other. A sheet a stage; each matrix has a name; beside it,
          in grey, the numbers that the program had. Its first sheet says what a spreadsheet cannot hold.
  .py     a numpy script, as of `explorer show --format python`.
"""

_EXPLAIN = """\
Derive one cell: its value, its formula, the numpy expression, every step with the numbers filled in, and the cells that
it feeds. CELL is NODE[row,column], counted from 0; a node stacked over heads has the head in front, unless it is named
by its slice: encoder.1.self.Q[0,2,1] is encoder.1.self.head.1.Q[2,1].

With --grad its gradient in place of its value, by the chain rule: gradient × slope of the cells that it feeds, node by
node.
"""

WORDS_ACTIONS = {
    "similar": (1, None, "one word or more"),
    "cosine": (2, None, "two words or more"),
    "analogy": (3, 3, "three words"),
    "odd-one-out": (3, None, "three words or more"),
    "evaluate": (0, 0, "no words"),
    "list": (0, 0, "no words"),
    "get": (1, 1, "the name of a set of vectors"),
    "train": (1, None, "one text file or more"),
}
"""The actions of ``explorer words``: for each the fewest and the most words (None: no limit), and a text on that."""

_WORDS = """\
Words as vectors (GloVe).

  similar WORD…              the words nearest to each
  cosine WORD WORD           the cosine of two words, step by step; of more words, each with each
  analogy A B C              the words nearest to A - B + C
  odd-one-out WORD…          the word that is farthest from the mean of all
  evaluate                   the scores of the vectors on WordSim-353, SimLex-999 and analogies
  list                       the vectors that are here, and those that can be downloaded
  get NAME                   download vectors, unless they are here, and print the name of their file
  train TEXT… --out FILE     train vectors on text files; started again, it goes on where it stopped
"""

_WORDS_EXAMPLES = """\
examples:
  explorer words similar sea -n 5
  explorer words cosine screen rock --vectors reference
  explorer words analogy king man woman --json
  explorer words train book.txt.gz letters.txt --out mine.safetensors --dims 50

train reads UTF-8, also compressed by gzip or xz. The extra `fast` (numba) makes it some ten times as fast.
"""


_TRAIN = """\
Train a model as a recipe says, and write it as a document that the window opens.

RECIPE is a file (.toml), or a name from `explorer list`. Ctrl+C stops; the same command goes on from there. The result
is the same, bit for bit, as if it had not been stopped.
"""

_TRAIN_EXAMPLES = """\
examples:
  explorer train roses --out roses.explorer
  explorer train tiny-reader --text book.txt --out reader.explorer

A recipe says which model, what it learns from, and how:

    title = "My text"

    [model]                   # or: example = "xor", or: document = "mine.explorer", whose weights are gone on from
    kind = "gpt"              # or encoder-decoder, or mlp with units = [8, 8], or encoder, with a grammar below
    d_model = 64
    layers = 2
    [model.switches]          # as in a lesson; without a block's name, for every layer
    heads = 4
    norm = "pre"

    [data]
    text = "mine.txt"         # beside the recipe. Or pairs = "pairs.tsv", two sentences a line with a tab between them;
    window = 24               # or set = "xor", "sine"; or X = [[0, 1], …] and target = [[1], …]; or grammar = "G.toml"
    words = 400               # the most frequent words; all others are <unk>. Or merges = 512, for pieces of words

    [training]                # each may be left out
    optimiser = "Adam"        # SGD, momentum, RMSprop, Adam, AdamW
    rate = 0.003
    schedule = "cosine"       # constant, linear, cosine, inverse square root
    warm_up = 100             # steps in which the rate rises
    weight_decay = 0.0
    dropout = 0.0
    clip = 1.0                # a longer gradient is shortened to this length; 0: never
    batch = 32                # 0: all examples at once
    steps = 2000
    validation = 0.1          # share that is only used to measure the loss, never to learn
    validate_every = 50
    seed = 1
    frozen = ["input.table"]  # nodes, or blocks such as "decoder.1.self"
    initialiser = "xavier"    # he, uniform, or zeros, to see symmetry fail

What is needed to go on lies in FILE.training until the training is done. With --json, each line of output is an object:
  {"event": "begin", "step", "steps", "title", "weights", "examples", "judged", "kept"}
  {"event": "step", "step", "loss", "rate", "norm", "norms": {BLOCK: …}, "validation", "seconds", "left"}
  {"event": "kept", "step"}                what is needed to go on has been written
  {"event": "stopped" or "done", "step", "file"}
  {"event": "error", "id", "message"}      the same on standard error; exit code 2
"""


_GENERATE = """\
Let a model continue TEXT, word by word, until it says <end>. MODEL is a name from `explorer list`, or a document
(.explorer), or a model that others trained: the folder of a checkpoint, or a file (.gguf, .bin). A translator
reads TEXT, and its answer begins with --target.
"""

_GENERATE_EXAMPLES = """\
examples:
  explorer generate tiny-gpt "the cat sat on the" --greedy
  explorer generate tiny-gpt "Emma hates" --temperature 1.5 --top-k 5 --seed 3
  explorer generate tiny-gpt "roses are" --beams 3 --json
  explorer generate ./SmolLM2-135M "The river" --greedy
  explorer generate ./SmolLM2-135M --ids "5 17 3" -n 20 --greedy --json

Without --greedy or --beams words are drawn: logits divided by the temperature, softmax, then top-k, then top-p. The
same seed draws the same words. --json prints
  {"model", "tokens", "new", "ids", "steps": [{"candidates": [[token, probability], …], "chosen"}]}
where ids are the numbers of the new words, and candidates are the words that could be chosen, at most the 20 most
probable. With --beams the steps are those of the best continuation, and "beams": [{"new", "score"}] lists all; a score
is the sum of the logs of the probabilities.
"""


_CONVENTIONS = """\
Which conventions give your numbers? Type the numbers of a text into a model, and what it prints as results behind
NODE=; the settings are tried that texts differ in: scale, layout, mask, softmax along rows or columns, where ε stands,
formulas of positions, the base of a logarithm, rounding on the way. Those that give all printed digits are listed, the
likeliest first. NUMBERS may stand in a file: @FILE. The exit status is 1 where none gives them.
"""

_CONVENTIONS_EXAMPLES = """\
examples:
  explorer conventions translation-lookup 'scaled=0 0 8.33; 0 8.33 0'
  explorer conventions --given '2 1 0.2' --printed '0.6522 0.2399 0.1078'
  explorer conventions mine.explorer 'encoder.1.self.head.1.weights=@printed.txt' --out found.explorer
"""


def parse(command: str, argv: Sequence[str]) -> Namespace:
    """The parsed arguments after a command, or after ``explorer`` for the command "".

    Raises `UsageError`.
    """
    # Intermixed, because `show emma --set … weights` names a node after an option.
    return _PARSERS[command]().parse_intermixed_args(argv)


def _window() -> Parser:
    parser = Parser("", _PROGRAM, usage="explorer [FILE]\n       explorer COMMAND …")
    what = "a document (.explorer), a lesson (.toml), the name of a lesson, or a model that others trained (its folder)"
    parser.add_argument("file", nargs="?", metavar="FILE", help=what)
    add_tokenizer(parser)
    parser.add_argument("--smoke-test", action="store_true", help="start, do everything once, say what was done, end")
    what = "give the program a menu entry, and its files their type, for you alone (Linux)"
    parser.add_argument("--register-desktop", action="store_true", help=what)
    parser.add_argument("--version", action="version", version=f"explorer {__version__}")
    return parser


def _show() -> Parser:
    parser = Parser("show", _SHOW, epilog=_FORMATS)
    add_lesson(parser)
    parser.add_argument("nodes", nargs="*", default=[], metavar="NODE", help="what to print; all, if left out")
    add_gradients(parser)
    add_edits(parser)
    parser.add_argument("--format", default="table", metavar="FORMAT", help="one of those below (table)")
    parser.add_argument("--out", metavar="FILE", help="FILE.npz for the nodes as arrays, FILE.py for a script")
    parser.add_argument("--dtype", choices=("float64", "float32"), help="in which a checkpoint is computed")
    add_tokenizer(parser)
    add_force(parser)
    return parser


def _render() -> Parser:
    parser = Parser("render", _RENDER, epilog="example:\n  explorer render emma attention emma.svg --theme dark")
    add_lesson(parser)
    parser.add_argument("stage", metavar="STAGE", help="what to draw")
    parser.add_argument("out", metavar="OUT", help="a file that ends in .png, .svg, .pdf, .gif or .mp4")
    add_force(parser)
    what = (
        "of a still picture in pixels of the window, such as 1280x720; what does not fit is drawn smaller. As large as "
        "needed, if left out"
    )
    parser.add_argument("--size", metavar="WxH", help=what)
    parser.add_argument(
        "--theme", metavar="NAME", help="of a still picture: light or dark, as on a screen; else it is as on paper"
    )
    parser.add_argument("--frames", action="store_true", help="what moves as numbered files: OUT-01.png, OUT-02.png, …")
    moving = parser.add_mutually_exclusive_group()
    moving.add_argument(
        "--learn", type=int, metavar="STEPS", help="what moves is the model while it learns, so many steps"
    )
    moving.add_argument("--cell", metavar="CELL", help="what moves is how this cell is computed: NODE[row,column]")
    add_edits(parser)
    return parser


def _export() -> Parser:
    parser = Parser(
        "export", _EXPORT, epilog="example:\n  explorer export you-are-welcome welcome.xlsx --setting textbook"
    )
    add_lesson(parser)
    parser.add_argument("out", metavar="OUT", help="a file that ends in .xlsx or .py")
    add_force(parser)
    add_edits(parser)
    return parser


def _explain() -> Parser:
    parser = Parser("explain", _EXPLAIN, epilog="example:\n  explorer explain emma 'scores[0,8]' --set 'K[8,1]=0.5'")
    add_lesson(parser)
    parser.add_argument("cell", metavar="CELL", help="NODE[row,column], counted from 0; put it in quotes")
    add_gradients(parser)
    add_edits(parser)
    return parser


def _words() -> Parser:
    parser = Parser("words", _WORDS, epilog=_WORDS_EXAMPLES)
    add = parser.add_argument
    add("action", metavar="ACTION", help="one of those above")
    add("words", nargs="*", default=[], metavar="WORD", help="words; for `train` text files, for `get` a name")
    add("-n", type=int, metavar="N", help="how many words to print, of `similar` and `analogy` (10)")
    add("--vectors", metavar="V", help="a name from `explorer words list`, or a file (books)")
    add("--json", action="store_true", help="print JSON")
    train = parser.add_argument_group("for train").add_argument
    train(
        "--out", metavar="FILE", help="ends in .txt, .npz, .safetensors, or .int8.safetensors (a quarter of the size)"
    )
    train("--force", action="store_true", help=FORCE)
    train("--words", type=int, metavar="N", dest="n_words", help="give the N most frequent words a vector (20000)")
    train("--least", type=int, metavar="N", help="only those that occur N times (5)")
    train("--dims", type=int, metavar="N", help="numbers in a vector (100)")
    train("--window", type=int, metavar="N", help="how many places apart two words stand together (10)")
    train("--x-max", type=float, metavar="X", help="from this count on a pair has its full weight (100)")
    train("--alpha", type=float, metavar="X", help="the exponent of the weight below that count (0.75)")
    train("--rate", type=float, metavar="X", help="step size (0.05)")
    train("--epochs", type=int, metavar="N", help="how often all pairs are used (50)")
    train("--seed", type=int, metavar="N", help="the seed of all that is random (1)")
    train("--vector", metavar="KIND", help="sum of a word's vectors as word and as context, or word alone (sum)")
    train(
        "--remove", type=int, metavar="N", help="subtract the mean and N principal components at the end (0: neither)"
    )
    train("--cores", type=int, metavar="N", help="with numba: use N cores (all); the result does not depend on it")
    train("--no-numba", action="store_true", help="train in numpy alone, also where numba is installed")
    return parser


def _train() -> Parser:
    parser = Parser("train", _TRAIN, epilog=_TRAIN_EXAMPLES)
    add = parser.add_argument
    add("recipe", metavar="RECIPE", help="a file (.toml), or a name from `explorer list`")
    add("--out", metavar="FILE", required=True, help="the document to write (.explorer)")
    add_force(parser)
    add("--text", metavar="FILE", help="learn from this text, in place of the one that the recipe names, if any")
    add("--json", action="store_true", help="print progress as JSON, an object a line")
    add("--keep-every", type=float, default=30.0, metavar="S", help="seconds after which the state is saved again (30)")
    what = "stop where standard input ends or says `stop`: for a program that has started this one"
    add("--attached", action="store_true", help=what)
    return parser


def _generate() -> Parser:
    parser = Parser("generate", _GENERATE, epilog=_GENERATE_EXAMPLES)
    add = parser.add_argument
    add("model", metavar="MODEL", help="a name from `explorer list`, a document (.explorer), or a checkpoint's folder")
    add("text", metavar="TEXT", nargs="?", help="words that the model knows")
    add("--ids", metavar="NUMBERS", help="the numbers of the words in the place of TEXT, as in --ids '5 17 3'")
    add_tokenizer(parser)
    add("-n", type=int, default=20, metavar="N", help="write up to N words (20)")
    add("--temperature", type=float, default=1.0, metavar="T", help="what the logits are divided by (1)")
    add("--top-k", type=int, default=0, metavar="K", help="choose among the K most probable words (0: all)")
    add(
        "--top-p",
        type=float,
        default=1.0,
        metavar="P",
        help="choose among the most probable words that together have P (1)",
    )
    add("--seed", type=int, default=0, metavar="S", help="the seed of the draws (0)")
    add("--greedy", action="store_true", help="always take the most probable word")
    add("--beams", type=int, metavar="B", help="follow the B most probable continuations")
    begin = parser.add_mutually_exclusive_group().add_argument
    begin("--target", metavar="TEXT", help='what a translator\'s answer begins with, such as "<es>"')
    begin("--target-ids", metavar="NUMBERS", help="the same by the numbers of the words")
    add("--json", action="store_true", help="print JSON")
    return parser


def _conventions() -> Parser:
    parser = Parser("conventions", _CONVENTIONS, epilog=_CONVENTIONS_EXAMPLES)
    add = parser.add_argument
    add("lesson", metavar="LESSON", nargs="?", help="a name from `explorer list`, or a file (.toml or .explorer)")
    add("nodes", metavar="NODE=NUMBERS", nargs="*", help="what the text prints for a node; rows with ; between them")
    add("--given", metavar="MATRIX", help="a matrix alone, in the place of a LESSON")
    add("--printed", metavar="NUMBERS", help="what the text makes of it")
    add("--seconds", type=float, default=10.0, metavar="S", help="when to stop, at the latest (10)")
    add("--out", metavar="FILE", help="write the model with the first setting found: a document (.explorer)")
    add("--number", type=int, metavar="N", help="write the N-th in its place")
    add("--json", action="store_true", help='print {"ways": [{"changed", "slip", "rounded"}], …}')
    add_edits(parser)
    add_force(parser)
    return parser


def _seek() -> Parser:
    example = (
        "example:\n  explorer seek you-are-welcome 'encoder.1.self.weights[0,0,2]=0.9' --change encoder.1.self.W_Q"
    )
    parser = Parser(
        "seek", "Let gradient descent change inputs until a cell has a value; 1 where it cannot.", None, example
    )
    add_lesson(parser)
    parser.add_argument("wish", metavar="CELL=V", help="such as 'encoder.1.self.weights[0,0,2]=0.9', counted from 0")
    what = "an input that may change, a head's slice or a cell of one; several times for several"
    parser.add_argument("--change", action="append", default=[], metavar="NODE", help=what)
    parser.add_argument("--out", metavar="FILE", help="write the changed model: a document (.explorer)")
    add_edits(parser)
    add_force(parser)
    return parser


def _bench() -> Parser:
    what = "In a checkout: measure the figures of speed beside their limits. Close other programs first."
    parser = Parser("bench", what)
    only = "only figures with this in their names, such as gelu or 'hover over'; several for several"
    parser.add_argument("figure", nargs="*", metavar="FIGURE", help=only)
    parser.add_argument(
        "--json", action="store_true", help='print {"figures": [{"name", "value", "limit", …}], "failed": […]}'
    )
    return parser


_PARSERS = {
    "": _window,
    "list": lesson_parsers.list_,
    "show": _show,
    "explain": _explain,
    "render": _render,
    "export": _export,
    "check": lesson_parsers.check,
    "replay": lesson_parsers.replay,
    "handout": lesson_parsers.handout,
    "ink": lesson_parsers.ink,
    "glossary": lesson_parsers.glossary,
    "words": _words,
    "train": _train,
    "generate": _generate,
    "conventions": _conventions,
    "seek": _seek,
    "questions": lesson_parsers.questions,
    "bundle": lesson_parsers.bundle,
    "sheet": lesson_parsers.sheet,
    "answer": lesson_parsers.answer,
    "class": lesson_parsers.class_,
    "bench": _bench,
}
COMMANDS = tuple(filter(None, _PARSERS))
"""The names of all commands."""
