"""A stage as a picture: whole, in the right colours and sizes, with its formulas and plots."""

import re
import xml.etree.ElementTree as ET

import pytest
from pixels import colours, pixels
from PySide6.QtGui import QImage
from refusals import refuses

from explorer.cli.render import PICTURES
from explorer.document.commands import PinCells, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.matrix import matrix
from explorer.ui.render import WIDEST, WRITERS, draw, laid_out, on_paper, render
from explorer.ui.theme import DARK, LIGHT
from tests.samples import long

ATTENTION = "encoder.1.self.attention"
GRAPH = Document(load("you-are-welcome").state()).state.graph
STAGES = {stage.kind: stage.name for stage in GRAPH.stages}
SVG = "{http://www.w3.org/2000/svg}"


def image_of(picture):
    image = QImage.fromData(picture)
    assert not image.isNull()
    return image


def edges(image, depth=12):
    """The colours along the right and the lower edge, where a page has only its margin."""
    seen = pixels(image)
    return {*colours(seen[:, -depth:]), *colours(seen[-depth:])}


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def files():
    """What `drawn` keeps."""
    return {}


@pytest.fixture
def drawn(bench, files):
    """The attention as the lesson opens, in a file of each kind: it is drawn once for all who only read it."""
    if not files:
        with laid_out(bench, ATTENTION) as (picture, _):
            files.update({ending: write(picture) for ending, write in WRITERS.items()})
    return files


def test_the_command_line_knows_the_kinds_of_picture():
    assert (*WRITERS, ".gif", ".mp4") == PICTURES  # frames of what moves are drawn as PNG


UNLIKE = "embedding", "heads", "loss", "output"
"""Kinds of stages whose pages have nothing in common: a table, pictures, plots, a sum. The attention is `drawn`."""


@pytest.mark.parametrize("stage", [one if kind in UNLIKE else long(one) for kind, one in STAGES.items()], ids=STAGES)
def test_every_kind_of_stage_is_drawn_whole(bench, stage):
    with laid_out(bench, stage) as (picture, _):
        image, svg = image_of(WRITERS[".png"](picture)), WRITERS[".svg"](picture)
    assert image.width() <= 2 * WIDEST
    assert len(colours(pixels(image)[::3, ::3])) > 20
    assert edges(image) == {LIGHT.page}

    found = texts(svg)
    slices = [name for name in GRAPH.names() if name not in GRAPH.nodes or name not in GRAPH.n_heads]
    shown = [name for name in slices if GRAPH.nodes[GRAPH.place(name).node].stage == stage]
    assert any(matrix(bench.view, name).text(0, 0) in found for name in shown)


def test_every_number_of_a_matrix_is_text_in_an_svg(bench, drawn):
    found = texts(drawn[".svg"])
    weights = matrix(bench.view, "encoder.1.self.head.1.weights")
    numbers = [weights.text(row, column) for row in range(3) for column in range(3)]
    assert set(numbers) <= set(found)
    assert {"You", "are", "welcome", "Self-attention"} <= set(found)


def test_a_picture_has_no_links(bench):
    """Hand-outs said "given, release" on paper, and pictures "numbers"."""
    bench.document.do(PinCells("encoder.1.self.weights", {(0, 0, 0): 0.5}))
    said = " ".join(filter(None, texts(draw(bench, ATTENTION, ".svg", (720, 720)))))
    assert "given" in said
    assert "release" not in said
    assert "numbers" not in said


def test_on_paper_nothing_asks_to_be_clicked(bench):
    """A figure for slides had check boxes, lists of switches and the word "editable"; it says what was chosen."""
    said = list(filter(None, texts(on_paper(bench, ATTENTION, ".svg"))))
    assert "Encoder 1: Self-attention, head 1" in said
    assert "Scale: 1/√dₖ · Mask: none · Similarity: dot" in said
    assert not {"By hand", "More switches", "editable"} & set(" · ".join(said).split(" · "))
    for stage, there, not_there in (
        ("encoder.1.self.heads", "Encoder 1: Heads & concat", {"Switch off"}),
        ("loss", "Loss", {"Down the gradient", "One step", "Rate"}),
    ):
        on_screen = set(texts(draw(bench, stage, ".svg", (1600, 1600))))
        printed = set(texts(on_paper(bench, stage, ".svg")))
        assert there in printed
        assert not_there <= on_screen
        assert not not_there & printed


def test_an_svg_looks_alike_elsewhere(drawn):
    svg = drawn[".svg"].decode()
    root = ET.fromstring(svg)
    assert root.find(f"{SVG}title").text == "Encoder 1: Self-attention"
    for element in root.iter(f"{SVG}text"):
        assert re.search("(sans-serif|serif|monospace)$", element.get("font-family"))
        assert float(element.get("textLength")) > 0
    assert "frame-" not in svg  # the marks are gone
    # Formulas are outlines without a pen around them.
    glyphs = [group for group in root.iter(f"{SVG}g") if group.get("stroke-miterlimit") == "4"]
    assert glyphs == []


def test_plots_are_in_it(drawn):
    root = ET.fromstring(drawn[".svg"])
    widths = {float(group.get("stroke-width", 0)) for group in root.iter(f"{SVG}g") if group.get("stroke") != "none"}
    assert max(widths) > 4  # the thickest line
    squares = [image for image in root.iter(f"{SVG}image") if image.get("width") == image.get("height") == "3"]
    assert len(squares) == 1  # the heat map, a pixel for each weight
    assert squares[0].get("style") == "image-rendering: pixelated"  # or browsers let the squares run into each other
    assert {"Heat map", "Lines"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_what_is_scrolled_out_of_sight_is_not_drawn(bench):
    bench.document.do(SetTokens("source", [f"w{i}" for i in range(40)]))
    root = ET.fromstring(draw(bench, ATTENTION, ".svg"))
    parents = {child: parent for parent in root.iter() for child in parent}
    frames = {path.get("id"): path.find(f"{SVG}rect") for path in root.iter(f"{SVG}clipPath")}
    beyond = next(element for element in root.iter(f"{SVG}text") if element.text == "w12")
    x = float(beyond.get("x")) + float(re.findall(r"[-\d.]+", parents[beyond].get("transform"))[4])
    name = parents[parents[beyond]].get("clip-path")
    frame = frames[name.removeprefix("url(#").removesuffix(")")]
    # A column more than there is room for begins, and is cut.
    assert float(frame.get("x")) < x < float(frame.get("x")) + float(frame.get("width")) + 40


def test_a_pdf(drawn):
    pdf = drawn[".pdf"]
    assert pdf.startswith(b"%PDF-")
    assert pdf.count(b"/Type /Page\n") == 1
    assert b"/FontFile" in pdf  # letters are letters
    (heat_map,) = re.findall(rb"<<[^<>]*/Width 3\s+/Height 3\s[^<>]*>>", pdf)
    assert b"/FlateDecode" in heat_map  # no JPEG: it keeps its colours


def test_pictures_are_as_large_as_the_page(bench, drawn):
    png, svg, pdf = (drawn[ending] for ending in (".png", ".svg", ".pdf"))
    image, root = image_of(png), ET.fromstring(svg)
    assert root.get("viewBox") == f"0 0 {image.width() // 2} {image.height() // 2}"
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    dots = bench.appearance.px(1) * 72 / 96 / 2
    assert [float(side) for side in box.groups()] == pytest.approx([image.width() * dots, image.height() * dots], abs=1)


@pytest.mark.parametrize("stage", ["model", "model.card"])
def test_a_picture_that_fills_its_page_is_drawn_in_a_size_that_is_asked_for(bench, stage):
    """It is higher on a wider page: it grew to millions of pixels, and the sheet was empty."""
    with laid_out(bench, stage, (1280, 720)) as (picture, _):
        assert 360 < picture.page.height() * picture.factor <= 720
        assert picture.factor > 0.5


@pytest.mark.parametrize("size", [(300, 2000), (3000, 250), *map(long, [(1280, 720), (400, 300), (100, 100)])])
def test_a_size_that_is_asked_for_holds_all_of_the_page(bench, size):
    with laid_out(bench, ATTENTION, size) as (picture, _):
        image, svg = image_of(WRITERS[".png"](picture)), WRITERS[".svg"](picture)
    assert (image.width(), image.height()) == (2 * size[0], 2 * size[1])
    assert len(colours(pixels(image)[::3, ::3])) > 20
    assert edges(image, depth=2) == {LIGHT.page}
    root = ET.fromstring(svg)
    assert root.get("viewBox") == f"0 0 {size[0]} {size[1]}"


def test_it_draws_the_document_as_it_is(bench, drawn):
    bench.document.do(SetTokens("source", ["welcome", "<&>"]))
    found = texts(draw(bench, ATTENTION, ".svg"))
    assert "<&>" in found
    assert found != texts(drawn[".svg"])


@pytest.mark.parametrize(("theme", "ground"), [(None, "#ffffff"), long("light", LIGHT.page), ("dark", DARK.page)])
def test_themes(appearance, theme, ground):
    lesson = load("emma")
    image = image_of(render(lesson, Document(lesson.state()), "attention", ".png", None, theme))
    assert edges(image) == {ground}


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("encoder.1.self.atention", r"did you mean 'encoder.1.self.attention'\?\); known: encoder[^m]*ffn.after\.$"),
        ("cross", r"did you mean 'decoder.1.cross.attention'\?\); known: decoder[^m]*ffn.after\.$"),
        ("generation.nex", r"did you mean 'generation.next'\?\); known: model, source.embedding"),
        ("?", "known: model, source.embedding, .*, encoder.1.self.after"),
    ],
)
def test_a_stage_that_is_not_there(bench, stage, words):
    with refuses(words) as caught:
        draw(bench, stage, ".png")
    assert caught.value.id == "unknown-stage"
