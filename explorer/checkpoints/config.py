"""A checkpoint's config.json: each field is read with a check of its type and bounds."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from explorer.core.errors import ExplorerError

MOST_BYTES = 10_000_000
_MOST = sys.float_info.max
_CHANGES_NOTHING = (
    *("_name_or_path", "architectures", "auto_map", "dtype", "torch_dtype", "model_type", "transformers_version"),
    *("use_cache", "pretraining_tp", "task_specific_params", "id2label", "label2id", "return_dict", "problem_type"),
    *(
        "gradient_checkpointing",
        "is_decoder",
        "is_encoder_decoder",
        "add_cross_attention",
        "cross_attention_hidden_size",
    ),
    *("n_ctx", "max_position_embeddings", "max_sequence_length", "vocab_size", "finetuning_task", "use_bfloat16"),
    *("reorder_and_upcast_attn", "embed_dim", "prefix", "language", "tokenizer_class", "cache_implementation"),
    *("partial_rotary_factor", "rope_theta", "rope_scaling", "rope_parameters", "max_window_layers", "name_or_path"),
    # In files of SmolLM 2 and older ones of BERT; other tools write them into files of Llama and similar models.
    *("is_llama_config", "directionality", "model_max_length", "_attn_implementation_autoset", "_num_labels"),
    *("_attn_implementation", "attn_implementation", "chunk_size_feed_forward", "torchscript", "tie_weights_"),
    # How texts are generated, in older files.
    *("max_length", "min_length", "do_sample", "early_stopping", "num_beams", "num_beam_groups", "temperature"),
    *("top_k", "top_p", "typical_p", "repetition_penalty", "length_penalty", "diversity_penalty", "bad_words_ids"),
    *("no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "num_return_sequences", "remove_invalid_values"),
    *("suppress_tokens", "begin_suppress_tokens", "exponential_decay_length_penalty"),
)
_ENDINGS = (
    *("_token_id", "_dropout", "_dropout_prob", "dropout_rate", "_pdrop", "_range", "_std", "_factor_init"),
    *("layerdrop", "dropout", "_first_dropout"),
)
_BEGINNINGS = (
    *("summary_", "output_", "initializer_", "init_", "initializer_factor", "router_aux", "torch_", "classifier_"),
    *("pooler_", "transformers.js", "unsloth_"),
)


class Config:
    """The fields of a config.json.

    Raises `ExplorerError`: "checkpoint" if the file is not a config, or if a field that is read is wrong.
    """

    _fields: dict[str, Any]

    def __init__(self, file: Path, fields: dict[str, Any] | None = None) -> None:
        """`fields`: the content, if the file need not be read."""
        self._file, self._asked = file, set[str]()
        if fields is not None:
            self._fields = fields
            return
        try:
            if file.stat().st_size > MOST_BYTES:
                raise self.wrong("is larger than a config can be")
            found = json.loads(file.read_bytes())
        except (ValueError, RecursionError):
            raise self.wrong("is no JSON, or is nested too deep") from None
        if not isinstance(found, dict):
            raise self.wrong("is a list, not fields with names")
        self._fields = found

    def wrong(self, problem: str) -> ExplorerError:
        """The error for this problem of the file."""
        return ExplorerError("checkpoint", file=str(self._file), problem=problem)

    def has(self, *names: str) -> bool:
        """Whether one of these fields has a value other than null."""
        return any(self._fields.get(name) is not None for name in names)

    def __contains__(self, name: str) -> bool:
        """Whether the field exists, even if it is null."""
        return name in self._fields

    def known(self, name: str) -> None:
        """Mark a field as known, whatever its value."""
        self._asked.add(name)

    def is_one_of(self, name: str, known: dict[str, str]) -> bool:
        """Whether a field has one of the known values."""
        found = self._fields.get(name)
        return isinstance(found, str) and found in known

    def _get(self, name: str) -> Any:
        self._asked.add(name)
        return self._fields.get(name)

    def whole(self, name: str, default: int | None = None, least: int = 1, most: int = 2**24) -> int:
        """A whole number; required if there is no default."""
        found = self._get(name)
        if found is None:
            if default is None:
                raise self.wrong(f"does not say {name}")
            return default
        if type(found) is not int or not least <= found <= most:
            raise self.wrong(f"says {name} is {_short(found)}; a whole number from {least} to {most} is needed")
        return found

    def number(self, name: str, default: float, within: "dict[str, Any] | None" = None) -> float:
        """A number above 0."""
        found = self._get(name) if within is None else within.get(name)
        if found is None:
            return default
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 < found <= _MOST:
            raise self.wrong(f"says {name} is {_short(found)}; a number above 0 is needed")
        return float(found)

    def _checked(self, name: str, right: Callable[[Any], bool], needed: str) -> Any:
        """A field; None if it is absent or null."""
        found = self._get(name)
        if found is not None and not right(found):
            raise self.wrong(f"says {name} is {_short(found)}; {needed} is needed")
        return found

    def flag(self, name: str, default: bool) -> bool:
        """A truth value."""
        found = self._checked(name, lambda found: isinstance(found, bool), "true or false")
        return default if found is None else bool(found)

    def choice(self, name: str, default: str, known: dict[str, str]) -> str:
        """One of the known words, translated into our name."""
        found = self._get(name)
        word = default if found is None else found
        if not isinstance(word, str) or word not in known:
            raise self.wrong(f"says {name} is {_short(word)}, which is not known here; known are {', '.join(known)}")
        return known[word]

    def fields(self, name: str) -> dict[str, Any]:
        """The fields inside a field; empty if it is absent."""
        return self._checked(name, lambda found: isinstance(found, dict), "fields with names") or {}

    def lists(self, name: str, default: list[Any], of: type = object, needed: str = "a list") -> list[Any]:
        """A list, by default of any values."""

        def right(found: Any) -> bool:
            return isinstance(found, list) and (of is object or all(type(one) is of for one in found))

        found = self._checked(name, right, needed)
        return default if found is None else found

    def words(self, name: str) -> list[str]:
        """A list of words; empty if it is absent."""
        return self.lists(name, [], str, "a list of words")

    def wholes(self, name: str) -> list[int]:
        """A list of whole numbers; empty if it is absent."""
        return self.lists(name, [], int, "a list of whole numbers")

    def fixed(self, name: str, value: Any) -> None:
        """Check a field of which only one value is supported."""
        found = self._get(name)
        if found is not None and found != value:
            raise self.wrong(f"says {name} is {_short(found)}; only {_short(value)} is known here")

    def check_rest(self) -> None:
        """Check that no unread field can change the numbers."""
        for name, value in self._fields.items():
            known = (
                name in self._asked
                or name in _CHANGES_NOTHING
                or name.endswith(_ENDINGS)
                or name.startswith(_BEGINNINGS)
            )
            if name == "layer_types" and isinstance(value, list):  # of a model without windows
                known = known or all(kind == "full_attention" for kind in value)
            if not known and value not in (None, False, [], {}):
                raise self.wrong(
                    f"says {_short(name)} is {_short(value)}, which is not known here and may change the numbers"
                )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
