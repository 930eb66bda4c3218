"""A step of training as one would write it by hand in numpy: what the trainer's time is compared with.

No graph, no names but those of the weights, no rule that is used twice for different things: forward, backward and Adam
for the one model, the rows of all sentences in one matrix, and Q, K and V in one product.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.core.ops import Array

Values = Mapping[str, Array]
ROOT = np.float32(np.sqrt(2 / np.pi))
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


class Straight:
    """A GPT-2-style stack in float32 (norm before each block, tanh GELU, learned positions) and the memory of Adam.

    Parameters
    ----------
    weights : mapping of str to numpy.ndarray
        By the names of their nodes.
    layers : int
    rate : float
    """

    def __init__(self, weights: Values, layers: int, rate: float) -> None:
        self.weights = dict(weights)
        self.layers, self.rate, self.t = layers, rate, 0
        self.first = {name: np.zeros_like(array) for name, array in weights.items()}
        self.second = {name: np.zeros_like(array) for name, array in weights.items()}

    def step(self, tokens: Array, target: Array) -> float:
        """Move all weights by one step; tokens and targets are (batch, n). Returns the loss before it."""
        loss, gradients = loss_and_gradients(self.weights, self.layers, tokens, target)
        self.t += 1
        for name, g in gradients.items():
            first = self.first[name] = BETA_1 * self.first[name] + (1 - BETA_1) * g
            second = self.second[name] = BETA_2 * self.second[name] + (1 - BETA_2) * g * g
            size = np.sqrt(second / (1 - BETA_2**self.t)) + EPSILON
            self.weights[name] = self.weights[name] - self.rate * (first / (1 - BETA_1**self.t)) / size
        return loss


def loss_and_gradients(v: Values, layers: int, tokens: Array, target: Array) -> tuple[float, dict[str, Array]]:
    """The mean cross-entropy of a batch, and its gradient for each weight."""
    batch, n = tokens.shape
    d_model = v["input.table"].shape[1]
    seen = np.tri(n, dtype=bool)
    x = (v["input.table"][tokens] + v["input.PE"]).reshape(-1, d_model)
    kept: list[tuple[Any, ...]] = []
    for layer in range(1, layers + 1):
        block, ffn = f"decoder.{layer}.self", f"decoder.{layer}.ffn"
        x_1, unit_1, sigma_1 = norm(x, v[f"{block}.gamma"], v[f"{block}.beta"])
        attended, saved = attention(x_1, v, block, batch, n, seen)
        x = x + attended
        x_2, unit_2, sigma_2 = norm(x, v[f"{ffn}.gamma"], v[f"{ffn}.beta"])
        h = x_2 @ v[f"{ffn}.W_1"] + v[f"{ffn}.b_1"]
        t = np.tanh(ROOT * (h + 0.044715 * (h * h * h)))
        a = 0.5 * h * (1 + t)
        x = x + (a @ v[f"{ffn}.W_2"] + v[f"{ffn}.b_2"])
        kept.append((x_1, unit_1, sigma_1, saved, x_2, unit_2, sigma_2, h, t, a))
    last, unit, sigma = norm(x, v["final.gamma"], v["final.beta"])
    logits = last @ v["output.W"] + v["output.b"]
    e = np.exp(logits - logits.max(-1, keepdims=True))
    P = e / e.sum(-1, keepdims=True)
    right = np.arange(len(P)), target.ravel()
    loss = float(-np.log(P[right]).mean())

    g: dict[str, Array] = {}
    P[right] -= 1
    d = P / np.float32(len(P))
    g["output.W"], g["output.b"] = last.T @ d, d.sum(0)
    d, g["final.gamma"], g["final.beta"] = norm_back(d @ v["output.W"].T, unit, sigma, v["final.gamma"])
    for layer in range(layers, 0, -1):
        block, ffn = f"decoder.{layer}.self", f"decoder.{layer}.ffn"
        x_1, unit_1, sigma_1, saved, x_2, unit_2, sigma_2, h, t, a = kept[layer - 1]
        g[f"{ffn}.W_2"], g[f"{ffn}.b_2"] = a.T @ d, d.sum(0)
        slope = 0.5 * (1 + t) + 0.5 * h * (1 - t * t) * ROOT * (1 + 3 * 0.044715 * (h * h))
        of_h = (d @ v[f"{ffn}.W_2"].T) * slope
        g[f"{ffn}.W_1"], g[f"{ffn}.b_1"] = x_2.T @ of_h, of_h.sum(0)
        back = norm_back(of_h @ v[f"{ffn}.W_1"].T, unit_2, sigma_2, v[f"{ffn}.gamma"])
        of_x, g[f"{ffn}.gamma"], g[f"{ffn}.beta"] = back
        d = d + of_x
        back = norm_back(attention_back(d, x_1, v, block, g, saved), unit_1, sigma_1, v[f"{block}.gamma"])
        of_x, g[f"{block}.gamma"], g[f"{block}.beta"] = back
        d = d + of_x
    g["input.PE"] = d.reshape(batch, n, d_model).sum(0)
    of_table = np.zeros(v["input.table"].size, np.float32)
    np.add.at(of_table, (tokens.reshape(-1, 1) * d_model + np.arange(d_model)).ravel(), d.ravel())
    g["input.table"] = of_table.reshape(v["input.table"].shape)
    return loss, g


def norm(x: Array, gamma: Array, beta: Array) -> tuple[Array, Array, Array]:
    """Layer norm of the rows, (n, d); the rows before γ and β; what they were divided by."""
    centred = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
    unit = centred / sigma
    return unit * gamma + beta, unit, sigma


def norm_back(d: Array, unit: Array, sigma: Array, gamma: Array) -> tuple[Array, Array, Array]:
    """The gradients of x, γ and β."""
    of_unit = d * gamma
    means = of_unit.mean(-1, keepdims=True), (of_unit * unit).mean(-1, keepdims=True)
    return (of_unit - means[0] - unit * means[1]) / sigma, (d * unit).sum(0), d.sum(0)


def attention(x: Array, v: Values, block: str, batch: int, n: int, seen: Array) -> tuple[Array, tuple[Any, ...]]:
    """Masked attention with W_O, (batch · n, d_model), and what its gradient needs."""
    heads, d_model, d_k = v[f"{block}.W_Q"].shape
    W = np.concatenate([v[f"{block}.W_{c}"].swapaxes(0, 1).reshape(d_model, -1) for c in "QKV"], axis=1)
    b = np.concatenate([v[f"{block}.b_{c}"].ravel() for c in "QKV"])
    Q, K, V = (x @ W + b).reshape(batch, n, 3, heads, d_k).transpose(2, 0, 3, 1, 4)
    z = np.where(seen, Q @ K.mT * np.float32(1 / np.sqrt(d_k)), np.float32(-np.inf))
    e = np.exp(z - z.max(-1, keepdims=True))
    A = e / e.sum(-1, keepdims=True)
    C = (A @ V).swapaxes(1, 2).reshape(batch * n, -1)
    return C @ v[f"{block}.W_O"], (W, Q, K, V, A, C)


def attention_back(d: Array, x: Array, v: Values, block: str, g: dict[str, Array], saved: tuple[Any, ...]) -> Array:
    """The gradient of x; those of the weights go into `g`."""
    W, Q, K, V, A, C = saved
    batch, heads, n, d_k = Q.shape
    g[f"{block}.W_O"] = C.T @ d
    of_O = (d @ v[f"{block}.W_O"].T).reshape(batch, n, heads, d_k).swapaxes(1, 2)
    of_A = of_O @ V.mT
    of_z = A * (of_A - (of_A * A).sum(-1, keepdims=True)) * np.float32(1 / np.sqrt(d_k))
    of_QKV = np.empty((batch, n, 3, heads, d_k), np.float32)
    parts = of_QKV.transpose(2, 0, 3, 1, 4)
    parts[0], parts[1], parts[2] = of_z @ K, of_z.mT @ Q, A.mT @ of_O
    rows = of_QKV.reshape(batch * n, -1)
    of_W, of_b = x.T @ rows, rows.sum(0)
    for i, c in enumerate("QKV"):
        own = slice(i * heads * d_k, (i + 1) * heads * d_k)
        g[f"{block}.W_{c}"] = of_W[:, own].reshape(-1, heads, d_k).swapaxes(0, 1)
        g[f"{block}.b_{c}"] = of_b[own].reshape(heads, d_k)
    of_x: Array = rows @ W.T
    return of_x
