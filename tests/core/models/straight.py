"""A decoder in straight-line numpy, head by head and word by word, as an independent witness of the graph's numbers."""

from math import erf

import numpy as np


def norm(x, gamma, beta=None, epsilon=1e-5, centred=True, one=0.0):
    rows = []
    for row in x:
        row = row - row.mean() if centred else row
        rows.append(row / np.sqrt((row**2).sum() / len(row) + epsilon) * (one + gamma) + (0 if beta is None else beta))
    return np.array(rows)


def softmax(row):
    powers = np.exp(row - row.max())
    return powers / powers.sum()


ACTIVATIONS = {
    "ReLU": lambda x: np.where(x > 0, x, 0),
    "SiLU": lambda x: x / (1 + np.exp(-x)),
    "GELU": lambda x: x * np.vectorize(lambda a: 0.5 * (1 + erf(a / np.sqrt(2))))(x),
    "GELU tanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
}


class Straight:
    """Computes the logits of a gpt by its switches and inputs, in ways of its own."""

    def __init__(self, model, inputs):
        self.model, self.inputs = model, inputs
        self.kept = {}  # what is asked for on the way, by the names of the graph

    def switch(self, block, name):
        return self.model.switch(block, name)

    def get(self, name):
        return self.inputs.get(name)

    def normed(self, block, x, ending=""):
        kind = self.switch(block, "norm_by")
        return norm(
            x,
            self.inputs[f"{block}.gamma{ending}"],
            self.get(f"{block}.beta{ending}"),
            self.switch(block, "epsilon"),
            kind == "layer norm",
            1.0 if kind.endswith("γ") else 0.0,
        )

    def weights(self, block, short):
        W = self.inputs[f"{block}.{short}"]
        bits = {"no": 0, "8 bits": 8, "4 bits": 4}[self.switch(block, "quantised")]
        if not bits:
            return W
        top, size, left = 2 ** (bits - 1) - 1, self.switch(block, "quantised_block"), W.copy()
        for index in np.ndindex(*W.shape[:-2], W.shape[-1]):
            column = left[(*index[:-1], slice(None), index[-1])]
            for first in range(0, len(column), size):
                part = column[first : first + size]
                scale = np.abs(part).max() / top
                part[:] = [scale * np.sign(w) * int(abs(w) / scale + 0.5) for w in part] if scale else 0
        return left

    def rotate(self, x, sequence, block):
        d, own = x.shape[-1], self.switch(block, "rotary_base")
        width = min(self.switch(sequence, "rotary_width") or d, d) // 2 * 2
        base = own or self.switch(sequence, "rotary_base")
        kind = "none" if own else self.switch(sequence, "rotary_scaling")
        factor, room = self.switch(sequence, "rotary_factor"), self.switch(sequence, "rotary_room")
        if kind == "dynamic" and len(x) > room:
            base = base * ((factor * len(x) / room) - (factor - 1)) ** (width / (width - 2))
        result = x.copy()
        for m in range(len(x)):
            for i in range(width // 2):
                frequency = 1 / base ** (2 * i / width)
                if kind == "linear":
                    frequency /= factor
                if kind == "llama 3":
                    low, high = self.switch(sequence, "rotary_low"), self.switch(sequence, "rotary_high")
                    length = 2 * np.pi / frequency
                    if length > room / low:
                        frequency /= factor
                    elif length >= room / high:
                        smooth = (room / length - low) / (high - low)
                        frequency = (1 - smooth) * frequency / factor + smooth * frequency
                if kind == "yarn":
                    ends = []
                    for turns in (self.switch(sequence, "rotary_high"), self.switch(sequence, "rotary_low")):
                        ends.append(width * np.log(room / (turns * 2 * np.pi)) / (2 * np.log(base)))
                    first, last = max(np.floor(ends[0]), 0), min(np.ceil(ends[1]), width - 1)
                    share = min(max((i - first) / (last - first), 0), 1)
                    frequency *= share / factor + 1 - share
                a, b = (i, i + width // 2) if self.switch(sequence, "rotary_pairs") == "halves" else (2 * i, 2 * i + 1)
                turned = (x[m, a] + 1j * x[m, b]) * np.exp(1j * m * frequency)
                turned *= self.switch(sequence, "rotary_stretch")
                result[m, a], result[m, b] = turned.real, turned.imag
        return result

    def bias(self, head, n_heads, i, j):
        positions = self.switch("input", "positions")
        if positions == "ALiBi":
            return -(2.0 ** (-8 * (head + 1) / n_heads)) * abs(i - j)
        if positions == "relative":
            table, back = self.inputs["decoder.1.self.bias_table"], max(i - j, 0)
            half, most = len(table) // 2, self.switch("input", "bucket_most")
            if back >= half:
                back = min(half + int(np.log(back / half) / np.log(most / half) * (len(table) - half)), len(table) - 1)
            return table[back, head]
        return 0.0

    def embedding(self):
        X = self.inputs["input.table"][self.inputs["input.tokens"]]
        n, d = X.shape
        if self.switch("input", "embedding_scale"):
            X = X * d**0.5
        if self.switch("input", "segments"):
            X = X + self.inputs["input.segment_table"][self.inputs["input.segments"]]
        if self.switch("input", "positions") == "own":
            first = self.switch("input", "first")
            X = X + self.inputs["input.places"][first : first + n]
        if self.switch("input", "positions") == "sines first":
            angles = np.array([[m / 10000 ** (2 * i / d) for i in range((d + 1) // 2)] for m in range(n)])
            X = X + np.concatenate([np.sin(angles), np.cos(angles)[:, : d // 2]], axis=1)
        return self.normed("input", X) if self.switch("input", "embedding_norm") else X

    def attention(self, block, x):
        read = self.normed(block, x) if self.switch(block, "norm") in ("pre", "both") else x
        self.read = read
        n_heads = self.switch(block, "heads")
        key_heads = self.switch(block, "key_heads") or n_heads
        parts = {}
        for letter, count in (("Q", n_heads), ("K", key_heads), ("V", key_heads)):
            W, b = self.weights(block, f"W_{letter}"), self.get(f"{block}.b_{letter}")
            parts[letter] = [read @ W[h] + (0 if b is None else b[h]) for h in range(count)]
        for letter in "QK":
            gamma, how = self.get(f"{block}.gamma_{letter}"), self.switch(block, "qk_norm")
            epsilon, kind = self.switch(block, "epsilon"), self.switch(block, "norm_by")
            if how == "each head":
                beta = self.get(f"{block}.beta_{letter}")
                one = 1.0 if kind.endswith("γ") else 0.0
                parts[letter] = [norm(x, gamma, beta, epsilon, kind == "layer norm", one) for x in parts[letter]]
            if how == "all heads":
                wide = norm(np.concatenate(parts[letter], axis=1), gamma.ravel(), None, epsilon, False)
                parts[letter] = np.split(wide, len(parts[letter]), axis=1)
            if self.switch("input", "positions") == "rotary":
                parts[letter] = [self.rotate(x, "input", block) for x in parts[letter]]
        cap, window, n = self.switch(block, "cap"), self.switch(block, "window"), len(x)
        heads, all_weights = [], np.zeros((n_heads, n, n))
        for h in range(n_heads):
            Q, K, V = parts["Q"][h], parts["K"][h * key_heads // n_heads], parts["V"][h * key_heads // n_heads]
            scale = {"none": 1.0, "1/sqrt(d_k)": (self.switch(block, "scale_width") or Q.shape[1]) ** -0.5}
            factor = scale[self.switch(block, "scale")]
            if self.switch(block, "scale_layer"):
                factor /= int(block.split(".")[1])
            for i in range(n):
                seen = [j for j in range(i + 1) if not window or j > i - window]
                logits = np.array([Q[i] @ K[j] * factor + self.bias(h, n_heads, i, j) for j in seen])
                logits = cap * np.tanh(logits / cap) if cap else logits
                if self.switch(block, "sink"):
                    shares = softmax(np.append(logits, self.inputs[f"{block}.sink"][h]))[:-1]
                else:
                    shares = softmax(logits)
                all_weights[h, i, seen] = shares
            heads.append(all_weights[h] @ V)
        self.kept[f"{block}.weights"] = all_weights
        made = np.concatenate(heads, axis=1) @ self.weights(block, "W_O")
        if self.switch(block, "bias_O"):
            made = made + self.inputs[f"{block}.b_O"]
        return self.added(block, x, made)

    def added(self, block, x, made):
        if self.switch(block, "norm") in ("both", "output"):
            made = self.normed(block, made, "_out")
        total = x + made if self.switch(block, "residual") else made
        return self.normed(block, total) if self.switch(block, "norm") == "post" else total

    def net(self, block, x, beside):
        reads = self.switch(block, "reads")
        if reads == "beside attention, its norm":
            read = self.read
        else:
            read = beside if reads == "beside attention" else x
            read = self.normed(block, read) if self.switch(block, "norm") in ("pre", "both") else read
        if not self.switch(block, "experts"):
            return self.added(block, x, self.one_net(block, read, "1", "g", "2"))
        router = read @ self.inputs[f"{block}.W_r"]
        made = np.zeros_like(x)
        for i, row in enumerate(router):
            shares = softmax(row)
            best = sorted(range(len(shares)), key=lambda e: (-shares[e], e))[: self.switch(block, "chosen")]
            total = sum(shares[e] for e in best) if self.switch(block, "chosen_again") else 1.0
            for e in best:
                made[i] += shares[e] / total * self.one_net(block, read[i : i + 1], "1", "g", "2", e)[0]
        if self.switch(block, "shared"):
            made = made + self.one_net(block, read, "s1", "sg", "s2")
        return self.added(block, x, made)

    def one_net(self, block, x, out, gate, back, expert=None):
        def layer(number, x):
            W, b = self.weights(block, f"W_{number}"), self.get(f"{block}.b_{number}")
            W, b = (W, b) if expert is None else (W[expert], b if b is None else b[expert])
            return x @ W + (0 if b is None else b)

        activation = ACTIVATIONS[self.switch(block, "activation")]
        if self.switch(block, "gated"):
            return layer(back, activation(layer(gate, x)) * layer(out, x))
        return layer(back, activation(layer(out, x)))

    def logits(self):
        x = self.embedding()
        for k in range(1, self.model.layers + 1):
            before = x
            x = self.attention(f"decoder.{k}.self", x)
            x = self.net(f"decoder.{k}.ffn", x, before)
        if self.switch(f"decoder.{self.model.layers}.ffn", "norm") in ("pre", "both", "output"):
            x = self.normed("final", x)
        if self.switch("output", "output_scale"):
            x = x / x.shape[1] ** 0.5
        if (head := self.switch("output", "head")) != "none":
            x = ACTIVATIONS[head](x @ self.inputs["output.W_head"] + self.inputs["output.b_head"])
            x = self.normed("output", x)
        tied = self.switch("output", "tied")
        logits = x @ (self.inputs["input.table"].T if tied else self.inputs["output.W"])
        if self.switch("output", "bias"):
            logits = logits + self.inputs["output.b"]
        cap = self.switch("output", "logit_cap")
        return cap * np.tanh(logits / cap) if cap else logits
