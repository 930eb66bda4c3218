"""The two ends of a model: from tokens to vectors, and from vectors to logits, a word, and the loss.

Teacher forcing: the target of a decoder is its own input, shifted by one place.

A decoder reads ``<start> je suis`` and should say ``je suis <end>``: the target at each word is the next word, whatever
the model predicts. After ``<end>`` and at ``<pad>`` there is no target: the loss ignores these positions.

Each function adds its nodes in order. Shapes are written (n, n_words): n tokens of the sequence, a number for each word
of the output vocabulary.
"""

from dataclasses import replace

from explorer.core import ops
from explorer.core.errors import ExplorerError
from explorer.core.graph import CHOSEN, LOGITS, LOSS, PROBABILITIES, TARGET
from explorer.core.model import Model
from explorer.core.models.blocks import Blocks
from explorer.core.vocabulary import PAD, end_mark, with_words

TEMPERATURE = "output.temperature"
"""The input by which the logits are divided."""
AMONG_SCORES = ("rotary", "ALiBi", "relative", "none")
"""Kinds of positions that are not added to the vectors: they act on queries and keys or on scores, or not at all."""


def embedding(b: Blocks, sequence: str, title: str) -> str:
    """Look up the words, add segments and positions. Returns (n, d_model).

    The similarities of the positions, (n, n), are only shown; no node reads them.
    """
    g, m = b.graph, b.model
    words = g.axis(f"{sequence}.words", m.axes[f"{sequence}.words"])
    g.sequence(sequence, m.lengths[sequence], words)
    g.stage(f"{sequence}.embedding", "embedding", "Embeddings", title)
    axes = (sequence, "d_model")
    tokens = g.add(f"{sequence}.tokens", ops.Input("ids"), axes=(sequence,), symbol="t")
    width = b.number(sequence, "table_width")
    narrow = g.axis(f"{sequence}.table_width", width) if width else "d_model"
    table = g.add(f"{sequence}.table", ops.Input(), axes=(words, narrow), symbol="E")
    if m.switch(sequence, "lookup") == "one-hot":
        onehot = ops.OneHot(g.length(words), m.dtype)
        rows = g.add(f"{sequence}.onehot", onehot, tokens, axes=(sequence, words), symbol="OH")
        X = g.add(f"{sequence}.X", ops.MatMul(), rows, table, axes=(sequence, narrow))
    else:
        X = g.add(f"{sequence}.X", ops.LookUp(), tokens, table, axes=(sequence, narrow))
    if width:
        W = g.add(f"{sequence}.W_in", ops.Input(), axes=(narrow, "d_model"), symbol=r"W_{in}")
        X = g.add(f"{sequence}.widened", ops.MatMul(), X, W, axes=axes, symbol="X_w")
    if b.on(sequence, "embedding_scale"):
        factor = ops.ScaleFactor("sqrt(d_k)", m.d_model, m.dtype, letters="d_{model}")
        scale = g.add(f"{sequence}.scale", factor, axes=(), symbol=factor.formula())
        X = g.add(f"{sequence}.scaled", ops.Scale(), X, scale, axes=axes, symbol="X_s")
    if segments := b.number(sequence, "segments"):
        kinds = g.axis(f"{sequence}.segment", segments)
        which = g.add(f"{sequence}.segments", ops.Input("ids"), axes=(sequence,), symbol="s")
        own = g.add(f"{sequence}.segment_table", ops.Input(), axes=(kinds, "d_model"), symbol="E_s")
        rows = g.add(f"{sequence}.segment_rows", ops.LookUp(), which, own, axes=axes, symbol="X_s")
        X = g.add(f"{sequence}.with_segments", ops.Add(), X, rows, axes=axes, symbol="X'")
    H = _placed(b, sequence, X, title)
    if b.on(sequence, "embedding_norm"):
        g.stage(f"{sequence}.norm", "norm", "Norm", title)
        H = b.norm(sequence, H, sequence)
    return b.dropout(sequence, H, sequence, title)


def _placed(b: Blocks, sequence: str, X: str, title: str) -> str:
    """The vectors with positions added, if the kind of positions is one that is added."""
    g, m = b.graph, b.model
    positions = b.text(sequence, "positions")
    if positions in AMONG_SCORES:
        return X
    axes, n = (sequence, "d_model"), m.lengths[sequence]
    g.stage(f"{sequence}.positions", "positions", "Positions", title)
    op: ops.Op
    parents: tuple[str, ...] = ()
    if positions in ("table", "learned"):
        op = ops.Input()
    elif positions == "own":
        first = b.number(sequence, "first")
        room = g.axis(f"{sequence}.room", max(b.number(sequence, "room"), first + n))
        parents = (g.add(f"{sequence}.places", ops.Input(), axes=(room, "d_model"), symbol="E_P"),)
        op = ops.FirstRows(n, first)
        if b.on(sequence, "skips_padding"):
            counted = ops.CountedPlaces(first - 1)
            rows = g.add(f"{sequence}.place", counted, f"{sequence}.tokens", axes=(sequence,), symbol="p")
            op, parents = ops.LookUp(), (rows, *parents)
    else:
        kind = "paper" if positions == "sinusoidal" else positions
        op = ops.Sinusoidal(n, m.d_model, kind, m.dtype)
    PE = g.add(f"{sequence}.PE", op, *parents, axes=axes, symbol="PE")
    g.add(f"{sequence}.likeness", ops.Scores(), PE, PE, axes=(sequence, sequence), symbol="S_{PE}")
    return g.add(f"{sequence}.H", ops.Add(), X, PE, axes=axes)


DECODER_READS = {"gpt": "input", "encoder-decoder": "target"}
"""The sequence that the decoder of a kind of model reads."""


def follows_words(model: Model) -> bool:
    """Whether the targets are the next words of the sentence, not words that a person types."""
    return model.kind in DECODER_READS and model.switch("loss", "targets") == "next word"


def with_next_words(model: Model) -> Model:
    """The model with an output vocabulary that holds every word that may come next.

    Missing words, and the end-of-text mark, are appended, so that the other words keep their numbers.
    """
    if not follows_words(model):
        return model
    read = f"{DECODER_READS[model.kind]}.words"
    axis = "output.words" if "output.words" in model.axes else read
    end = end_mark(model.axes[axis])
    words = with_words(model.axes[axis], (end,) if axis == read else (*model.axes[read], end))
    return model if words is model.axes[axis] else replace(model, axes={**model.axes, axis: words})


def with_tied_words(model: Model) -> Model:
    """The model; if a tied output and its table differ only in length, both get the longer vocabulary."""
    read = f"{DECODER_READS.get(model.kind)}.words"
    if read not in model.axes or "output.words" not in model.axes or not model.switch("output", "tied"):
        return model
    short, long = sorted((model.axes[read], model.axes["output.words"]), key=len)
    if short == long or long[: len(short)] != short:
        return model
    return replace(model, axes={**model.axes, read: long, "output.words": long})


def next_words(model: Model) -> ops.NextWords:
    """The op that gives the next words.

    Raises `ExplorerError`: "no-next-word" if a word is missing in the output vocabulary; see `with_next_words`.
    """
    read = model.axes[f"{DECODER_READS[model.kind]}.words"]
    words = model.axes.get("output.words") or read
    end = end_mark(words)
    if words[: len(read)] == read:
        numbers: dict[str, int] = {}
    else:
        places = {word: i for i, word in enumerate(words)}
        numbers = {word: places.get(word, -1) for word in read}
    missing = [word for word, number in numbers.items() if number < 0] + [end] * (end not in words)
    if missing:
        raise ExplorerError("no-next-word", word=missing[0])
    return ops.NextWords(words.index(end), tuple(numbers.values()), words.index(PAD) if PAD in words else -1)


def output_layer(b: Blocks, x: str, rows: str) -> None:
    """Logits (n, n_words) from the decoder's vectors, then probabilities, the chosen word and the loss.

    A tied unembedding is the embedding table transposed (Press & Wolf 2017).

    `x`: the node of the vectors, (n, d_model).
    `rows`: the sequence of their tokens. Its vocabulary is the output's, too, unless the model names another one.
    """
    g, axes = b.graph, b.model.axes
    g.stage("output", "output", "Probabilities", "Output")
    read = f"{rows}.words"
    words = g.axis("output.words", axes.get("output.words") or axes[read])
    x = _head(b, x, rows)
    narrow = f"{rows}.table_width" if b.on(rows, "table_width") else ""
    if narrow:
        W = g.add("output.W_out", ops.Input(), axes=("d_model", narrow), symbol=r"W_{out}")
        x = g.add("output.narrowed", ops.MatMul(), x, W, axes=(rows, narrow), symbol="Y_n")
    if b.on("output", "tied"):
        if g.length(words) != g.length(read):
            raise ExplorerError("tied-widths", table=g.length(read), words=g.length(words))
        parents, product = [x, f"{rows}.table"], ops.MatMul(transposed=True)
    else:
        W = g.add("output.W", ops.Input(), axes=(narrow or "d_model", words), symbol="W")
        parents, product = [x, W], ops.MatMul()
    if b.on("output", "bias"):
        parents.append(g.add("output.b", ops.Input("zeros"), axes=(words,), symbol="b"))
    cap = b.real("output", "logit_cap")
    # The final logits always have the same name, which the probabilities read.
    name, symbol = ("output.uncapped", "z_u") if cap else (LOGITS, "z")
    logits = g.add(name, product, *parents, axes=(rows, words), symbol=symbol)
    if cap:
        logits = g.add(LOGITS, ops.Cap(cap), logits, axes=(rows, words), symbol="z")
    probabilities(b, logits, rows, words)


def _head(b: Blocks, x: str, rows: str) -> str:
    """The input of the unembedding: scaled (T5), or after a layer with its own activation and norm (BERT)."""
    g, axes = b.graph, (rows, "d_model")
    if b.on("output", "output_scale"):
        factor = ops.ScaleFactor("1/sqrt(d_k)", b.model.d_model, b.model.dtype, letters="d_{model}")
        scale = g.add("output.scale", factor, axes=(), symbol=factor.formula())
        x = g.add("output.read", ops.Scale(), x, scale, axes=axes, symbol="Y_s")
    activation = b.text("output", "head")
    if activation == "none":
        return x
    W = g.add("output.W_head", ops.Input(), axes=("d_model", "d_model"), symbol="W_h")
    bias = g.add("output.b_head", ops.Input("zeros"), axes=("d_model",), symbol="b_h")
    x = g.add("output.head", ops.MatMul(), x, W, bias, axes=axes, symbol="Y_h")
    x = g.add("output.head_activation", ops.ACTIVATIONS[activation], x, axes=axes, symbol="a_h")
    return b.norm("output", x, rows)


def probabilities(b: Blocks, logits: str, rows: str, words: str) -> None:
    """Probabilities (n, n_words) from logits, the chosen word and the loss.

    `logits`: a node, (n, n_words).
    `rows`, `words`: its axes.
    """
    g, activation = b.graph, b.text("output", "activation")
    temperature = g.add(TEMPERATURE, ops.Input("ones"), axes=(), symbol="T")
    scaled = g.add("output.scaled", ops.Temperature(), logits, temperature, axes=(rows, words), symbol="z_T")
    op = ops.Softmax() if activation == "softmax" else ops.ACTIVATIONS[activation]
    P = g.add(PROBABILITIES, op, scaled, axes=(rows, words), symbol="P")
    g.add(CHOSEN, ops.Argmax(), P, axes=(rows,), symbol="w")
    loss(b, P, rows, words, scores=scaled if op.softens else "")


def loss(b: Blocks, output: str, rows: str, columns: str, scores: str = "") -> None:
    """The loss of an output against a target: the next words of the sentence, or what a person types.

    `output`: a node, (n, n_outputs).
    `rows`, `columns`: its axes.
    `scores`: the node from which a softmax makes the output; "" if there is no softmax.
    """
    g = b.graph
    match b.text("loss", "loss"):
        case "cross-entropy":
            g.stage("loss", "loss", "Loss", "Output")
            if follows_words(b.model):
                target = g.add(TARGET, next_words(b.model), f"{rows}.tokens", axes=(rows,), symbol="y")
            else:
                target = g.add(TARGET, ops.Input("ids"), axes=(rows,), symbol="y")
            pad = g.number(columns, PAD)
            if b.on("loss", "L_1"):
                right = g.add("loss.likelihood", ops.Likelihood(), output, target, axes=(rows,), symbol="p")
                of = (right,) if pad < 0 else (right, target)
                g.add("loss.L_1", ops.LogLikelihood(pad), *of, axes=(), symbol="L_1")
            parents = (output, target, scores) if scores else (output, target)
            op = ops.CrossEntropy(pad)
            if balances := _balances(b):
                weight = b.real("loss", "balance")
                op, parents = ops.WithBalance(pad, weight, len(balances)), (*parents, *balances)
            g.add(LOSS, op, *parents, axes=(), symbol="L")
        case "mean squared error":
            g.stage("loss", "loss", "Loss", "Output")
            target = g.add(TARGET, ops.Input("zeros"), axes=(rows, columns), symbol="y")
            g.add(LOSS, ops.MeanSquaredError(), output, target, axes=(), symbol="L")


def _balances(b: Blocks) -> list[str]:
    """The balances of the experts that the loss includes."""
    if not b.on("loss", "balance"):
        return []
    numbers = {"encoder": b.model.layers, "decoder": b.model.decoder_layers}
    layers = [f"{stack}.{k + 1}" for stack, n in numbers.items() for k in range(n)]
    return [name for layer in layers if (name := f"{layer}.ffn.balance") in b.graph]
