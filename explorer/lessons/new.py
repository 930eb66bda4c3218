"""A lesson that nobody has written: a model of chosen sizes on a sentence somebody types."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

import numpy as np

from explorer.core.cost import build_within, most_numbers
from explorer.core.errors import ExplorerError
from explorer.core.model import SEQUENCES, Model
from explorer.core.models.ends import DECODER_READS
from explorer.core.vocabulary import END, MOST_TOKENS, START
from explorer.document.commands.words import checked_words
from explorer.lessons.schema import WHOLE, Lesson, Setting

MOST_NUMBERS = 200_000_000
"""0.8 GB in float32; GPT-2 small with a table of 50,257 words at both ends has 163 million."""
FLOAT32_FROM = 1_000_000
"""A model of so many numbers is computed in float32: half of the memory, and twice as fast."""


def new_lesson(
    kind: str,
    texts: Sequence[str],
    *,
    vocabulary: str = "",
    d_model: int = 4,
    layers: int = 1,
    heads: int = 1,
    d_ff: int = 0,
    positions: str = "sinusoidal",
    seed: int = 0,
    initialiser: str = "xavier",
) -> Lesson:
    """A lesson of one setting whose weights are all drawn by chance.

    What a decoder should say is the sentence that it reads, one place on, and then ``<end>``; one that translates
    begins to read at ``<start>``, which is put before the words where it is missing.

    Parameters
    ----------
    kind : str
        "encoder-decoder", "gpt" or "encoder".
    texts : sequence of str
        The words of each sequence, separated by blanks.
    vocabulary : str
        More words for the vocabularies, separated by blanks.
    d_model, layers, heads, d_ff, positions, seed, initialiser
        As in `explorer.core.model.Model` and its switches.

    Raises
    ------
    ExplorerError
        Where the sizes do not fit together, or a text is empty or too long.
    """
    if kind not in SEQUENCES:
        raise ExplorerError("unknown-kind", kind=kind, known=", ".join(SEQUENCES))
    lengths, axes, inputs = {}, {}, {}
    for sequence, text in zip(SEQUENCES[kind], texts, strict=True):
        words = list(checked_words(sequence, text.split(), MOST_TOKENS))
        if sequence == "target" and words[0] != START:
            words = [START, *checked_words(sequence, words, MOST_TOKENS - 1)]
        more = checked_words(sequence, vocabulary.split() or words, None)
        known = tuple(dict.fromkeys([*words, *more, *[END] * (sequence == DECODER_READS.get(kind))]))
        axes[f"{sequence}.words"] = known
        lengths[sequence] = len(words)
        inputs[f"{sequence}.tokens"] = np.array([known.index(word) for word in words], dtype=np.int64)
    model = Model(kind, lengths, axes, d_model, layers, seed=seed, initialiser=initialiser)
    for block, of_kind in model.blocks().items():
        if of_kind == "sequence":
            model = model.with_switch(block, "positions", positions)
        elif of_kind == "attention":
            model = model.with_switch(block, "heads", heads)
        elif of_kind == "ffn":
            model = model.with_switch(block, "d_ff", d_ff)
        elif of_kind == "loss of words":
            model = model.with_switch(block, "targets", "next word")
    graph = build_within(replace(model, dtype="float32"))
    numbers = sum(graph.size(name) for name, node in graph.nodes.items() if node.is_input)
    if numbers > MOST_NUMBERS:
        raise ExplorerError("model-too-large", numbers=f"{numbers:,}", limit=f"{MOST_NUMBERS:,}")
    if numbers >= FLOAT32_FROM or sum(map(graph.size, graph.nodes)) > most_numbers(model):
        model = replace(model, dtype="float32")
    ours = frozenset(node.name for node in graph.nodes.values() if node.is_input)
    about = f"A model of yours: {layers} layer{'s' * (layers > 1)}, {heads} head{'s' * (heads > 1)}, d_model {d_model}."
    chance = f"All weights are drawn by chance ({initialiser}, seed {seed}), so it has learned nothing yet."
    setting = Setting("new", "As made", chance)
    title = " → ".join(" ".join(text.split()[:6]) for text in texts)
    return Lesson(f"new {uuid4().hex}", title, about, "", WHOLE, 0, model, inputs, ours, {"new": setting})


def drawn(lesson: Lesson) -> Lesson:
    """The lesson with its weights drawn, for all its states: of a large model that takes seconds, once."""
    return replace(lesson, inputs=lesson.state().used)
