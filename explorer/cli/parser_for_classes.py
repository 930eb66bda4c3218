"""What can be typed of the commands for a class: questions, sheets, answers."""

from explorer.cli.options import Parser, add_force

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
    add("--variants", type=int, default=1, metavar="N", help="so many of each question, with other numbers (1)")
    add("--seed", type=int, default=0, metavar="S", help="of the numbers; the same draws the same (0)")
    add("--same", action="store_true", help="the numbers of the lesson, none drawn")
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
    add_force(parser)
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
