"""The ops, one family in each file. Each op has its forward and backward pass, formula, code and derivation."""

from explorer.core.ops.activations import ACTIVATIONS, GELU, Identity, ReLU, Sigmoid
from explorer.core.ops.attention import HeadMean, HeadsNorm, Scores, WeightedSum
from explorer.core.ops.base import Array, Op
from explorer.core.ops.biases import ALiBi, CountedPlaces, FirstRows, RelativeBias
from explorer.core.ops.experts import Balance, Mixture, Route
from explorer.core.ops.geometry import Angle, Cosine, Length, ShadowFactor, Subtract
from explorer.core.ops.inputs import Input
from explorer.core.ops.linear import Add, Concat, Dropout, Intercept, MatMul, Multiply, Slope
from explorer.core.ops.loss import CrossEntropy, Likelihood, LogLikelihood, MeanSquaredError, WithBalance
from explorer.core.ops.masks import CausalMask, CausalPaddingMask, Mask, PaddingMask, RelatedMask
from explorer.core.ops.normalise import NORMS, BatchNorm, LayerNorm, RMSNorm
from explorer.core.ops.positions import Rotary, Sinusoidal
from explorer.core.ops.quantise import BlockCodes, BlockScale, FromCodes
from explorer.core.ops.scale import Cap, Clip, Scale, ScaleFactor, Temperature
from explorer.core.ops.shares import RowShares, SinkSoftmax, Softmax
from explorer.core.ops.tokens import Argmax, LookUp, NextWords, OneHot, Threshold
