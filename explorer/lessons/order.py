"""In which order the choices of a question are shown: mixed, so that nobody learns where the right one stands."""

from zlib import crc32

import numpy as np

from explorer.lessons.steps import Choose


def shown_order(question: Choose, *about: object) -> tuple[int, ...]:
    """The places of the choices in the file, counted from 0, in the order in which they are shown.

    `about`: what the order depends on, such as the learner, the sitting and the step; the same for the same.
    """
    places = np.arange(len(question.choices))
    if question.mixed:
        np.random.default_rng(crc32(" ".join(map(str, about)).encode())).shuffle(places)
    return tuple(places.tolist())
