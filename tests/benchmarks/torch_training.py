"""A step of training in plain eager PyTorch, where that is installed: what the trainer's pace is compared with.

PyTorch is no dependency of the program. Whoever has it sees both side by side in one run.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from explorer.core.ops import Array


def there() -> bool:
    """Whether PyTorch is installed."""
    return find_spec("torch") is not None


class Eager:
    """The stack of `Straight`, by the same names, with autograd and PyTorch's Adam."""

    def __init__(self, weights: Mapping[str, Array], layers: int, rate: float) -> None:
        self.torch: Any = import_module("torch")
        self.layers = layers
        self.v = {name: self.torch.tensor(array, requires_grad=True) for name, array in weights.items()}
        self.optimiser = self.torch.optim.Adam(self.v.values(), lr=rate)

    def step(self, tokens: Array, target: Array) -> float:
        """Move all weights by one step; tokens and targets are (batch, n). Returns the loss before it."""
        torch = self.torch
        loss = self._loss(torch.from_numpy(tokens), torch.from_numpy(target))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return float(loss.detach())

    def _loss(self, tokens: Any, target: Any) -> Any:
        v, torch = self.v, self.torch
        F = torch.nn.functional
        batch, n = tokens.shape
        d_model = v["input.table"].shape[1]
        hidden = torch.ones(n, n, dtype=torch.bool).triu(1)

        def norm(x: Any, block: str) -> Any:
            return F.layer_norm(x, (d_model,), v[f"{block}.gamma"], v[f"{block}.beta"], 1e-5)

        x = F.embedding(tokens, v["input.table"]) + v["input.PE"]
        for layer in range(1, self.layers + 1):
            block, ffn = f"decoder.{layer}.self", f"decoder.{layer}.ffn"
            normed = norm(x, block)[:, None]
            Q, K, V = (normed @ v[f"{block}.W_{c}"] + v[f"{block}.b_{c}"][:, None] for c in "QKV")
            scores = (Q @ K.mT / Q.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf)
            joined = (scores.softmax(-1) @ V).transpose(1, 2).reshape(batch, n, -1)
            x = x + joined @ v[f"{block}.W_O"]
            h = F.gelu(norm(x, ffn) @ v[f"{ffn}.W_1"] + v[f"{ffn}.b_1"], approximate="tanh")
            x = x + h @ v[f"{ffn}.W_2"] + v[f"{ffn}.b_2"]
        logits = norm(x, "final") @ v["output.W"] + v["output.b"]
        return F.cross_entropy(logits.reshape(batch * n, -1), target.reshape(-1))
