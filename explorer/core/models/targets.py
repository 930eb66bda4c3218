"""Teacher forcing: what a decoder should say is the sentence that it reads, one place on.

A decoder reads ``<start> je suis`` and should say ``je suis <end>``: at each word the one behind it, whatever it says
itself.
"""

from dataclasses import replace

from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.ops import NextWords

START, END = "<start>", "<end>"
READ = {"gpt": "input", "encoder-decoder": "target"}
"""The sequence that the decoder of a kind of model reads."""


def follows_words(model: Model) -> bool:
    """Whether the right words are those of the sentence, not ones that somebody types."""
    return model.kind in READ and model.switch("loss", "targets") == "next word"


def with_next_words(model: Model) -> Model:
    """The model, its output vocabulary holding every word that may come next.

    Words that it lacks, ``<end>`` among them, are put behind the others, so that these keep their numbers.
    """
    if not follows_words(model):
        return model
    read = f"{READ[model.kind]}.words"
    axis = "output.words" if "output.words" in model.axes else read
    words = tuple(dict.fromkeys((*model.axes[axis], *model.axes[read], END)))
    return model if words == model.axes[axis] else replace(model, axes={**model.axes, axis: words})


def next_words(model: Model) -> NextWords:
    """The op that finds the next words.

    Raises
    ------
    ExplorerError
        "no-next-word" where the output vocabulary lacks one; see `with_next_words`.
    """
    read = model.axes[f"{READ[model.kind]}.words"]
    words = model.axes.get("output.words") or read
    if words[: len(read)] == read:
        numbers: dict[str, int] = {}
    else:
        places = {word: i for i, word in enumerate(words)}
        numbers = {word: places.get(word, -1) for word in read}
    missing = [word for word, number in numbers.items() if number < 0] + [END] * (END not in words)
    if missing:
        raise ExplorerError("no-next-word", word=missing[0])
    return NextWords(words.index(END), tuple(numbers.values()))
