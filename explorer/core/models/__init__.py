"""One readable builder function for each kind of model: transformers, and parts of one by themselves."""

from collections.abc import Hashable, Mapping
from dataclasses import fields
from weakref import WeakValueDictionary

from explorer.core import ops
from explorer.core.errors import ExplorerError
from explorer.core.graph import CASES, LOGITS, TARGET, Graph, GraphBuilder
from explorer.core.model import KINDS, SEQUENCES, Model
from explorer.core.models.blocks import Blocks, attention, attention_weights, feed_forward
from explorer.core.models.ends import embedding, loss, output_layer, probabilities
from explorer.core.vocabulary import Vocabulary


def encoder(model: Model) -> Graph:
    """An encoder alone (Vaswani et al. 2017, figure 1, left): each word attends to all words, before and after it.

    With an output layer it predicts the word at each place, as BERT does at masked places (Devlin et al. 2019).
    """
    blocks = Blocks(model, GraphBuilder())
    blocks.d_model()
    x = _stack(blocks, "encoder", "input", "Input", "Layer", model.layers)
    x = blocks.final_norm("final", "encoder", x, "input", "Output")
    if model.switch("output", "on"):
        output_layer(blocks, x, "input")
    return blocks.graph.build()


def encoder_decoder(model: Model) -> Graph:
    """An encoder reads the source; a decoder reads the target and attends to its output (Vaswani et al. 2017)."""
    blocks = Blocks(model, GraphBuilder())
    blocks.d_model()
    x = _stack(blocks, "encoder", "source", "Source", "Encoder", model.layers)
    memory = blocks.final_norm("encoder.final", "encoder", x, "source", f"Encoder {model.layers}")
    y = _stack(blocks, "decoder", "target", "Target", "Decoder", model.decoder_layers, memory=memory)
    y = blocks.final_norm("final", "decoder", y, "target", "Output")
    output_layer(blocks, y, "target")
    return blocks.graph.build()


def gpt(model: Model) -> Graph:
    """A decoder alone (Radford et al. 2018): it reads the words so far and predicts the next one."""
    blocks = Blocks(model, GraphBuilder())
    blocks.d_model()
    x = _stack(blocks, "decoder", "input", "Input", "Layer", model.layers, attends="Masked attention")
    x = blocks.final_norm("final", "decoder", x, "input", "Output")
    output_layer(blocks, x, "input")
    return blocks.graph.build()


def _stack(
    b: Blocks,
    side: str,
    sequence: str,
    title: str,
    group: str,
    layers: int,
    attends: str = "Self-attention",
    memory: str = "",
) -> str:
    """A sequence's word vectors and layers on them: self-attention, cross-attention if there is a memory, and a net.

    Returns the name of the last node. `title`: for the words' stages; `group`: for the layers', without the number.
    """
    x = embedding(b, sequence, title)
    b.graph.leave(f"{side}.0.out", x)
    for k in range(1, layers + 1):
        before, heading = x, f"{group} {k}"
        x = attention(b, f"{side}.{k}.self", attends, heading, x, sequence, x, sequence)
        if memory:
            x = attention(b, f"{side}.{k}.cross", "Cross-attention", heading, x, sequence, memory, "source")
        x = feed_forward(b, f"{side}.{k}.ffn", heading, x, sequence, before)
        b.graph.leave(f"{side}.{k}.out", x)
    return x


def attention_lesson(model: Model) -> Graph:
    """Given Q (n_queries, d_k), K (n_keys, d_k) and V (n_keys, d_v): scores to output, and the row of V nearest to it.

    Axes of the model: "query", "key" (if missing, the queries are the keys: self-attention), "feature" (the dimensions
    of a key), "value" (the labels of V's rows) and "value feature".
    """
    g = GraphBuilder()
    block, group = "attention", "Attention"
    queries = g.axis("query", model.axes["query"])
    keys = g.axis("key", model.axes["key"]) if "key" in model.axes else queries
    features = g.axis("feature", model.axes["feature"])
    columns = model.switch(block, "layout") == "(C, T)"

    g.stage("attention", "attention", "Attention", group)
    Q = g.add("Q", ops.Input(), axes=(features, queries) if columns else (queries, features))
    K = g.add("K", ops.Input(), axes=(features, keys) if columns else (keys, features))
    weights = attention_weights(
        Blocks(model, g), "", block, Q, K, (), queries, keys, g.length(features), columns=columns
    )
    if not model.switch(block, "V"):
        return g.build()
    values = g.axis("value", model.axes.get("value", model.axes.get("key", model.axes["query"])))
    if g.length(values) != g.length(keys):
        raise ExplorerError("values-and-keys", values=g.length(values), keys=g.length(keys))
    value_features = g.axis("value feature", model.axes.get("value feature", model.axes["feature"]))
    V = g.add("V", ops.Input(), axes=(values, value_features))
    output = g.add("output", ops.WeightedSum(), weights, V, axes=(queries, value_features), symbol="O")
    if model.switch(block, "nearest"):
        g.stage("attention.nearest", "nearest", "Nearest word", group)
        match = g.add("match", ops.Scores("cosine"), output, V, axes=(queries, values), symbol="C")
        g.add("chosen", ops.Argmax(), match, axes=(queries,), symbol="w")
    return g.build()


def vectors(model: Model) -> Graph:
    """Dot product, cosine and angle of x and y, each (1, d), and x as the sum of x_p = c y and a rest x_o.

    Axis of the model: "feature" (the dimensions).
    """
    g = GraphBuilder()
    feature, of_x, of_y = g.axis("feature", model.axes["feature"]), g.axis("x", ("x",)), g.axis("y", ("y",))
    pair = (of_x, of_y)
    g.stage("vectors", "vectors", "Two vectors", "Vectors")
    x = g.add("x", ops.Input(), axes=(of_x, feature))
    y = g.add("y", ops.Input(), axes=(of_y, feature))
    dot = g.add("dot", ops.Scores(), x, y, axes=pair, symbol=r"\langle x, y \rangle")
    factor = ops.ScaleFactor("1/sqrt(d_k)", g.length(feature), model.dtype)
    scale = g.add("scale", factor, axes=(), symbol=factor.formula())
    g.add("scaled", ops.Scale(), dot, scale, axes=pair, symbol="s")
    length_x = g.add("length_x", ops.Length(), x, axes=(of_x,), symbol=r"\| x \|")
    length_y = g.add("length_y", ops.Length(), y, axes=(of_y,), symbol=r"\| y \|")
    cosine = g.add("cosine", ops.Cosine(), dot, length_x, length_y, axes=pair, symbol=r"\cos \alpha")
    g.add("angle", ops.Angle(), cosine, axes=pair, symbol=r"\alpha")
    c = g.add("c", ops.ShadowFactor(), dot, y, axes=pair)
    x_p = g.add("x_p", ops.WeightedSum(), c, y, axes=(of_x, feature))
    x_o = g.add("x_o", ops.Subtract(), x, x_p, axes=(of_x, feature))
    g.add("x_o_y", ops.Scores(), x_o, y, axes=pair, symbol=r"\langle x_o, y \rangle")
    return g.build()


def norm(model: Model) -> Graph:
    """Given examples (n, n_features), one in each row: normalised by row, and normalised by column.

    Axes of the model: "input" (the examples) and "feature".
    """
    g = GraphBuilder()
    features = g.axis("feature", model.axes["feature"])
    axes = g.axis("input", model.axes["input"]), features
    g.stage("input", "examples", "Examples", "Norm")
    X = g.add(CASES, ops.Input(), axes=axes)
    for block, op, kind, title in (
        ("layer", ops.LayerNorm, "norm", "Layer norm"),
        ("batch", ops.BatchNorm, "batch norm", "Batch norm"),
    ):
        g.stage(block, kind, title, "Norm")
        gamma = g.add(f"{block}.gamma", ops.Input("ones"), axes=(features,), symbol=r"\gamma")
        beta = g.add(f"{block}.beta", ops.Input("zeros"), axes=(features,), symbol=r"\beta")
        by = op(float(model.switch(block, "epsilon")), model.switch(block, "epsilon_in") == "root")
        g.add(f"{block}.norm", by, X, gamma, beta, axes=axes, symbol="N")
    return g.build()


def output(model: Model) -> Graph:
    """The end of a language model alone, from given logits (n, n_words).

    Axes: "input" (the texts to continue) and "output.words".
    """
    g = GraphBuilder()
    rows = g.axis("input", model.axes["input"])
    words = g.axis("output.words", model.axes["output.words"])
    g.stage("output", "output", "Probabilities", "Output")
    logits = g.add(LOGITS, ops.Input(), axes=(rows, words), symbol="z")
    probabilities(Blocks(model, g), logits, rows, words)
    return g.build()


def mlp(model: Model) -> Graph:
    """Layers of ``activation(x W + b)``, a multi-layer perceptron (Goodfellow et al. 2016, chapter 6).

    Axes: "input" (the cases), "layer.0" (the features) to "layer.N".
    Symbols have one stroke for each earlier layer: h, a, h', a'.
    A net over one feature can have a linear regression beside it, on the same examples.
    """
    g = GraphBuilder()
    for axis in ("input", *(f"layer.{k}" for k in range(model.layers + 1))):
        g.axis(axis, model.axes[axis])

    g.stage("input", "net", "Input and answer", "Net")
    x = g.add(CASES, ops.Input(), axes=("input", "layer.0"))
    for k in range(1, model.layers + 1):
        block, into, out = f"layer.{k}", f"layer.{k - 1}", f"layer.{k}"
        strokes = "'" * (k - 1)
        g.stage(block, "layer", f"Layer {k}", "Net")
        transposed = model.switch(block, "weights") == "W x"
        axes = (out, into) if transposed else (into, out)
        parents = [x, g.add(f"{block}.W", ops.Input(turned=transposed), axes=axes)]
        if model.switch(block, "bias"):
            parents.append(g.add(f"{block}.b", ops.Input("zeros"), axes=(out,)))
        hidden = g.add(f"{block}.hidden", ops.MatMul(transposed), *parents, axes=("input", out), symbol=f"h{strokes}")
        activation = ops.ACTIVATIONS[str(model.switch(block, "activation"))]
        x = g.add(f"{block}.activation", activation, hidden, axes=("input", out), symbol=f"a{strokes}")
    threshold = float(model.switch("decision", "threshold"))
    if threshold:
        g.stage("decision", "decision", "Decision", "Net")
        g.add("decision.chosen", ops.Threshold(threshold), x, axes=("input", f"layer.{model.layers}"), symbol="y")
    loss(Blocks(model, g), x, "input", f"layer.{model.layers}")
    if "regression" in model.blocks() and model.switch("regression", "on"):
        _regression(model, g)
    return g.build()


def _regression(model: Model, g: GraphBuilder) -> None:
    """The straight line through the examples with the least squared error; only if the targets are numbers."""
    if model.switch("loss", "loss") != "mean squared error":
        return
    x, y, last = CASES, TARGET, f"layer.{model.layers}"
    g.stage("regression", "regression", "Linear regression", "Beside the net")
    W = g.add("regression.W", ops.Slope(), x, y, axes=("layer.0", last))
    b = g.add("regression.b", ops.Intercept(), x, y, W, axes=(last,))
    output = g.add("regression.output", ops.MatMul(), x, W, b, axes=("input", last), symbol=r"\hat{y}")
    g.add("regression.loss", ops.MeanSquaredError(), output, y, axes=(), symbol="L")


_BUILDERS = {
    "attention": attention_lesson,
    "encoder": encoder,
    "encoder-decoder": encoder_decoder,
    "gpt": gpt,
    "mlp": mlp,
    "norm": norm,
    "output": output,
    "vectors": vectors,
}
_AXES = {
    "attention": ("query", "feature"),
    "mlp": ("input",),
    "norm": ("input", "feature"),
    "output": ("input", "output.words"),
    "vectors": ("feature",),
}
_BUILT: WeakValueDictionary[Hashable, Graph] = WeakValueDictionary()


def build(model: Model) -> Graph:
    """The graph of a model; equal models share one graph as long as anybody keeps it.

    So to open an example again, or its next setting, makes no second graph; undo keeps states of both.

    Raises `ExplorerError` where the model's sizes do not fit together.
    """
    key = _all_that_is_said(model)
    graph = _BUILT.get(key)
    if graph is None:
        _BUILT[key] = graph = _built(model)
    return graph


def _all_that_is_said(model: Model) -> Hashable:
    """A key that is equal for equal models. Types count: True, for "on", would equal the number 1.

    So do tokenizers: two may have the same pieces, but split a text differently. A graph keeps its own alive.
    """
    switches = frozenset((name, type(choice), choice) for name, choice in model.switches.items())
    split = frozenset((axis, id(of.tokenizer)) for axis, of in model.axes.items() if isinstance(of, Vocabulary))
    given = [getattr(model, field.name) for field in fields(model) if field.name != "switches"]
    return switches, split, *(frozenset(one.items()) if isinstance(one, Mapping) else one for one in given)


def _built(model: Model) -> Graph:
    if model.kind not in _BUILDERS:
        raise ExplorerError("unknown-kind", kind=model.kind, known=", ".join(KINDS))
    axes, lengths = _needed(model)
    missing = [f"axes.{name}" for name in axes if name not in model.axes]
    missing += [f"lengths.{name}" for name in lengths if name not in model.lengths]
    if missing:
        raise ExplorerError("missing-size", kind=model.kind, what=missing[0])
    return _BUILDERS[model.kind](model)


def _needed(model: Model) -> tuple[list[str], list[str]]:
    """The axes and lengths that a model of this kind must have."""
    if model.kind in _AXES:
        return [*_AXES[model.kind], *(f"layer.{k}" for k in range(model.layers + 1) if model.kind == "mlp")], []
    sequences = SEQUENCES[model.kind]
    return [f"{sequence}.words" for sequence in sequences], list(sequences)
