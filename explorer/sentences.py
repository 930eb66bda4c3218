"""The words of errors: one English sentence for each id. The layers below know only ids and fields."""

from collections.abc import Mapping
from pathlib import Path
from unicodedata import category

from explorer.core.errors import ExplorerError

SENTENCES: dict[str, str] = {
    "unknown-node": "There is no node '{name}'{near}.",
    "bad-cell": "'{name}' has no cell [{cell}]; its shape is {shape}.",
    "bad-cell-syntax": "'{text}' does not name a cell; write NODE[row,column], counted from 0, as in Q[0,1].",
    "not-editable": "'{name}' is computed from other nodes; edit one of {inputs}, or pin the cell.",
    "computed-cell": "'{name}' is computed; press Enter on a cell to pin a value there by hand.",
    "paste-empty": "The clipboard holds no numbers; copy cells of a table first.",
    "paste-uneven": "The rows of the copied table are not equally long; copy a rectangle of cells.",
    "paste-too-long": "The copied table is too large; paste up to {limit} cells.",
    "copy-too-large": "Up to {limit} numbers go to the clipboard. Save a larger matrix as a .npy file: right click, "
    "“The whole matrix”.",
    "paste-too-large": "The copied table of {given} does not fit: from here there is room for {room}.",
    "no-lesson-value": "The lesson has no value for '{name}'; undo takes back what was changed.",
    "bad-number": "'{text}' is not a number; write it in digits, with a point for decimals.",
    "number-too-large": "'{text}' is too large; numbers go up to about 1.8e308.",
    "bad-shape": "'{name}' has shape {shape}; the values given have shape {given}.",
    "bad-token-id": "'{name}' holds whole numbers from {first} to {last}; {value} is not one of them.",
    "empty-tokens": "Give '{sequence}' at least one word.",
    "too-many-tokens": "'{sequence}' may have up to {limit} tokens; {given} were given.",
    "model-too-large": "This model would have {numbers} numbers; choose sizes that give up to {limit}.",
    "too-many-labels": "The matrices of this model would have {labels} rows and columns; choose sizes that give up to "
    "{limit}.",
    "no-display": "There is no display here, so no window can open; start it on a machine with a screen, or connect "
    "with `ssh -X` from one. `explorer --help` shows what works without a window.",
    "no-label": "'{name}' has no row or column '{label}' along that axis; it has {known}.",
    "label-twice": "'{label}' stands more than once along that axis of '{name}'; use one of the numbers {numbers}.",
    "no-prints": "There are no numbers to look for; give those of one node or of several.",
    "not-a-matrix": "This is not a matrix of finite numbers; give its rows, with ; between them.",
    "no-questions": "The lesson '{lesson}' has no questions; choose another, see `explorer list`.",
    "unknown-question": "There is no question '{name}'{near}; write LESSON/STEP, or a lesson for all of its questions.",
    "not-on-a-sheet": "What '{name}' asks needs its page, so that it is asked in the program alone; choose others.",
    "bad-title": "Give a title of 1 to {limit} letters.",
    "too-many-questions": "A sheet has 1 to {limit} questions; choose others.",
    "seek-stale": "The model has changed since; look for the value again.",
    "bundle-damaged": "{file}: is not a zip file, or is damaged; ask for it again.",
    "bundle-too-large": "{file}: contains too much, beginning with “{name}”; up to 200 files and 200 MB are accepted.",
    "bundle-outside": "{file}: “{name}” leads out of it, so nothing in it is opened; ask for another one.",
    "bundle-link": "{file}: “{name}” is a link, so nothing in it is opened; ask for a zip file with the file itself.",
    "bundle-empty": "{file}: contains no lesson; the names of lessons end in .toml.",
    "bad-student": "Give the name under which the answers are handed in: 1 to {limit} letters.",
    "answers-damaged": "{file}: is not a file of answers, or is damaged; ask for it again.",
    "answers-altered": "{file}: is not as it was saved by {student}; ask for it again.",
    "answers-of-another": "{file}: answers another sheet, “{sheet}”; put it into a folder of its own.",
    "answers-twice": "{file}: is a second file of {student}; the file with more answers counts.",
    "no-poll": "There is nothing to vote on in this step; go to one that asks for a choice, or for one number.",
    "no-votes": "These files have no answers to the question of this step; the counts are as before.",
    "no-answers": "There are no files of answers; their names end in {ending}.",
    "too-many-files": "There are more than {limit} files; put one class into a folder.",
    "no-words": "There is no word in the text; write one or more.",
    "no-target": "This model does not translate; only translators begin an answer with given words.",
    "no-benchmarks": "The benchmarks come with the source code only; run `make bench` in a checkout of it.",
    "no-figure": "No figure has '{text}' in its name; `explorer bench` without a name measures all.",
    "bad-rate": "'{text}' is not a learning rate; write a number above 0, such as 0.1.",
    "training-diverged": "After step {step} the loss or a gradient is not a finite number: the steps were too large. "
    "The weights are those of the last good step. Start again with a lower learning rate, or clip the gradient.",
    "weight-not-finite": "{name} holds a cell that is not a finite number, so there is no gradient. Undo that edit, "
    "or type a number.",
    "training-not-finite": "The loss or a gradient is not a finite number before the first step; look at the weights, "
    "and at the words or numbers that are learned from.",
    "pinned-cases": "{name} is held at values for single cases, and a batch has others. Release it, or learn from all "
    "cases at once: batch 0, and none put aside.",
    "nothing-moves": "There are no weights here that training could move; free some of the frozen ones.",
    "bad-training-choice": "'{value}' is not a value of {name}; choose {known}.",
    "text-too-short": "The text is too short: it has {found} of the {least} words that windows of {window} need.",
    "text-not-given": "This recipe leaves the text to you: name a file with --text, some megabytes of plain text.",
    "text-line": "{file}: line {line} {problem}; {remedy}.",
    "word-not-known": "'{word}' is not in the vocabulary of the model; add it, or add <unk> for all such words.",
    "unknown-text-word": "The model does not know the word '{word}'; the nearest words that it knows are {known}.",
    "patch-differs": "The other text has more or fewer words; choose one as long as this text.",
    "writes-nothing": "This model has no next word to say; choose one with a decoder, such as tiny-gpt.",
    "text-ends": "The text is complete here: the model says {end}.",
    "not-read": "The model says “{word}”, which is none of the words that it reads, so it can write nothing after it; "
    "type the word into the sentence, and it gets a row in the table.",
    "no-start": "Say what the answer begins with: --target and words that the model knows, such as {known}.",
    "bad-dtype": "'{name}' is no type in which a model is computed; choose float64 or float32.",
    "file-of-model": "{file}: is a part of a model; name the folder that it is in, {folder}.",
    "option-of-others": "Only the folder or file of a checkpoint takes a {option}; leave it out for {name}.",
    "no-room": "The model has room for {limit} words; write a shorter text.",
    "no-positions": "The model has positions for {limit} words only; write a shorter text.",
    "run-differs": "{file}: is a training on other examples, of another model or by another recipe; delete it, or "
    "choose another --out.",
    "unknown-recipe": "There is no recipe '{name}'{near}; those that come with the program are {known}.",
    "material-does-not-fit": "A model of kind '{kind}' cannot learn from {given}; give it {wanted}.",
    "cases-do-not-fit": "The cases have {given} numbers in '{name}', the model {wanted}; make them equal.",
    "batch-too-large": "One step would hold {numbers} numbers; up to {limit} are allowed: choose a smaller batch, "
    "window or model.",
    "not-a-document-name": "{file}: is not the name of a document; choose one that ends in .explorer.",
    "no-loss-to-lower": "This model has no loss that training could lower; its switch "
    "“Loss”, on the page “All switches”, adds one.",
    "loss-does-not-fit": "The loss of this model is the {now}; to learn from {given} it must be the {wanted}: choose "
    "that at its switch “Loss”, on the page “All switches”.",
    "no-stream": "This model has no layers that could be of another kind; open a GPT to make it a {name}.",
    "no-dropout": "This model has no place for dropout; set it to 0.",
    "run-not-read": "{file}: is not a training that can be continued: {reason}. Delete it to begin again.",
    "run-too-long": "A run has up to {limit} steps here; begin another run to continue.",
    "bad-token": "A token is text that can be seen, without spaces, up to {limit} characters; '{token}' is not.",
    "fixed-tokens": "The words of '{sequence}' belong to this lesson and cannot be changed; set its numbers instead.",
    "not-computed": "“{what}” could not be computed: {why}. Everything is as it was before.",
    "no-loss": "This model has no loss, so it has no gradient; choose an example that has a loss.",
    "no-gradient": "'{name}' holds whole numbers, which have no gradient; choose a node that holds none.",
    "pin-of-input": "'{name}' is an input: set its cells, there is nothing to pin.",
    "not-a-number-of-a-word": "“{word}” is not the number of a word; this model came without a tokenizer: type whole "
    "numbers from 0 to {last} in the place of words.",
    "no-word-number": "There is no word number {number}; the words have the numbers from 0 to {last}.",
    "unknown-sequence": "There is no sequence '{name}'; this model has {known}.",
    "unknown-block": "There is no block '{name}'; this model has {known}.",
    "unknown-switch": "The block '{block}' has no switch '{name}'; it has {known}.",
    "bad-switch-value": "'{value}' is not a value of {block}.{name}; choose {allowed}.",
    "bad-switch-syntax": "'{text}' does not set a switch; write BLOCK.NAME=VALUE, as in encoder.1.self.scale=none.",
    "bad-set-syntax": "'{text}' does not set a cell; write NODE[row,column]=VALUE, counted from 0, as in Q[0,1]=2.5.",
    "heads-do-not-divide": "d_model {d_model} cannot be split over {heads} heads; choose {remedy}.",
    "checkpoint": "{file} {problem}.",
    "tokenizer": "The tokenizer {problem}.",
    "model-needed": "“{lesson}” needs a model that does not come along: {name}{size}, {licence} licence. Download "
    "{files} from {published} into one folder; the window asks for that folder when you open the lesson.",
    "other-model": "{folder} is not {name}: {problem}.",
    "key-heads-do-not-divide": "The number of heads, {heads}, cannot be divided by that of keys, {key_heads}; choose a "
    "divisor of {heads}.",
    "too-many-chosen": "{block} cannot choose {chosen} experts, as it has only {experts}; choose {experts} or fewer.",
    "widths-differ": "Without W_O, {block} gives {width} numbers a token but d_model is {d_model}; set d_v or W_O.",
    "no-next-word": "The output vocabulary lacks '{word}', which may come next; add it to output.words, or set "
    "loss.targets to typed.",
    "causal-needs-one-sequence": "A causal mask needs queries and keys from one sequence, and {block} has two; "
    "choose another mask.",
    "unknown-kind": "There is no model kind '{kind}'; choose {known}.",
    "values-and-keys": "Each key has a value: there are {keys} keys and {values} values; give both the same number.",
    "missing-size": "A model of kind '{kind}' needs '{what}'.",
    "tied-widths": "Tied unembedding needs the decoder's vocabulary; that has {table} words, the output {words}. "
    "Switch it off, or give both the same words.",
    "no-model-in-folder": "The folder '{name}' has no config.json, so there is no model in it; "
    "and no lesson has that name.",
    "unknown-lesson": "There is no lesson '{name}'{near}; `explorer list` shows them.",
    "unknown-setting": "'{lesson}' has no setting '{name}'; it has {known}.",
    "lesson-not-read": "{file}: cannot be read: {reason}. Check its name and place, or choose another file.",
    "lesson-too-large": "{file}: {size} bytes; make it smaller, a lesson may have up to {limit}.",
    "lesson-syntax": "{file}: is not valid TOML: {reason}. Correct it there.",
    "lesson-key": "{file}: {key}: {problem}; {remedy}.",
    "lesson-step": "step `{step}` of {file}: {at}{problem}; {remedy}.",
    "lesson-step-name": "step `{step}` of {file} names {what} `{name}`; {remedy}",
    "replay-differs": "step `{step}` of {lesson} has other numbers if it is reached in another way. This is an error "
    "in the program; report it.",
    "replay-question": "step `{step}` of {lesson}: `question`: {problem}; {remedy}.",
    "unknown-course": "There is no course '{name}'{near}.",
    "not-recordable": "“{lesson}” cannot be recorded: only examples that come with the program can; open one of these.",
    "not-recorded": "Step {step} cannot be written down: {why}. Undo what was done there, and record it another way.",
    "no-steps": "{lesson} has no steps; `explorer list` shows which lessons have some.",
    "no-lesson": "{file}: is {what}, and not a lesson.",
    "lesson-newer": "{file}: is written for a newer version of this program, in format {version}; this one reads up to "
    "{known}. Update the program to open it.",
    "document-not-read": "{file}: cannot be read: {reason}. Check its name and place, or choose another file.",
    "not-dropped": "Only one file can be dropped here: a document that ends in .explorer, a lesson that ends in .toml, "
    "or a model that others trained: its folder, or its file. Words are typed or pasted at the top of the window, and "
    "a text to learn from is chosen in the tab Words.",
    "document-wrong": "{file}: cannot be opened: {problem}. Open another copy of it.",
    "too-large-for-text": "As text this document would have more than {limit} characters, which cannot be pasted "
    "everywhere. Save it as a file.",
    "no-document-in-text": "The clipboard holds no document as text; copy all lines from the first mark to the last.",
    "document-newer": "{file}: was made by a newer version of this program, in format {version}; this one reads up to "
    "{known}. Update the program to open it.",
    "nothing-moves-here": "Nothing moves on the page “{name}”: choose an attention, a picture of the whole, or a model "
    "with a loss.",
    "nothing-to-play": "The number in '{name}' is not computed in steps, so nothing can be played: choose one that is "
    "computed from others.",
    "nothing-pointed-at": "Click a number that is computed from others; then how it is played can be saved.",
    "no-ffmpeg": "An MP4 is written by the program ffmpeg, which is not installed; install it, or write a .gif.",
    "not-filmed": "ffmpeg could not write the film ({why}); write a .gif.",
    "covered-matrix": "A question asks for numbers of '{name}'; they can be copied when the question is answered.",
    "sheet-too-large": "A spreadsheet with formulas takes up to {limit} cells, and this model needs {numbers}. Choose "
    "smaller sizes or a shorter sentence, or export it as Python.",
    "export-at-work": "An export is still being written. Wait until it says where it is, then export again.",
    "unknown-format": "'{name}' is not a format; choose {known}.",
    "unknown-word": "'{word}' is not among the words of {vectors}{near}.",
    "no-direction": "The vector of '{word}' is all zeros, so it has no direction and no cosine; choose another word.",
    "too-few-words": "The odd one out needs {least} or more different words, not {given}.",
    "words-wanted": "This takes {wanted}, not {given}.",
    "text-too-long": "Up to {limit} characters can be trained on here, not {given}; `explorer words train` takes more.",
    "no-table": "This example has no embedding table; open one that begins with words.",
    "no-known-word": "None of the words of '{text}' is in {vectors}; choose other words, or other vectors.",
    "unknown-vectors": "There are no vectors '{name}'{near}, and no such file; `explorer words list` shows them.",
    "vectors-not-here": "{name} has not been downloaded; `explorer words get {name}` does it ({size}).",
    "vectors-not-read": "{file}: cannot be read: {reason}. Check its name and place, or get it again.",
    "vectors-too-large": "{file}: its vectors take {size}; up to {limit} can be opened. Choose a smaller file.",
    "vectors-pickle": "{file}: is a pickle, as gensim's own save() writes it; opening one could run any program, so "
    "save the vectors in gensim with save_word2vec_format() and open that.",
    "vectors-unknown": "{file}: is {what}; vectors come as GloVe or word2vec text, word2vec binary, these in gzip, "
    "safetensors or .npz.",
    "vectors-line": "{file}: line {line}: {problem}. Correct that line, or get the file again.",
    "vectors-truncated": "{file}: ends after {found} of the {wanted} words that its first line promises; get the file "
    "again.",
    "vectors-arrays": "{file}: {problem}. Get the file again, or choose another one.",
    "download-offline": "{name} cannot be downloaded: there is no connection to the server ({reason}); what comes with "
    "the program works without.",
    "download-refused": "{name} cannot be downloaded from {url}: {reason}. Try again later.",
    "download-broken": "The download of {name} broke off: {reason}; {have} are kept, and the next attempt continues "
    "from there.",
    "download-wrong": "The download of {name} is not what it should be: {what}; try again later.",
    "disk-full": "{folder}: {need} are needed and {free} are free; make room, then try again.",
    "unknown-ending": "{file}: the ending says how to write vectors; choose one of {known}.",
    "not-written": "{file}: cannot be written: {reason}. Choose another place or name, or make room there.",
    "writes-what-it-reads": "{file}: is read by this command, which would write over it; choose another name, or add "
    "--force to lose what is there.",
    "not-ours": "{file}: was not written by this program; choose another name, or add --force to lose what is there.",
    "not-saved": "{file}: cannot be written: {reason}. Undo what was changed last, and save it then.",
    "not-a-script-name": "{file}: is not the name of a Python file; choose one that ends in .py.",
    "unknown-stage": "There is no stage '{name}'{near}; there are {known}.",
    "text-not-read": "{file}: cannot be read: {reason}. Check its name and place, or choose another file.",
    "text-not-utf8": "{file}: line {line} is not text in UTF-8; save the file as UTF-8.",
    "too-little-text": "{file}: training needs two or more words that occur {least} times or more, and finds {found}.",
    "bad-vector-setting": "The vector of a word can be its {known}; '{value}' is neither.",
    "no-pairs": "None of the {words} words stands beside another on a line; write several words on each line.",
    "bad-training-setting": "'{name}' is {value}; it must lie between {low} and {high}.",
    "training-differs": "{folder} holds a training of {out} on other texts or settings; delete it or choose "
    "another name.",
    "process-failed": "{message}",
    "process-ended": "The process that trains was stopped from outside; Train continues from what it saved last.",
    "process-not-started": "The process for training could not be started; close other programs and try again.",
    "example-changed": "The model or what it learns from has changed; Train continues with it as it is now.",
    "model-changed": "The model has other weights than when the training began; begin again.",
}


def sentence(error: ExplorerError, sentences: Mapping[str, str] = SENTENCES) -> str:
    """The sentence of an error, from a table of sentences by id.

    A field `near`, a name similar to the given one, becomes a question; an error that is the reason of another becomes
    a part of its sentence.
    """
    return sentences[error.id].format(**{name: _worded(name, field, sentences) for name, field in error.fields.items()})


def _worded(name: str, field: object, sentences: Mapping[str, str]) -> object:
    if name == "near":
        return did_you_mean(str(field))
    if isinstance(field, ExplorerError):
        return sentence(field, sentences).rstrip(".")
    if isinstance(field, Exception):
        return visible(str(field) or type(field).__name__).rstrip(".")  # the sentence has its own full stop
    if name in LIMITS and isinstance(field, int | float):
        from explorer.core.numbers import limit  # imports numpy, which --help needs not

        return limit(field)
    return visible(field) if isinstance(field, str | Path) else field


LIMITS = "limit", "low", "high"
"""The fields with a number that something may have at least or at most."""


def visible(text: object) -> str:
    """A text from outside, such as a file name, with invisible characters escaped, so that no terminal obeys them.

    Line breaks and blanks of any width stay, and so do the characters that join letters and emoji.
    """
    seen = (c.isprintable() or c in _SEEN or category(c) == "Zs" for c in str(text))
    return "".join(c if is_seen else ascii(c)[1:-1] for c, is_seen in zip(str(text), seen, strict=True))


_SEEN = "\n\u200c\u200d"


def did_you_mean(near: str) -> str:
    """A question for a name similar to the typed one; "" if there is none."""
    return f" (did you mean '{near}'?)" if near else ""
