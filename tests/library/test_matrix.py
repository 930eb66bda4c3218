"""A labelled matrix: cells by word and number, as numpy and pandas take it, and how it shows itself."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import explorer
from tests.refusals import refuses

WORDS = ("You", "are", "welcome")


@pytest.fixture(scope="module")
def m():
    return explorer.open("you-are-welcome")


@pytest.fixture(scope="module")
def weights(m):
    return m["encoder.1.self.weights"]


def test_what_it_knows(weights):
    assert (weights.shape, weights.ndim, weights.dtype, len(weights)) == ((2, 3, 3), 3, np.float64, 2)
    assert (weights.rows, weights.columns) == (WORDS, WORDS)
    assert weights.labels[0] == ("head 1", "head 2")
    assert weights.stage == "Encoder 1 › Self-attention"


def test_cells_by_number_and_by_word(m, weights):
    value = m.document.engine.values["encoder.1.self.weights"]
    one = weights[1]
    assert one.name == "encoder.1.self.head.2.weights"
    assert one["You", "welcome"] == one[0, 2] == value[1, 0, 2]
    assert isinstance(one[0, 2], float)
    np.testing.assert_array_equal(one["are"], value[1, 1])
    np.testing.assert_array_equal(one[:, "are"], value[1, :, 1])
    np.testing.assert_array_equal(weights["You", "are"], value[:, 0, 1])
    np.testing.assert_array_equal(weights[..., "are"], value[..., 1])
    np.testing.assert_array_equal(weights[-1, :, 1:], value[-1, :, 1:])
    np.testing.assert_array_equal(one[["You", "welcome"]], value[1, [0, 2]])
    np.testing.assert_array_equal(weights[["You", "welcome"]], value[:, [0, 2]])
    np.testing.assert_array_equal(one[one > 0.3], value[1][value[1] > 0.3])
    np.testing.assert_array_equal(weights[np.int64(0)], value[0])
    assert [part.name for part in weights] == [f"encoder.1.self.head.{k}.weights" for k in (1, 2)]
    assert one[:, "are"].labels == (WORDS,)
    assert one[1:].rows == WORDS[1:]
    assert one["You"].name == "encoder.1.self.head.2.weights[0,:]"
    with pytest.raises(IndexError):
        one[3]
    with refuses("no row or column"):
        one[0, 0, "You"]


def test_an_array_to_numpy(weights):
    value = weights.value
    np.testing.assert_array_equal(np.asarray(weights), value)
    assert np.array(weights, np.float32).dtype == np.float32
    for result in (weights + 1, 1 - weights, weights[0] @ weights[1], np.exp(weights), weights == weights):
        assert type(result) is np.ndarray
    np.testing.assert_array_equal(weights[0] @ weights[1].value.T, value[0] @ value[1].T)
    assert np.max(weights) == value.max()
    np.testing.assert_array_equal(np.round(weights, 2), value.round(2))
    np.testing.assert_allclose(np.sum(weights, axis=-1), 1)
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(weights)[0, 0, 0] = 1


def test_a_single_number(m):
    loss = m["loss.value"]
    assert float(loss) == m.document.engine.values["loss.value"]
    assert loss.rows is None
    assert repr(loss).splitlines()[0] == "loss.value  (a number)"
    assert loss.latex().count("L =") == 1
    ET.fromstring(loss._repr_html_())


def test_a_single_number_is_read_and_edited_as_in_numpy():
    m = explorer.open("you-are-welcome")
    temperature = m["output.temperature"]
    assert temperature[()] == 1.0
    temperature[()] = 2
    assert float(m["output.temperature"]) == 2.0


def test_none_is_no_number(m, weights):
    """numpy makes NaN of it, which was pinned in silence."""
    with pytest.raises(ValueError, match="None is not a number"):
        weights[0, 0] = None
    with pytest.raises(ValueError, match="None is not a number"):
        m["output.temperature"] = None


def test_gradients_of_two_cells_have_two_names(m):
    names = [m.gradient(f"output.logits[0,{k}]", of="encoder.1.self.W_Q").name for k in (0, 1)]
    assert names == [f"gradient of output.logits[0,{k}] with respect to encoder.1.self.W_Q" for k in (0, 1)]
    of_head = m.gradient("encoder.1.self.weights[1,0,2]", of="source.table").name
    assert of_head == "gradient of encoder.1.self.head.2.weights[0,2] with respect to source.table"


def test_a_gradient_has_the_labels_of_its_node(m):
    found = m.gradient("encoder.1.self.scores[0,0,1]", of="source.X")
    assert found.rows == WORDS
    assert found.symbol.startswith(r"\frac{\partial")
    with pytest.raises(TypeError, match="is a copy"):
        found[0, 0] = 1
    # Only the words of the row and of the column count in a score.
    assert np.any(np.asarray(found[0]) != 0)
    assert np.any(np.asarray(found[1]) != 0)
    np.testing.assert_array_equal(found[2], np.zeros(4))


def test_numbers_of_words_stand_beside_their_words():
    m = explorer.open("you-are-welcome")
    name = next(name for name, node in m.document.state.graph.nodes.items() if node.op.picks)
    said = m[name]
    assert len(said.words) == len(said)
    assert said.words[0] in repr(said)
    assert said.words[0] in said._repr_html_()


def test_text_of_a_large_matrix_is_its_beginning():
    m = explorer.open("tiny-gpt")
    table = m["input.table"]
    lines = repr(table).splitlines()
    assert len(lines) < 200
    assert f"… and {table.shape[0] - 24:,} more rows" in repr(table)
    assert "more columns" in table._repr_html_()


def test_html_is_a_table_with_colours_that_can_be_read(weights):
    from explorer.export.colours import contrast

    tree = ET.fromstring(weights._repr_html_())
    cells = tree.findall(".//td")
    assert len(cells) == weights.value.size
    heads = [one.text for one in tree.findall(".//th")]
    assert heads[:4] == ["head 1 weights", *WORDS]
    assert "head 2 weights" in heads
    grounds = [
        re.search(r"background:rgb\((\d+),(\d+),(\d+)\);color:(#\w+)", one.get("style")).groups() for one in cells
    ]
    assert all(contrast([int(c) for c in rgb], ink) >= 4.5 for *rgb, ink in grounds)
    # The larger a share, the darker its ground.
    order = np.argsort(weights.value.ravel())
    darkness = [-sum(map(int, grounds[i][:3])) for i in order]
    assert darkness == sorted(darkness)


def test_html_of_strange_words_and_numbers():
    m = explorer.open("you-are-welcome")
    m.tokens = ["<b>", "&", "are"]
    m["encoder.1.self.scores"][0, 0, 0] = np.inf
    for name in ("encoder.1.self.scores", "source.X"):
        tree = ET.fromstring(m[name]._repr_html_())
        assert "<b>" in [one.text for one in tree.findall(".//th")]


def test_latex(weights):
    import ziamath

    assert explorer.open("tiny-gpt")["input.table"]._repr_latex_() is None, "no megabytes in each notebook"
    text = weights._repr_latex_()
    assert "%" not in text
    assert text.count(r"\begin{pmatrix}") == 2
    assert ziamath.Latex(text.removeprefix(r"$\displaystyle ").removesuffix("$")).getsize()[0] > 0
    assert weights[0].latex().startswith(r"% needs \usepackage{amsmath}")


def test_a_frame_of_pandas(m, weights):
    pandas = pytest.importorskip("pandas", reason="the extra for notebooks is not installed")
    frame = weights[0].to_frame()
    assert list(frame.index) == list(frame.columns) == list(WORDS)
    assert frame.loc["You", "welcome"] == weights[0]["You", "welcome"]
    assert weights.to_frame().loc[("head 2", "You"), "are"] == weights[1]["You", "are"]
    assert m["loss.value"].to_frame().shape == (1, 1)
    assert m["source.X"]["You"].to_frame().shape == (4, 1)
    assert pandas.DataFrame(weights[0]).shape == (3, 3)
