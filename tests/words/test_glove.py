import gzip
import lzma
from fractions import Fraction

import numpy as np
import pytest
from refusals import refuses

from explorer import container
from explorer.container import Container
from explorer.core.errors import ExplorerError
from explorer.core.progress import Cancelled
from explorer.sentences import sentence
from explorer.words import corpus, glove, similarity
from explorer.words.corpus import count
from explorer.words.glove import GloveSettings, GloveTrainer
from explorer.words.vectors import Vectors
from tests.words.conftest import mutated

SMALL = GloveSettings(words=100, least=1, dims=10, window=4, epochs=15, x_max=20)
WAYS = [False, pytest.param(True, marks=pytest.mark.skipif(not glove.fast_available(), reason="numba is not there"))]


@pytest.fixture(autouse=True)
def one_core():
    """A thousand small stages shared out between cores take longer than on one."""
    if glove.fast_available():
        from explorer.words.loops import use_cores

        use_cores(1)


# Text


def test_words_of_a_text():
    text = "Don’t stop: the bear's naïve cub's--well-known--father ‘ROCKS’ 1890 times_now!\n日本"
    assert corpus.tokens(text) == [
        *("don't", "stop", "the", "bear", "naïve", "cub", "well", "known", "father", "rocks", "times", "now"),
        *("\n", "日本"),
    ]


def test_the_vocabulary_is_the_most_frequent_words():
    found = corpus.from_text("b a b\n\nc a b x y", 3)
    assert found.words == ("b", "a", "c")
    assert found.stream.tolist() == [0, 1, 0, -1, -1, 2, 1, 0]
    assert corpus.from_text("b a b\nc a b x y", 9, least=2).words == ("b", "a")


def test_marks_and_joiners_of_letters_belong_to_a_word():
    """A word of Hindi or Persian fell into its letters."""
    text = "हिन्दी में می\u200cخواهم cafe\u0301's don’t 3rd \u200c"
    assert corpus.tokens(text) == ["हिन्दी", "में", "می\u200cخواهم", "cafe\u0301", "don't", "rd"]


def test_files_are_read_as_one_text_whatever_their_packing(tmp_path, monkeypatch):
    text = "the cat\nsat on\nthe naïve mat".encode()
    files = [tmp_path / name for name in ("a.txt", "b.gz", "c.xz")]
    for file, pack in zip(files, (bytes, gzip.compress, lzma.compress), strict=True):
        file.write_bytes(pack(text))
    monkeypatch.setattr(corpus, "_BLOCK", 7)
    seen = []
    found = corpus.from_files(files, 100, report=seen.append)
    once = corpus.from_text(text.decode() + "\n", 100)
    assert found.words == once.words
    assert found.stream.tolist() == once.stream.tolist() * 3
    assert seen[-1].done == seen[-1].total == sum(file.stat().st_size for file in files)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"fine\nalso fine\nna\xefve\n", "line 3 is not text in UTF-8"),
        (b"one one one", "finds 1."),
        (b"", "finds 0."),
        (gzip.compress(b"", mtime=0)[:10] + b"\x07", "cannot be read: Error -3"),  # a block of no known kind
        (b"\x1f\x8bnot gzip", "cannot be read: Unknown compression method|cannot be read: Not a gzipped"),
        (lzma.compress(b"the cat sat" * 99)[:-9], "cannot be read: Compressed file ended"),
    ],
)
def test_a_text_that_cannot_be_used(tmp_path, content, said):
    (tmp_path / "text").write_bytes(content)
    with refuses(said):
        corpus.from_files([tmp_path / "text"], 100)


def test_a_file_may_be_one_line_and_no_piece_of_it_is_read_at_once(tmp_path, monkeypatch):
    text = "the cat sat on the mat, the cat's mat " * 99
    (tmp_path / "text").write_text(text)
    blocks, tokens = [], corpus.tokens
    monkeypatch.setattr(corpus, "_BLOCK", 50)
    monkeypatch.setattr(corpus, "tokens", lambda block: blocks.append(len(block)) or tokens(block))
    found = corpus.from_files([tmp_path / "text"], 100)
    assert max(blocks) < 100
    assert found.stream.tolist() == corpus.from_text(text + "\n", 100).stream.tolist()


def test_what_unpacks_to_far_more_than_a_text_could_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "_BLOCK", 1000)
    monkeypatch.setattr(corpus, "_SMALL", 10_000)
    for body, said in ((b"a" * 3000, "a word of more than 1,000 bytes"), (b"the cat " * 99_999, "unpack to more than")):
        (tmp_path / "text.gz").write_bytes(gzip.compress(body))
        with refuses(said):
            corpus.from_files([tmp_path / "text.gz"], 100)


def test_a_text_that_is_not_there(tmp_path):
    with refuses("none: cannot be read: No such file"):
        corpus.from_files([tmp_path / "none"], 100)


# Counts


def by_hand(text, window):
    """The count of every two words, as fractions, from the definition."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        for i, a in enumerate(words):
            for j, b in enumerate(words):
                if 0 < abs(i - j) <= window:
                    found[a, b] = found.get((a, b), 0) + Fraction(1, abs(i - j))
    return found


@pytest.mark.parametrize("fast", WAYS)
@pytest.mark.parametrize("window", [1, 3, 20])
def test_counts_are_those_of_the_definition(monkeypatch, fast, window):
    monkeypatch.setattr(corpus, "_CHUNK", 5)
    monkeypatch.setattr(corpus, "_CELLS", 7)
    text = "a b a c\nb b d\n\na\nc a b d e a"
    read = corpus.from_text(text, 100)
    seen = []
    found = count(read, window, seen.append, fast)
    wanted = by_hand(text, window)
    table = found.table(range(len(read.words)))
    for (a, b), value in wanted.items():
        assert table[read.words.index(a), read.words.index(b)] == pytest.approx(float(value), rel=1e-15)
    assert table.sum() == pytest.approx(float(sum(wanted.values())), rel=1e-15)
    assert len(found.rows) == len({frozenset(pair) for pair in wanted})
    assert (found.rows >= found.columns).all()
    assert (np.diff(found.rows * 1000 + found.columns) > 0).all()
    assert seen[-1].done == seen[-1].total


def test_both_ways_count_the_same_bytes(story):
    pytest.importorskip("numba")
    read = corpus.from_text(story, 100)
    slow, fast = count(read, 8), count(read, 8, fast=True)
    for name in ("rows", "columns", "values"):
        assert getattr(slow, name).tobytes() == getattr(fast, name).tobytes()


def test_a_table_of_chosen_words(story):
    read = corpus.from_text(story, 100)
    found = count(read, 4)
    whole = found.table(range(len(read.words)))
    assert found.table([5, 2]).tolist() == whole[np.ix_([5, 2], [5, 2])].tolist()
    assert (whole == whole.T).all()


def test_a_window_that_is_too_wide(story):
    with pytest.raises(ValueError, match="window of 21"):
        count(corpus.from_text(story, 100), 21)


# Training


def trained(story, settings=SMALL, fast=False):
    read = corpus.from_text(story, settings.words)
    trainer = GloveTrainer(count(read, settings.window), settings, fast)
    return Vectors.of("story", read.words, trainer.run()), trainer


@pytest.mark.parametrize("fast", WAYS)
def test_words_in_like_places_become_alike(story, fast):
    vectors, trainer = trained(story, fast=fast)
    assert trainer.finished
    assert len(trainer.losses) == SMALL.epochs
    assert trainer.losses[-1] < trainer.losses[0] / 5
    cosines = similarity.matrix(similarity.table(vectors, ["monday", "tuesday", "friday", "cat", "dog", "horse"]))
    within = np.mean([cosines[0, 1], cosines[0, 2], cosines[1, 2], cosines[3, 4], cosines[3, 5], cosines[4, 5]])
    assert within > cosines[:3, 3:].mean() + 0.3


@pytest.mark.parametrize("fast", WAYS)
def test_the_same_seed_gives_the_same_bytes(story, fast):
    first, second = (trained(story, fast=fast)[0].array.tobytes() for _ in range(2))
    assert first == second
    other = GloveSettings(**{**vars(SMALL), "seed": 2})
    assert trained(story, other, fast)[0].array.tobytes() != first


def test_the_number_of_cores_makes_no_difference(story):
    pytest.importorskip("numba")
    from explorer.words.loops import use_cores

    found = []
    for cores in (1, 2):
        use_cores(cores)
        found.append(trained(story, fast=True)[0].array.tobytes())
    assert found[0] == found[1]


def test_both_ways_take_the_same_steps(story):
    pytest.importorskip("numba")
    from explorer.words.loops import learn

    read = corpus.from_text(story, 100)
    one, two = (GloveTrainer(count(read, 4), SMALL) for _ in range(2))
    pairs = two._pairs
    for stage in range(pairs.stages):
        one.step()
        # A diagonal as parts of one pair each.
        bounds = np.arange(pairs.bounds[stage], pairs.bounds[stage + 1] + 1)
        rate = np.float32(SMALL.rate)
        learn(pairs.rows, pairs.columns, pairs.logs, pairs.weights, bounds, two.words, two.contexts, rate)
    for mine, theirs in zip((*one.words, *one.contexts), (*two.words, *two.contexts), strict=True):
        assert mine == pytest.approx(theirs, rel=1e-4, abs=1e-6)


def test_a_step_goes_down_the_gradient_of_the_objective():
    """AdaGrad's first step is rate * g / sqrt(1 + g²); g is the derivative, found by differences."""
    found = corpus.Counts(2, np.array([1], np.int32), np.array([0], np.int32), np.array([30.0]))
    trainer = GloveTrainer(found, GloveSettings(words=2, dims=3, x_max=100, alpha=0.75))
    w, b, c, d = (np.array(array, float) for array in (*trainer.words[:2], *trainer.contexts[:2]))

    def loss(i, wi):
        j = 1 - i
        return 0.5 * 0.3**0.75 * (wi @ c[j] + b[i] + d[j] - np.log(30)) ** 2

    assert next(trainer.epochs()) == pytest.approx((loss(0, w[0]) + loss(1, w[1])) / 2, rel=1e-5)
    for i in range(2):
        gradient = np.array([(loss(i, w[i] + e) - loss(i, w[i] - e)) / 2e-4 for e in np.eye(3) * 1e-4])
        step = -0.05 * gradient / np.sqrt(1 + gradient**2)
        assert trainer.words[0][i] - w[i] == pytest.approx(step, rel=1e-3, abs=1e-7)


@pytest.mark.parametrize("fast", WAYS)
def test_a_trainer_goes_on_from_its_state_to_the_same_bytes(story, fast):
    whole = trained(story, fast=fast)[0].array
    read = corpus.from_text(story, 100)
    first, second = (GloveTrainer(count(read, 4), SMALL, fast) for _ in range(2))
    for _ in range(43):
        first.step()
    second.restore({name: array.copy() for name, array in first.state().items()})
    assert second.epochs_done == first.epochs_done
    assert second.run().tobytes() == whole.tobytes()


def test_a_state_of_another_training_is_refused(story):
    first = trained(story)[1]
    other = trained(story, GloveSettings(**{**vars(SMALL), "dims": 9, "epochs": 1}))[1]
    with pytest.raises(ValueError, match="other shapes"):
        first.restore(other.state())
    with pytest.raises(KeyError):
        first.restore({})


def test_what_a_vector_is_in_the_end(story):
    vectors, trainer = trained(story)
    assert vectors.array.tobytes() == (trainer.words[0] + trainer.contexts[0]).tobytes()
    word, _ = trained(story, GloveSettings(**{**vars(SMALL), "vector": "word"}))
    assert word.array.tobytes() == trainer.words[0].tobytes()
    less, _ = trained(story, GloveSettings(**{**vars(SMALL), "remove": 2}))
    assert less.array.mean(0) == pytest.approx(np.zeros(10), abs=1e-6)
    assert np.linalg.matrix_rank(less.array, tol=1e-4) == 8


@pytest.mark.parametrize(
    ("name", "value"),
    [("dims", 0), ("window", 21), ("rate", float("nan")), ("words", 1), ("remove", 100), ("seed", -1)],
)
def test_settings_have_limits(name, value):
    with refuses(f"'{name}' is "):
        GloveSettings(**{name: value})


def test_a_short_text_of_ones_own(story):
    vectors, trainer = trained(story, glove.OWN_TEXT)
    assert trainer.losses[-1] < trainer.losses[0]
    assert {one.word for one in similarity.nearest(vectors, "cat", 4)} >= {"dog", "horse"}


def test_a_kind_of_vector_that_there_is_not():
    with refuses("sum or word; 'both' is neither"):
        GloveSettings(vector="both")


def test_words_that_all_stand_alone():
    with refuses("None of the 3 words stands beside another"):
        GloveTrainer(count(corpus.from_text("a\nb\nc", 9), 4), SMALL)


# From files to a file


@pytest.fixture
def text(tmp_path, story):
    (tmp_path / "story.txt").write_text(story, "utf-8")
    return tmp_path / "story.txt"


@pytest.mark.parametrize("fast", WAYS)
def test_a_training_that_was_stopped_goes_on_to_the_same_bytes(tmp_path, monkeypatch, text, fast):
    monkeypatch.setattr("explorer.core.progress.EVERY", 0)
    glove.train_files([text], tmp_path / "whole.npz", SMALL, fast=fast)
    read = []

    def stop_at(epochs):
        def report(now):
            read.append(now.what == "reading")
            if now.what == "training" and now.done >= epochs:
                raise Cancelled

        return report

    for epochs in (0, 4.2, 9):
        with pytest.raises(Cancelled):
            glove.train_files([text], tmp_path / "parts.npz", SMALL, stop_at(epochs), fast)
    assert (tmp_path / "parts.npz.training").is_dir()
    assert sum(read) == 1  # the first time: then the counts are kept
    glove.train_files([text], tmp_path / "parts.npz", SMALL, fast=fast)
    assert not (tmp_path / "parts.npz.training").exists()
    with np.load(tmp_path / "whole.npz") as whole, np.load(tmp_path / "parts.npz") as parts:
        assert whole["vectors"].tobytes() == parts["vectors"].tobytes()
        assert whole["words"].tolist() == parts["words"].tolist()


def test_progress_tells_the_work_the_loss_and_the_time_left(tmp_path, text):
    seen = []
    glove.train_files([text], tmp_path / "mine.txt", SMALL, seen.append)
    assert list(dict.fromkeys(one.what for one in seen)) == ["reading", "counting", "training"]
    last = seen[-1]
    assert (last.done, last.total, last.left) == (15, 15, 0)
    assert last.loss > 0


def test_another_training_does_not_go_on_in_the_same_folder(tmp_path, text):
    def stop(now):
        if now.what == "training":
            raise Cancelled

    with pytest.raises(Cancelled):
        glove.train_files([text], tmp_path / "mine.txt", SMALL, stop)
    with refuses("on other texts or settings"):
        glove.train_files([text], tmp_path / "mine.txt", GloveSettings(epochs=3))


def stopped(out, text, after=2):
    """A training that was stopped: the folder of what is kept of it."""

    def stop(now):
        if now.what == "training" and now.done > after:
            raise Cancelled

    with pytest.raises(Cancelled):
        glove.train_files([text], out, SMALL, stop)
    return out.with_name(f"{out.name}.training")


@pytest.mark.parametrize("name", ["counts", "state"])
def test_a_damaged_training_is_told_in_one_sentence_and_stays(tmp_path, monkeypatch, text, name):
    monkeypatch.setattr("explorer.core.progress.EVERY", 0)
    whole = glove.train_files([text], tmp_path / "whole.txt", SMALL)
    file = stopped(tmp_path / "mine.txt", text) / f"{name}.safetensors"
    kept = file.read_bytes()
    with file.open("rb") as stream:
        parts = Container(stream)
        said, arrays = parts.manifest, {part: parts.array(part) for part in parts.forms}
    for other in (
        {"words": np.frombuffer(b"\xff\xfe", np.uint8), "progress": np.zeros(0)},  # not UTF-8
        {"rows": arrays.get("rows", 0) + 10**6, "word.0": np.zeros(())},
        {"values": np.array(1.0), "progress": np.array(1.0)},
        {"values": np.array(1.0), "progress": np.full(3, np.nan)},
        {"values": np.full_like(arrays.get("values", 0.0), 1e-300), "progress": np.zeros(0)},  # 0 as they are used
    ):
        with file.open("wb") as stream:
            container.write(stream, said, {**arrays, **{part: a for part, a in other.items() if part in arrays}})
        before = file.read_bytes()
        with refuses(rf"{name}\.safetensors: is not a training that can be continued") as caught:
            glove.train_files([text], tmp_path / "mine.txt", SMALL)
        assert "\n" not in sentence(caught.value)
        assert file.read_bytes() == before
    file.unlink()
    file.mkdir()
    with refuses(r"can be continued: it is a folder\."):
        glove.train_files([text], tmp_path / "mine.txt", SMALL)
    file.rmdir()
    file.write_bytes(kept)
    assert glove.train_files([text], tmp_path / "mine.txt", SMALL).array.tobytes() == whole.array.tobytes()


def test_of_many_mutated_trainings_each_goes_on_rightly_or_is_told(tmp_path, monkeypatch, text):
    monkeypatch.setattr("explorer.core.progress.EVERY", 0)
    whole = glove.train_files([text], tmp_path / "whole.txt", SMALL)
    folder = stopped(tmp_path / "mine.txt", text, after=14)
    kept = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert sorted(kept) == ["counts.safetensors", "state.safetensors"]
    random, told = np.random.default_rng(11), []
    for i in range(120):
        folder.mkdir(exist_ok=True)
        for name, content in kept.items():
            (folder / name).write_bytes(content)
        name = ("counts.safetensors", "state.safetensors")[i % 2]
        (folder / name).write_bytes(mutated(kept[name], random))
        try:
            again = glove.train_files([text], tmp_path / "mine.txt", SMALL)
        except ExplorerError as error:
            told.append(error)
        else:  # what was changed means nothing, such as the time of a member
            assert again.array.tobytes() == whole.array.tobytes()
    assert len(told) > 80
    assert {error.id for error in told} <= {"run-not-read", "training-differs"}
    assert "\n" not in "".join(map(str, told))


def test_a_training_whose_counts_cannot_be_written_leaves_nothing(tmp_path, monkeypatch, text):
    def full(stream, _manifest, _arrays):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(container, "write", full)
    with refuses("No space left"):
        glove.train_files([text], tmp_path / "mine.txt", SMALL)
    assert not (tmp_path / "mine.txt.training").exists()


def test_nothing_is_begun_that_could_not_be_written(tmp_path, text):
    with refuses("ending"):
        glove.train_files([text], tmp_path / "mine.doc", SMALL)
    with refuses("cannot be read"):
        glove.train_files([tmp_path / "none"], tmp_path / "mine.txt", SMALL)
    assert not list(tmp_path.glob("*.training"))
