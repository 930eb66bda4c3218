"""The words of what a document's model is to learn from."""

from explorer.core.byte_pairs import are_pieces
from explorer.core.training.data import pairs_of, vocabulary, words_of
from explorer.core.vocabulary import END, PAD, START
from explorer.document.commands import AddWords, Replace, SetTokens
from explorer.document.document import Document
from explorer.training.task import Material

MOST_WORDS = 2000
"""Words of a text that get a row of their own in the vocabulary, the most frequent ones."""


def take_words(document: Document, material: Material) -> None:
    """Give the document's model the words of what it is to learn from, where it lacks them; one step to undo.

    A document whose sentence has words that are not in there at all gets a sentence from there to read: one sees what
    the model has learned.

    `material`: of "text" or "pairs"; of other kinds nothing is taken.

    Raises `ExplorerError`: "text-line" or "text-not-read" for what are no pairs of sentences.
    """
    state = document.wanted
    axes = state.model.axes
    match material.kind:
        case "text" if are_pieces(axes.get("input.words", ())):
            return  # no text has a piece that it lacks
        case "text":
            said = words_of(material.text, material.lower)
            words = {"input.words": vocabulary(said, MOST_WORDS)}
            n = min(max(state.model.lengths.get("input", 0), 4), material.window)
            sentences = {"input": said[:n]}
        case "pairs":
            pairs = pairs_of(material.text, lower=material.lower)
            read, written = zip(*pairs, strict=True)
            known = [vocabulary([word for words in side for word in words], MOST_WORDS) for side in (read, written)]
            words = {"source.words": (*known[0], PAD), "target.words": (START, *known[1], END, PAD)}
            sentences = {"source": pairs[0][0], "target": [START, *pairs[0][1]]}
        case _:
            return
    if not words.keys() <= axes.keys():
        return  # another kind of model: that is said where the run begins
    if "output.words" in axes:
        words["output.words"] = next(reversed(words.values()))
    add = AddWords(words)
    state = add.apply(state)
    if not all(set(document.words(sequence)) <= set(words[f"{sequence}.words"]) for sequence in sentences):
        for sequence, sentence in sentences.items():
            state = SetTokens(sequence, sentence).apply(state)
    if state is not document.wanted:
        document.do(Replace(state, add.label))
