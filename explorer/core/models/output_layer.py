"""The end of a model: logits, probabilities, the chosen word, and the loss. Each adds its nodes in reading order.

Shapes are written (n, n_words): n tokens of the sequence, a number for each word of the output vocabulary.
"""

from explorer.core.errors import ExplorerError
from explorer.core.graph import GraphBuilder
from explorer.core.model import Model
from explorer.core.models.blocks import Blocks
from explorer.core.models.targets import follows_words, next_words
from explorer.core.ops import (
    ACTIVATIONS,
    Argmax,
    Cap,
    CrossEntropy,
    Input,
    Likelihood,
    LogLikelihood,
    MatMul,
    MeanSquaredError,
    Scale,
    ScaleFactor,
    Softmax,
    Temperature,
    WithBalance,
)
from explorer.core.tokens import PAD


def output_layer(model: Model, g: GraphBuilder, x: str, rows: str) -> None:
    """Logits (n, n_words) from the decoder's vectors, and what is made of them.

    A tied unembedding is the embedding table transposed (Press & Wolf 2017).

    Parameters
    ----------
    x : str
        The node of the vectors, (n, d_model).
    rows : str
        The sequence whose tokens they are. Its vocabulary is the output's too, where the model names no other.
    """
    g.stage("output", "output", "Probabilities", "Output")
    read = f"{rows}.words"
    words = g.axis("output.words", model.axes.get("output.words") or model.axes[read])
    x = _head(model, g, x, rows)
    if model.switch("output", "tied"):
        if g.length(words) != g.length(read):
            raise ExplorerError("tied-widths", table=g.length(read), words=g.length(words))
        parents, product = [x, f"{rows}.table"], MatMul(transposed=True)
    else:
        parents, product = [x, g.add("output.W", Input(), axes=("d_model", words), symbol="W")], MatMul()
    if model.switch("output", "bias"):
        parents.append(g.add("output.b", Input("zeros"), axes=(words,), symbol="b"))
    axes, cap = (rows, words), float(model.switch("output", "logit_cap"))
    # Whatever is done to them, the logits have one name: what the output is made of.
    name, symbol = ("output.uncapped", "z_u") if cap else ("output.logits", "z")
    logits = g.add(name, product, *parents, axes=axes, symbol=symbol)
    if cap:
        logits = g.add("output.logits", Cap(cap), logits, axes=axes, symbol="z")
    probabilities(model, g, logits, rows, words)


def _head(model: Model, g: GraphBuilder, x: str, rows: str) -> str:
    """What the unembedding reads: scaled (T5), or through a layer of its own with activation and norm (BERT)."""
    axes = (rows, "d_model")
    if model.switch("output", "output_scale"):
        factor = ScaleFactor("1/sqrt(d_k)", model.d_model, model.dtype, letters="d_{model}")
        scale = g.add("output.scale", factor, axes=(), symbol=factor.formula())
        x = g.add("output.read", Scale(), x, scale, axes=axes, symbol="Y_s")
    activation = str(model.switch("output", "head"))
    if activation == "none":
        return x
    W = g.add("output.W_head", Input(), axes=("d_model", "d_model"), symbol="W_h")
    bias = g.add("output.b_head", Input("zeros"), axes=("d_model",), symbol="b_h")
    x = g.add("output.head", MatMul(), x, W, bias, axes=axes, symbol="Y_h")
    x = g.add("output.head_activation", ACTIVATIONS[activation], x, axes=axes, symbol="a_h")
    return Blocks(model, g).norm("output", x, rows)


def probabilities(model: Model, g: GraphBuilder, logits: str, rows: str, words: str) -> None:
    """Probabilities (n, n_words) from logits, the chosen word and the loss.

    Parameters
    ----------
    logits : str
        A node, (n, n_words).
    rows, words : str
        Its axes.
    """
    temperature = g.add("output.temperature", Input("ones"), axes=(), symbol="T")
    scaled = g.add("output.scaled", Temperature(), logits, temperature, axes=(rows, words), symbol="z_T")
    activation = model.switch("output", "activation")
    op = Softmax() if activation == "softmax" else ACTIVATIONS[str(activation)]
    P = g.add("output.probabilities", op, scaled, axes=(rows, words), symbol="P")
    g.add("output.chosen", Argmax(), P, axes=(rows,), symbol="w")
    loss(model, g, P, rows, words, scores=scaled if op.softens else "")


def loss(model: Model, g: GraphBuilder, output: str, rows: str, columns: str, scores: str = "") -> None:
    """The loss of an output against a target: the next words of the sentence, or what a person sets.

    Parameters
    ----------
    output : str
        A node, (n, n_outputs).
    rows, columns : str
        Its axes.
    scores : str
        The node that a softmax makes the output of, if one does.
    """
    match model.switch("loss", "loss"):
        case "cross-entropy":
            g.stage("loss", "loss", "Loss", "Output")
            if follows_words(model):
                target = g.add("loss.target", next_words(model), f"{rows}.tokens", axes=(rows,), symbol="y")
            else:
                target = g.add("loss.target", Input("ids"), axes=(rows,), symbol="y")
            pad = g.number(columns, PAD)
            if model.switch("loss", "L_1"):
                right = g.add("loss.likelihood", Likelihood(), output, target, axes=(rows,), symbol="p")
                of = (right,) if pad < 0 else (right, target)
                g.add("loss.L_1", LogLikelihood(pad), *of, axes=(), symbol="L_1")
            parents = (output, target, scores) if scores else (output, target)
            op = CrossEntropy(pad)
            if balances := _balances(model, g):
                weight = float(model.switch("loss", "balance"))
                op, parents = WithBalance(pad, weight, len(balances)), (*parents, *balances)
            g.add("loss.value", op, *parents, axes=(), symbol="L")
        case "mean squared error":
            g.stage("loss", "loss", "Loss", "Output")
            target = g.add("loss.target", Input("zeros"), axes=(rows, columns), symbol="y")
            g.add("loss.value", MeanSquaredError(), output, target, axes=(), symbol="L")


def _balances(model: Model, g: GraphBuilder) -> list[str]:
    """The balances of a model's experts that are a part of its loss."""
    if not model.has_switch("loss", "balance") or not model.switch("loss", "balance"):
        return []
    layers = [f"{stack}.{k + 1}" for stack in ("encoder", "decoder") for k in range(model.layers)]
    return [name for layer in layers if (name := f"{layer}.ffn.balance") in g]
