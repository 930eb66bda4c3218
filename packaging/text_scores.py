"""How well a model that learned from a text foretells the part of it that was held out, and what counting would do."""

from math import exp, log

import numpy as np

from explorer.core.graph import TARGET
from explorer.core.ops import Array
from explorer.core.vocabulary import END, are_pieces, text_of
from explorer.document.state import State
from explorer.training.preparation import Prepared
from scores import passes

AT_ONCE = 64


def text_scores(state: State, prepared: Prepared) -> dict[str, float]:
    """The scores on windows of the held-out text, none of which shares a word with another.

    Parameters
    ----------
    state : State
        The trained model.
    prepared : Prepared
        What it was trained from.

    Returns
    -------
    dict of str to float
        "perplexity": per word or piece, of the model; "unigram" and "bigram", of counting words, and pairs of them, in
        the part that it learned from. For a model of pieces: "bytes a piece", and "bits a byte", of the model and of
        both ways of counting, which compare with models of other pieces. "held out": how many words or pieces.
    """
    read, right = (prepared.examples.arrays[name] for name in ("input.tokens", TARGET))
    learned, held_out = prepared.examples.training, prepared.examples.validation
    n_words = len(state.graph.axes["output.words"])
    singles, pairs = np.ones(n_words), np.zeros((n_words, n_words))
    before, behind = read[learned, 0], right[learned, 0]
    np.add.at(singles, behind, 1)
    np.add.at(pairs, (before, behind), 1)
    x, y = read[held_out].ravel(), right[held_out].ravel()
    unigram = singles / singles.sum()
    kinds, total = (pairs > 0).sum(1), pairs.sum(1)
    # Witten & Bell 1991: pairs that were seen, and the more of what single words say the less is known.
    bigram = (pairs[x, y] + kinds[x] * unigram[y] + unigram[y]) / (total[x] + kinds[x] + 1)
    of_model = _nats(state, read[held_out], right[held_out])
    nats = {"": of_model, "unigram": -np.log(unigram[y]), "bigram": -np.log(bigram)}
    found = {name or "perplexity": exp(float(each.mean())) for name, each in nats.items()} | {"held out": float(len(y))}
    words = state.graph.axes["output.words"]
    if are_pieces(words):
        said = [words[i] for i in y.tolist()]
        n_bytes = len(text_of(said).encode()) + said.count(END)  # a paragraph's end is one byte of the file
        found["bytes a piece"] = n_bytes / len(y)
        for name, each in nats.items():
            found[f"bits a byte {name}".strip()] = float(each.sum()) / log(2) / n_bytes
    return found


def _nats(state: State, read: Array, right: Array) -> Array:
    """The surprise of the model at each word of some windows, (n,)."""
    found = []
    for start in range(0, len(read), AT_ONCE):
        windows = read[start : start + AT_ONCE]
        for values, wanted in zip(
            passes(state, [{"input": window} for window in windows]), right[start : start + AT_ONCE], strict=True
        ):
            logits = values["output.logits"].astype(np.float64)
            logits -= logits.max(-1, keepdims=True)
            found.append(np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(wanted)), wanted])
    return np.concatenate(found)
