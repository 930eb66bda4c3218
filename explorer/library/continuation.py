"""What a model writes on behind a text, with the words that it could have chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.core.byte_pairs import are_pieces, typed
from explorer.core.errors import ExplorerError
from explorer.core.generation import Beam, Choice, Written, search, write
from explorer.core.vocabulary import UNKNOWN, is_mark
from explorer.document.continuation import (
    MOST_NEW,
    decoder_of,
    end_of,
    first_words,
    ids_of,
    known_words,
    output_words,
    sequence_of,
)
from explorer.document.state import State


@dataclass(frozen=True, eq=False, repr=False)
class Continuation:
    """A text that a model has written on."""

    read: tuple[str, ...]  # the words behind which it wrote
    new: tuple[str, ...]  # the words that it wrote
    ids: tuple[int, ...]  # the numbers of these
    steps: tuple[Written, ...]  # how each came to be written
    says: tuple[str, ...]  # all words that the model can say
    beams: tuple[Beam, ...] = ()  # all continuations that were followed to the end, likeliest first
    notices: tuple[str, ...] = ()  # what a reader should know: words that were not known, why it ends early

    @property
    def text(self) -> str:
        """All of it as one writes it."""
        return self._typed(self.new)

    def text_of(self, beam: Beam) -> str:
        """The same with what another beam wrote."""
        return self._typed(self.words(beam))

    def words(self, beam: Beam) -> tuple[str, ...]:
        """The words that a beam wrote."""
        return tuple(self.says[i] for i in beam.words)

    def _typed(self, new: Sequence[str]) -> str:
        pieces = are_pieces(self.says)
        words = [word for word in [*self.read, *new] if word == UNKNOWN or pieces or not is_mark(word)]
        return typed(words, self.says)

    def candidates(self, step: int, most: int = 20) -> list[tuple[str, float]]:
        """The words that could have been chosen at a step, counted from 0, with their probabilities."""
        return [(self.says[i], probability) for i, probability in self.steps[step].candidates(most)]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return "\n".join([self.text, *(f"({notice})" for notice in self.notices)])


def continued(
    state: State,
    text: str | Sequence[str],
    n: int,
    target: str | Sequence[str] | None,
    choice: Choice,
    beams: int | None = None,
) -> Continuation:
    """What the model of a state writes; parameters as of `Transformer.generate`."""
    if not 1 <= n <= MOST_NEW:
        raise ExplorerError("bad-training-setting", name="n", value=n, low=1, high=MOST_NEW)
    sequence, notices = sequence_of(state), list[str]()

    def words(given: str | Sequence[str], of: str) -> list[str]:
        if not isinstance(given, str):
            return list(given)
        found = known_words(given, state.graph.axes[state.graph.sequences[of]])
        if not found:
            raise ExplorerError("no-words")
        if UNKNOWN in found and UNKNOWN not in given:
            notices.append(f"words that the model does not know are read as {UNKNOWN}")
        return found

    source = None
    if sequence == "target":
        read, source = first_words(state) if target is None else words(target, "target"), words(text, "source")
    elif target is None:
        read = words(text, sequence)
    else:
        raise ExplorerError("no-target")
    decoder, says, end = decoder_of(state, len(read) + n, source), output_words(state), end_of(state)
    ids = ids_of(read, state.graph.axes[state.graph.sequences[sequence]])
    found: tuple[Beam, ...] = ()
    if beams is not None:
        found = search(decoder, ids, n, beams, end)[-1]
        steps = found[0].steps
    else:
        steps = tuple(write(decoder, ids, n, choice, end))
    new = tuple(says[step.chosen] for step in steps)
    if new and len(new) < n and decoder.reads[steps[-1].chosen] < 0 and steps[-1].chosen != end:
        notices.append(f"nothing is written behind “{new[-1]}”, which the model says but does not read")
    return Continuation(tuple(read), new, tuple(s.chosen for s in steps), steps, says, found, tuple(notices))
