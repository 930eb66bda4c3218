"""The ops, one family a file. Each knows its forward, backward, formula, code and derivation."""

from explorer.core.ops.activations import ACTIVATIONS, GELU, Identity, ReLU, Sigmoid
from explorer.core.ops.attention import Scores, WeightedSum
from explorer.core.ops.base import Array, Op
from explorer.core.ops.choice import Argmax, Threshold
from explorer.core.ops.embedding import LookUp, OneHot
from explorer.core.ops.geometry import Angle, Cosine, Length, ShadowFactor, Subtract
from explorer.core.ops.heads import HeadMean
from explorer.core.ops.inputs import Input
from explorer.core.ops.linear import Add, Concat, Dropout, MatMul, Multiply
from explorer.core.ops.loss import CrossEntropy, Likelihood, LogLikelihood, MeanSquaredError
from explorer.core.ops.masks import CausalMask, CausalPaddingMask, Mask, PaddingMask, RelatedMask
from explorer.core.ops.normalise import NORMS, BatchNorm, LayerNorm, RowShares, Softmax
from explorer.core.ops.positions import Rotary, Sinusoidal
from explorer.core.ops.regression import Intercept, Slope
from explorer.core.ops.scale import Scale, ScaleFactor, Temperature
from explorer.core.ops.targets import NextWords

__all__ = [
    "ACTIVATIONS",
    "GELU",
    "NORMS",
    "Add",
    "Angle",
    "Argmax",
    "Array",
    "BatchNorm",
    "CausalMask",
    "CausalPaddingMask",
    "Concat",
    "Cosine",
    "CrossEntropy",
    "Dropout",
    "HeadMean",
    "Identity",
    "Input",
    "Intercept",
    "LayerNorm",
    "Length",
    "Likelihood",
    "LogLikelihood",
    "LookUp",
    "Mask",
    "MatMul",
    "MeanSquaredError",
    "Multiply",
    "NextWords",
    "OneHot",
    "Op",
    "PaddingMask",
    "ReLU",
    "RelatedMask",
    "Rotary",
    "RowShares",
    "Scale",
    "ScaleFactor",
    "Scores",
    "ShadowFactor",
    "Sigmoid",
    "Sinusoidal",
    "Slope",
    "Softmax",
    "Subtract",
    "Temperature",
    "Threshold",
    "WeightedSum",
]
