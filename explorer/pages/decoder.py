"""A decoder's attention, and the sentence that it reads, which is one place behind what it should say."""

import numpy as np

from explorer.core.graph import Stage
from explorer.pages.attention import attention, lights
from explorer.pages.element import Element
from explorer.pages.matrix import matrix
from explorer.pages.page import Note, Section
from explorer.pages.view import View
from explorer.pages.word_pictures import SentenceRow, Sentences

TARGET, CHOSEN, WORDS = "loss.target", "output.chosen", "output.words"
READS, SHOULD, SAYS = "reads", "should say", "says"
MOST_LINES = 1024
"""More lines between words are a grey mat: then each word of the target has its strongest one."""


def masked(view: View, stage: Stage) -> tuple[Element, ...]:
    """Masked self-attention, and what the decoder reads, should say and says (teacher forcing)."""
    block = view.block(stage)
    sentences = (
        Section("teacher forcing", "What it reads, and what it should say"),
        Note("about teacher forcing", _forced(view, block)),
        Sentences("sentences", _rows(view, block), None, lights(view, block)),
    )
    return attention(view, stage, sentences)


def cross(view: View, stage: Stage) -> tuple[Element, ...]:
    """Cross-attention, and the two sentences with lines between them."""
    block = view.block(stage)
    keys = view.nodes[f"{block}weights"].axes[-1]
    source = SentenceRow(keys, keys, view.labels(keys))
    weights = matrix(view, view.shares_of(block), id=f"{block}weights between sentences")
    sentences = (
        Section("two sentences", "Where the target looks in the source"),
        Note("about two sentences", _crossed(view, block)),
        Sentences("sentences", (source, *_rows(view, block)), weights, lights(view, block)),
    )
    return attention(view, stage, sentences)


def _rows(view: View, block: str) -> tuple[SentenceRow, ...]:
    """What the decoder reads and, where there is such a thing, what it should say and what it says."""
    axis = view.nodes[f"{block}weights"].axes[-2]
    rows = [SentenceRow(READS, axis, view.labels(axis))]
    for title, name in ((SHOULD, TARGET), (SAYS, CHOSEN)):
        if name in view.nodes and view.nodes[name].axes == (axis,):
            vocabulary = view.labels(WORDS)
            rows.append(SentenceRow(title, axis, tuple(vocabulary[i] for i in view.values[name])))
    return tuple(rows)


def _forced(view: View, block: str) -> str:
    if TARGET not in view.nodes:
        return "This model has no loss, so there are no right words."
    mask = view.values.get(f"{block}mask")
    if mask is None:
        behind = "There is no mask here, so each word can look at the next word, which is its answer."
    elif np.triu(mask, 1).any():
        behind = "The mask lets some words look at later words, so these words may see their answer."
    else:
        behind = "Without the mask each word could look at the next word, which is its answer."
    says = (
        "The right words are typed on the page of the loss; they do not follow the sentence."
        if view.nodes[TARGET].is_input
        else "What it should say is the same sentence, shifted by one word."
    )
    return f"Teacher forcing: the decoder reads the right words, whatever it would say itself. {says} {behind}"


def _crossed(view: View, block: str) -> str:
    memory = view.nodes[f"{block}K"].parents[0]  # what keys and values are made from
    source, width = view.graph.shape(memory)
    target, layers = view.graph.shape(f"{block}Q")[-2], view.state.model.decoder_layers
    everywhere = f", in all {layers} layers of the decoder" if layers > 1 else ""
    many = source * target > MOST_LINES
    strongest = " Of so many words the strongest line of each is drawn; point at a word for all of its own." * many
    return (
        f"The encoder runs once. What it made of the source, {source} × {width}, gives the keys and values here"
        f"{everywhere}; all {target} positions of the target ask the same ones, and so would the words to come."
        f"{strongest}"
    )
