"""`handout` writes a lesson on paper, without a display."""

import re
from dataclasses import replace
from math import ceil, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QTextDocument

from explorer.cli import main
from explorer.lessons.loader import load
from explorer.lessons.walk import Walk
from explorer.ui.appearance import Appearance
from explorer.ui.lesson import handout
from explorer.ui.lesson.handout import SIZES, Part, _columns, _document, _forms, _Heights, _pages, _section
from explorer.ui.lesson.step_pictures import MARGIN, NARROW, SHARP, pictures_of_step
from tests.started import drawn_without_display

LESSON = """
format = 4
id = "one"
title = "One score"
paragraph = "One score."
example = "translation-lookup"
[[step]]
id = "score"
title = "A score"
words = "Row times row: {scores[below, below]:0}."
[step.look]
stage = "attention"
node = "scores"
[step.practice]
ask = "What is the score of below for above?"
node = "scores"
cell = ["below", "above"]
why = "A dot product."
"""


def test_a_lesson_on_paper(tmp_path):
    (tmp_path / "one.toml").write_text(LESSON)
    done = drawn_without_display(tmp_path, "handout", "one.toml", "one.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote one.html\n", "")
    text = (tmp_path / "one.html").read_text("utf-8")
    assert text.count("<section>") == text.count("data:image/png;base64,") == 4
    before, _, answers = text.partition(">Answers<")
    gaps = [part.count("________</td>") for part in before.split("<section>")[2:]]
    assert gaps == [2, 3, 4]  # more and more is left out, the result always
    assert "A dot product." in answers
    assert len(set(re.findall(r"= (\S+)</td></tr></table>", answers))) > 1  # each has numbers of its own


def test_who_cannot_see_the_pictures_reads_their_numbers_and_a_phone_has_no_columns(tmp_path, capsys):
    """The words for a screen reader said only how many rows a matrix has; on a phone it had a third of its size."""
    (tmp_path / "one.toml").write_text(LESSON)
    assert main(["handout", str(tmp_path / "one.toml"), str(tmp_path / "one.html")]) == 0
    text = (tmp_path / "one.html").read_text("utf-8")
    (said, *_) = re.findall("alt='([^']*)'", text)
    assert said.endswith(
        "scores, with: above 0.0, below 0.0, with 25.0. scores, below: above 0.0, below 25.0, with 0.0."
    )
    assert re.search(r"max-width: .*\n  \.beside .*display: block", text, re.DOTALL)
    assert "<table class='beside'" in text


def test_the_picture_of_the_step_above_is_not_printed_again(tmp_path, capsys):
    top, step = LESSON[: LESSON.index("[[step]]")], LESSON[LESSON.index("[[step]]") : LESSON.index("[step.practice]")]
    again, other = (
        step.replace('"score"', '"again"'),
        step.replace('"score"', '"other"').replace('"scores"', '"scaled"'),
    )
    (tmp_path / "one.toml").write_text(f"{top}{step}{again}{other}")
    assert main(["handout", str(tmp_path / "one.toml"), str(tmp_path / "one.html")]) == 0, capsys.readouterr().err
    sections = (tmp_path / "one.html").read_text("utf-8").split("<section>")[1:]
    assert ["data:image" in section for section in sections] == [True, False, True]


def test_on_paper_stands_what_is_written_for_paper(tmp_path):
    paper = 'paper = "Row times row, on paper."\n[step.look]'
    question = '[step.question]\nkind = "predict"\nask = "Click?"\npaper = "Write?"\ncell = ["below", "above"]\n'
    text = LESSON.replace("[step.look]", paper).partition("[step.practice]")[0] + question
    (tmp_path / "one.toml").write_text(text)
    assert main(["handout", str(tmp_path / "one.toml"), str(tmp_path / "one.html")]) == 0
    printed = (tmp_path / "one.html").read_text("utf-8")
    assert "Row times row, on paper." in printed
    assert "Row times row: " not in printed
    assert "Write?" in printed
    assert "Click?" not in printed


def test_the_whole_model_stands_below_the_words_where_its_letters_can_be_read(qapp):
    lesson = load("start-here")
    (picture,) = pictures_of_step(Appearance(qapp, "light"), lesson, 0, Walk(lesson).state(0))
    assert picture.width() / SHARP > NARROW
    curve, *_ = pictures_of_step(Appearance(qapp, "light"), load("sin"), 0, Walk(load("sin")).state(0))
    assert curve.width() / SHARP <= NARROW + 2 * MARGIN, "the letters of a curve keep their size"


def test_headings_on_paper_have_the_size_of_the_style(qapp):
    document = _document("<h2>A heading</h2><p>One.</p><p>Two.</p>", 600, ())
    heading = document.begin()
    assert heading.begin().fragment().charFormat().font().pointSizeF() == 12
    assert heading.next().blockFormat().bottomMargin() > 0  # where a paragraph ends is seen


def test_choices_are_mixed_the_same_way_each_time_and_the_answers_name_their_letters(tmp_path, capsys):
    choices = ", ".join(f'{{ text = "wrong {i}", why = "No." }}' for i in range(4))
    question = (
        f'[step.question]\nkind = "choose"\nask = "Which?"\nchoices = [{{ text = "right", right = true }}, {choices}]'
    )
    steps = "".join(
        f'[[step]]\nid = "s{i}"\ntitle = "S"\nwords = "W."\nlook.stage = "attention"\n{question}\n' for i in range(6)
    )
    (tmp_path / "one.toml").write_text(LESSON.partition("[[step]]")[0] + steps)
    texts = []
    for name in ("one.html", "again.html"):
        assert main(["handout", str(tmp_path / "one.toml"), str(tmp_path / name)]) == 0
        text = re.sub(r"base64,[^']*", "", (tmp_path / name).read_text("utf-8"))
        texts.append(re.sub(r"</?p>", "", text))
    assert texts[0] == texts[1]
    before, _, answers = texts[0].partition(">Answers<")
    shown = re.findall(r"☐&nbsp;([a-e])\)&nbsp;</td><td>(right|wrong \d)<", before)
    assert [letter for letter, _ in shown] == [*"abcde"] * 6
    letters = [letter for letter, text in shown if text == "right"]
    assert len(set(letters)) > 2
    assert re.findall(r"([a-e])\) right", answers) == letters


def test_a_number_without_a_derivation_is_among_the_answers(tmp_path):
    """A step of gradient descent moves an input, which is computed from nothing: its answer was empty."""
    question = '[step.question]\nkind = "predict"\nask = "What is it?"\nnode = "Q"\ncell = ["below", "1"]\ndigits = 1\n'
    step = f'[[step]]\nid = "s"\ntitle = "S"\nwords = "W."\nlook.stage = "attention"\n{question}\n'
    (tmp_path / "one.toml").write_text(LESSON.partition("[[step]]")[0] + step)
    assert main(["handout", str(tmp_path / "one.toml"), str(tmp_path / "one.html")]) == 0
    answers = (tmp_path / "one.html").read_text("utf-8").partition(">Answers<")[2]
    number = float(load("translation-lookup").state().inputs["Q"][1, 0])
    assert f"<p>{number:.1f}</p>" in answers


def test_all_right_places_are_among_the_answers(tmp_path):
    question = """[step.question]
kind = "point"
ask = "Point at a word."
at = "cell"
node = "scores"
right = { cells = [["below", "above"], ["with", "above"]] }
"""
    step = f'[[step]]\nid = "s"\ntitle = "S"\nwords = "W."\nlook.stage = "attention"\n{question}\n'
    (tmp_path / "one.toml").write_text(LESSON.partition("[[step]]")[0] + step)
    assert main(["handout", str(tmp_path / "one.toml"), str(tmp_path / "one.html")]) == 0
    questions, _, answers = (tmp_path / "one.html").read_text("utf-8").partition(">Answers<")
    assert "Mark it in the picture.<" in questions  # which stands beside the words, or above them
    assert "below → above or with → above" in answers


def test_behind_a_step_that_takes_two_pages_nothing_is_printed_over_it(qapp, monkeypatch):
    drawn = []

    class Document(QTextDocument):
        def drawContents(self, painter, rect):
            begin = painter.transform().dy()
            drawn.append((begin, begin + self.size().height()))
            super().drawContents(painter, rect)

    monkeypatch.setattr(handout, "QTextDocument", Document)
    picture = QImage(1600, 2000, QImage.Format.Format_RGB32)
    picture.fill(0)
    parts = [Part("1", "<p>" + "word " * 500 + "</p>", picture, "", ""), Part("2", "<p>Next.</p>", None, "", "")]
    handout.pdf(load("softmax"), parts)
    (_, _), (begin, end), (behind, _) = drawn
    assert begin < 0, "the first step takes two pages"
    assert behind >= end


def plain(*ways):
    """Ways to print steps, none of which can be half as wide as the page."""
    return [_Heights(heights, [inf] * len(heights)) for heights in ways]


def paged(ways, above=0.0):
    """The pages: the way, and for each band its steps or the two columns of them."""
    pages = _pages(ways, 100.0, above)
    return [
        (way, [(b.first, b.behind) if b.first == b.right else (b.first, b.right, b.behind) for b in bands])
        for way, bands in pages
    ]


def test_steps_take_as_few_pages_as_they_can_with_the_largest_pictures():
    even, smaller = [40.0, 40.0, 40.0, 40.0], [33.0, 33.0, 33.0, 33.0]
    two_pages = [(0, [(0, 1), (1, 2)]), (0, [(2, 3), (3, 4)])]
    assert paged(plain(even)) == two_pages
    assert paged(plain(even, smaller)) == two_pages, "smaller pictures would not save a page"
    assert paged(plain(even[:3], smaller[:3])) == [(1, [(0, 1), (1, 2), (2, 3)])]
    assert paged(plain([30.0, 250.0, 40.0, 90.0])) == [(0, [(0, 1)]), (0, [(1, 2), (2, 3)]), (0, [(3, 4)])], (
        "one is two pages and a half"
    )


def test_steps_stand_in_two_columns_where_that_saves_a_page():
    wide = [40.0] * 4
    assert paged([_Heights(wide[:2], [50.0] * 2)]) == [(0, [(0, 1), (1, 2)])], "they have room as they are"
    assert paged([_Heights(wide, [50.0] * 4)]) == [(0, [(0, 2, 4)])]
    assert paged([_Heights(wide, [50.0] * 4)], above=10.0) == [(0, [(0, 1), (1, 2)]), (0, [(2, 3), (3, 4)])]
    assert paged([_Heights([40.0, *wide], [inf, 60.0, 20.0, 20.0, 20.0])]) == [(0, [(0, 1), (1, 2, 5)])]
    assert paged([_Heights(wide[:3], [50.0] * 3), *plain([33.0] * 3)]) == [(1, [(0, 1), (1, 2), (2, 3)])], (
        "smaller pictures are enough"
    )


@given(st.lists(st.tuples(st.floats(1.0, 120.0), st.floats(1.0, 150.0)), min_size=1, max_size=9), st.floats(0.0, 30.0))
def test_no_step_is_left_out_or_does_not_fit(heights, above):
    wide, narrow = zip(*heights, strict=True)
    ways = [_Heights(wide, narrow), *plain([0.8 * one for one in wide])]
    pages = _pages(ways, 100.0, above)
    bands = [band for _, some in pages for band in some]
    assert [band.first for band in bands] == [0, *(band.behind for band in bands[:-1])]
    assert bands[-1].behind == len(wide)
    for number, (way, some) in enumerate(pages):
        top = 0.0 if number else above
        for band in some:
            if band.right == band.first:
                assert band.behind == band.first + 1
                top += ways[way].wide[band.first]
                if band is some[0] and top > 100.0:
                    top -= 100.0 * (ceil(top / 100.0) - 1)
            else:
                left, right = ways[way].narrow[band.first : band.right], ways[way].narrow[band.right : band.behind]
                assert left
                assert right
                top += max(sum(left), sum(right))
        assert top <= 100.0 + 1e-9


def test_answers_fill_two_columns_and_the_last_ones_are_equally_long():
    assert list(_columns([30.0] * 8, 100.0, 100.0)) == [(3, 3), (1, 1)]
    assert list(_columns([10.0, 90.0, 10.0, 10.0], 100.0, 100.0)) == [(2, 2)]
    assert list(_columns([150.0, 10.0], 100.0, 100.0)) == [(1, 1)], "one that is higher than a page stands somewhere"


def test_a_table_stands_below_its_question_only_where_that_is_lower():
    """Beside a low picture the rows of a derivation broke, and a third of the page was empty."""
    lesson = replace(load("softmax"), steps=load("softmax").steps[:11])
    (part,) = handout.draw(lesson)[10:]
    rows = part.question.count("<tr>")
    beside, apart, _ = _forms(part, SIZES[0])
    assert rows == apart.count("<tr>") - 1 == 7
    assert _section(part, SIZES[0])[0].endswith(f"{apart}</section>")
    assert beside != apart
    assert "<p class='lines'>" not in part.question, "the last row of the derivation is where the result is written"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("emma", "emma.txt"), "choose a name that ends in .pdf or .html"),
        (("no-such", "x.pdf"), "no-such"),
    ],
)
def test_what_is_wrong_is_one_line(argv, said, capsys):
    assert main(["handout", *argv]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.long
def test_the_whole_transformer_takes_thirteen_pages_and_has_all_its_steps(tmp_path):
    lesson = load("you-are-welcome")
    for name in ("all.pdf", "all.html"):
        assert main(["handout", lesson.id, str(tmp_path / name)]) == 0
    assert len(re.findall(rb"/Type\s*/Page[^s]", (tmp_path / "all.pdf").read_bytes())) <= 13
    text = (tmp_path / "all.html").read_text("utf-8")
    assert text.count("<section>") == len(lesson.steps)
    assert text.count("<img") == len(lesson.steps) - 1  # "cross-shape" asks about the picture that stands above it
    assert text.count("<p class='of'>") == lesson.questions
