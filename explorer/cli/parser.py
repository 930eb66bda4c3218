"""The table of the commands: for each the function that does it, what its ``--help`` says, and its arguments."""

from argparse import Namespace
from collections.abc import Sequence

from explorer import __version__
from explorer.cli import options
from explorer.cli.options import Argument, Command, arg, flag, group, one_of

FORMATS = ("table", "json", "csv", "tsv", "numpy", "latex", "markdown", "python")

WINDOW = Command(
    "",
    """\
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
""",
    arg(
        "file",
        "FILE",
        "a document (.explorer), a lesson (.toml), the name of a lesson, or a model that others trained (its folder)",
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
        "List the lessons with their settings, the models that can be trained, and the vectors.",
        flag(
            "--json",
            'print {"lessons": [{"id", "title", "steps", "questions", …}], "trained": [{"id", "title", "scores"}], '
            '"models": …, "vectors": …, "courses": …}',
        ),
    ),
    "show": Command(
        "show.show",
        """\
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
""",
        options.LESSON,
        arg("nodes", "NODE", "what to print; all, if left out", nargs="*", default=[]),
        *options.GRADIENTS,
        options.EDITS,
        arg("--format", "FORMAT", "one of those below (table)", default="table"),
        arg("--out", "FILE", "FILE.npz for the nodes as arrays, FILE.py for a script"),
        Argument("--dtype", {"choices": ("float64", "float32"), "help": "in which a checkpoint is computed"}),
        options.TOKENIZER,
        options.FORCE,
        epilog="""\
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
""",
    ),
    "explain": Command(
        "show.explain",
        """\
Derive one cell: its value, its formula, the numpy expression, every step with the numbers filled in, and the cells that
it feeds. CELL is NODE[row,column], counted from 0; a node stacked over heads has the head in front, unless it is named
by its slice: encoder.1.self.Q[0,2,1] is encoder.1.self.head.1.Q[2,1].

With --grad its gradient in place of its value, by the chain rule: gradient × slope of the cells that it feeds, node by
node.
""",
        options.LESSON,
        arg("cell", "CELL", "NODE[row,column], counted from 0; put it in quotes"),
        *options.GRADIENTS,
        options.EDITS,
        epilog="example:\n  explorer explain emma 'scores[0,8]' --set 'K[8,1]=0.5'",
    ),
    "render": Command(
        "render.render",
        """\
Draw a stage as the window shows it, without the window, into OUT: an image (.png, two pixels for each pixel of the
window), or a vector graphic (.svg, .pdf). STAGE is named as in the map of nodes: encoder.1.self.attention.

A .gif moves: attention moves word by word, a picture of the whole model step by step, and any other page while the
model learns. With --cell the arithmetic of one cell comes row by row, below the matrices of the stage that it reads. An
.mp4 shows the same, where the program ffmpeg is installed.
""",
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
        epilog="example:\n  explorer render emma attention emma.svg --theme dark",
    ),
    "export": Command(
        "render.export",
        """\
Write the whole model of a lesson into OUT, with all its numbers and how they are computed.

  .xlsx   a spreadsheet with a working formula in each cell: change a teal number, or choose another word, and
          everything follows, in Excel, LibreOffice or any other. A sheet a stage; each matrix has a name; beside it,
          in grey, the numbers that the program had. Its first sheet says what a spreadsheet cannot hold.
  .py     a numpy script, as of `explorer show --format python`.
""",
        options.LESSON,
        arg("out", "OUT", "a file that ends in .xlsx or .py"),
        options.FORCE,
        options.EDITS,
        epilog="example:\n  explorer export you-are-welcome welcome.xlsx --setting textbook",
    ),
    "check": Command(
        "lessons.check",
        "Check lesson files; without FILE, all lessons, and every number that the four texts print against its node.",
        arg("files", "FILE", "a lesson (.toml)", nargs="*", default=[]),
        flag("--json", 'print {"lessons": […], "figures": […], "slips": […]}'),
        epilog="Exit code 1 where something disagrees.",
    ),
    "replay": Command(
        "lessons.replay",
        """\
Go through the steps of a lesson forward, backward and from every step: each way has to give the same numbers to the
last bit. Each question is answered rightly, and with each mistake. Without LESSON, all lessons with steps.
""",
        arg("lessons", "LESSON", "a name from `explorer list`, or a .toml", nargs="*", default=[]),
        epilog="Exit code 1 where something differs.",
    ),
    "handout": Command(
        "render.handout",
        """\
Write a lesson on paper into OUT: its steps with pictures, its questions with room to write, the answers at the end. A
.html file has everything in it. Steps that draw numbers for each student draw others each time.
""",
        options.WITH_STEPS,
        arg("out", "OUT", "a file that ends in .pdf or .html"),
        options.FORCE,
        epilog="example:\n  explorer handout emma emma.pdf",
    ),
    "ink": Command(
        "render.ink",
        """\
Measure what one sees of each step of a lesson: of the ink of its page in the window, which share belongs to what the
step names, with the light off and on; of its slide, which share is empty, and which tables are cut.
""",
        options.WITH_STEPS,
        arg("--size", "WxH", "pixels of window and slides (1280x720)", default="1280x720"),
        flag("--json", "print JSON"),
        epilog="example:\n  explorer ink emma --size 1920x1080",
    ),
    "glossary": Command(
        "lessons.define",
        "Say what a term or symbol means. Without TERM, list all.",
        arg("term", "TERM", "as it stands on the screen: d_model, softmax", nargs="?"),
        flag("--json", 'print [{"name", "also", "says", "formula", …}]'),
    ),
    "words": Command(
        "words.words",
        """\
Words as vectors (GloVe).

  similar WORD…              the words nearest to each
  cosine WORD WORD           the cosine of two words, step by step; of more words, each with each
  analogy A B C              the words nearest to A - B + C
  odd-one-out WORD…          the word that is farthest from the mean of all
  evaluate                   the scores of the vectors on WordSim-353, SimLex-999 and analogies
  list                       the vectors that are here, and those that can be downloaded
  get NAME                   download vectors, unless they are here, and print the name of their file
  train TEXT… --out FILE     train vectors on text files; started again, it goes on where it stopped
""",
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
        epilog="""\
examples:
  explorer words similar sea -n 5
  explorer words cosine screen rock --vectors reference
  explorer words analogy king man woman --json
  explorer words train book.txt.gz letters.txt --out mine.safetensors --dims 50

train reads UTF-8, also compressed by gzip or xz. The extra `fast` (numba) makes it some ten times as fast.
""",
    ),
    "train": Command(
        "train.train",
        """\
Train a model as a recipe says, and write it as a document that the window opens.

RECIPE is a file (.toml), or a name from `explorer list`. Ctrl+C stops; the same command goes on from there. The result
is the same, bit for bit, as if it had not been stopped.
""",
        arg("recipe", "RECIPE", "a file (.toml), or a name from `explorer list`"),
        arg("--out", "FILE", "the document to write (.explorer)", required=True),
        options.FORCE,
        arg("--text", "FILE", "learn from this text, in place of the one that the recipe names, if any"),
        flag("--json", "print progress as JSON, an object a line"),
        arg("--keep-every", "S", "seconds after which the state is saved again (30)", type=float, default=30.0),
        flag("--attached", "stop where standard input ends or says `stop`: for a program that has started this one"),
        epilog="""\
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
""",
    ),
    "generate": Command(
        "show.generate",
        """\
Let a model continue TEXT, word by word, until it says <end>. MODEL is a name from `explorer list`, or a document
(.explorer), or a model that others trained: the folder of a checkpoint, or a file (.gguf, .bin). A translator
reads TEXT, and its answer begins with --target.
""",
        arg("model", "MODEL", "a name from `explorer list`, a document (.explorer), or a checkpoint's folder"),
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
        epilog="""\
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
""",
    ),
    "conventions": Command(
        "show.conventions",
        """\
Which conventions give your numbers? Type the numbers of a text into a model, and what it prints as results behind
NODE=; the settings are tried that texts differ in: scale, layout, mask, softmax along rows or columns, where ε stands,
formulas of positions, the base of a logarithm, rounding on the way. Those that give all printed digits are listed, the
likeliest first. NUMBERS may stand in a file: @FILE. The exit status is 1 where none gives them.
""",
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
        epilog="""\
examples:
  explorer conventions translation-lookup 'scaled=0 0 8.33; 0 8.33 0'
  explorer conventions --given '2 1 0.2' --printed '0.6522 0.2399 0.1078'
  explorer conventions mine.explorer 'encoder.1.self.head.1.weights=@printed.txt' --out found.explorer
""",
    ),
    "seek": Command(
        "show.seek",
        "Let gradient descent change inputs until a cell has a value; 1 where it cannot.",
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
        epilog="example:\n"
        "  explorer seek you-are-welcome 'encoder.1.self.weights[0,0,2]=0.9' --change encoder.1.self.W_Q",
    ),
    "questions": Command(
        "classroom.questions",
        """\
Write questions of lessons for a learning platform. Each stands by itself, with the matrices that it needs:
as pictures within the Moodle file, whose numbers are their text, and as tables in QTI.
Numbers to be computed are drawn; each mistake that the program knows is an answer of 0 points with its explanation.
Questions that ask to change a model stay in the program.

Moodle: Question bank, Import, Moodle XML format. Each question is a category of its own variants, so that a quiz with a
random question of it gives neighbours other numbers.
""",
        arg("lessons", "LESSON", "a name from `explorer list`, or a file (.toml)", nargs="+"),
        arg("--out", "FILE", "a .xml for Moodle's import, or a .zip of QTI 2.1"),
        arg("--variants", "N", "so many of each question, with other numbers (1)", type=int),
        arg("--seed", "S", "of the numbers; the same draws the same (0)", type=int),
        flag("--same", "the numbers of the lesson, none drawn"),
        options.FORCE,
        epilog="""\
examples:
  explorer questions emma softmax --variants 20 --out attention.xml
  explorer questions two-vectors --same --out vectors.zip
""",
    ),
    "bundle": Command(
        "classroom.bundle",
        "Write the lessons of a folder into one file, which opens by a double-click and stays under Your lessons.",
        arg("folder", "FOLDER", "with lessons (.toml) and the weights beside them"),
        arg("--out", "FILE", "a file that ends in .lessons", dest="file", required=True),
        options.FORCE,
        epilog="example:\n  explorer bundle my-lessons --out week3.lessons",
    ),
    "sheet": Command(
        "classroom.sheet",
        "Put an exercise sheet together. Students get it as a file; numbers are drawn for each from seed and name.",
        arg("questions", "QUESTION", "LESSON/STEP, or a lesson for all of its questions", nargs="+"),
        arg("--out", "FILE", "a file that ends in .sheet.toml", dest="file", required=True),
        arg("--title", "TEXT", "what stands above it (Exercises)", default="Exercises"),
        arg("--seed", "S", "another seed gives other numbers (0)", type=int, default=0),
        options.FORCE,
        epilog="example:\n  explorer sheet softmax emma/all-missing --out week3.sheet.toml",
    ),
    "answer": Command(
        "classroom.answer",
        "Answer a sheet. What is handed in is shown before it is saved: answers, tries, hints, and nothing else.",
        arg("sheet", "SHEET", "a file that ends in .sheet.toml"),
        arg("--student", "NAME", "the name it is handed in under; the numbers depend on it", required=True),
        arg("--out", "FILE", "a file that ends in .answers.json; named after the student, if left out", dest="file"),
        flag("--time", "hand in how long each question took, too"),
        flag("--force", "begin again, and write over earlier answers"),
        epilog='example:\n  explorer answer week3.sheet.toml --student "Ada Lovelace"',
    ),
    "class": Command(
        "classroom.class_",
        "Read the answers of a class: students and questions, mistakes by name, three questions to talk about.",
        arg("files", "FOLDER", "folders with files that end in .answers.json, or such files", nargs="+"),
        arg("--sheet", "SHEET", "judge each answer anew: a file that does not agree is left out"),
        arg("--csv", "FILE", "write a line for each student and question"),
        flag("--json", 'print {"questions", "students", "topics", "left_out"}'),
        options.FORCE,
        epilog="example:\n  explorer class answers/ --sheet week3.sheet.toml --csv class.csv",
    ),
    "bench": Command(
        "bench.bench",
        "In a checkout: measure the figures of speed beside their limits. Close other programs first.",
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
