"""The ops, one family a file. Each knows its forward, backward, formula, code and derivation."""

from explorer.core.ops.activations import GELU, Identity, ReLU, Sigmoid
from explorer.core.ops.attention import Scores, WeightedSum
from explorer.core.ops.base import Array, Op
from explorer.core.ops.choice import Argmax, Threshold
from explorer.core.ops.embedding import LookUp, OneHot
from explorer.core.ops.geometry import Angle, Cosine, Length, ShadowFactor, Subtract
from explorer.core.ops.inputs import Input
from explorer.core.ops.linear import Add, Bias, Concat, MatMul
from explorer.core.ops.loss import CrossEntropy, Likelihood, LogLikelihood, MeanSquaredError
from explorer.core.ops.masks import CausalMask, Mask, PaddingMask, RelatedMask
from explorer.core.ops.normalise import BatchNorm, LayerNorm, RowShares, Softmax
from explorer.core.ops.positions import Sinusoidal
from explorer.core.ops.scale import Scale, ScaleFactor, Temperature

__all__ = [
    "GELU",
    "Add",
    "Angle",
    "Argmax",
    "Array",
    "BatchNorm",
    "Bias",
    "CausalMask",
    "Concat",
    "Cosine",
    "CrossEntropy",
    "Identity",
    "Input",
    "LayerNorm",
    "Length",
    "Likelihood",
    "LogLikelihood",
    "LookUp",
    "Mask",
    "MatMul",
    "MeanSquaredError",
    "OneHot",
    "Op",
    "PaddingMask",
    "ReLU",
    "RelatedMask",
    "RowShares",
    "Scale",
    "ScaleFactor",
    "Scores",
    "ShadowFactor",
    "Sigmoid",
    "Sinusoidal",
    "Softmax",
    "Subtract",
    "Temperature",
    "Threshold",
    "WeightedSum",
]
