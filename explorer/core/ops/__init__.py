"""The ops, one family in each file. Each op has its forward and backward pass, formula, code and derivation."""

from explorer.core.cell import Array
from explorer.core.ops.activations import ACTIVATIONS, GELU, Identity, ReLU, Sigmoid
from explorer.core.ops.attention import HeadMean, HeadsNorm, Scores, WeightedSum
from explorer.core.ops.base import Op
from explorer.core.ops.geometry import Angle, Cosine, Length, ShadowFactor, Subtract
from explorer.core.ops.linear import Add, Concat, Dropout, Intercept, MatMul, Multiply, Slope
from explorer.core.ops.logits import (
    Cap,
    CausalMask,
    CausalPaddingMask,
    Clip,
    Mask,
    PaddingMask,
    RelatedMask,
    Scale,
    ScaleFactor,
    Temperature,
)
from explorer.core.ops.loss import CrossEntropy, Likelihood, LogLikelihood, MeanSquaredError, WithBalance
from explorer.core.ops.normalise import NORMS, BatchNorm, LayerNorm, RMSNorm
from explorer.core.ops.positions import ALiBi, RelativeBias, Rotary, Sinusoidal
from explorer.core.ops.shares import Balance, Mixture, Route, RowShares, SinkSoftmax, Softmax
from explorer.core.ops.tokens import Argmax, CountedPlaces, FirstRows, LookUp, NextWords, OneHot, Threshold
from explorer.core.ops.weights import BlockCodes, BlockScale, FromCodes, Input
