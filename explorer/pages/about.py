"""What each kind of stage is for and why it is built this way, for a reader who meets it for the first time."""

import re
from typing import NamedTuple

from explorer.core import ops
from explorer.core.graph import Graph, Stage


class Answer(NamedTuple):
    """A question that a beginner asks about a stage, and its answer."""

    question: str
    text: str
    about: type[ops.Op] = ops.Op  # shown only where a node of the stage has this op: switches choose other ops
    symbol: str = ""  # or only where a node's symbol matches this pattern


def answers(stage: Stage, graph: Graph) -> tuple[Answer, ...]:
    """The answers that are true of a stage with its present switches."""
    there = [node for node in graph.nodes.values() if node.stage == stage.name]
    looks_back = any(node.op.reach is not None for node in there)
    told = ABOUT["attention" if stage.kind == "masked" and not looks_back else stage.kind]
    return tuple(
        one
        for one in told
        if (one.about is ops.Op and not one.symbol)
        or any(isinstance(node.op, one.about) and re.fullmatch(one.symbol or ".*", node.symbol) for node in there)
    )


_FOR = "What is it for?"
_TAKES = (
    "A word alone says little: “bank” has more than one meaning. In attention each word takes something from the other "
    "words. How much it takes from each is a share"
)
_ATTENTION = (
    Answer(
        "Why the dot product?",
        "It multiplies two vectors number by number and adds up. The sum is large if both point in the same "
        "direction, and negative if they point in opposite directions. So it measures how well a key fits a "
        "query, and it is quick to compute.",
    ),
    Answer(
        "Why divide by √d_k?",
        "The more numbers a vector has, the more products are added up, and the larger the scores become. If "
        "scores are far apart, softmax gives nearly everything to one word, and the gradients become too small "
        "to learn from. Dividing by √d_k keeps the scores at about the same size.",
        symbol=r"1 / \\sqrt\{d_k\}",
    ),
    Answer(
        "Why divide by d_k?",
        "The more numbers a vector has, the more products are added up, and the larger the scores become. If "
        "scores are far apart, softmax gives nearly everything to one word. Dividing by d_k makes them smaller. Most "
        "models divide by √d_k.",
        symbol="1 / d_k",
    ),
    Answer(
        "Why divide by another number than √d_k?",
        "If scores are far apart, softmax gives nearly everything to one word, and the gradients become too small to "
        "learn from. Dividing brings the scores closer together. Most models divide by √d_k; those who made this "
        "model chose another number.",
        symbol=r"1 / \d.+|1 / \\sqrt\{\d+\}",
    ),
    Answer(
        "Why multiply by s?",
        "If scores are far apart, softmax gives nearly everything to one word. If they are close together, all words "
        "get nearly the same. The number s moves them apart or together; in most models 1/√d_k stands in its place.",
        symbol="s",
    ),
    Answer(
        "Why Q, K and V?",
        "A word looks for something, it can be found by something, and it hands something over. These are "
        "three different things, so a transformer makes three vectors of each word, each with its own learned "
        "matrix.",
    ),
)
ABOUT: dict[str, tuple[Answer, ...]] = {
    "whole": (
        Answer(
            _FOR,
            "This is the whole model in one picture. Each block takes numbers from the blocks before it and "
            "hands numbers on to the next. You can look into every block and see all its matrices, to the last "
            "digit.",
        ),
    ),
    "block": (
        Answer(
            _FOR,
            "This is one block of the model, with every matrix in it. Each matrix is made from those at its "
            "left, and the formula says how. A click on a matrix goes to its numbers; Esc goes back to the "
            "whole model.",
        ),
    ),
    "embedding": (
        Answer(
            _FOR,
            "A network computes with numbers, so each word needs numbers. An embedding is a list of numbers "
            "for a word. In training, words that are used in similar sentences get similar lists.",
        ),
        Answer(
            "Why one-hot?",
            "A one-hot row has a 1 at the number of its word and 0 elsewhere. Multiplied by the table it "
            "gives one row of the table, so a look-up is a matrix product, too. It also shows that only the "
            "rows of words in the sentence get a gradient. The number of a word says nothing about the word: word 4 "
            "is not twice word 2.",
            ops.OneHot,
        ),
    ),
    "positions": (
        Answer(
            _FOR,
            "Attention alone does not depend on the order of the words: if words change places, their vectors only "
            "change places, too. So each place has a vector of its own. With it, “dog bites man” and “man "
            "bites dog” are different.",
        ),
        Answer(
            "Why waves?",
            "In the usual pattern fast waves make neighbours different, and slow waves make the beginning of a "
            "text different from its end. Together they give each place its own numbers, and none of them is "
            "larger than 1.",
            ops.Sinusoidal,
        ),
    ),
    "attention": (
        Answer(_FOR, f"{_TAKES}; the shares of a word add up to 1.", ops.Softmax),
        Answer(_FOR, f"{_TAKES}; the shares of a word add up to 1.", ops.RowShares),
        Answer(
            _FOR,
            f"{_TAKES}. The sink takes a share, too, which is thrown away; the shares of a word add up to less than 1.",
            ops.SinkSoftmax,
        ),
        *_ATTENTION,
    ),
    "masked": (
        Answer(
            _FOR,
            "A decoder writes word by word, so when it writes it knows only the words so far. In training it "
            "is given the whole sentence. A mask sets the scores of later words to −∞. So their shares are 0, "
            "and the decoder cannot copy from them.",
        ),
        *_ATTENTION,
    ),
    "cross": (
        Answer(
            _FOR,
            "Here the decoder looks at the source. The queries come from the words of the target, the keys and "
            "values from the words of the source. So the translation depends on the sentence that is "
            "translated.",
        ),
        *_ATTENTION,
    ),
    "heads": (
        Answer(
            "Why several heads?",
            "One head has only one set of shares for each word. Several heads can look for several things at "
            "the same time: one at the word before, another at the verb. Usually each head works with fewer "
            "numbers, so all of them together cost about as much as one large head.",
        ),
        Answer(
            "Why W_O?",
            "The outputs of the heads stand side by side. W_O mixes them into one vector with d_model numbers, "
            "so that it can be added to what came in.",
            ops.MatMul,
        ),
    ),
    "nearest": (
        Answer(
            _FOR,
            "The output of attention is a mixture of vectors, not a word. To find a word for it, one looks for "
            "the word whose vector is most like it.",
        ),
    ),
    "norm": (
        Answer(
            "Why add what came in?",
            "The block only has to learn what to change. The sum also lets gradients go back through many "
            "layers unchanged.",
            ops.Add,
        ),
        Answer(
            "Why normalise?",
            "From layer to layer numbers could become so large or so small that the model cannot learn. "
            "Normalising brings each row to mean 0 and variance 1. With γ and β the model can then choose "
            "another size.",
            ops.LayerNorm,
        ),
        Answer(
            "Why normalise?",
            "From layer to layer numbers could become so large or so small that the model cannot learn. RMS "
            "norm brings each row to a root mean square of 1, and does not subtract the mean. With γ the model can "
            "then "
            "choose another size.",
            ops.RMSNorm,
        ),
    ),
    "batch norm": (
        Answer(
            "Why normalise?",
            "Learning is slow if some features are much larger than others. Batch norm brings each column, "
            "over all examples, to mean 0 and variance 1. A transformer normalises rows instead, so that a "
            "word does not depend on other examples.",
        ),
    ),
    "dropout": (
        Answer(
            _FOR,
            "A model can learn its examples by heart. With dropout it cannot depend on any single number, "
            "because each may be missing. The numbers that are kept become larger, so that sums stay about the "
            "same.",
        ),
    ),
    "ffn": (
        Answer(
            _FOR,
            "Attention moves information between words. The feed-forward net works on the vector of each word "
            "by itself, with the same weights for all words. Much of what a model knows is in these weights.",
        ),
        Answer(
            "Why expand and shrink?",
            "Each hidden unit looks for one pattern in the vector. With more units than d_model it can look "
            "for more patterns. Then W_2 makes d_model numbers again, so that the result fits the next block.",
        ),
        Answer(
            "Why an activation?",
            "Two matrix products, one after the other, could be replaced by one. The bend between them, such as "
            "ReLU, which "
            "makes negative numbers 0, lets the net answer differently in different cases.",
        ),
    ),
    "output": (
        Answer(
            "What is a logit?",
            "A logit is a score before it becomes a probability. It can be any number, also a negative one.",
        ),
        Answer(
            "Why softmax?",
            "It makes all scores positive and divides them by their sum. So the results can be read as "
            "probabilities, and the largest score has the largest probability. Only differences count: at "
            "temperature 1 a score that is larger by 1 than another has a probability about 2.7 times as large.",
            ops.Softmax,
        ),
    ),
    "next word": (
        Answer(
            _FOR,
            "A model that writes says one word at a time. Each word that it has chosen is put at the end of "
            "the text, and the model reads the whole text again for the next word.",
        ),
        Answer(
            "Why not always the most probable?",
            "A model that always takes the most probable word soon repeats itself. If words are drawn at random, but "
            "only from the most probable ones, the texts are different each time and still make "
            "sense.",
        ),
    ),
    "why": (
        Answer(
            _FOR,
            "Each head and each block adds something to the scores of the next word. This page shows which of "
            "them made the chosen word more probable, and which made it less probable.",
        ),
    ),
    "pieces": (
        Answer(
            _FOR,
            "No table can hold every word. So large models cut words into pieces: frequent words stay whole, "
            "rare words become several pieces. Any text can be written in such pieces.",
        ),
    ),
    "costs": (
        Answer(
            _FOR,
            "A larger model can do more, but it costs more. This page counts its multiplications and its "
            "memory. For a text twice as long attention costs four times as much, and everything else costs "
            "twice as much.",
        ),
    ),
    "family": (
        Answer(
            _FOR,
            "Most language models of today are the transformer of 2017 with some parts changed. This page shows who "
            "changed what: each row is a model, each column a part.",
        ),
    ),
    "head gallery": (
        Answer(
            _FOR,
            "Nobody tells a head what to look for: in training it finds something useful. This page measures "
            "each head: where it looks most, and how much worse the model becomes without it.",
        ),
    ),
    "loss": (
        Answer(
            _FOR,
            "The loss is a number that says how wrong the model is. Learning makes this number smaller. For "
            "each weight one can compute how the loss changes if this weight grows a little.",
        ),
        Answer(
            "Why the logarithm?",
            "Cross-entropy is −log of the probability of the right word. If the model is sure and right, the loss is "
            "near 0. If the model is sure and wrong, the loss is very large.",
            ops.CrossEntropy,
        ),
        Answer(
            "Why the square?",
            "The square of an error is never negative, so errors above and below do not cancel. An error twice "
            "as large counts four times as much. The loss is the mean of all squares.",
            ops.MeanSquaredError,
        ),
    ),
    "net": (
        Answer(
            _FOR,
            "A small net with a task that is easy to see. Each case goes in as a few numbers, and one answer "
            "comes out. The layers of a transformer work in the same way, with more numbers.",
        ),
    ),
    "layer": (
        Answer(
            _FOR,
            "Each unit multiplies each number that comes in by a weight and adds all up. Then comes its "
            "activation: if it does not bend the sum, several layers could be replaced by one. With a bend, two "
            "layers can solve XOR, which no straight line can.",
        ),
    ),
    "decision": (
        Answer(
            _FOR,
            "The output is a number between no and yes. From the threshold on it counts as yes. A higher "
            "threshold gives fewer wrong answers “yes” and more wrong answers “no”.",
        ),
    ),
    "regression": (
        Answer(
            _FOR,
            "Without a net one can draw the straight line that fits best. A formula gives it, without "
            "training. A net beside it shows the difference: it can bend.",
        ),
    ),
    "examples": (
        Answer(
            _FOR,
            "These are the numbers that the model is given. Each row is an example, and each column is a "
            "feature of it. Change a number and see which other numbers change.",
        ),
    ),
    "vectors": (
        Answer(
            "Why the dot product?",
            "It multiplies two vectors number by number and adds up. It is larger for longer vectors, and for "
            "vectors that point more nearly in the same direction; at a right angle it is 0. Attention "
            "compares words by it.",
        ),
        Answer(
            "Why the cosine?",
            "It is the dot product, divided by both lengths: 1 for the same direction, 0 for a right angle, −1 "
            "for opposite directions. So a vector does not look more alike only because it is long.",
        ),
    ),
    "descent": (
        Answer(
            _FOR,
            "A gradient says for each weight whether the loss rises or falls if this weight grows, and how "
            "steeply. A step moves all weights a little, each in the direction in which the loss falls.",
        ),
        Answer(
            "Why small steps?",
            "A gradient holds only near the place where it was computed. With too large a learning rate a step "
            "goes too far, and the loss may rise. With too small a learning rate the loss hardly changes.",
        ),
    ),
    "parameters": (
        Answer(
            _FOR,
            "Parameters are the numbers that a model learns. The more there are, the more a model can store, "
            "and the more memory and time it needs. Most of them are in a few large matrices.",
        ),
    ),
    "card": (
        Answer(
            _FOR,
            "Whoever uses a model should know which texts it has learned from, and how good it is on other texts. A "
            "model card says this in a few lines (Mitchell et al. 2019).",
        ),
    ),
    "changes": (
        Answer(
            _FOR,
            "An edit changes only the numbers that are computed from it. This list shows which stages the last "
            "edit has changed, and by how much.",
        ),
    ),
    "switches": (
        Answer(
            _FOR,
            "Transformers differ in details from book to book and from program to program. Each switch is one "
            "such detail. Change a switch and see which numbers change.",
        ),
    ),
}
"""The answers for each kind of stage."""
