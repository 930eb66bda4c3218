"""How well a trained model does, measured on sentences, or on a part of a text, that it never learned from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import exp, log

import numpy as np

from best import entropy_per_word, next_words
from explorer.core.engine import run
from explorer.core.graph import TARGET
from explorer.core.ops import Array
from explorer.core.vocabulary import END, are_pieces, text_of
from explorer.document.state import State
from explorer.training.grammar import Grammar, Sentence, load, start_of
from explorer.training.head_gallery import SEED, known, referents
from explorer.training.preparation import Prepared
from explorer.training.recipes import Material


def passes(state: State, sentences: Sequence[Mapping[str, Sequence[int]]]) -> list[dict[str, Array]]:
    """The values of all nodes for each of some sentences; those of equal lengths are computed together.

    Parameters
    ----------
    state : State
        Its weights are used, its own words are not.
    sentences : sequence of mapping of str to sequence of int
        For each sequence of the model ("input", or "source" and "target") the numbers of the words.

    Returns
    -------
    list of dict of str to numpy.ndarray
        The nodes that depend on the words, down to the logits.
    """
    found: list[dict[str, Array]] = [{} for _ in sentences]

    def lengths(i: int) -> tuple[int, ...]:
        return tuple(len(words) for words in sentences[i].values())

    for _, group in groupby(sorted(range(len(sentences)), key=lengths), key=lengths):
        places = list(group)
        first = sentences[places[0]]
        model = replace(state.model, lengths={name: len(words) for name, words in first.items()})
        own = state.rebuilt(model)
        batch = {f"{name}.tokens": np.array([sentences[i][name] for i in places], np.int64) for name in first}
        values = {**own.used, **batch}
        above = own.graph.ancestors("output.logits") | {"output.logits"}
        nodes = {n: node for n, node in own.graph.nodes.items() if n in above and not node.is_input}
        run(nodes.values(), {}, values, {}, nodes)
        moving = [n for n in nodes if values[n].ndim == len(own.graph.shape(n)) + 1]
        for k, i in enumerate(places):
            found[i] = {name: values[name][k] for name in moving}
    return found


N = 1000
"""How many sentences it is measured on."""


def gpt_scores(state: State, grammar: Grammar) -> dict[str, float]:
    """The scores of a GPT that learned a grammar, on held-out sentences drawn from it.

    Returns
    -------
    dict of str to float
        "entropy": of the grammar, in nats a word. "perplexity", and "best", what nothing could do better than:
        exp(entropy). "ratio": one by the other. "of grammar": the perplexity of the grammar itself on the very same
        sentences. "mat": the probability of *mat* behind *the cat sat on the*. "referent": how often the head that does
        so most looks, from a pronoun or from the word before it, which has to foretell it, more at the person than at
        any other word; the same "not first" where the person is not the first word, and from each of the two words
        alone. Where the grammar has an apple: its cosine with orange and
        with phone in its table ("… before"), and in the last layer behind a fruit and behind a phone.
    """
    held_out = grammar.sample(N, SEED, held_out=True)
    numbers = known(state, "input")
    sentences = [one.words() for one in held_out]
    values = passes(state, [{"input": [numbers[word] for word in words]} for words in sentences])
    nats, of_grammar, foretold = 0.0, 0.0, 0
    for words, found in zip(sentences, values, strict=True):
        for i, word in enumerate((*words[1:], END)):
            logits = found["output.logits"][i].astype(np.float64)
            logits -= logits.max()
            nats -= float(logits[numbers[word]] - np.log(np.exp(logits).sum()))
            of_grammar -= float(np.log(next_words(grammar, words[: i + 1])[word]))
            foretold += 1
    entropy = entropy_per_word(grammar)
    scores = {
        "entropy": entropy,
        "best": exp(entropy),
        "perplexity": exp(nats / foretold),
        "ratio": exp(nats / foretold - entropy),
        "of grammar": exp(of_grammar / foretold),
    }
    scores |= _next_word(state, ("the", "cat", "sat", "on", "the"), "mat")
    scores |= _referents(state, held_out, values)
    return scores | _apples(state)


def _next_word(state: State, before: Sequence[str], word: str) -> dict[str, float]:
    numbers = known(state, "input")
    (values,) = passes(state, [{"input": [numbers[one] for one in before]}])
    logits = values["output.logits"][-1].astype(np.float64)
    spread = np.exp(logits - logits.max())
    return {word: float(spread[numbers[word]] / spread.sum())}


def _referents(state: State, sentences: Sequence[Sentence], values: Sequence[Mapping[str, Array]]) -> dict[str, float]:
    """The head that most often looks at who is meant, over all pronouns, and over those whose person is not first."""
    hits: dict[tuple[str, int], list[tuple[bool, bool]]] = {}
    not_first = []
    for sentence, found in zip(sentences, values, strict=True):
        for pronoun, who in referents(sentence):
            not_first.append(who > 0)
            for name, weights in found.items():
                if name.endswith(".self.weights"):
                    from_it, from_before = (weights[:, at].argmax(-1) == who for at in (pronoun, pronoun - 1))
                    for head, both in enumerate(zip(from_it.tolist(), from_before.tolist(), strict=True)):
                        hits.setdefault((name, head), []).append(both)
    shares: dict[tuple[str, int], Array] = {key: np.asarray(np.any(both, axis=-1)) for key, both in hits.items()}
    best = max(shares, key=lambda key: float(shares[key].mean()))
    from_it, from_before = np.mean(hits[best], axis=0)
    return {
        "referent": float(shares[best].mean()),
        "referent not first": float(shares[best][np.array(not_first)].mean()),
        "referent from the pronoun": float(from_it),
        "referent from the word before": float(from_before),
        "referent layer": float(best[0].split(".")[1]),
        "referent head": float(best[1] + 1),
        "pronouns": float(len(not_first)),
    }


FRUIT = "an orange and an apple"
PHONE = "a phone from apple"


def _apples(state: State) -> dict[str, float]:
    """The cosines of apple with orange and with phone, in the table and in the last layer of two sentences."""
    numbers = known(state, "input")
    if not {"apple", "orange", "phone"} <= numbers.keys():
        return {}
    table = state.inputs["input.table"]
    texts = [FRUIT.split(), PHONE.split(), ["an", "apple", "and", "an", "orange"], ["a", "new", "phone"]]
    last = f"decoder.{state.model.layers}.ffn.residual"
    values = [found[last] for found in passes(state, [{"input": [numbers[w] for w in text]} for text in texts])]
    apple_fruit, apple_phone, orange, phone = (found[-1] for found in values)
    return {
        "apple-orange before": cosine(table[numbers["apple"]], table[numbers["orange"]]),
        "apple-phone before": cosine(table[numbers["apple"]], table[numbers["phone"]]),
        "apple-orange after a fruit": cosine(apple_fruit, orange),
        "apple-phone after a fruit": cosine(apple_fruit, phone),
        "apple-orange after a phone": cosine(apple_phone, orange),
        "apple-phone after a phone": cosine(apple_phone, phone),
    }


def cosine(a: Array, b: Array) -> float:
    """The cosine of two vectors."""
    x, y = a.astype(np.float64), b.astype(np.float64)
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def scores_of(state: State, material: Material) -> dict[str, float]:
    """The scores of a model that learned a grammar.

    Raises
    ------
    ExplorerError
        Those of reading the grammar.
    """
    assert material.file is not None
    grammar = load(material.file)
    return gpt_scores(state, grammar) if state.model.kind == "gpt" else translator_scores(state, grammar)


def translator_scores(state: State, grammar: Grammar) -> dict[str, float]:
    """The scores of a translator that learned a grammar of several languages, on held-out sentences drawn from it.

    Returns
    -------
    dict of str to float
        "exact": how many of the held-out sentences it translates word for word, always saying the likeliest word; the
        same for each language. "alignment": how often, where it says a word that comes from one word of the source, the
        head of cross-attention that does so most looks more at that word than at any other. The cosines of apple with
        orange and with phone in the table of words ("… before"), and in what the encoder makes of *an apple and an
        orange* and *an apple phone*; "two apples": of one apple with the other.
    """
    source, *others = grammar.languages
    held_out = [one for one in grammar.sample(2 * N, SEED, held_out=True) if one.held_out][:N]
    read, says = known(state, "source"), known(state, "target")
    pairs = [(one, to, (*one.words(to), END)) for one in held_out for to in others]
    values = passes(
        state,
        [
            {
                "source": [read[word] for word in one.words(source)],
                "target": [says[word] for word in (start_of(to), *written[:-1])],
            }
            for one, to, written in pairs
        ],
    )
    # With the right words before it: if it says each right word then, it says them one behind the other, too.
    right = [
        found["output.logits"].argmax(-1).tolist() == [says[word] for word in written]
        for (_, _, written), found in zip(pairs, values, strict=True)
    ]
    scores = {"exact": float(np.mean(right))}
    for to in others:
        scores[f"exact {to}"] = float(np.mean([ok for ok, (_, of, _) in zip(right, pairs, strict=True) if of == to]))
    return scores | _alignment(pairs, values, source) | _encoded_apples(state)


Pair = tuple[Sentence, str, Sequence[str]]


def alignment(sentence: Sentence, source: str, language: str) -> list[tuple[int, int]]:
    """Which words of a translation come from one word of the source: the places of both."""
    places = {}
    for i, gap in enumerate(sentence.parted(source)):
        if gap.draw and sentence.pattern.draws[gap.draw].forms[gap.form] == source:
            places[gap.draw] = None if gap.draw in places else i  # of several words none is the one
    found = []
    for k, gap in enumerate(sentence.parted(language)):
        who = places.get(gap.draw)
        if who is not None and sentence.pattern.draws[gap.draw].forms[gap.form].startswith(language):
            found.append((k, who))
    return found


def _alignment(pairs: Sequence[Pair], values: Sequence[Mapping[str, Array]], source: str) -> dict[str, float]:
    hits: dict[tuple[str, int], list[bool]] = {}
    for (sentence, to, _), found in zip(pairs, values, strict=True):
        for k, who in alignment(sentence, source, to):
            for name, weights in found.items():
                if name.endswith(".cross.weights"):
                    for head, at in enumerate(weights[:, k].argmax(-1).tolist()):
                        hits.setdefault((name, head), []).append(at == who)
    best = max(hits, key=lambda key: float(np.mean(hits[key])))
    return {
        "alignment": float(np.mean(hits[best])),
        "alignment layer": float(best[0].split(".")[1]),
        "alignment head": float(best[1] + 1),
    }


def _encoded_apples(state: State) -> dict[str, float]:
    numbers = known(state, "source")
    if not {"apple", "orange", "phone"} <= numbers.keys():
        return {}
    table, begin = state.inputs["source.table"], min(known(state, "target").values())
    texts = [["an", "apple", "and", "an", "orange"], ["an", "apple", "phone"]]
    last = "encoder.final.norm"  # what the decoder looks at
    fruit, phone = (
        found[last]
        for found in passes(state, [{"source": [numbers[w] for w in text], "target": [begin]} for text in texts])
    )
    return {
        "apple-orange before": cosine(table[numbers["apple"]], table[numbers["orange"]]),
        "apple-phone before": cosine(table[numbers["apple"]], table[numbers["phone"]]),
        "apple-orange beside an orange": cosine(fruit[1], fruit[4]),
        "apple-phone beside an orange": cosine(fruit[1], phone[2]),
        "apple-orange before phone": cosine(phone[1], fruit[4]),
        "apple-phone before phone": cosine(phone[1], phone[2]),
        "two apples": cosine(fruit[1], phone[1]),
    }


AT_ONCE = 64


def text_scores(state: State, prepared: Prepared) -> dict[str, float]:
    """The scores of a model that learned from a text, beside what counting would do, on the held-out part of it.

    They are measured on windows, none of which shares a word with another.

    Parameters
    ----------
    state : State
        The trained model.
    prepared : Prepared
        What it was trained from.

    Returns
    -------
    dict of str to float
        "perplexity": per word or piece, of the model; "unigram" and "bigram", of counting words, and pairs of them, in
        the part that it learned from. For a model of pieces: "bytes a piece", and "bits a byte", of the model and of
        both ways of counting, which compare with models of other pieces. "held out": how many words or pieces.
    """
    read, right = (prepared.examples.arrays[name] for name in ("input.tokens", TARGET))
    learned, held_out = prepared.examples.training, prepared.examples.validation
    n_words = len(state.graph.axes["output.words"])
    singles, pairs = np.ones(n_words), np.zeros((n_words, n_words))
    before, behind = read[learned, 0], right[learned, 0]
    np.add.at(singles, behind, 1)
    np.add.at(pairs, (before, behind), 1)
    x, y = read[held_out].ravel(), right[held_out].ravel()
    unigram = singles / singles.sum()
    kinds, total = (pairs > 0).sum(1), pairs.sum(1)
    # Witten & Bell 1991: pairs that were seen, and the more of what single words say the less is known.
    bigram = (pairs[x, y] + kinds[x] * unigram[y] + unigram[y]) / (total[x] + kinds[x] + 1)
    of_model = _nats(state, read[held_out], right[held_out])
    nats = {"": of_model, "unigram": -np.log(unigram[y]), "bigram": -np.log(bigram)}
    found = {name or "perplexity": exp(float(each.mean())) for name, each in nats.items()} | {"held out": float(len(y))}
    words = state.graph.axes["output.words"]
    if are_pieces(words):
        said = [words[i] for i in y.tolist()]
        n_bytes = len(text_of(said).encode()) + said.count(END)  # a paragraph's end is one byte of the file
        found["bytes a piece"] = n_bytes / len(y)
        for name, each in nats.items():
            found[f"bits a byte {name}".strip()] = float(each.sum()) / log(2) / n_bytes
    return found


def _nats(state: State, read: Array, right: Array) -> Array:
    """The surprise of the model at each word of some windows, (n,)."""
    found = []
    for start in range(0, len(read), AT_ONCE):
        windows = read[start : start + AT_ONCE]
        for values, wanted in zip(
            passes(state, [{"input": window} for window in windows]), right[start : start + AT_ONCE], strict=True
        ):
            logits = values["output.logits"].astype(np.float64)
            logits -= logits.max(-1, keepdims=True)
            found.append(np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(wanted)), wanted])
    return np.concatenate(found)
