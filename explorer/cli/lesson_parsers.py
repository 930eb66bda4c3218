"""The parsers of the commands about lessons, and of those for a class: questions, sheets, answers."""

from explorer.cli.options import Parser, add_force

_REPLAY = """\
Go through the steps of a lesson forward, backward and from every step: each way has to give the same numbers to the
last bit. Each question is answered rightly, and with each mistake. Without LESSON, all lessons with steps.
"""

_INK = """\
Measure what one sees of each step of a lesson: of the ink of its page in the window, which share belongs to what the
step names, with the light off and on; of its slide, which share is empty, and which tables are cut.
"""

_HANDOUT = """\
Write a lesson on paper into OUT: its steps with pictures, its questions with room to write, the answers at the end. A
.html file has everything in it. Steps that draw numbers for each student draw others each time.
"""

_QUESTIONS = """\
Write questions of lessons for a learning platform. Each stands by itself, with the matrices that it needs:
as pictures within the Moodle file, whose numbers are their text, and as tables in QTI.
Numbers to be computed are drawn; each mistake that the program knows is an answer of 0 points with its explanation.
Questions that ask to change a model stay in the program.

Moodle: Question bank, Import, Moodle XML format. Each question is a category of its own variants, so that a quiz with a
random question of it gives neighbours other numbers.
"""

_QUESTIONS_EXAMPLES = """\
examples:
  explorer questions emma softmax --variants 20 --out attention.xml
  explorer questions two-vectors --same --out vectors.zip
"""


def questions() -> Parser:
    """Of ``explorer questions``."""
    parser = Parser("questions", _QUESTIONS, epilog=_QUESTIONS_EXAMPLES)
    add = parser.add_argument
    add("lessons", metavar="LESSON", nargs="+", help="a name from `explorer list`, or a file (.toml)")
    add("--out", metavar="FILE", help="a .xml for Moodle's import, or a .zip of QTI 2.1")
    add("--variants", type=int, metavar="N", help="so many of each question, with other numbers (1)")
    add("--seed", type=int, metavar="S", help="of the numbers; the same draws the same (0)")
    add("--same", action="store_true", help="the numbers of the lesson, none drawn")
    add_force(parser)
    return parser


def bundle() -> Parser:
    """Of ``explorer bundle``."""
    what = "Write the lessons of a folder into one file, which opens by a double-click and stays under Your lessons."
    parser = Parser("bundle", what, epilog="example:\n  explorer bundle my-lessons --out week3.lessons")
    parser.add_argument("folder", metavar="FOLDER", help="with lessons (.toml) and the weights beside them")
    parser.add_argument("--out", metavar="FILE", dest="file", required=True, help="a file that ends in .lessons")
    add_force(parser)
    return parser


def sheet() -> Parser:
    """Of ``explorer sheet``."""
    what = "Put an exercise sheet together. Students get it as a file; numbers are drawn for each from seed and name."
    parser = Parser("sheet", what, epilog="example:\n  explorer sheet softmax emma/all-missing --out week3.sheet.toml")
    add = parser.add_argument
    add("questions", metavar="QUESTION", nargs="+", help="LESSON/STEP, or a lesson for all of its questions")
    add("--out", metavar="FILE", dest="file", required=True, help="a file that ends in .sheet.toml")
    add("--title", default="Exercises", metavar="TEXT", help="what stands above it (Exercises)")
    add("--seed", type=int, default=0, metavar="S", help="another seed gives other numbers (0)")
    add_force(parser)
    return parser


def answer() -> Parser:
    """Of ``explorer answer``."""
    what = "Answer a sheet. What is handed in is shown before it is saved: answers, tries, hints, and nothing else."
    parser = Parser("answer", what, epilog='example:\n  explorer answer week3.sheet.toml --student "Ada Lovelace"')
    add = parser.add_argument
    add("sheet", metavar="SHEET", help="a file that ends in .sheet.toml")
    add("--student", required=True, metavar="NAME", help="the name it is handed in under; the numbers depend on it")
    what = "a file that ends in .answers.json; named after the student, if left out"
    add("--out", metavar="FILE", dest="file", help=what)
    add("--time", action="store_true", help="hand in how long each question took, too")
    add("--force", action="store_true", help="begin again, and write over earlier answers")
    return parser


def class_() -> Parser:
    """Of ``explorer class``."""
    what = "Read the answers of a class: students and questions, mistakes by name, three questions to talk about."
    parser = Parser(
        "class", what, epilog="example:\n  explorer class answers/ --sheet week3.sheet.toml --csv class.csv"
    )
    add = parser.add_argument
    add("files", metavar="FOLDER", nargs="+", help="folders with files that end in .answers.json, or such files")
    add("--sheet", metavar="SHEET", help="judge each answer anew: a file that does not agree is left out")
    add("--csv", metavar="FILE", help="write a line for each student and question")
    add("--json", action="store_true", help='print {"questions", "students", "topics", "left_out"}')
    add_force(parser)
    return parser


def list_() -> Parser:
    """Of ``explorer list``."""
    parser = Parser("list", "List the lessons with their settings, the models that can be trained, and the vectors.")
    shape = (
        'print {"lessons": [{"id", "title", "steps", "questions", …}], "trained": [{"id", "title", "scores"}], '
        '"models": …, "vectors": …, "courses": …}'
    )
    parser.add_argument("--json", action="store_true", help=shape)
    return parser


def check() -> Parser:
    """Of ``explorer check``."""
    what = "Check lesson files; without FILE, all lessons, and every number that the four texts print against its node."
    parser = Parser("check", what, epilog="Exit code 1 where something disagrees.")
    parser.add_argument("files", nargs="*", default=[], metavar="FILE", help="a lesson (.toml)")
    parser.add_argument("--json", action="store_true", help='print {"lessons": […], "figures": […], "slips": […]}')
    return parser


def glossary() -> Parser:
    """Of ``explorer glossary``."""
    parser = Parser("glossary", "Say what a term or symbol means. Without TERM, list all.")
    parser.add_argument("term", nargs="?", metavar="TERM", help="as it stands on the screen: d_model, softmax")
    parser.add_argument("--json", action="store_true", help='print [{"name", "also", "says", "formula", …}]')
    return parser


def replay() -> Parser:
    """Of ``explorer replay``."""
    parser = Parser("replay", _REPLAY, epilog="Exit code 1 where something differs.")
    parser.add_argument(
        "lessons", nargs="*", default=[], metavar="LESSON", help="a name from `explorer list`, or a .toml"
    )
    return parser


def ink() -> Parser:
    """Of ``explorer ink``."""
    parser = Parser("ink", _INK, epilog="example:\n  explorer ink emma --size 1920x1080")
    parser.add_argument("lesson", metavar="LESSON", help="a name from `explorer list`, or a .toml")
    parser.add_argument("--size", metavar="WxH", default="1280x720", help="pixels of window and slides (1280x720)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def handout() -> Parser:
    """Of ``explorer handout``."""
    parser = Parser("handout", _HANDOUT, epilog="example:\n  explorer handout emma emma.pdf")
    parser.add_argument("lesson", metavar="LESSON", help="a name from `explorer list`, or a .toml")
    parser.add_argument("out", metavar="OUT", help="a file that ends in .pdf or .html")
    add_force(parser)
    return parser
