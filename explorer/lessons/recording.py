"""Records what somebody does in an example as the file of a lesson, whose steps still need their words."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from math import floor
from pathlib import Path

import numpy as np

from explorer import container, paths
from explorer.core.engine import Pin, same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.core.vocabulary import Vocabulary
from explorer.document.commands import Command, PinCells, Release, SetArray, SetSwitch, SetTokens
from explorer.document.state import State
from explorer.files import whole_file, write_file
from explorer.lessons.answers import values_of
from explorer.lessons.loader import FORMAT, example_files, lesson_from
from explorer.lessons.model_tables import gathered
from explorer.lessons.needed_model import needed_of, weights_in
from explorer.lessons.reading import MOST_BYTES, MOST_TITLE, TomlTable, parsed, written_value
from explorer.lessons.schema import Lesson, Look, NeededModel
from explorer.lessons.symbols import Names

WORDS = "Say here what there is to see."
_FEW = 6
"""At most this many changed cells of a matrix are written one by one."""


class Visit(Frozen):
    """A visited place, and the state of the document at that time."""

    state: State
    look: Look
    showing: str
    title: str
    head: int  # the chosen head, counted from 0


class Recording:
    """A lesson that is being recorded.

    `lesson`: what comes with the program, a model that others trained, a model of one's own, or a lesson on one of
    these. A model of one's own is taken as it is at the first recorded place; its weights get a file of their own.
    """

    def __init__(self, lesson: Lesson) -> None:
        self._lesson = lesson
        self._moments: list[Visit] = []
        self._first: State | None = None  # of a model of one's own, without its pins, which the first step has

    def __len__(self) -> int:
        return len(self._moments)

    def add(self, state: State, look: Look, showing: str = "values", title: str = "", head: int = 0) -> None:
        """Record a place, and the edits since the last recorded one.

        The same place without a new edit, or with the last edit continued, is no new step.

        `showing`: what matrices show; what a step cannot show counts as "values". `title`: that of the step, such as
        the label of the last edit; "": the name of the stage.
        """
        if self._first is None and self._is_own:
            self._first = replace(state, pins={})
        showing = showing if showing in ("values", "change", "gradient", "step") else "values"
        moment = Visit(state, look, showing, title or look.stage, head)
        last = self._moments[-1] if self._moments else None
        # A cell that is set twice, or dragged through many numbers, counts as one edit.
        again = last is not None and (last.state is state or (title and title == last.title))
        if last is not None and again and last.look.stage == look.stage:
            self._moments[-1] = replace(moment, title=last.title)
        else:
            self._moments.append(moment)

    def forget(self, undone: Collection[State]) -> None:
        """Drop the steps of states that were undone."""
        self._moments = [moment for moment in self._moments if moment.state not in undone]

    def save(self, path: Path) -> None:
        """Write the lesson's file and, beside it, the weights of a model of one's own.

        Raises `ExplorerError`: those of `toml`; "not-written".
        """
        title = path.name.removesuffix(".toml").removesuffix(".lesson")
        id = re.sub(r"[^a-z0-9-]+", "-", title.lower()).strip("-") or "my-lesson"
        text = self.toml(id, title)
        if self._is_own:
            with whole_file(path.with_name(_weights(id))) as stream:
                container.write(stream, {"lesson": id}, self.weights)
        write_file(path, text.encode())

    @property
    def weights(self) -> dict[str, Array]:
        """The numbers of a model of one's own that are no whole numbers, as it was at the first place."""
        return {name: array for name, array in self._begin().used.items() if array.dtype.kind == "f"}

    @property
    def _is_own(self) -> bool:
        return self._lesson.example not in example_files() and self._lesson.folder is None

    def _begin(self, setting: str | None = None) -> State:
        """The state before the first step, or that of a setting which a step changes to."""
        return self._lesson.state(setting) if self._first is None else self._first

    def toml(self, id: str, title: str, draft: bool = False) -> str:
        """The text of the lesson's file.

        `draft`: without size and hash of the model's weights, which take a second to read if the model is large.

        Raises `ExplorerError`: "not-recorded" if something was done that no step can express; "not-recordable" for a
        model that the file of a lesson cannot describe.
        """
        head = {"format": FORMAT, "id": id, "title": _title(title), "paragraph": WORDS}
        if self._is_own:
            head["weights"] = _weights(id)
        elif self.needed is None:
            head["example"] = self._lesson.example
        around = [*(self._model(id) if self._is_own else self._around(draft))]
        lines = [*_entries(head), *around]
        state = self._begin()
        longest = 0, 0
        for number, moment in enumerate(self._moments, start=1):
            step = ["", "[[step]]", *self._step(number, moment, state)]
            longest = max(longest, (sum(map(len, step)), number))
            lines += step
            state = moment.state
        text = "\n".join(lines) + "\n\n" + self._how_to_go_on()
        if (size := len(text.encode())) > MOST_BYTES:  # after training, say: it changes each number
            why = ExplorerError("step-too-large", size=f"{size:,}", most=f"{MOST_BYTES:,}")
            raise ExplorerError("not-recorded", step=longest[1], why=why)
        if self._is_own or self.needed is not None:
            try:
                whole = parsed(id, text.encode()).data  # without its file of weights, which is not there yet
                lesson_from(TomlTable(id, {key: value for key, value in whole.items() if key != "weights"}))
            except ExplorerError as error:
                raise ExplorerError("not-recorded", step=len(self._moments), why=error) from None
        return text

    @cached_property
    def needed(self) -> NeededModel | None:
        """The model of others that the file names; None if it comes with the program, or if a lesson there names it.

        Raises `ExplorerError`: "checkpoint".
        """
        lesson = self._lesson
        if lesson.folder is None or lesson.example in example_files():
            return None
        return needed_of(lesson)

    def _around(self, draft: bool) -> Iterator[str]:
        """The tables by which another person's folder is recognised, and the words with which the model opens."""
        needed, lesson = self.needed, self._lesson
        if needed is None or lesson.folder is None:
            return
        said = {"name": needed.name, "kind": needed.kind, "files": list(needed.files), "checked": True}
        said |= {"key_heads": needed.key_heads} if needed.key_heads else {}
        said |= {"decoder_layers": needed.decoder_layers} if needed.decoder_layers else {}
        said |= {} if draft else weights_in(lesson.folder)
        yield from ("", "[checkpoint]", *_entries(said), "", "[checkpoint.sizes]", *_entries(needed.sizes))
        if needed.switches:
            yield from ("", "[checkpoint.switches]", *_keyed(gathered(needed.switches, lesson.model)))
        for name, setting in lesson.settings.items():
            yield from ("", f"[settings.{name}]", *_entries({"title": setting.title, "paragraph": WORDS}))
            yield from (f"[settings.{name}.tokens]", *_texts(lesson.state(name)))

    def _model(self, id: str) -> list[str]:
        """The tables of a model of one's own.

        Raises `ExplorerError`: "not-recordable" if the model that they describe is another one.
        """
        state = self._begin()
        model = state.model
        sizes = {"kind": model.kind, "seed": model.seed, "layers": model.layers}
        sizes |= {"d_model": model.d_model, "dtype": model.dtype} if state.graph.sequences else {}
        axes = {axis: list(labels) for axis, labels in model.axes.items()}
        whole = {name: array for name, array in state.used.items() if array.dtype.kind != "f"}
        others = {name: array.tolist() for name, array in whole.items() if not name.endswith(".tokens")}
        lines = ["", "[model]", *_entries(sizes), "", "[model.axes]", *_keyed(axes), "", "[tokens]", *_texts(state)]
        lines += ["", "[switches]", *_keyed(gathered(model.switches, model))]
        lines += ["", "[inputs]", *_keyed(others)] if others else []
        setting = {"title": self._lesson.setting(state.setting).title, "paragraph": WORDS}
        lines += ["", f"[settings.{state.setting}]", *_entries(setting)]
        head = {"format": FORMAT, "id": id, "title": id, "paragraph": WORDS}
        try:
            if any(isinstance(words, Vocabulary) for words in model.axes.values()):
                raise ExplorerError("own-tokenizer")
            found = lesson_from(parsed(id, "\n".join([*_entries(head), *lines]).encode())).state()
            if found.graph.nodes != state.graph.nodes or found.used.keys() != state.used.keys():
                raise ExplorerError("own-structure")
        except ExplorerError as error:
            why = error
            if error.id == "lesson-key":  # without the key of a file that there will not be
                why = ExplorerError("own-key", problem=error.fields["problem"], remedy=error.fields["remedy"])
            raise ExplorerError("not-recordable", lesson=self._lesson.title, why=why) from None
        return lines

    def _how_to_go_on(self) -> str:
        """What a recorded lesson says at its end, from `resources/recorded_lesson.txt`.

        NODE is there a matrix of the recording, INPUT one that it depends on, and CELL, WRITTEN and ROW one of its
        cells in braces, in a list, and the row of that; LARGER is more than its number.
        """
        names, looks = Names(self._begin()), [moment.look for moment in self._moments]
        graph = names.state.graph
        chosen = [look.node for look in looks if look.rows and look.columns]
        on_pages = [name for look in looks for name, node in graph.nodes.items() if node.stage == look.stage]
        for name in (*chosen, *on_pages, *graph.nodes):
            with suppress(ExplorerError):  # a switch has added the node since
                place = graph.place(name)
                inputs = [one for one in graph.inputs_of(place.node) if len(graph.nodes[one].axes) > 1]
                if len(graph.axes_of(place)) == 2 and inputs and not graph.nodes[place.node].is_input:
                    cell = [_called(names, axis) for axis in graph.axes_of(place)]
                    said = {"NODE": name, "INPUT": inputs[0], "CELL": ", ".join(map(str, cell))}
                    at = names.cell(name, cell)
                    value = float(values_of(names.state).value(place)[at])
                    said |= {
                        "WRITTEN": written_value(cell)[1:-1],
                        "ROW": written_value(cell[0]),
                        "LARGER": f"{floor(10 * value + 1.5) / 10:g}",
                    }
                    words = (paths.resources() / "recorded_lesson.txt").read_text("utf-8")
                    return re.sub("|".join(said), partial(_put, said), words)
        return ""

    def _step(self, number: int, moment: Visit, before: State) -> Iterator[str]:
        yield f'id = "step-{number}"'
        yield f"title = {written_value(_title(moment.title))}"
        yield f"words = {written_value(WORDS)}"
        state = moment.state
        if state.setting != before.setting:
            yield f"setting = {written_value(state.setting)}"
            before = self._begin(state.setting)
        if moment.showing != "values":
            yield f"showing = {written_value(moment.showing)}"
        if moment.head:
            yield f"head = {moment.head + 1}"
        changes = _Changes(before, state, number)
        if changes.released:
            yield f"release = {written_value(changes.released)}"
        yield "[step.look]"
        yield from _look(moment)
        for name, table in changes.tables.items():
            if table:
                yield f"[step.{name}]"
                yield from _keyed(table)


def _weights(id: str) -> str:
    """The name of the file of weights beside a lesson; that of no model of others, which nobody should write over."""
    return f"{id}.weights.safetensors"


def _texts(state: State) -> list[str]:
    """The entries of a table of words that a model reads."""
    return _entries({one: list(state.graph.labels(one, state.inputs)) for one in state.graph.sequences})


def _called(names: Names, axis: str) -> str | int:
    """What a row or column of an axis is called, if possible one that is called by a word."""
    called = [names.called(axis, index) for index in range(len(names.labels(axis)))]
    return next((one for one in called if isinstance(one, str)), called[0])


def _put(said: Mapping[str, str], mark: re.Match[str]) -> str:
    return said[mark[0]]


def _title(text: str) -> str:
    """A title as long as a lesson's file may have it: the label of an edit may name a whole text."""
    return text if len(text) <= MOST_TITLE else f"{text[: MOST_TITLE - 2].rstrip()} …"


def _look(moment: Visit) -> Iterator[str]:
    look, names = moment.look, Names(moment.state)
    yield f"stage = {written_value(look.stage)}"
    for key, value in (("node", look.node), ("element", look.element), ("word", look.word)):
        if value:
            yield f"{key} = {written_value(value)}"
    for key, places, at in (("rows", look.rows, -2), ("columns", look.columns, -1)):
        if places:
            axis = names.axes(look.node)[-2:][at:][0]
            yield f"{key} = {written_value([names.called(axis, place) for place in places])}"
    if look.token is not None:
        axis, place = look.token
        yield f"token = {written_value(f'{axis} {names.called(axis, place)}')}"


class _Changes:
    """The changes by which a step turns one state into another: its tables, and the nodes whose pins are released."""

    def __init__(self, before: State, after: State, number: int) -> None:
        self._state = before
        self.tables: dict[str, dict[str, object]] = {"tokens": {}, "switches": {}, "inputs": {}, "pins": {}}
        try:
            self._find(after)
        except ExplorerError as error:
            raise ExplorerError("not-recorded", step=number, why=error) from None
        if not _same(self._state, after):
            raise ExplorerError("not-recorded", step=number, why="the model has another structure")

    def _do(self, command: Command) -> None:
        self._state = command.apply(self._state)

    def _find(self, after: State) -> None:
        for sequence in after.graph.sequences:
            words, now = after.graph.labels(sequence, after.inputs), self._state
            if sequence in now.graph.sequences and words != now.graph.labels(sequence, now.inputs):
                self.tables["tokens"][sequence] = list(words)
                self._do(SetTokens(sequence, words))
        for key in sorted(after.model.switches.keys() | self._state.model.switches.keys()):
            block, _, name = key.rpartition(".")
            if block in after.model.blocks() and block in self._state.model.blocks():
                value = after.model.switch(block, name)
                if value != self._state.model.switch(block, name):
                    self.tables["switches"][key] = value
                    self._do(SetSwitch(block, name, value))
        self.released = [name for name, pin in self._state.pins.items() if not _keeps(pin, after.pins.get(name))]
        for name in self.released:
            self._do(Release(name))
        for name, array in after.used.items():
            was = self._state.inputs.get(name)
            if was is not None and was.shape == array.shape and not same_bytes(was, array):
                self.tables["inputs"] |= dict(_cells(Names(self._state), name, array, was != array))
                self._do(SetArray(name, array))
        for name, pin in after.pins.items():
            old = self._state.pins.get(name)
            if old is None or not _same_pin(old, pin):
                self.tables["pins"] |= dict(
                    _cells(Names(self._state), name, np.where(pin.cells, pin.values, np.nan), pin.cells)
                )
                held = {cell: float(pin.values[cell]) for cell in map(tuple, np.argwhere(pin.cells).tolist())}
                self._do(PinCells(name, held))


def _cells(names: Names, name: str, array: Array, which: Array) -> Iterator[tuple[str, object]]:
    """The entries of a table for changed cells: one for each cell if they are few or not all, else the whole array.

    `array`: NaN where a pin holds nothing.
    """
    if not np.isfinite(array[which]).all():
        raise ExplorerError("number-too-large", text=name)
    some = array.ndim and (np.count_nonzero(which) <= _FEW or not which.all())
    entries = {_cell(names, name, one): array[tuple(one)].item() for one in np.argwhere(which).tolist() if some}
    yield from ((name, array.tolist()),) if "" in entries or not entries else entries.items()


def _cell(names: Names, name: str, cell: Sequence[int]) -> str:
    """A cell as "NODE[row, column]"; "" if that would mean another one: the text has words that are numbers."""
    places = list(zip(names.axes(name), cell, strict=True))
    called = [str(names.called(axis, index)) for axis, index in places]
    for word, (axis, index) in zip(called, places, strict=True):
        labels = names.labels(axis)
        if word in labels and (labels[index] != word or labels.count(word) > 1):
            return ""
    return f"{name}[{', '.join(called)}]"


def _keeps(old: Pin, new: Pin | None) -> bool:
    """Whether all cells of the old pin are still pinned."""
    return new is not None and old.cells.shape == new.cells.shape and bool((new.cells | ~old.cells).all())


def _same_pin(one: Pin, other: Pin) -> bool:
    return same_bytes(one.cells, other.cells) and same_bytes(one.values[one.cells], other.values[other.cells])


def _same(one: State, other: State) -> bool:
    mine, theirs = one.used, other.used
    return (
        one.graph.nodes == other.graph.nodes
        and mine.keys() == theirs.keys()
        and all(same_bytes(mine[name], theirs[name]) for name in mine)
        and one.pins.keys() == other.pins.keys()
        and all(_same_pin(pin, other.pins[name]) for name, pin in one.pins.items())
    )


def _entries(table: Mapping[str, object]) -> list[str]:
    return [f"{key} = {written_value(value)}" for key, value in table.items()]


def _keyed(table: Mapping[str, object]) -> list[str]:
    """The entries of a table whose keys are texts."""
    return [f"{written_value(key)} = {written_value(value)}" for key, value in table.items()]
