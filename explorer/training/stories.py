"""Short stories to measure the heads of a model on that reads pieces of plain text; each says who its pronoun means."""

from explorer.core.vocabulary import Vocabulary

_STORIES = (
    ("Lily had a red ball. She was happy.", "Lily", "She"),
    ("Tim had a big dog. He was happy.", "Tim", "He"),
    ("One day, Lily went to the park. Tim was there too, but she did not see the ball.", "Lily", "she"),
    ("Tim saw a little bird in the tree. The bird was sad, so he gave it some water.", "Tim", "he"),
    ("Mom made a cake for Lily. Then she put it on the table.", "Mom", "she"),
    ("There was a little girl. She liked to play with her cat. The cat liked to play with the girl.", "girl", "She"),
    ("The boy wanted to eat an apple. His mom said no, so he was sad.", "boy", "he"),
    ("Lily and Tim played with the ball. The ball was big, and the ball was red.", "", ""),
    ("Once upon a time, there was a big bear. The bear lived in a big house in the park.", "", ""),
    ("Tim said, I want to play. Lily said, I want to play too.", "", ""),
    ("The sun was hot. Tim sat down under a tree, and soon he was asleep.", "Tim", "he"),
    ("Lily looked for her hat. She looked in the box, and she looked on the bed.", "Lily", "She"),
)


def stories_in(words: Vocabulary) -> list[tuple[tuple[str, ...], tuple[tuple[int, int], ...]]]:
    """The stories in pieces, and of each pronoun that is one piece its place and that of who is meant."""
    found: list[tuple[tuple[str, ...], tuple[tuple[int, int], ...]]] = []
    for text, name, pronoun in _STORIES:
        pieces = tuple(words.pieces_of(text))
        bare = [piece.strip("␣") for piece in pieces]
        told = name in bare and pronoun in bare
        found.append((pieces, ((bare.index(pronoun), bare.index(name)),) if told else ()))
    return found
