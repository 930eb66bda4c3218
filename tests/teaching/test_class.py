"""Sheets, what students hand in, and what a class did.

Answers of sheets that somebody is at are there again.
"""

import csv
import io
import json
import os
import signal
import zipfile
from dataclasses import replace
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.cli import main
from explorer.cli.classroom import as_text
from explorer.core.errors import ExplorerError
from explorer.document.storage import save
from explorer.lessons.answers import TRIES
from explorer.lessons.loader import load
from explorer.lessons.symbols import formula_html
from explorer.pages.controls import Button, Check, Field
from explorer.pages.element import leaves
from explorer.pages.page import Note
from explorer.sentences import sentence
from explorer.teaching import is_for_class
from explorer.teaching import sheet as module
from explorer.teaching.class_page import Roll, asked_in, class_page
from explorer.teaching.gradebook import UNKNOWN, gradebook, sheet_beside
from explorer.teaching.items import ChoiceItem, NumberItem
from explorer.teaching.sheet import Answered, Answers, Begun, Sheet, Sitting, Try, read_answers, read_sheet, sheet_of
from explorer.teaching.sheet_page import Exercise, form_of, order
from tests.refusals import refuses

SHEET = Sheet("Week 3", 7, ("softmax/guess", "emma/all-missing", "two-vectors/scaled"))


def right_one(item):
    if isinstance(item, NumberItem):
        return round(item.value, item.digits)
    return next(i for i, option in enumerate(item.options) if option.right)


def sat(student, wrong=()):
    """The answers of somebody who is right but for some questions, where the likeliest mistake is made first."""
    sitting = Sitting(SHEET, student)
    for item in sitting.items:
        if item.id in wrong:
            assert isinstance(item, NumberItem)
            sitting.answer(item, item.wrong[0].value)
        sitting.answer(item, right_one(item))
    return sitting.answers()


# Sheets


def test_a_sheet_is_a_file(tmp_path):
    made = sheet_of("Week 3", 7, ["softmax/guess", "emma", "softmax/guess"])
    assert made.questions[0] == "softmax/guess"
    assert len(made.questions) == len(set(made.questions)) > 5
    made.save(tmp_path / "w.sheet.toml")
    again = read_sheet(tmp_path / "w.sheet.toml")
    assert again == made
    assert again.id == made.id
    assert replace(made, seed=8).id != made.id


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('title = "A"\nseed = 1\nquestions = []', "at least one"),
        ('title = "A"\nseed = 1\nquestions = ["emma/nobody"]', "no question 'emma/nobody'"),
        ('title = "A"\nseed = 1\nquestions = ["nobody/x"]', "nobody"),
        ('title = "A"\nseed = -1\nquestions = ["emma/all-missing"]', "seed"),
        ('title = "A"\nmore = 1', "not a known key"),
        ("format = 9", "format"),
        ("[", "not valid TOML"),
    ],
)
def test_what_is_no_sheet(tmp_path, text, said):
    (tmp_path / "a.sheet.toml").write_text(text, "utf-8")
    with refuses(said):
        read_sheet(tmp_path / "a.sheet.toml")


def test_neighbours_have_other_numbers_and_each_always_the_same():
    def numbers(student):
        return [item.value for item in SHEET.items(student) if isinstance(item, NumberItem)]

    assert numbers("Ada Lovelace") == numbers("  ada   LOVELACE ")
    assert numbers("Zo\u00eb") == numbers("Zoe\u0308") == numbers("ZO\u00cb") != numbers("Zoe")  # one character, or two
    assert numbers("Ada Lovelace") != numbers("Alan Turing")


# Answers


def test_answers_are_read_back_from_the_file_and_from_a_mail(tmp_path):
    answers = sat("Ada", ["emma/all-missing"])
    answers.save(tmp_path / "ada.answers.json")
    assert read_answers(tmp_path / "ada.answers.json") == answers
    (tmp_path / "mail.answers.json").write_text(f"Dear all,\n{answers.text()}\nAda", "utf-8")
    assert read_answers(tmp_path / "mail.answers.json") == answers
    # A name may have joiners, which are invisible by themselves.
    sat("نیک\u200cپی").save(tmp_path / "nik.answers.json")
    assert read_answers(tmp_path / "nik.answers.json").student == "نیک\u200cپی"
    for name in ("\u200d", "Ada\u200b"):
        with refuses("name"):
            Sitting(SHEET, name)
    # Braces of the mail itself were taken for the beginning and the end of the answers.
    mail = f"Dear {{Prof}},\n{answers.text()}\n-- \nAda {{she}}"
    (tmp_path / "mail.answers.json").write_text(mail, "utf-8")
    assert read_answers(tmp_path / "mail.answers.json") == answers
    for sign in ("> ", ">", ">> ", "> > ", " > "):  # the mail is quoted in another one, which was called damaged
        quoted = "".join(f"{sign}{line}\r\n" for line in mail.splitlines())
        (tmp_path / "mail.answers.json").write_bytes(f"On Friday Ada wrote:\n{quoted}".encode())
        assert read_answers(tmp_path / "mail.answers.json") == answers
    assert answers.judged(SHEET) == answers
    assert answers.judged(replace(SHEET, seed=8)) is None
    told = json.loads(answers.text())
    assert set(told) == {"format", "student", "sheet", "sheet_id", "answers", "checksum"}  # nothing else is in it
    assert all(set(one) == {"question", "tries", "hints"} for one in told["answers"])


def test_what_was_changed_is_found(tmp_path):
    file, text = tmp_path / "a.answers.json", sat("Ada", ["emma/all-missing"]).text()
    for old, new in (('"right": false', '"right": true'), ('"Ada"', '"Bob"'), ('"hints": 0', '"hints": 1')):
        assert old in text
        file.write_text(text.replace(old, new, 1), "utf-8")
        with refuses("is not as it was saved"):
            read_answers(file)


def test_a_question_has_one_result(tmp_path):
    answers = sat("Ada", ["emma/all-missing"])
    twice = replace(answers, answered=(*answers.answered, Answered("emma/all-missing", (Try(1.0, True),))))
    (tmp_path / "a.answers.json").write_text(twice.text(), "utf-8")
    with refuses("not a file of answers"):
        read_answers(tmp_path / "a.answers.json")


def test_answers_that_were_made_up_do_not_agree_with_the_sheet():
    answers = sat("Ada", ["emma/all-missing"])
    one = next(one for one in answers.answered if one.question == "emma/all-missing")
    forged = replace(one, tries=(Try(one.tries[0].answer, True),))
    assert replace(answers, answered=(forged,)).judged(SHEET) is None
    assert replace(answers, student="Bob").judged(SHEET) is None


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
@settings(max_examples=60, deadline=None)
def test_any_file_is_refused_in_a_sentence(tmp_path_factory, content):
    file = tmp_path_factory.mktemp("any") / "a.answers.json"
    file.write_bytes(content)
    with refuses("within a zip" if content.startswith(b"PK\x03\x04") else "not a file of answers"):
        read_answers(file)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_changed_byte_is_never_taken_for_an_answer(tmp_path_factory, data):
    answers = Answers(
        "Ada", "Week", "x", (Answered("emma/all-missing", (Try(0.5, False, "scaled"), Try(1.0, True)), 1, 12.0),)
    )
    raw = bytearray(answers.text().encode())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] = data.draw(st.integers(32, 126))
    file = tmp_path_factory.mktemp("byte") / "a.answers.json"
    file.write_bytes(bytes(raw))
    try:
        found, problem = read_answers(file), ""
    except ExplorerError as error:
        found, problem = answers, error.id
    assert found == answers  # white space was changed
    assert problem in ("", "answers-damaged", "answers-altered")


def test_a_question_is_over_after_three_tries_or_the_right_one():
    sitting = Sitting(SHEET, "Ada")
    (choice,) = (item for item in sitting.items if isinstance(item, ChoiceItem))
    assert sitting.hint(choice) in (*choice.hints, "")
    number = next(item for item in sitting.items if isinstance(item, NumberItem))
    for typed in (1234.5, 1234.5, 1234.5, 1235.5):  # the same number once more is no try, as in a lesson
        sitting.answer(number, typed)
    assert sitting.left(number) == 1
    for typed in range(2000, 2005):
        sitting.answer(number, typed)
    assert sitting.over(number)
    found = {one.question: one for one in sitting.answers().answered}
    assert len(found[number.id].tries) == 3
    assert not found[number.id].right
    sitting.took(choice, 12.3)
    assert '"seconds": 12' in sitting.answers().text()
    for name in ("", "x" * 101, "a\x07"):
        with refuses("name"):
            Sitting(SHEET, name)


# The class


@pytest.fixture
def folder(tmp_path):
    for student, wrong in (
        ("Ada", ()),
        ("Bob", ("emma/all-missing",)),
        ("Cleo", ("emma/all-missing", "two-vectors/scaled")),
    ):
        sat(student, wrong).save(tmp_path / f"{student}.answers.json")
    return tmp_path


def test_a_class(folder, monkeypatch):
    monkeypatch.setattr("explorer.teaching.gradebook.MOST_FILES", 2)
    book = gradebook([folder], SHEET)
    assert [one.student for one in book.students] == ["Ada", "Bob"]
    assert [sentence(one.reason) for one in book.left_out] == [
        f"{folder / 'Cleo.answers.json'}: is one too many, as the first 2 files count; put one class into a folder."
    ]
    monkeypatch.undo()
    book = gradebook([folder], SHEET)
    assert [one.student for one in book.students] == ["Ada", "Bob", "Cleo"]
    assert book.questions == SHEET.questions
    assert book.left_out == ()
    assert book.outcomes("emma/all-missing") == {"try 1": 1, "try 2": 2}
    assert book.outcomes("softmax/guess") == {"try 1": 3}
    assert sum(book.mistakes("emma/all-missing").values()) == 2
    topics = book.topics()
    assert [topic.question for topic in topics] == ["emma/all-missing", "two-vectors/scaled"]
    assert (topics[0].asked, topics[0].at_once) == (3, 1)
    names = {name for name, _ in topics[0].mistakes}
    assert UNKNOWN not in names


def test_students_stand_in_the_order_of_their_letters(tmp_path):
    for name in ("Zoe", "Özil", "Äpfel", "Otto", "Anna", "émile", "Eva"):
        sat(name).save(tmp_path / f"{name}.answers.json")
    order = [one.student for one in gradebook([tmp_path]).students]
    assert order == ["Anna", "Äpfel", "émile", "Eva", "Otto", "Özil", "Zoe"]


def test_what_does_not_count_is_told(folder):
    (folder / "broken.answers.json").write_text("{", "utf-8")
    (folder / "._Ada.answers.json").write_bytes(b"\0\5\x16\7Mac OS X")  # passed over
    text = (folder / "Bob.answers.json").read_text("utf-8")
    (folder / "altered.answers.json").write_text(text.replace("Bob", "Dan"), "utf-8")
    replace(sat("Eve"), sheet_id="another", sheet="Week 2").save(folder / "eve.answers.json")
    Sitting(SHEET, "ada").answers().save(folder / "ada-2.answers.json")
    sat("Zo\u00eb").save(folder / "y.answers.json")
    Sitting(SHEET, "Zoe\u0308").answers().save(folder / "zoe-2.answers.json")
    forged = sat("Finn", ["emma/all-missing"])
    tries = tuple(replace(one, tries=tuple(replace(t, right=True) for t in one.tries)) for one in forged.answered)
    replace(forged, answered=tries).save(folder / "finn.answers.json")
    book = gradebook([folder], SHEET)
    assert [one.student for one in book.students] == ["Ada", "Bob", "Cleo", "Zo\u00eb"]
    assert {(one.file.rpartition("/")[2], one.reason.id) for one in book.left_out} == {
        ("broken.answers.json", "answers-damaged"),
        ("altered.answers.json", "answers-altered"),
        ("eve.answers.json", "answers-of-another"),
        ("ada-2.answers.json", "answers-twice"),
        ("zoe-2.answers.json", "answers-twice"),
        ("finn.answers.json", "answers-altered"),
    }
    assert len(gradebook([folder]).students) == 5  # without the sheet nobody can know what Finn did


def test_csv_is_safe_in_a_spreadsheet(tmp_path):
    sat("=1+1", ["emma/all-missing"]).save(tmp_path / "a.answers.json")
    rows = list(csv.reader(io.StringIO(gradebook([tmp_path]).csv())))
    assert rows[0][:3] == ["student", "question", "right"]
    assert len(rows) == 1 + len(SHEET.questions)
    assert rows[1][0] == "'=1+1"
    assert rows[2][1:4] == ["emma/all-missing", "1", "2"]
    assert rows[2][6]


def test_grades_have_a_line_for_each_student(folder, tmp_path, capsys):
    out = tmp_path / "grades.csv"
    assert main(["class", str(folder), "--grades", str(out)]) == 0
    book = gradebook([folder])
    head, *rows = csv.reader(io.StringIO(out.read_text("utf-8-sig")))
    assert head[:3] == ["student", "right", "questions"]
    assert head[3].startswith("1 ")
    assert "/" not in head[3], "a question has its title"
    assert len({len(row) for row in (head, *rows)}) == 1
    assert [row[0] for row in rows] == [one.student for one in book.students]
    for student, row in zip(book.students, rows, strict=True):
        assert int(row[1]) == row[3:].count("1") == sum(one.right for one in student.answered)
        assert row[3:].count("") == sum(not one.tries for one in student.answered)
    before = out.read_bytes()
    assert main(["class", str(folder), "--grades", str(out)]) == 0  # a week later
    assert out.read_bytes() == before


def test_a_table_of_a_class_is_written_over_no_answers(folder, tmp_path, capsys):
    """`--csv` took any file of ours: the answers of a student were gone."""
    ada, model = next(folder.rglob("*.answers.json")), tmp_path / "a.explorer"
    save(load("two-vectors").state(), "Mine", model)
    for file in (ada, model):
        before = file.read_bytes()
        for name in ("--csv", "--grades"):
            assert main(["class", str(folder), name, str(file)]) == 2
            assert "is no table" in capsys.readouterr().err
        assert file.read_bytes() == before
    assert main(["class", str(folder), "--csv", "c.csv", "--grades", "c.csv"]) == 2
    assert "the same file" in capsys.readouterr().err


def packed(path, files, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_the_zip_of_a_learning_platform_is_read_as_it_is(tmp_path):
    """Moodle hands out all that a class has handed in as one zip, a folder a student; it had to be unpacked first."""
    handed_in = {
        "Lovelace, Ada_17_assignsubmission_file_/ada.answers.json": sat("Ada").text(),
        "Özil, Zoë_18_assignsubmission_file_/zoe.answers (1).json": sat("Zoë").text(),  # as a browser renames it
        "Bob_19_assignsubmission_file_/bob.answers.json.txt": sat("Bob").text(),
        "Bob_19_assignsubmission_file_/essay.pdf": b"%PDF",
        "__MACOSX/Bob_19/._bob.answers.json": b"Mac OS X",
        "Eve_20/eve.answers.json": b"",
        "Dan_21/dan.answers.json": "{" * 300_000,
        "Max_22/max.zip": b"PK",
        "../../out\x1b[2J.answers.json": b"{}",
    }
    file = packed(tmp_path / "week3.zip", handed_in)
    assert is_for_class(file)
    book = gradebook([file])
    assert [one.student for one in book.students] == ["Ada", "Bob", "Zoë"]
    assert {one.file.rpartition("/")[2]: one.reason.id for one in book.left_out} == {
        "eve.answers.json": "answers-damaged",
        "dan.answers.json": "answers-damaged",
        "max.zip": "answers-packed",
        "out[2J.answers.json": "answers-damaged",
    }
    assert os.listdir(tmp_path) == ["week3.zip"], "nothing is unpacked onto the disk"
    assert gradebook([tmp_path]).students == book.students, "in a folder, too"
    sat("Ada").save(tmp_path / "ada.answers.json")
    assert len(gradebook([tmp_path]).left_out) == len(book.left_out), "a copy of a file is not told"
    page = class_page(
        Roll((file,), book=book, asked=asked_in(book)), 9, [sentence(one.reason) for one in book.left_out]
    )
    (told,) = (one for one in page if one.id == "left out")
    assert "Eve_20/eve.answers.json" in [line.entries[0].text for line in told.lines], "says whose file it is"


def pasted(text):
    """A text as editors of learning platforms keep it when it was pasted there."""
    lines = "<br>\n".join(f"&nbsp;{escape(one.strip())}" for one in text.splitlines())
    return f"<html><body><p>Dear Prof {{Hopper}},</p><p>{lines}</p><p>Ada &lt;ada@x.org&gt;</p></body></html>"


def test_answers_that_were_pasted_into_a_learning_platform_are_read(tmp_path):
    """ "Copy as text" and the field "Online text": Moodle keeps that as a page of HTML, which was passed over."""
    ada = sat("Ada <3 Lovelace", ["emma/all-missing"])
    plain = ada.text().replace("<3", "&lt;3").replace("\n", "</p>\n<p>")  # browsers write quotes in words as they are
    online = "assignsubmission_onlinetext"
    handed_in = {
        f"Ada_17_{online}/onlinetext.html": pasted(ada.text()),
        f"Bob_18_{online}_onlinetext.html": f"<p>{sat('Bob').text()}</p>",
        f"Cy_19_{online}/onlinetext.htm": f"<div><p>{plain}</p></div>",
        f"Dan_20_{online}/onlinetext.html": "<p>My answers are in the file. {}</p>",
        f"Eve_21_{online}/onlinetext.html": pasted(sat("Eve").text()[:-40]),
    }
    file = packed(tmp_path / "week3.zip", handed_in)
    assert is_for_class(file)
    book = gradebook([file], SHEET)
    assert [one.student for one in book.students] == ["Ada <3 Lovelace", "Bob"]
    assert book.students[0] == ada
    assert [(one.file.split("/")[-2], one.reason.id) for one in book.left_out] == [
        (f"Eve_21_{online}", "answers-damaged")
    ]
    for name, text in handed_in.items():
        (tmp_path / "unpacked" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "unpacked" / name).write_text(text, "utf-8")
    assert is_for_class(tmp_path / "unpacked")
    assert gradebook([tmp_path / "unpacked"], SHEET).students == book.students
    alone = tmp_path / "unpacked" / f"Bob_18_{online}_onlinetext.html"
    assert is_for_class(alone)
    assert [one.student for one in gradebook([alone]).students] == ["Bob"]
    essay = tmp_path / "essay.html"
    essay.write_text("<p>An essay</p>", "utf-8")
    assert not is_for_class(essay)
    assert not is_for_class(packed(tmp_path / "essays.zip", {"essay.html": "<p>An essay</p>"}))


def test_a_mistake_that_has_another_name_today_is_counted_under_that_name(tmp_path):
    """Judged again with the sheet, the files of a class from before the renaming counted as altered."""
    old = sat("Ada", ["emma/all-missing"])
    renamed = tuple(
        replace(one, tries=tuple(replace(t, mistake="an older name" if t.mistake else "") for t in one.tries))
        for one in old.answered
    )
    replace(old, answered=renamed).save(tmp_path / "a.answers.json")
    assert gradebook([tmp_path]).mistakes("emma/all-missing")["an older name"] == 1
    book = gradebook([tmp_path], SHEET)
    assert book.students == (old,)
    assert not book.left_out


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_would_burst_is_refused(tmp_path, method):
    """Of these ways of packing, zipfile unpacks whatever a few bytes become, however little is asked for."""
    book = gradebook([packed(tmp_path / "a.zip", {"a.answers.json": sat("Ada").text()}, method)])
    assert [one.reason.id for one in book.left_out] == ["answers-packed"]


def test_a_zip_without_answers_says_so(tmp_path):
    other = packed(tmp_path / "other.zip", {"essay.pdf": b"%PDF"})
    assert not is_for_class(other)
    (tmp_path / "cut.zip").write_bytes(
        packed(tmp_path / "x.zip", {"a.answers.json": sat("Ada").text()}).read_bytes()[:90]
    )
    book = gradebook([other, tmp_path / "cut.zip"])
    assert [one.reason.id for one in book.left_out] == ["no-answers-packed", "answers-damaged"]
    assert not gradebook([tmp_path]).left_out, "what else lies in a folder is not the class's"


def test_a_folder_without_answers(tmp_path):
    with refuses("no files of answers"):
        gradebook([tmp_path])


def test_what_a_sheet_is_made_of_can_be_asked(tmp_path):
    """emma/key asks about a table with more columns than a sheet has room for."""
    with refuses("The question 'emma/key' needs its page"):
        sheet_of("Week 3", 7, ["softmax/guess", "emma/key"])
    file = tmp_path / "mine.lesson.toml"
    alone = MINE.replace('kind = "choose"', 'kind = "choose"\nalone = false')
    file.write_text(alone.replace('kind = "predict",', 'kind = "predict", alone = false,'), "utf-8")
    with refuses("needs its page"):
        sheet_of("Week 3", 7, [str(file)])
    with refuses("needs a model that does not come along"):
        sheet_of("Week 3", 7, ["inside-pythia"])


MINE = """
format = 4
id = "mine"
title = "A lesson of ours"
paragraph = "A score, as “emma” has it."
example = "emma"
[[step]]
id = "score"
title = "A score"
words = "A query meets a key 🙂."
look = { stage = "attention", node = "scores", rows = ["friend"], columns = ["Emma"] }
question = { kind = "predict", ask = "What is the score?" }
[[step]]
id = "why"
title = "Why"
words = "Two answers."
look = { stage = "attention", node = "scores" }
[step.question]
kind = "choose"
ask = "Which?"
choices = [{ text = "One.", right = true }, { text = "Two.", why = "No." }]
"""


def test_a_lesson_of_ones_own_is_on_a_sheet_that_a_student_opens_without_it(tmp_path):
    """There was “no lesson ''”."""
    file = tmp_path / "mine.lesson.toml"
    file.write_text(MINE, "utf-8")
    assert sheet_of("Week 3", 7, [f"{file}/why"]).questions == ("mine/why",)
    made = sheet_of("Week 3", 7, [str(file), "softmax/guess"])
    made.save(tmp_path / "week.sheet.toml")
    file.write_text(MINE.replace("Two answers", "Another"), "utf-8")
    assert sheet_of("Week 3", 7, [str(file), "softmax/guess"]).id != made.id
    with refuses("Two of these lessons are called 'mine'"):
        (tmp_path / "other.toml").write_text(MINE, "utf-8")
        sheet_of("Week 3", 7, [str(file), str(tmp_path / "other.toml")])
    file.unlink()
    sheet = read_sheet(tmp_path / "week.sheet.toml")
    assert (sheet, sheet.id) == (made, made.id)
    assert sheet.questions == ("mine/score", "mine/why", "softmax/guess")
    one, other = (sheet.items(name) for name in ("Ann", "Ben"))
    assert [item.id for item in one] == list(sheet.questions)
    assert one[0].value != other[0].value
    Sitting(sheet, "Ann").answers().save(tmp_path / "Ann.answers.json")
    book = gradebook([tmp_path])
    assert [one.title for one in asked_in(book, sheet_beside([tmp_path], book)).values()][:2] == ["A score", "Why"]
    (tmp_path / "week.sheet.toml").unlink()
    assert sheet_beside([tmp_path], book) is None
    file.write_text(MINE.replace('example = "emma"', 'weights = "w.safetensors"\nexample = "emma"'), "utf-8")
    with refuses("needs another file"):
        sheet_of("Week 3", 7, [str(file)])


@pytest.mark.parametrize("answer", [99, -1, 0.5, 10**400])
def test_a_made_up_choice_does_not_end_the_class(tmp_path, answer):
    sat("Ada", ["emma/all-missing"]).save(tmp_path / "ada.answers.json")
    right = right_one(SHEET.items("Eve")[0])
    one = Answered("softmax/guess", (Try(answer, True), Try(right, True)))
    Answers("Eve", SHEET.title, SHEET.id, (one,)).save(tmp_path / "eve.answers.json")
    book = gradebook([tmp_path], SHEET)
    assert [one.student for one in book.students] == ["Ada"]
    assert len(book.left_out) == 1


def test_a_file_that_was_right_twice_does_not_end_the_class(tmp_path):
    one = Answered("softmax/guess", (Try(0, True), Try(0, True)))
    Answers("Eve", SHEET.title, SHEET.id, (one,)).save(tmp_path / "eve.answers.json")
    assert [topic.mistakes for topic in gradebook([tmp_path]).topics()] == [()]


def test_a_fourth_try_in_a_file_does_not_count(tmp_path):
    one = Answered("softmax/guess", (*(Try(1, False) for _ in range(TRIES)), Try(0, True)))
    Answers("Eve", SHEET.title, SHEET.id, (one,)).save(tmp_path / "eve.answers.json")
    assert not gradebook([tmp_path]).students[0].answered[0].right


@pytest.mark.parametrize("title", ["", " ", "x" * 121, "bell\a"])
def test_titles_that_could_not_be_read_back(title):
    with refuses("a title of 1 to 120 letters"):
        sheet_of(title, 7, ["softmax/guess"])


def test_answers_to_a_sheet_whose_title_has_a_gap_are_read(tmp_path):
    """A blank line within a title made every file of answers pass for a damaged one."""
    (tmp_path / "w.sheet.toml").write_text('title = "Week 3\\n\\nOn attention"\nquestions = ["softmax/guess"]', "utf-8")
    Sitting(read_sheet(tmp_path / "w.sheet.toml"), "Ada").answers().save(tmp_path / "ada.answers.json")
    assert read_answers(tmp_path / "ada.answers.json").sheet == "Week 3 On attention"
    sheet_of("Week 3\n\nOn\nattention", 7, ["softmax/guess"]).save(tmp_path / "w.sheet.toml")
    assert read_sheet(tmp_path / "w.sheet.toml").title == "Week 3 On attention"


# The commands


def test_from_the_sheet_to_the_class(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["sheet", "softmax/guess", "emma/all-missing", "--title", "Week 3", "--out", "w.sheet.toml"]) == 0
    sheet = read_sheet("w.sheet.toml")
    for student in ("Ada L", "Bob"):
        choice, number = sheet.items(student)
        letters = "abcdefgh"
        right = letters[order(choice, student).index(right_one(choice))]
        typed = [right, "what", "h", "∞", "1234.5", f"{right_one(number)}"]
        keys = iter(typed)
        monkeypatch.setattr("builtins.input", lambda prompt, keys=keys: next(keys))
        assert main(["answer", "w.sheet.toml", "--student", student]) == 0
        said = capsys.readouterr().out
        assert said.count("That is no answer to this question.") == 2, "not “what”, and not ∞, which no file can hold"
        assert said.count("Type a number with 2 decimals.") == 2
        assert said.count("Right.") == 2
        assert '"student": ' in said
    assert main(["class", ".", "--sheet", "w.sheet.toml", "--csv", "class.csv"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Week 3: 2 students")
    assert "✓2" in said
    assert "2  All by yourself  emma/all-missing\n" in said, "a question has its title, and the id of its step"
    assert f"All by yourself: 0 of 2 right at once; 2 × {UNKNOWN}" in said
    assert (tmp_path / "class.csv").read_text("utf-8-sig").count("\n") == 5
    assert main(["class", "nowhere.answers.json"]) == 1
    assert capsys.readouterr().out == ""
    assert main(["class", ".", "--json", "--csv", "class.csv"]) == 0, "its own table may be written over"
    assert json.loads(capsys.readouterr().out)["topics"][0]["question"] == "emma/all-missing"
    table = (tmp_path / "class.csv").read_bytes()
    assert main(["class", "anwsers", "--csv", "class.csv"]) == 1
    assert "wrote" not in capsys.readouterr().out
    assert (tmp_path / "class.csv").read_bytes() == table, "a misspelt folder costs no table"


def test_in_a_terminal_no_word_of_a_question_is_broken():
    html = "<p>A net sorts pictures into three categories.</p><table><tr><td>Category A</td><td>2.0</td></tr></table>"
    assert as_text(html, 20) == "A net sorts pictures\ninto three\ncategories.\n  Category A  2.0"
    assert as_text(html).splitlines()[0] == "A net sorts pictures into three categories."


def test_an_answer_given_twice_is_told_to_count_once(tmp_path, monkeypatch, capsys):
    """The second time said the same as the first, and so whoever typed it could not know that nothing was counted."""
    monkeypatch.chdir(tmp_path)
    sheet = Sheet("Week 3", 7, ("emma/all-missing", "emma/guess"))
    sheet.save("w.sheet.toml")
    number, choice = sheet.items("Ada")
    letters = "abc"
    assert (form_of(number), form_of(choice)) == ("a number with 2 decimals", "a letter from a to c")
    wrong = next(letters[i] for i, at in enumerate(order(choice, "Ada")) if at != right_one(choice))
    typed = iter(["1234.5", "1234,50", f"{right_one(number)}", wrong, wrong, ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    assert main(["answer", "w.sheet.toml", "--student", "Ada"]) == 0
    said = capsys.readouterr().out
    assert said.count("You gave this answer before, and it does not count again. No") == 2
    assert said.count("2 tries are left.") == 4
    assert [len(one.tries) for one in read_answers("ada.answers.json").answered] == [2, 1]


def test_a_hint_is_offered_only_where_there_is_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sheet = Sheet("Week 3", 7, ("emma/all-missing", "softmax/powers"))
    sheet.save("w.sheet.toml")
    assert [bool(item.hints) for item in sheet.items("Ada")] == [True, False]
    typed = iter(["h", "h", "", "h", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    assert main(["answer", "w.sheet.toml", "--student", "Ada"]) == 0
    said = capsys.readouterr().out
    assert said.count("h for a hint") == 1
    assert "Enter alone to leave it open" in said
    assert said.count("There is no other hint.") == 1
    assert said.count("This question has no hint.") == 1


def test_a_key_of_another_encoding_is_no_answer(tmp_path, monkeypatch, capsys):
    """It ended the program, and all answers before it were lost."""
    monkeypatch.chdir(tmp_path)
    assert main(["sheet", "softmax/guess", "--out", "w.sheet.toml"]) == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n"), "utf-8"))
    assert main(["answer", "w.sheet.toml", "--student", "Ada"]) == 0
    assert "That is no answer to this question." in capsys.readouterr().out


def test_a_second_start_goes_on_with_what_is_left_and_loses_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    SHEET.save("w.sheet.toml")
    sat("Ada", ["emma/all-missing"]).save("ada.answers.json")
    done = read_answers("ada.answers.json")
    half = replace(done, answered=(*done.answered[:1], *(Answered(one.question) for one in done.answered[1:])))
    half.save("ada.answers.json")
    monkeypatch.setattr("builtins.input", lambda prompt: "")
    assert main(["answer", "w.sheet.toml", "--student", "ada"]) == 0
    said = capsys.readouterr().out
    assert "Going on with ada.answers.json: 1 of 3 done." in said
    assert ("1 of 3  " in said, "2 of 3  " in said, "3 of 3  " in said) == (False, True, True)
    assert read_answers("ada.answers.json").answered == half.answered
    before = (tmp_path / "ada.answers.json").read_bytes()
    for sheet, student in (("w.sheet.toml", "Bob"), ("other.sheet.toml", "Ada")):
        replace(SHEET, seed=99).save("other.sheet.toml")
        assert main(["answer", sheet, "--student", student, "--out", "ada.answers.json"]) == 2, "they would be lost"
        assert "ada.answers.json: holds answers" in capsys.readouterr().err
    assert (tmp_path / "ada.answers.json").read_bytes() == before


def test_a_class_is_told_what_was_chosen(tmp_path, monkeypatch, capsys):
    """A letter tells nothing: each student has the choices in another order."""
    monkeypatch.chdir(tmp_path)
    (item,) = Sheet("Week 3", 7, ("softmax/guess",)).items("Ada")
    sitting = Sitting(Sheet("Week 3", 7, ("softmax/guess",)), "Ada")
    wrong = next(i for i, option in enumerate(item.options) if not option.right)
    sitting.answer(item, wrong)
    sitting.answers().save("ada.answers.json")
    assert main(["class", "."]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Week 3: 1 student\n")
    chosen = f"“{as_text(item.options[wrong].text)[:20]}"
    assert f"   1 × {chosen}" in said
    assert main(["class", ".", "--json", "--csv", "class.csv"]) == 0
    as_json = json.loads(capsys.readouterr().out)
    (mistake,) = as_json["questions"]["softmax/guess"]["mistakes"]
    assert mistake.startswith(chosen)
    assert as_json["topics"][0]["mistakes"] == [[mistake, 1]]
    (row,) = csv.DictReader(io.StringIO((tmp_path / "class.csv").read_text("utf-8-sig")))
    assert row["mistakes"] == mistake
    assert "chose" not in said


def test_the_right_choice_is_not_always_the_first(tmp_path, monkeypatch, capsys):
    """In the files of lessons it mostly is; the window mixes them for each student, and so does the command."""
    monkeypatch.chdir(tmp_path)
    sheet = Sheet("Week 3", 7, ("softmax/guess",))
    sheet.save("w.sheet.toml")
    monkeypatch.setattr("builtins.input", lambda prompt: "")
    firsts = set()
    for student in ("Ada", "Bob", "Cid", "Dan", "Eve", "Fay"):
        assert main(["answer", "w.sheet.toml", "--student", student]) == 0
        said = capsys.readouterr().out
        (item,) = sheet.items(student)
        texts = [as_text(item.options[i].text) for i in order(item, student)]
        assert [said.index(f"  {letter}  {text}\n") for letter, text in zip("abcdefgh", texts, strict=False)]
        firsts.add(order(item, student)[0])
    assert len(firsts) > 1


def test_a_file_is_named_after_any_student(tmp_path, monkeypatch, capsys):
    """The names of two students with a slash between them named a folder, and the answers were lost."""
    monkeypatch.chdir(tmp_path)
    Sheet("Week 3", 7, ("softmax/guess",)).save("w.sheet.toml")
    keys = iter(["İ", "ß", "²", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(keys))
    assert main(["answer", "w.sheet.toml", "--student", "Ada L/Bob"]) == 0
    assert capsys.readouterr().out.count("That is no answer to this question.") == 3
    assert read_answers("ada-l-bob.answers.json").student == "Ada L/Bob"


def test_a_folder_that_is_missing_is_told_before_the_questions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    SHEET.save("w.sheet.toml")
    assert main(["answer", "w.sheet.toml", "--student", "Ada", "--out", "no/ada.answers.json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "there is no such folder" in said.err


@pytest.mark.parametrize("stop", [EOFError, KeyboardInterrupt])
def test_who_stops_keeps_what_was_answered(tmp_path, monkeypatch, capsys, stop):
    monkeypatch.chdir(tmp_path)
    SHEET.save("w.sheet.toml")

    def ended(prompt):
        raise stop

    monkeypatch.setattr("builtins.input", ended)
    assert main(["answer", "w.sheet.toml", "--student", "Ada", "--time"]) == 0
    assert [one.tries for one in read_answers("ada.answers.json").answered] == [(), (), ()]
    capsys.readouterr()
    for name in ("theirs.sheet.toml", "theirs.answers.json"):
        (tmp_path / name).write_text("mine = 1", "utf-8")
    for words, said in (
        (["answer", "w.sheet.toml", "--student", "Ada", "--out", "a.json"], "answers.json"),
        (["answer", "w.sheet.toml", "--student", " "], "name"),
        (["sheet", "emma", "--out", "a.toml"], ".sheet.toml"),
        (["sheet", "emma/x", "--out", "a.sheet.toml"], "no question"),
        (["sheet", "softmax", "--out", "theirs.sheet.toml"], "was not written by this program"),
        (["answer", "w.sheet.toml", "--student", "Theirs"], "was not written by this program"),
        (["sheet", "tiny-gpt", "--out", "a.sheet.toml"], "has no questions"),
        (["sheet", "emma", "--seed", "-1", "--out", "a.sheet.toml"], "--seed"),
        (["class", "nowhere"], "cannot be read"),
    ):
        code = main(words)
        told = capsys.readouterr()
        assert code in (1, 2)
        assert said in told.err


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no such signal here")
def test_a_terminal_that_is_closed_loses_no_answer(tmp_path, monkeypatch, capsys):
    """All that was answered was lost with the terminal: it was saved only at the end."""
    monkeypatch.chdir(tmp_path)
    SHEET.save("w.sheet.toml")
    before = signal.signal(signal.SIGHUP, lambda number, frame: None)

    def gone(*words, **options):
        raise OSError(5, "Input/output error")

    def closed(prompt):
        monkeypatch.setattr("explorer.cli.classroom.print", gone, raising=False)
        signal.raise_signal(signal.SIGHUP)
        raise AssertionError("it goes on")

    monkeypatch.setattr("builtins.input", closed)
    monkeypatch.setattr("explorer.cli._discard_output", lambda: None)  # the output of the tests stays
    try:
        assert main(["answer", "w.sheet.toml", "--student", "Ada"]) == 2
    finally:
        signal.signal(signal.SIGHUP, before)
    assert [one.tries for one in read_answers("ada.answers.json").answered] == [(), (), ()]


@pytest.fixture
def begun(tmp_path):
    return Begun(tmp_path)


def found(page, kind):
    return {one.id: one for part in page for one in leaves(part) if isinstance(one, kind)}


def test_who_opens_the_sheet_again_goes_on_where_it_was_left(begun):
    first = Exercise(SHEET, clock=iter(range(0, 1000, 10)).__next__)
    for act, value in (("name", "Ada Lovelace"), ("times", True), ("begin", None)):
        first.do(act, value)
    first.do("answer", right_one(first.item))
    first.do("go", 1)
    assert isinstance(first.item, NumberItem)
    assert first.item.hints
    first.do("hint")
    first.do("typed", str(first.item.wrong[0].value))
    first.do("answer")
    assert begun.keep(SHEET, first.answers())

    again = Exercise(SHEET, begun.of(SHEET))
    assert found(again.page(), Field)["name field"].value == "Ada Lovelace"
    assert "1 of 3 questions are done" in found(again.page(), Note)["handed in"].text
    again.do("name", "  ada LOVELACE")
    assert found(again.page(), Button)["begin"].text == "Go on"
    again.do("begin")
    assert again.answers().answered == first.answers().answered
    assert again.times
    assert again.at == 1
    for note in ("said 1", "hint 1 0"):
        assert found(again.page(), Note)[note].text == found(first.page(), Note)[note].text

    again = Exercise(SHEET, begun.of(SHEET))
    again.do("begin anew")
    assert not any(one.tries for one in again.answers().answered)
    again = Exercise(SHEET, begun.of(SHEET))
    again.do("name", "Bob")
    assert "begin anew" not in found(again.page(), Button)
    again.do("begin")
    assert not any(one.tries for one in again.answers().answered)


def test_what_is_of_another_sheet_or_was_changed_is_not_gone_on_with(begun, tmp_path):
    other = replace(SHEET, seed=8)
    assert begun.keep(SHEET, sat("Ada"))
    assert begun.of(other) == {}
    (file,) = tmp_path.rglob("*.answers.json")
    file.write_text(file.read_text("utf-8").replace('"right": true', '"right": false', 1), "utf-8")
    assert begun.of(SHEET) == {}
    assert begun.latest(4) == []


def test_the_last_ones_are_listed_and_the_oldest_go(begun, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    sheets = [replace(SHEET, seed=seed, title=f"Week {seed}") for seed in range(5)]
    for age, sheet in enumerate(sheets):
        answers = replace(sat("Ada"), sheet=sheet.title, sheet_id=sheet.id)
        assert begun.keep(sheet, answers)
        os.utime(tmp_path / module.FOLDER / sheet.id, (age, age))
    assert [one.sheet for _, one in begun.latest(2)] == ["Week 4", "Week 3"]
    assert read_sheet(begun.latest(1)[0][0]) == sheets[4]
    assert len(begun.latest(9)) == 3


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path):
    (tmp_path / module.FOLDER).write_text("in the way", "utf-8")
    for folder in (None, tmp_path):
        assert not Begun(folder).keep(SHEET, sat("Ada"))
        assert Begun(folder).of(SHEET) == {}
        assert Begun(folder).latest(4) == []


def test_the_box_of_times_shows_before_one_goes_on_that_times_would_be_handed_in(begun):
    """It was ticked when one went on, after a page on which it was not."""
    first = Exercise(SHEET)
    for act, value in (("name", "Ada"), ("times", True), ("begin", None), ("go", 1)):
        first.do(act, value)
    assert begun.keep(SHEET, first.answers())
    again = Exercise(SHEET, begun.of(SHEET))
    assert found(again.page(), Check)["times"].value
    again.do("times", False)
    again.do("begin")
    assert not again.times
    assert "seconds" not in again.answers().text()
    other = Exercise(SHEET, begun.of(SHEET))
    other.do("name", "Bob")
    assert not found(other.page(), Check)["times"].value


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"\frac{X - \mu}{\sqrt{\sigma^2 + \varepsilon}}", "(X − μ) / (√(σ^2 + ε)"),
        (r"\frac{S}{\sqrt{d_k}}", "S / √d_k"),
        (r"10000^{2i/d}", "10000^(2i/d)"),
        (r"QK^T", "QK^T"),
    ],
)
def test_what_stands_under_a_root_or_above_is_in_brackets_in_the_terminal(formula, text):
    """A norm was asked for by √σ^2 + ε, which is another number than √(σ^2 + ε)."""
    assert as_text(f"<p>{formula_html(formula)}</p>").replace("((", "(").replace("))", ")") == text
