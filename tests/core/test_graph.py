import pytest

from explorer.core.errors import ExplorerError
from explorer.core.graph import CELL, READ, GraphBuilder, Place
from explorer.core.models import build
from explorer.core.ops import Add, Concat, Input, MatMul, ReLU, Scores, Softmax, WeightedSum
from explorer.sentences import sentence


@pytest.fixture
def diamond():
    """a and b feed sum; sum feeds left and right, which feed end; alone feeds nothing."""
    g = GraphBuilder()
    n = g.axis("n", ("one", "two"))
    g.stage("empty", "layer", "Empty", "Net")
    g.stage("top", "layer", "Top", "Net")
    g.add("a", Input(), axes=(n,))
    g.add("b", Input(), axes=(n,))
    g.add("alone", Input(), axes=())
    g.add("sum", Add(), "a", "b", axes=(n,), symbol=r"\Sigma")
    g.stage("bottom", "layer", "Bottom", "Net")
    g.add("left", ReLU(), "sum", axes=(n,))
    g.add("right", ReLU(), "sum", axes=(n,))
    g.add("end", Add(), "left", "right", axes=(n,))
    return g.build()


@pytest.fixture
def translator(examples):
    return build(examples["encoder-decoder"])


def test_children_are_the_nodes_that_declare_the_parent(diamond):
    assert diamond.children == {
        "a": ("sum",),
        "b": ("sum",),
        "alone": (),
        "sum": ("left", "right"),
        "left": ("end",),
        "right": ("end",),
        "end": (),
    }


def test_a_node_that_reads_a_parent_twice_is_one_child():
    g = GraphBuilder()
    g.add("a", Input(), axes=())
    g.add("double", Add(), "a", "a", axes=())
    assert g.build().children["a"] == ("double",)


def test_ancestors(diamond):
    assert diamond.ancestors("end") == {"a", "b", "sum", "left", "right"}
    assert diamond.ancestors("left") == {"a", "b", "sum"}
    assert diamond.ancestors("alone") == set()


def test_inputs_of_a_node_in_reading_order(diamond):
    assert diamond.inputs_of("end") == ["a", "b"]
    assert diamond.inputs_of("a") == []


def test_a_stage_without_a_node_is_left_out(diamond):
    assert [stage.name for stage in diamond.stages] == ["top", "bottom"]
    assert diamond.nodes["left"].stage == "bottom"


def test_shapes_come_from_the_axes(diamond):
    assert diamond.shape("sum") == (2,)
    assert diamond.shape("alone") == ()


def test_a_symbol_is_the_last_part_of_the_name_unless_given(diamond, translator):
    assert diamond.nodes["sum"].symbol == r"\Sigma"
    assert translator.nodes["encoder.1.self.W_Q"].symbol == "W_Q"


def test_a_node_cannot_read_what_does_not_stand_before_it():
    g = GraphBuilder()
    with pytest.raises(AssertionError):
        g.add("a", ReLU(), "b", axes=())
    with pytest.raises(AssertionError):
        g.add("a", Input(), axes=("undeclared",))
    g.add("a", Input(), axes=())
    with pytest.raises(AssertionError):
        g.add("a", Input(), axes=())


def test_a_length_labels_an_axis_from_1():
    g = GraphBuilder()
    assert g.axis("n", 3) == "n"
    assert g.length("n") == 3
    g.add("a", Input(), axes=("n",))
    assert g.build().axes["n"] == ("1", "2", "3")


def test_a_name_means_a_node_or_a_slice_of_a_head(translator):
    assert translator.place("encoder.1.self.Q") == Place("encoder.1.self.Q")
    second = translator.place("encoder.1.self.head.2.Q")
    assert second == Place("encoder.1.self.Q", 1)
    assert second.index == (1,)
    assert translator.axes_of(second) == ("source", "encoder.1.self.d_k")


@pytest.mark.parametrize(
    ("name", "likeliest"),
    [
        ("encoder.1.self.WQ", "encoder.1.self.W_Q"),
        ("encoder.1.self.head.3.Q", "encoder.1.self.head.1.Q"),
        ("encoder.1.self.head.0.Q", "encoder.1.self.head.1.Q"),
        ("encoder.1.self.head.².Q", "encoder.1.self.head.1.Q"),
        ("encoder.1.self.head.01.Q", "encoder.1.self.head.1.Q"),
        ("encoder.1.self.head.1.W_O", "encoder.1.self.head.1.W_V"),
        ("output.probabilites", "output.probabilities"),
    ],
)
def test_an_unknown_name_is_answered_with_the_likeliest(translator, name, likeliest):
    with pytest.raises(ExplorerError) as caught:
        translator.place(name)
    assert caught.value.id == "unknown-node"
    suggested = sentence(caught.value).split("did you mean ")[1]
    # The numbers of heads are equally likely.
    assert suggested.replace("head.2", "head.1") == f"'{likeliest}'?)."


@pytest.mark.parametrize(
    "name", ["", "xyzzy", ".head.", "encoder.1.self.head.1", f"encoder.1.self.head.{'9' * 5000}.Q"]
)
def test_a_name_like_no_other_is_unknown_too(translator, name):
    with pytest.raises(ExplorerError) as caught:
        translator.place(name)
    assert caught.value.id == "unknown-node"


def test_only_nodes_stacked_over_heads_have_slices(translator):
    assert translator.n_heads.get("encoder.1.self.weights") == 2
    assert translator.n_heads.get("decoder.1.self.weights") == 1
    assert "decoder.1.self.mask" not in translator.n_heads
    assert "encoder.1.self.scale" not in translator.n_heads


def test_names_list_the_slices_of_heads_right_behind_their_node(translator):
    names = list(translator.names())
    at = names.index("encoder.1.self.Q")
    assert names[at + 1 : at + 3] == ["encoder.1.self.head.1.Q", "encoder.1.self.head.2.Q"]
    assert [name for name in names if ".head." not in name] == list(translator.nodes)


def test_work_counts_the_multiply_adds_of_products_and_something_for_each_number():
    g = GraphBuilder()
    heads, n, d, m = g.axis("heads", 2), g.axis("n", 3), g.axis("d", 5), g.axis("m", 7)
    g.add("x", Input(), axes=(n, d))
    g.add("W", Input(), axes=(heads, d, m))
    g.add("b", Input(), axes=(heads, m))
    g.add("y", MatMul(), "x", "W", "b", axes=(heads, n, m))
    g.add("scores", Scores(), "y", "y", axes=(heads, n, n))
    g.add("weights", Softmax(), "scores", axes=(heads, n, n))
    g.add("out", WeightedSum(), "weights", "y", axes=(heads, n, m))
    g.add("wide", Concat(), "out", axes=(n, g.axis("wide", 14)))
    assert g.build().work == {
        **dict.fromkeys(("x", "W", "b"), 0),
        "y": 2 * 3 * 7 * (5 + CELL) + READ * (3 * 5 + 2 * 5 * 7 + 2 * 7),
        "scores": 2 * 3 * 3 * (7 + CELL) + READ * 2 * (2 * 3 * 7),
        "weights": 2 * 3 * 3 * CELL,
        "out": 2 * 3 * 7 * (3 + CELL) + READ * (2 * 3 * 3 + 2 * 3 * 7),
        "wide": 3 * 14 * CELL,
    }
