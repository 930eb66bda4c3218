"""What each kind of stage is for, and why it is made as it is: for whoever meets it for the first time."""

from typing import NamedTuple


class Answer(NamedTuple):
    """A question of a beginner, and what there is to say."""

    question: str
    text: str


_FOR = "What is it for?"
_ATTENTION = (
    Answer(
        "Why the dot product?",
        "It multiplies two vectors number by number and adds up. The sum is large where both point the same way, and "
        "negative where they point apart. So it measures how well a key fits a query, and it is cheap to compute.",
    ),
    Answer(
        "Why divide by √d_k?",
        "The longer the vectors, the more products are added up, and the larger the scores grow. Softmax of scores far "
        "apart gives nearly everything to one word, and then hardly any gradient is left to learn from. "
        "Dividing by √d_k keeps the scores at about the same size, however long the vectors are.",
    ),
    Answer(
        "Why Q, K and V?",
        "What a word looks for, what it can be found by and what it hands over are three different things. "
        "So a transformer makes each of the three with a learned matrix of its own.",
    ),
)
ABOUT: dict[str, tuple[Answer, ...]] = {
    "whole": (
        Answer(
            _FOR,
            "This is the whole model in one picture. Each block takes numbers from the blocks before it and hands "
            "numbers on. Nothing is hidden: in every block are its matrices, down to the last digit.",
        ),
    ),
    "block": (
        Answer(
            _FOR,
            "This is one block of the model, with every matrix in it. What is computed comes after what it is made "
            "of, and the formula says how. A click on a matrix goes to its numbers; Esc goes back to the whole model.",
        ),
    ),
    "embedding": (
        Answer(
            _FOR,
            "A network computes with numbers, so each word needs some. An embedding is a list of numbers for a word. "
            "In training, words that are used alike come to have similar lists.",
        ),
        Answer(
            "Why one-hot?",
            "A one-hot row has a 1 at the number of its word and 0 elsewhere. Times the table it picks out one row, "
            "so a look-up is a matrix product too. That also shows where the gradient goes: only to rows of words that "
            "occur. The number of a word itself says nothing: word 4 is not twice word 2.",
        ),
    ),
    "positions": (
        Answer(
            _FOR,
            "Attention by itself does not know the order of the words: shuffle them, and the same vectors come out, "
            "shuffled. So each place gets a pattern of numbers of its own. With it, “dog bites man” "
            "and “man bites dog” are different.",
        ),
        Answer(
            "Why waves?",
            "In the usual pattern fast waves tell neighbours apart, and slow ones tell the beginning of a text from "
            "its end. Together they give each place its own numbers, and none grows beyond 1.",
        ),
    ),
    "attention": (
        Answer(
            _FOR,
            "A word by itself says little: “bank” needs its neighbours. Attention lets each word take up something "
            "of the others. How much of each is a share; the shares of a word add up to 1.",
        ),
        *_ATTENTION,
    ),
    "masked": (
        Answer(
            _FOR,
            "A decoder writes word by word, so in use it knows only what it has written so far. In training the whole "
            "sentence is there. A mask sets the scores of later words to −∞, so that their shares are 0 and "
            "nothing can be copied from what comes.",
        ),
        *_ATTENTION,
    ),
    "cross": (
        Answer(
            _FOR,
            "Here the decoder looks at the source. Each word of the target asks with its query, and the words of the "
            "source answer with their keys and values. So a translation knows what it translates.",
        ),
        *_ATTENTION,
    ),
    "heads": (
        Answer(
            "Why several heads?",
            "One head has only one set of shares for each word. Several heads can look for several things at once: "
            "one at the word before, another at the verb. Each head works with fewer numbers, so together they cost "
            "about as much as one large one.",
        ),
        Answer(
            "Why W_O?",
            "Side by side, the answers of the heads do not know of each other. W_O mixes them into one vector. "
            "It also brings them back to the length d_model, so that they can be added to what came in.",
        ),
    ),
    "nearest": (
        Answer(
            _FOR,
            "The output of attention is a mixture of vectors, not a word. To read it, one looks for the "
            "word whose vector is most like it.",
        ),
    ),
    "norm": (
        Answer(
            "Why add what came in?",
            "The block needs to learn only what to change, not to repeat what was there. The sum also gives gradients "
            "a straight way back through many layers.",
        ),
        Answer(
            "Why normalise?",
            "Layer by layer, numbers could grow or shrink until nothing can be learned. Normalising brings each row to "
            "mean 0 and variance 1. γ and β then let the model choose another size where that helps.",
        ),
    ),
    "batch norm": (
        Answer(
            "Why normalise?",
            "Features on very different scales make learning slow. Batch norm brings each column, over all examples, "
            "to mean 0 and variance 1. A transformer normalises rows instead: there a word does not depend on what "
            "else is in the batch.",
        ),
    ),
    "dropout": (
        Answer(
            _FOR,
            "A model can learn its examples by heart. With dropout it cannot rely on any single number, because each "
            "may be missing. What is kept is made larger, so that sums stay about the same.",
        ),
    ),
    "ffn": (
        Answer(
            _FOR,
            "Attention moves information between words. Here each word's vector is worked on by itself, with the same "
            "weights for all words. Much of what a model knows is in these weights.",
        ),
        Answer(
            "Why expand and shrink?",
            "Each hidden unit looks for one pattern in the vector. More units than d_model can look for more patterns. "
            "Then W_2 brings the result back to d_model, so that it fits the next block.",
        ),
        Answer(
            "Why an activation?",
            "Two matrix products in a row are no more than one. The bend between them, such as the zero of ReLU below "
            "0, lets the net answer differently in different cases.",
        ),
    ),
    "output": (
        Answer(
            "What is a logit?",
            "A logit is a score before it becomes a probability. It can be any number; only the differences between "
            "logits count. One more means about 2.7 times the probability.",
        ),
        Answer(
            "Why softmax?",
            "It makes all scores positive and divides them by their sum. So they can be read as probabilities, "
            "and the largest score keeps the largest share.",
        ),
    ),
    "next word": (
        Answer(
            _FOR,
            "A model that writes says one word at a time. Each word that it has chosen is put after the sentence, and "
            "the whole is read again for the next one.",
        ),
        Answer(
            "Why not always the likeliest?",
            "Always taking the likeliest word soon goes round in circles. To draw by chance, among the likely words "
            "only, gives texts that differ and still make sense.",
        ),
    ),
    "why": (
        Answer(
            _FOR,
            "Each head and each block adds something to the scores of the next word. Here one sees which of them spoke "
            "for the word that was chosen, and which against it.",
        ),
    ),
    "pieces": (
        Answer(
            _FOR,
            "A table with every word there is would never be complete. So large models cut words into pieces: frequent "
            "words stay whole, rare ones become several pieces. Any text can be written in them.",
        ),
    ),
    "costs": (
        Answer(
            _FOR,
            "What a model can do depends on what it costs. Here its multiplications and its memory are counted. "
            "Attention costs four times as much for a text twice as long; everything else costs twice as much.",
        ),
    ),
    "head gallery": (
        Answer(
            _FOR,
            "Nobody tells a head what to look for; it finds something useful in training. Here each head is measured: "
            "where it looks most, and how much worse the model becomes without it.",
        ),
    ),
    "loss": (
        Answer(
            _FOR,
            "The loss is one number for how wrong the model is. Learning means making it smaller. "
            "Because it is one number, each weight can be asked: does it fall if you grow a little?",
        ),
        Answer(
            "Why the logarithm?",
            "Cross-entropy takes −log of the probability of what is right. If the model is sure and right, that is "
            "near 0. If it is sure and wrong, it becomes very large.",
        ),
    ),
    "net": (
        Answer(
            _FOR,
            "A small net on a task that one can see at once. Each case goes in as a few numbers and one answer comes "
            "out. The layers of a transformer work in the same way, only with more numbers.",
        ),
    ),
    "layer": (
        Answer(
            _FOR,
            "Each unit adds up what comes in, weighted, and bends the sum with its activation. "
            "Without the bend, several layers would be no more than one. With it, two layers can "
            "solve XOR, which no straight line can.",
        ),
    ),
    "decision": (
        Answer(
            _FOR,
            "The output is a number between yes and no. A threshold says from where on it counts as yes. "
            "Moving it trades one kind of mistake for the other.",
        ),
    ),
    "regression": (
        Answer(
            _FOR,
            "This is what one can do without a net: the one straight line that fits best. Its slope and start follow "
            "from a formula, with no training. Beside it one sees what a net adds: it can bend.",
        ),
    ),
    "examples": (
        Answer(
            _FOR,
            "Here stands what the model is given. Each row is an example and each column a feature of it. "
            "Change a number and see what follows from it.",
        ),
    ),
    "vectors": (
        Answer(
            "Why the dot product?",
            "It multiplies two vectors number by number and adds up. It grows with their lengths and with how much "
            "they point the same way; it is 0 where they are at a right angle. Attention compares words by it.",
        ),
        Answer(
            "Why the cosine?",
            "It is the dot product without the lengths: 1 for the same direction, 0 for a right angle, −1 for the "
            "opposite. So a long vector does not look more alike only because it is long.",
        ),
    ),
    "descent": (
        Answer(
            _FOR,
            "A gradient says for each weight whether the loss rises or falls with it, and how steeply. "
            "A step moves all weights a little the way that the loss falls.",
        ),
        Answer(
            "Why small steps?",
            "A gradient is only true near where it was computed. With too large a learning rate a step goes past the "
            "valley, and the loss may rise; with too small a one nothing seems to happen.",
        ),
    ),
    "parameters": (
        Answer(
            _FOR,
            "Parameters are the numbers that a model learns. How many there are says how much it can store, and how "
            "much memory and time it takes. Most of them are in a few large matrices.",
        ),
    ),
    "card": (
        Answer(
            _FOR,
            "Whoever uses a model should know what it has read and how well it does on what it has not read. A model "
            "card says so in a few lines (Mitchell et al. 2019).",
        ),
    ),
    "changes": (
        Answer(
            _FOR,
            "An edit changes what is computed from it, and nothing else. This list shows how far the last one reached, "
            "and where it moved the most.",
        ),
    ),
    "switches": (
        Answer(
            _FOR,
            "There is no single transformer: books, papers and programs differ in details. Each switch is one such "
            "choice. Turn one and see which numbers are different.",
        ),
    ),
}
"""By the kind of a stage."""
