"""From a task, or an open document, to a trainer, and from the trainer back to a document.

It also adds the words of the training material to a document's model. The parts of a run stand here, too: settings,
steps that share their settings, and points that the run has reached.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import CASES, TARGET
from explorer.core.model import Model, SwitchValue
from explorer.core.ops import Array
from explorer.core.training import data
from explorer.core.training.recipe import Recipe
from explorer.core.training.records import Records
from explorer.core.training.trainer import Trainer, fitted
from explorer.core.vocabulary import (
    END,
    MASK,
    NEW_LINE,
    PAD,
    START,
    UNKNOWN,
    are_pieces,
    end_mark,
    labels,
    learn,
    pieces_of,
    token_ids,
)
from explorer.document.commands import AddWords, Replace, SetTokens
from explorer.document.document import Document
from explorer.document.state import State, read_only, unread
from explorer.lessons.document_lesson import graph_of_new, is_document, opened
from explorer.lessons.loader import ready
from explorer.training.grammar import TEXT, Grammar, start_of
from explorer.training.grammar import load as grammar_from
from explorer.training.recipes import LEARNS_FROM, Material, NewModel, Task

MOST_IN_A_STEP = 200_000_000
SHOWN_WORDS, SHOWN_CASES = 12, 100
"""How many words or cases of its training material the document of a new model shows."""

JUDGED = 1000
"""How many held-out sentences of a grammar are drawn for validation."""

_WORDS = {
    "text": "a text",
    "pairs": "pairs of sentences",
    "grammar": "a grammar",
    "set": "a table of cases",
    "cases": "a table of cases",
}


class Prepared(Frozen, eq=False):
    """The start of a training."""

    document: State  # for display, with its own sentence or cases
    # The same with the sequence lengths of the examples, for the trainer. Weights have the same shapes in both, except
    # learned positions.
    state: State
    examples: data.Examples
    recipe: Recipe
    title: str

    def trainer(self) -> Trainer:
        """A trainer before its first step."""
        state = self.state
        return Trainer(state.model, state.inputs, self.examples, self.recipe, state.pins)

    @property
    def work(self) -> int:
        """About how many multiply-adds a step costs: the forward pass, and twice as much for the backward pass."""
        of_one = sum(self.state.graph.work.values())
        n = len(self.examples.training)
        # For its own example, or a table, the graph already has all cases as rows.
        return 3 * of_one * (min(self.recipe.batch or n, n) if self.examples.lengths else 1)


def prepare(task: Task) -> Prepared:
    """Read the model and the examples of a task.

    Raises `ExplorerError`: if something is wrong with the model, the files or the sizes.
    """
    model = task.model
    if isinstance(model, NewModel):
        return _made(model, task.material, task.recipe, task.title)
    if is_document(model.name):
        lesson, document = opened(model.name)
    else:
        lesson = ready(model.name)
        document = lesson.state(model.setting)
    return prepare_document(document, task.material, task.recipe, task.title or lesson.title)


def prepare_document(document: State, material: Material, recipe: Recipe, title: str = "") -> Prepared:
    """Prepare training of an open document, on its own example or on other material in words that it knows.

    `title`: of the trained document.
    Raises `ExplorerError`: "material-does-not-fit", "cases-do-not-fit", "loss-does-not-fit", "word-not-known",
    "model-too-large", "batch-too-large", and those of reading the material.
    """
    model = document.model
    if material.kind not in ("own", "shown") and material.kind not in LEARNS_FROM.get(model.kind, ()):
        wanted = " or ".join(dict.fromkeys(_WORDS[kind] for kind in LEARNS_FROM.get(model.kind, ())))
        wanted = wanted or "its own example"
        raise ExplorerError("material-does-not-fit", kind=model.kind, given=_WORDS[material.kind], wanted=wanted)
    loss = "mean squared error" if material.kind in ("set", "cases") else "cross-entropy"  # of words: their numbers
    if material.kind not in ("own", "shown") and (now := model.switch("loss", "loss")) not in (loss, "none"):
        raise ExplorerError("loss-does-not-fit", now=now, given=_WORDS[material.kind], wanted=loss)
    words = {name: labels for name, labels in model.axes.items() if name.endswith(".words")}
    aside = recipe.validation, recipe.seed
    match material.kind:
        case "own":
            examples = data.OWN
        case "shown":
            examples = data.SHOWN
        case "text":
            text = _text(material, words["input.words"])
            output = words.get("output.words")
            targets = token_ids(text, output) if output else None
            examples = data.windows(token_ids(text, words["input.words"]), material.window, *aside, targets=targets)
        case "pairs":
            output = words.get("output.words", ())
            pairs = _pairs(material)
            examples = data.sentence_pairs(pairs, words["source.words"], words["target.words"], output).split(*aside)
        case "grammar":
            examples = _drawn(_grammar(material, model.kind), model.kind, words, material.sentences, recipe.seed)
        case _:
            examples = data.cases(*_cases(material)).split(*aside)
            for name in (one for one in (CASES, TARGET) if one in document.graph.nodes):
                wanted_width = document.graph.shape(name)[-1]
                if examples.arrays[name].shape[-1] != wanted_width:
                    given_width = examples.arrays[name].shape[-1]
                    raise ExplorerError("cases-do-not-fit", name=name, given=given_width, wanted=wanted_width)
    return _fitting(document, examples, recipe, title)


def shaped(document: State, weights: Mapping[str, Array]) -> dict[str, Array]:
    """Trained weights in the shapes of a document: learned positions are cut to the length of its own sentence.

    `document`: the document at the start of the training, or an edited one; weights that it does not have are left out.
    Raises `ExplorerError`: "bad-shape" if the document's sizes have changed.
    """
    graph, found = document.graph, {}
    for name, array in weights.items():
        if name in graph.nodes:
            base = document.inputs[name]
            fits = base.shape == array.shape and base.dtype == array.dtype
            found[name] = read_only(array if fits else fitted(graph, name, array, base))
    return found


def with_weights(document: State, weights: Mapping[str, Array]) -> State:
    """A document with trained weights; learned positions beyond its own sentence are kept, too."""
    longer = {n: a for n, a in weights.items() if n in document.graph.nodes and a.shape != document.graph.shape(n)}
    after = document.with_inputs(shaped(document, weights))
    return after.with_beyond(longer) if longer else after


def trained(document: State, trainer: Trainer, records: Records) -> State:
    """The document with the trained weights, the records of the training, and the state needed to continue it."""
    return replace(with_weights(document, trainer.weights), records=records, optimiser=trainer.optimiser)


def _fitting(document: State, examples: data.Examples, recipe: Recipe, title: str) -> Prepared:
    model = replace(document.model, lengths={**document.model.lengths, **examples.lengths})
    if examples.arrays:
        _check_size(model, examples, recipe)
    state = document.rebuilt(model) if model != document.model else document
    return Prepared(document, state, examples, recipe, title)


# New models


def _made(made: NewModel, material: Material, recipe: Recipe, title: str) -> Prepared:
    """A new model of chosen sizes; words, lengths and features follow from its examples."""
    model = Model(
        made.kind,
        d_model=made.d_model,
        layers=made.layers,
        seed=recipe.seed,
        initialiser=recipe.initialiser or "xavier",
        dtype=made.dtype,
    )
    aside = recipe.validation, recipe.seed
    switches: dict[str, SwitchValue]
    switches = {f"{block}.lookup": "index" for block, kind in model.blocks().items() if kind == "sequence"}
    match made.kind:
        case _ if material.kind == "grammar":
            grammar = _grammar(material, made.kind)
            axes = _words_of(grammar, made.kind)
            examples = _drawn(grammar, made.kind, axes, material.sentences, recipe.seed)
            switches |= {"output.on": True} if made.kind == "encoder" else {"loss.targets": "next word"}
            if made.kind != "gpt":
                switches |= _padding_masks(model)
            first = {name: array[0] for name, array in examples.arrays.items()}
            pads = {f"{axis.removesuffix('.words')}.tokens": words.index(PAD) for axis, words in axes.items()}
            n_words = {n: int((row != pads[n]).sum()) for n, row in first.items() if n != TARGET}
            last = list(n_words.values())[-1]  # of the sequence that it writes
            inputs = {name: row[: n_words.get(name, last)] for name, row in first.items()}
            lengths = {name.removesuffix(".tokens"): n for name, n in n_words.items()}
        case "gpt":
            known = (*labels(learn(material.text, material.merges)), END) if material.merges else ()
            text = _text(material, known)
            known = known or data.vocabulary(text, material.words)
            ids = token_ids(text, known)
            examples = data.windows(ids, material.window, *aside)
            learned = made.switches.get("input.positions") == "learned"
            n = material.window if learned else min(material.window, SHOWN_WORDS)
            axes, lengths = {"input.words": known}, {"input": n}
            inputs = {"input.tokens": ids[:n], TARGET: ids[1 : n + 1]}
        case "encoder-decoder":
            pairs = _pairs(material)
            source = data.vocabulary([w for read, _ in pairs for w in read], material.words, (PAD, UNKNOWN))
            target = data.vocabulary(
                [w for _, written in pairs for w in written], material.words, (START, END, PAD, UNKNOWN)
            )
            examples = data.sentence_pairs(pairs, source, target).split(*aside)
            switches |= _padding_masks(model)
            switches["loss.targets"] = "next word"
            n, m = len(pairs[0][0]), len(pairs[0][1]) + 1
            axes, lengths = {"source.words": source, "target.words": target}, {"source": n, "target": m}
            inputs = {name: array[0, : n if name == "source.tokens" else m] for name, array in examples.arrays.items()}
        case _:
            X, wanted = _cases(material)
            examples = data.cases(X, wanted).split(*aside)
            widths = [X.shape[1], *made.units, wanted.shape[1]]
            letters = ["x", *("h" for _ in made.units), "y"]
            axes = {f"layer.{k}": _counted(letters[k], width) for k, width in enumerate(widths)}
            axes["input"] = tuple(f"case {i + 1}" for i in range(min(len(X), SHOWN_CASES)))
            switches["loss.loss"] = "mean squared error"
            lengths, inputs = {}, {CASES: X[:SHOWN_CASES], TARGET: wanted[:SHOWN_CASES]}
    model = replace(model, axes=axes, lengths=lengths, switches={**switches, **made.switches})
    _check_size(model, examples, recipe)
    document = State.of(model, {name: read_only(array.copy()) for name, array in inputs.items()})
    return _fitting(document, examples, recipe, title)


def _padding_masks(model: Model) -> dict[str, SwitchValue]:
    """The masks of a translator that reads sentences of different lengths in one batch."""
    return {
        f"{block}.mask": "causal + padding" if block.startswith("decoder.") and block.endswith(".self") else "padding"
        for block, kind in model.blocks().items()
        if kind == "attention"
    }


def _counted(letter: str, n: int) -> tuple[str, ...]:
    return tuple(f"{letter}_{i + 1}" for i in range(n)) if n > 1 else (letter,)


# The training material


def _text(material: Material, known: tuple[str, ...]) -> list[str]:
    """The text in words; or, for a vocabulary of pieces, in pieces, with its end mark after each paragraph."""
    if not are_pieces(known):
        return data.words_of(material.text, material.lower)
    paragraphs = "\n".join(line.strip() for line in material.text.splitlines() if line.strip())
    end = end_mark(known)
    behind = end if end in known else NEW_LINE
    return [behind if piece == NEW_LINE else piece for piece in pieces_of(f"{paragraphs}\n", known)]


def _pairs(material: Material) -> list[data.Pair]:
    return data.pairs_of(material.text, str(material.file or "the text"), material.lower)


def _grammar(material: Material, kind: str) -> Grammar:
    assert material.file is not None
    grammar, given, wanted = grammar_from(material.file), "", ""
    if kind == "encoder-decoder" and len(grammar.languages) < 2:
        given, wanted = "a grammar of one language", "one of two or more"
    elif kind != "encoder-decoder" and TEXT not in grammar.languages:
        given, wanted = f"a grammar without '{TEXT}'", "one whose sentences have it"
    if given:
        raise ExplorerError("material-does-not-fit", kind=kind, given=given, wanted=wanted)
    return grammar


def _words_of(grammar: Grammar, kind: str) -> dict[str, tuple[str, ...]]:
    """The vocabularies of a model that learns a grammar. A translator's first word says which language to write."""
    if kind in ("gpt", "encoder"):
        return {"input.words": (END if kind == "gpt" else MASK, PAD, *grammar.words())}
    source, *others = grammar.languages
    known = dict.fromkeys(word for language in others for word in grammar.words(language))
    starts = (start_of(language) for language in others)
    return {"source.words": (PAD, *grammar.words(source)), "target.words": (*starts, END, PAD, *known)}


def _drawn(grammar: Grammar, kind: str, words: Mapping[str, Sequence[str]], n: int, seed: int) -> data.Examples:
    """Sentences of a grammar as examples: some to learn from, and held-out ones for validation."""
    drawn = grammar.sample(n, seed, held_out=False)
    judged = grammar.sample(JUDGED, seed, held_out=True)
    if kind in ("gpt", "encoder"):
        sentences = [one.words() for one in (*drawn, *judged)]
        if kind == "encoder":
            return data.masked_sentences(sentences, words["input.words"], len(judged), seed)
        return data.whole_sentences(sentences, words["input.words"], len(judged))
    source, *others = grammar.languages
    both = [(one.words(source), (start_of(to), *one.words(to))) for one in (*drawn, *judged) for to in others]
    read, written = zip(*both, strict=True)
    known = words["target.words"], len(judged) * len(others)
    return data.whole_sentences(written, *known, read, words["source.words"])


def _cases(material: Material) -> tuple[Array, Array]:
    """Inputs and targets. XOR is 1 if exactly one input is 1; the sine is that of reference 004, at 100 points."""
    if material.set == "sine":
        X = np.linspace(-10, 10, 100)[:, None]
        return X, np.sin(X)
    if material.set == "xor":
        X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        return X, (X[:, :1] != X[:, 1:]).astype(np.float64)
    assert material.X is not None
    assert material.target is not None
    return material.X, material.target


# Sizes, checked before anything is made


def _check_size(model: Model, examples: data.Examples, recipe: Recipe) -> None:
    """Check that neither the model nor a step on a batch needs too much memory."""
    graph = graph_of_new(model)
    given = sum(map(graph.size, graph.inputs))
    n = len(examples.training) or 1
    batch: float = min(recipe.batch or n, n)
    if not examples.lengths and examples.arrays:  # the rows of an MLP's graph are its examples
        batch = batch / len(graph.axes["input"])
    held = int(batch * (sum(map(graph.size, graph.nodes)) - given))
    if held > MOST_IN_A_STEP:
        raise ExplorerError("batch-too-large", numbers=f"{held:,}", limit=f"{MOST_IN_A_STEP:,}")


# The words of the material

MOST_WORDS = 2000
"""The most words of a text that get a row in the vocabulary; the most frequent ones."""


def take_words(document: Document, material: Material, recipe: Recipe) -> None:
    """Add the words of the training material that the document's model lacks, as one undo step.

    The document stays as it is if it cannot be trained on the material.

    If the document's own sentence has words that are not in the material, it gets a sentence of the material, so that a
    person sees what the model has learned.

    `material`: only "text" and "pairs" have words to add.
    Raises `ExplorerError`: "text-line" or "text-not-read" if the material is not pairs of sentences; if there are words
    to add, also the errors of `prepare_document`.
    """
    state = document.wanted
    axes = state.model.axes
    match material.kind:
        case "text" if are_pieces(axes.get("input.words", ())):
            return  # the pieces can write any text
        case "text":
            said = data.words_of(material.text, material.lower)
            if not said:
                raise ExplorerError("text-too-short", found=0, window=material.window, least=material.window + 1)
            words = {"input.words": data.vocabulary(said, MOST_WORDS)}
            n = min(max(state.model.lengths.get("input", 0), 4), material.window)
            sentences = {"input": said[:n]}
        case "pairs":
            pairs = data.pairs_of(material.text, lower=material.lower)
            read, written = zip(*pairs, strict=True)
            known = [
                data.vocabulary([word for words in side for word in words], MOST_WORDS) for side in (read, written)
            ]
            words = {"source.words": (*known[0], PAD), "target.words": (START, *known[1], END, PAD)}
            sentences = {"source": pairs[0][0], "target": [START, *pairs[0][1]]}
        case _:
            return
    if not words.keys() <= axes.keys():
        return  # another kind of model, which is refused when the run begins
    if "output.words" in axes:
        words["output.words"] = next(reversed(words.values()))
    add = AddWords(words)
    state = add.apply(state)
    if not all(set(document.words(sequence)) <= set(words[f"{sequence}.words"]) for sequence in sentences):
        for sequence, sentence in sentences.items():
            state = SetTokens(sequence, sentence).apply(state)
    if state is not document.wanted:
        prepare_document(state, material, recipe)
        document.do(Replace(state, add.label))


# The parts of a run


class RunSettings(Frozen, eq=False):
    """The settings of training steps."""

    material: Material  # what the model learns from
    recipe: Recipe  # `recipe.steps` is counted from the beginning of the run


class Stretch(Frozen, eq=False):
    """Steps that share settings and examples."""

    settings: RunSettings
    prepared: Prepared

    @property
    def from_document(self) -> bool:
        """Whether the examples are those of the document itself."""
        return self.settings.material.kind not in ("text", "pairs")

    @property
    def as_shown(self) -> bool:
        """Whether the loss of a step is the loss that the document shows."""
        examples, batch = self.prepared.examples, self.settings.recipe.batch
        whole = not 0 < batch < len(examples.training) and not len(examples.validation)
        return self.from_document and whole and not self.settings.recipe.dropout

    def fits(self, state: State, weights: Mapping[str, Array]) -> bool:
        """Whether a document still has the model and the example of these steps; weights may differ."""
        begun, apart = self.prepared.document, () if self.from_document else self.prepared.examples.arrays
        lengths = self.prepared.examples.lengths
        now, then = (replace(m, lengths={**m.lengths, **lengths}) for m in (state.model, begun.model))
        given, inputs = unread(begun.inputs), unread(state.inputs)
        return (
            now == then
            and state.pins.keys() == begun.pins.keys()
            and all(state.pins[name] is pin for name, pin in begun.pins.items())
            and all(inputs.get(n) is a for n, a in given.items() if n not in weights and n not in apart)
        )


class Point(Frozen, eq=False):
    """A point that a run has reached."""

    trainer: Trainer
    stretch: Stretch  # that of the next step
    # The document at this point, if the trainer did not make it: at the beginning, and after an edit.
    state: State | None = None

    @cached_property
    def bytes(self) -> int:
        """The memory that it does not share with the point before."""
        arrays = [*(self.trainer.weights[name] for name in self.trainer.moving)]
        arrays += self.trainer.optimiser.remembered()
        each, tables = sys.getsizeof(np.zeros(0)), (self.trainer.weights, vars(self.trainer))
        return sum(a.nbytes + each for a in arrays) + sum(map(sys.getsizeof, tables))


def same_material(one: Material, other: Material) -> bool:
    """Whether both are the same material; tables are compared by identity, not by numbers."""
    if one.X is not other.X or one.target is not other.target:
        return False
    return replace(one, X=None, target=None).__dict__ == replace(other, X=None, target=None).__dict__
