"""The architectures that are read, by the `model_type` of their config."""

from collections.abc import Callable

from explorer.checkpoints.config import Config
from explorer.checkpoints.encoders import bert, distilbert, roberta
from explorer.checkpoints.families import (
    Plan,
    gemma,
    gemma2,
    llama,
    mistral,
    olmo2,
    qwen2,
    qwen3,
)
from explorer.checkpoints.gpts import gpt2, gpt_neo, gpt_neox, opt, phi
from explorer.checkpoints.mixtures import mixtral, olmo, qwen3_moe
from explorer.checkpoints.translators import marian, t5

FAMILIES: dict[str, Callable[[Config], Plan]] = {
    "gpt2": gpt2,
    "gpt_neo": gpt_neo,
    "gpt_neox": gpt_neox,
    "opt": opt,
    "phi": phi,
    "llama": llama,
    "mistral": mistral,
    "mixtral": mixtral,
    "qwen2": qwen2,
    "qwen3": qwen3,
    "qwen3_moe": qwen3_moe,
    "gemma": gemma,
    "gemma2": gemma2,
    "olmo": olmo,
    "olmo2": olmo2,
    "bert": bert,
    "distilbert": distilbert,
    "roberta": roberta,
    "t5": t5,
    "marian": marian,
}
