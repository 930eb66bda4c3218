"""Teacher forcing: what a decoder should say is the sentence that it reads, one place on.

A decoder reads ``<start> je suis`` and should say ``je suis <end>``: at each word the one behind it, whatever it says
itself. Behind ``<end>``, and at ``<pad>``, it should say nothing: the loss leaves these positions out.
"""

from dataclasses import replace

from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.ops import NextWords
from explorer.core.tokens import END, PAD, with_words

DECODER_READS = {"gpt": "input", "encoder-decoder": "target"}
"""The sequence that the decoder of a kind of model reads."""


def follows_words(model: Model) -> bool:
    """Whether the right words are those of the sentence, not ones that somebody types."""
    return model.kind in DECODER_READS and model.switch("loss", "targets") == "next word"


def with_next_words(model: Model) -> Model:
    """The model, its output vocabulary holding every word that may come next.

    Words that it lacks, ``<end>`` among them, are put behind the others, so that these keep their numbers.
    """
    if not follows_words(model):
        return model
    read = f"{DECODER_READS[model.kind]}.words"
    axis = "output.words" if "output.words" in model.axes else read
    words = with_words(model.axes[axis], (END,) if axis == read else (*model.axes[read], END))
    return model if words is model.axes[axis] else replace(model, axes={**model.axes, axis: words})


def with_tied_words(model: Model) -> Model:
    """The model. Where its output is tied to its table both have one vocabulary, if one only goes on from the other."""
    read = f"{DECODER_READS.get(model.kind)}.words"
    if read not in model.axes or "output.words" not in model.axes or not model.switch("output", "tied"):
        return model
    short, long = sorted((model.axes[read], model.axes["output.words"]), key=len)
    if short == long or long[: len(short)] != short:
        return model
    return replace(model, axes={**model.axes, read: long, "output.words": long})


def next_words(model: Model) -> NextWords:
    """The op that finds the next words.

    Raises `ExplorerError`: "no-next-word" where the output vocabulary lacks one; see `with_next_words`.
    """
    read = model.axes[f"{DECODER_READS[model.kind]}.words"]
    words = model.axes.get("output.words") or read
    if words[: len(read)] == read:
        numbers: dict[str, int] = {}
    else:
        places = {word: i for i, word in enumerate(words)}
        numbers = {word: places.get(word, -1) for word in read}
    missing = [word for word, number in numbers.items() if number < 0] + [END] * (END not in words)
    if missing:
        raise ExplorerError("no-next-word", word=missing[0])
    return NextWords(words.index(END), tuple(numbers.values()), words.index(PAD) if PAD in words else -1)
