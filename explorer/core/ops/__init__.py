"""The ops, one family a file. Each knows its forward, formula, code and derivation."""

from explorer.core.ops.activations import GELU, Identity, ReLU, Sigmoid
from explorer.core.ops.attention import Scores, WeightedSum
from explorer.core.ops.base import Array, Op
from explorer.core.ops.choice import Argmax, Threshold
from explorer.core.ops.embedding import LookUp, OneHot
from explorer.core.ops.inputs import Input
from explorer.core.ops.linear import Add, Bias, Concat, MatMul
from explorer.core.ops.loss import CrossEntropy, MeanSquaredError
from explorer.core.ops.masks import CausalMask, Mask, PaddingMask
from explorer.core.ops.normalise import LayerNorm, RowShares, Softmax
from explorer.core.ops.positions import Sinusoidal
from explorer.core.ops.scale import Scale, ScaleFactor, Temperature

__all__ = [
    "GELU",
    "Add",
    "Argmax",
    "Array",
    "Bias",
    "CausalMask",
    "Concat",
    "CrossEntropy",
    "Identity",
    "Input",
    "LayerNorm",
    "LookUp",
    "Mask",
    "MatMul",
    "MeanSquaredError",
    "OneHot",
    "Op",
    "PaddingMask",
    "ReLU",
    "RowShares",
    "Scale",
    "ScaleFactor",
    "Scores",
    "Sigmoid",
    "Sinusoidal",
    "Softmax",
    "Temperature",
    "Threshold",
    "WeightedSum",
]
