"""More words for a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from explorer.document.commands import Command
from explorer.document.state import State


@dataclass(frozen=True, eq=False)
class AddWords(Command):
    """Give vocabularies more words, behind those that they have; their weights start as others do.

    Parameters
    ----------
    words : mapping of str to sequence of str
        For each vocabulary axis, such as "input.words", words that it shall have.
    """

    words: Mapping[str, Sequence[str]]

    @property
    def label(self) -> str:
        return "Take the words of the text into the vocabulary"

    def apply(self, state: State) -> State:
        axes = dict(state.model.axes)
        for axis, words in self.words.items():
            axes[axis] = tuple(dict.fromkeys((*axes[axis], *words)))
        if axes == state.model.axes:
            return state
        return state.rebuilt(replace(state.model, axes=axes), state.inputs)
