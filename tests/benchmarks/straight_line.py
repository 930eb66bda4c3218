"""The steps of three models as one would write them by hand in numpy: what the engine's time is compared with.

No graph, no names, no loop over nodes; the same operations in the same order, so the results are equal bit for bit.
"""

from collections.abc import Mapping

import numpy as np

from explorer.core.ops import Array

Values = Mapping[str, Array]


def softmax(z: Array, lowest: np.floating) -> Array:
    """Each row as shares of 1; all 0 where it is −∞ throughout. `lowest` is the least number of the type."""
    e = np.exp(z - np.maximum(z.max(-1, keepdims=True), lowest))
    shares: Array = e / np.maximum(e.sum(-1, keepdims=True), 1)
    return shares


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    """Each row with mean 0 and variance 1, times γ, plus β."""
    centred = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
    normed: Array = centred / sigma * gamma + beta
    return normed


def positions(n: int, d: int) -> Array:
    """Sines and cosines, (n, d)."""
    j = np.arange(d)
    angle = np.arange(n)[:, None] / 10000 ** (2 * (j // 2) / d)
    return np.asarray(np.where(j % 2 == 0, np.sin(angle), np.cos(angle)), dtype="float64")


def encoder_decoder(v: Values) -> dict[str, Array]:
    """Encoder and decoder of one layer each, with the textbook's switches (Vaswani et al. 2017, figure 1).

    Parameters
    ----------
    v : mapping of str to numpy.ndarray
        The inputs, by the names of their nodes.

    Returns
    -------
    dict of str to numpy.ndarray
        Every computed quantity, by the name of its node.
    """
    lowest = np.finfo(np.float64).min

    table = v["source.table"]
    n_words, d_model = table.shape
    n = len(v["source.tokens"])
    onehot = (v["source.tokens"][..., None] == np.arange(n_words)).astype("float64")
    X = onehot @ table
    PE = positions(n, d_model)
    H = X + PE

    Q = H @ v["encoder.1.self.W_Q"]
    K = H @ v["encoder.1.self.W_K"]
    V = H @ v["encoder.1.self.W_V"]
    scores = Q @ K.mT
    scale = np.asarray(1 / np.sqrt(Q.shape[-1]), dtype="float64")
    scaled = scores * scale
    weights = softmax(scaled, lowest)
    output = weights @ V
    concat = output.swapaxes(-3, -2).reshape(n, -1)
    projected = concat @ v["encoder.1.self.W_O"]
    residual = H + projected
    norm = layer_norm(residual, v["encoder.1.self.gamma"], v["encoder.1.self.beta"])

    hidden = norm @ v["encoder.1.ffn.W_1"] + v["encoder.1.ffn.b_1"][..., None, :]
    activation = np.maximum(hidden, 0)
    ffn = activation @ v["encoder.1.ffn.W_2"] + v["encoder.1.ffn.b_2"][..., None, :]
    ffn_residual = norm + ffn
    memory = layer_norm(ffn_residual, v["encoder.1.ffn.gamma"], v["encoder.1.ffn.beta"])

    table = v["target.table"]
    n_words = len(table)
    m = len(v["target.tokens"])
    target_onehot = (v["target.tokens"][..., None] == np.arange(n_words)).astype("float64")
    target_X = target_onehot @ table
    target_PE = positions(m, d_model)
    target_H = target_X + target_PE

    self_Q = target_H @ v["decoder.1.self.W_Q"]
    self_K = target_H @ v["decoder.1.self.W_K"]
    self_V = target_H @ v["decoder.1.self.W_V"]
    self_scores = self_Q @ self_K.mT
    self_scale = np.asarray(1 / np.sqrt(self_Q.shape[-1]), dtype="float64")
    self_scaled = self_scores * self_scale
    self_mask = np.tri(m, dtype=np.int64)
    self_masked = np.where(self_mask != 0, self_scaled, -np.inf).astype(self_scaled.dtype, copy=False)
    self_weights = softmax(self_masked, lowest)
    self_output = self_weights @ self_V
    self_concat = self_output.swapaxes(-3, -2).reshape(m, -1)
    self_projected = self_concat @ v["decoder.1.self.W_O"]
    self_residual = target_H + self_projected
    self_norm = layer_norm(self_residual, v["decoder.1.self.gamma"], v["decoder.1.self.beta"])

    cross_Q = self_norm @ v["decoder.1.cross.W_Q"]
    cross_K = memory @ v["decoder.1.cross.W_K"]
    cross_V = memory @ v["decoder.1.cross.W_V"]
    cross_scores = cross_Q @ cross_K.mT
    cross_scale = np.asarray(1 / np.sqrt(cross_Q.shape[-1]), dtype="float64")
    cross_scaled = cross_scores * cross_scale
    cross_weights = softmax(cross_scaled, lowest)
    cross_output = cross_weights @ cross_V
    cross_concat = cross_output.swapaxes(-3, -2).reshape(m, -1)
    cross_projected = cross_concat @ v["decoder.1.cross.W_O"]
    cross_residual = self_norm + cross_projected
    cross_norm = layer_norm(cross_residual, v["decoder.1.cross.gamma"], v["decoder.1.cross.beta"])

    target_hidden = cross_norm @ v["decoder.1.ffn.W_1"] + v["decoder.1.ffn.b_1"][..., None, :]
    target_activation = np.maximum(target_hidden, 0)
    target_ffn = target_activation @ v["decoder.1.ffn.W_2"] + v["decoder.1.ffn.b_2"][..., None, :]
    target_residual = cross_norm + target_ffn
    target_norm = layer_norm(target_residual, v["decoder.1.ffn.gamma"], v["decoder.1.ffn.beta"])

    logits = target_norm @ v["output.W"] + v["output.b"][..., None, :]
    logits_T = logits / v["output.temperature"]
    probabilities = softmax(logits_T, lowest)
    chosen = np.argmax(probabilities, axis=-1)
    right = np.take_along_axis(probabilities, v["loss.target"][..., None], axis=-1)
    loss = np.asarray(-np.log(right).mean())

    return {
        "source.onehot": onehot,
        "source.X": X,
        "source.PE": PE,
        "source.likeness": PE @ PE.mT,
        "source.H": H,
        "encoder.1.self.Q": Q,
        "encoder.1.self.K": K,
        "encoder.1.self.V": V,
        "encoder.1.self.scores": scores,
        "encoder.1.self.scale": scale,
        "encoder.1.self.scaled": scaled,
        "encoder.1.self.weights": weights,
        "encoder.1.self.average": weights.mean(-3),
        "encoder.1.self.output": output,
        "encoder.1.self.concat": concat,
        "encoder.1.self.projected": projected,
        "encoder.1.self.residual": residual,
        "encoder.1.self.norm": norm,
        "encoder.1.ffn.hidden": hidden,
        "encoder.1.ffn.activation": activation,
        "encoder.1.ffn.output": ffn,
        "encoder.1.ffn.residual": ffn_residual,
        "encoder.1.ffn.norm": memory,
        "target.onehot": target_onehot,
        "target.X": target_X,
        "target.PE": target_PE,
        "target.likeness": target_PE @ target_PE.mT,
        "target.H": target_H,
        "decoder.1.self.Q": self_Q,
        "decoder.1.self.K": self_K,
        "decoder.1.self.V": self_V,
        "decoder.1.self.scores": self_scores,
        "decoder.1.self.scale": self_scale,
        "decoder.1.self.scaled": self_scaled,
        "decoder.1.self.mask": self_mask,
        "decoder.1.self.masked": self_masked,
        "decoder.1.self.weights": self_weights,
        "decoder.1.self.output": self_output,
        "decoder.1.self.concat": self_concat,
        "decoder.1.self.projected": self_projected,
        "decoder.1.self.residual": self_residual,
        "decoder.1.self.norm": self_norm,
        "decoder.1.cross.Q": cross_Q,
        "decoder.1.cross.K": cross_K,
        "decoder.1.cross.V": cross_V,
        "decoder.1.cross.scores": cross_scores,
        "decoder.1.cross.scale": cross_scale,
        "decoder.1.cross.scaled": cross_scaled,
        "decoder.1.cross.weights": cross_weights,
        "decoder.1.cross.output": cross_output,
        "decoder.1.cross.concat": cross_concat,
        "decoder.1.cross.projected": cross_projected,
        "decoder.1.cross.residual": cross_residual,
        "decoder.1.cross.norm": cross_norm,
        "decoder.1.ffn.hidden": target_hidden,
        "decoder.1.ffn.activation": target_activation,
        "decoder.1.ffn.output": target_ffn,
        "decoder.1.ffn.residual": target_residual,
        "decoder.1.ffn.norm": target_norm,
        "output.logits": logits,
        "output.scaled": logits_T,
        "output.probabilities": probabilities,
        "output.chosen": chosen,
        "loss.value": loss,
    }


def gpt(v: Values, layers: int) -> Array:
    """A GPT-2-style stack in float32: norm before each block, tanh GELU, learned positions (Radford et al. 2019).

    Parameters
    ----------
    v : mapping of str to numpy.ndarray
        The inputs, by the names of their nodes.
    layers : int

    Returns
    -------
    numpy.ndarray
        The probabilities, (n_tokens, n_words).
    """
    lowest = np.finfo(np.float32).min
    x = np.take(v["input.table"], v["input.tokens"], axis=0) + v["input.PE"]
    n = len(x)
    for layer in range(1, layers + 1):
        block = f"decoder.{layer}.self"
        normed = layer_norm(x, v[f"{block}.gamma"], v[f"{block}.beta"])
        Q = normed @ v[f"{block}.W_Q"] + v[f"{block}.b_Q"][..., None, :]
        K = normed @ v[f"{block}.W_K"] + v[f"{block}.b_K"][..., None, :]
        V = normed @ v[f"{block}.W_V"] + v[f"{block}.b_V"][..., None, :]
        scaled = Q @ K.mT * np.asarray(1 / np.sqrt(Q.shape[-1]), dtype="float32")
        mask = np.tri(n, dtype=np.int64)
        masked = np.where(mask != 0, scaled, -np.inf).astype(scaled.dtype, copy=False)
        weights = softmax(masked, lowest)
        x = x + (weights @ V).swapaxes(-3, -2).reshape(n, -1) @ v[f"{block}.W_O"]

        block = f"decoder.{layer}.ffn"
        normed = layer_norm(x, v[f"{block}.gamma"], v[f"{block}.beta"])
        h = normed @ v[f"{block}.W_1"] + v[f"{block}.b_1"][..., None, :]
        a = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi).astype(h.dtype) * (h + 0.044715 * (h * h * h))))
        x = x + (a @ v[f"{block}.W_2"] + v[f"{block}.b_2"][..., None, :])

    normed = layer_norm(x, v["final.gamma"], v["final.beta"])
    logits = (normed @ v["output.W"] + v["output.b"][..., None, :]) / v["output.temperature"]
    return softmax(logits, lowest)


def llama(v: Values, layers: int, base: float) -> dict[str, Array]:
    """A Llama-style stack: RMS norm first, halves turned, shared heads of keys and values, a gated net, no biases.

    Touvron et al. 2023; Grattafiori et al. 2024.

    Parameters
    ----------
    v : mapping of str to numpy.ndarray
        The inputs, by the names of their nodes.
    layers : int
    base : float
        Of the rotary positions.

    Returns
    -------
    dict of str to numpy.ndarray
        What nothing else is computed from: the mean of the heads of each layer, the probabilities, the likeliest words.
    """
    ends: dict[str, Array] = {}
    x = np.take(v["input.table"], v["input.tokens"], axis=0)
    n, lowest = len(x), np.finfo(x.dtype).min
    d_k = v["decoder.1.self.W_K"].shape[-1]
    angles = np.arange(n)[:, None] / base ** (np.arange(0, d_k, 2) / d_k)
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    mask = np.tri(n, dtype=np.int64)
    for layer in range(1, layers + 1):
        block = f"decoder.{layer}.self"
        normed = rms_norm(x, v[f"{block}.gamma"])
        Q = turned(normed @ v[f"{block}.W_Q"], cos, sin)
        K = turned(normed @ v[f"{block}.W_K"], cos, sin)
        V = normed @ v[f"{block}.W_V"]
        groups = len(K), -1, d_k  # the queries that meet the same keys, one below the other
        scores = (Q.reshape(groups) @ K.mT).reshape(len(Q), n, n)
        scaled = scores * np.asarray(1 / np.sqrt(d_k), dtype=x.dtype)
        masked = np.where(mask != 0, scaled, -np.inf).astype(scaled.dtype, copy=False)
        weights = softmax(masked, lowest)
        ends[f"{block}.average"] = weights.mean(-3)
        mixed = (weights.reshape(len(V), -1, n) @ V).reshape(len(Q), n, -1)
        x = x + mixed.swapaxes(-3, -2).reshape(n, -1) @ v[f"{block}.W_O"]

        block = f"decoder.{layer}.ffn"
        normed = rms_norm(x, v[f"{block}.gamma"])
        hidden, gate = normed @ v[f"{block}.W_1"], normed @ v[f"{block}.W_g"]
        x = x + gate / (1 + np.exp(-gate)) * hidden @ v[f"{block}.W_2"]

    logits = rms_norm(x, v["final.gamma"]) @ v["output.W"] / v["output.temperature"]
    ends["output.probabilities"] = shares = softmax(logits, lowest)
    ends["output.chosen"] = np.argmax(shares, axis=-1)
    return ends


def rms_norm(x: Array, gamma: Array) -> Array:
    """Each row with root mean square 1, times γ."""
    normed: Array = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * gamma
    return normed


def turned(x: Array, cos: Array, sin: Array) -> Array:
    """Each row turned by its position: the first half of its numbers against the second."""
    half = cos.shape[-1]
    one, other = x[..., :half], x[..., half:]
    return np.concatenate([one * cos - other * sin, other * cos + one * sin], axis=-1)
