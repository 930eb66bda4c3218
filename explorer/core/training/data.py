"""What a text teaches."""

from collections.abc import Sequence


def context_pairs(tokens: Sequence[str], k: int) -> list[tuple[tuple[str, ...], str]]:
    """The examples in a text: each word but the first, behind the words right before it, k of them at most.

    They are the terms of L₁ = Σ log P(u_i | u_{i−k}, …, u_{i−1}) (Radford et al. 2018, equation 1).

    Parameters
    ----------
    tokens : sequence of str
    k : int
        Size of the context window, at least 1.

    Returns
    -------
    list of (context, target)

    Examples
    --------
    >>> context_pairs(["roses", "are", "red"], 2)
    [(('roses',), 'are'), (('roses', 'are'), 'red')]
    """
    if k < 1:
        raise ValueError(f"a context window of {k} words")
    return [(tuple(tokens[max(0, i - k) : i]), tokens[i]) for i in range(1, len(tokens))]
