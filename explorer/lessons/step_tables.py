"""Reads the ``[[step]]`` tables of a lesson's file and checks them against the state of the model at each step."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from explorer.core.cell import Constant, Operand, Step
from explorer.core.cell import step as step_of
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, Place, name_of_head
from explorer.core.training.recipe import OPTIMISERS
from explorer.core.vocabulary import Vocabulary
from explorer.document.commands import Command, PinCells, Release, SetArray, SetCells, SetSwitch, SetTokens
from explorer.document.state import State
from explorer.lessons import schema
from explorer.lessons.answers import read_goal, values_of
from explorer.lessons.mistakes import array_of
from explorer.lessons.prose import cell_of, cells_in, is_gradient, sentences, texts_of
from explorer.lessons.reading import MOST_TEXT, TomlTable
from explorer.lessons.schema import Lesson
from explorer.lessons.symbols import Names, UnknownNameError, one_of
from explorer.lessons.walk import faded

MOST_STEPS = 100
ID = "[a-z0-9-]{1,60}"
MOST_MINUTES = 240
MOST_SENTENCES = 3
"""The most sentences on a slide."""
MOST_TRAINING = 2000
SHOWING = ("values", "change", "gradient", "step")
_KEYS = (
    *("id", "title", "words", "slide", "paper", "notes", "minutes", "setting", "showing", "head"),
    *("look", "switches", "inputs", "pins", "release", "tokens", "training", "question", "practice"),
)
PRACTICE = (
    (1, "one-missing", "The same with one step missing", "One step is left out, and so is the result"),
    (2, "two-missing", "Two steps missing", "Two steps are left out, and so is the result"),
    (schema.ALL, "all-missing", "All by yourself", "Every step is left out, and so is the result"),
)
"""The practice steps after a worked example: (how many steps of the derivation are left out, id, title, words)."""
PRACTICE_MINUTES = 1.5


def read_steps(top: TomlTable, lesson: Lesson) -> tuple[schema.Step, ...]:
    """The steps in a file, `top`; `lesson`: what the rest of the file describes.

    Raises `ExplorerError`: "lesson-step" or "lesson-step-name", naming the step, the problem and the remedy.
    """
    tables = top.tables("step")
    if len(tables) > MOST_STEPS:
        top.fail("step", f"there are {len(tables)} steps", f"write up to {MOST_STEPS}")
    begun = cache(lesson.state)  # several steps may start from the same setting
    state, read = lesson.state(), list[schema.Step]()
    for number, table in enumerate(tables, start=1):
        id = table.data.get("id")
        is_named = isinstance(id, str) and re.fullmatch(ID, id)
        table = TomlTable(top.file, table.data, (), str(id if is_named else number))
        if any(step.id == id for step in read):
            table.fail("id", "stands above already", "each step has an id of its own")
        reader = _StepReader(table, lesson, state, begun)
        try:
            step, state = reader.read()
            read += (step, *reader.practice(step))
        except UnknownNameError as error:
            what, name, remedy = error.what, error.name, error.remedy
            raise ExplorerError(
                "lesson-step-name", file=top.file, step=table.step, what=what, name=name, remedy=remedy
            ) from None
    return tuple(read)


class _StepReader:
    """Reads one step. `state` is the state of the step before; it becomes that of this step."""

    def __init__(self, table: TomlTable, lesson: Lesson, state: State, begun: Callable[[str], State]) -> None:
        self._table, self._lesson, self._state, self._begun = table, lesson, state, begun

    def read(self) -> tuple[schema.Step, State]:
        """The step, and its state without training."""
        table = self._table
        table.has_only(*_KEYS)
        id = table.text("id")
        if not re.fullmatch(ID, id):
            table.fail("id", f"{table.shown('id')} is no id", "write lower-case letters, digits and hyphens")
        step = schema.Step(
            id,
            table.text("title"),
            table.markdown("words"),
            schema.Look(""),
            notes=table.markdown("notes", default=""),
            minutes=table.real("minutes", default=0.0, least=0, most=MOST_MINUTES),
            slide=self._slide(),
            paper=table.markdown("paper", default=""),
            setting=table.one_of("setting", self._lesson.settings) if "setting" in table else "",
            showing=table.one_of("showing", SHOWING, default="values"),
        )
        if step.setting:
            self._state = self._begun(step.setting)
        edits = tuple(self._edits())
        step = replace(step, edits=edits, training=self._training())
        look, head = self._look(table.table("look"))
        question = self._question(look) if "question" in table else None
        if isinstance(question, schema.Predict):
            question = replace(question, learned=self._learned(step, question))
            if question.node == look.node and not (look.rows or look.columns or look.element):
                look = _at_cell(look, question.cell)  # of several covered cells of a table, which one is asked for
        return self._with_shown(replace(step, look=look, head=head, question=question)), self._state

    def _learned(self, step: schema.Step, question: schema.Predict) -> Step | None:
        """How one step of plain gradient descent gives the asked number; None where something else gives it.

        Only where the step begins with a setting, because `_state` is without the training of the steps before.
        """
        plan, place = step.training, self._state.graph.place(question.node)
        if plan is None or (plan.steps, plan.optimiser) != (1, "SGD") or not step.setting or question.of != "value":
            return None
        if not self._state.graph.nodes[place.node].is_input:
            return None
        engine, index = values_of(self._state), (*place.index, *question.cell)
        old = Operand(place.node, index, engine.value(place)[question.cell])
        gradient = Operand(place.node, index, array_of(engine, question.node, "gradient")[question.cell], "gradient")
        move = step_of("multiply", Constant(plan.rate, f"{plan.rate:g}"), gradient, label="rate times gradient")
        return step_of("subtract", old, move, label="old number minus that")

    def _slide(self) -> str:
        """The short text for a class, instead of the words."""
        slide = self._table.markdown("slide", default="")
        if (count := sentences(slide)) > MOST_SENTENCES:
            self._table.fail("slide", f"has {count} sentences", f"write {MOST_SENTENCES} at most, the rest in words")
        return slide

    def practice(self, step: schema.Step) -> Iterator[schema.Step]:
        """The practice steps after a step that asks for them: fresh numbers, with more and more left out.

        A derivation of a single step before its result has none with two steps left out.
        """
        if "practice" not in self._table:
            return
        table = self._table.table("practice")
        table.has_only("ask", "node", "cell", "digits", "hints", "why")
        hints = table.words("hints", (), MOST_TEXT)
        asked = self._predict(table, step.look, schema.Question(ask=table.markdown("ask"), hints=hints))
        look = self._practised(schema.Look(step.look.stage, asked.node), asked.cell)
        most = len(faded(replace(asked, fade=schema.ALL), values_of(self._state)).blanks) - 1
        if most < 0:
            table.fail("node", "is not computed, so no step can be left out", "name a number that is computed")
        for fade, id, title, said in (one for one in PRACTICE if one[0] <= most):
            why = table.markdown("why", "") if fade == schema.ALL else ""
            question = replace(asked, fade=fade, fresh=True, why=why)
            yield self._with_shown(
                schema.Step(
                    f"{step.id}-{id}",
                    title,
                    f"New numbers, and the same rule. {said}. Compute on paper, then fill the gaps.",
                    look,
                    minutes=PRACTICE_MINUTES,
                    head=step.head,
                    question=question,
                )
            )

    def _practised(self, look: schema.Look, cell: schema.Cell) -> schema.Look:
        """A look at the asked cell of a node; or at the two rows that are multiplied, if both are of one table."""
        graph = self._state.graph
        place = graph.find(look.node)
        parents = () if place is None else graph.nodes[place.node].parents
        if len(parents) == 2 and len(set(parents)) == 1:
            return replace(look, node=parents[0], rows=cell)
        return _at_cell(look, cell)

    def _with_shown(self, step: schema.Step) -> schema.Step:
        """The step with `shown` set: the cells that its texts name."""
        inner = [inner for text in (*texts_of(step), step.notes) for inner in cells_in(text)]
        shown = {one: self._names.written_cell(cell_of(one)) for one in inner}
        for one, (node, _) in shown.items():
            if is_gradient(one):
                self._check_gradient(self._table, "words", node)
        return replace(step, shown=shown)

    @property
    def _names(self) -> Names:
        return Names(self._state, self._lesson.needed is not None)

    # What is changed

    def _edits(self) -> list[Command]:
        table, done = self._table, list[Command]()

        def do(of: TomlTable, key: str, command: Command) -> None:
            try:
                self._state = command.apply(self._state)
            except ExplorerError as error:
                of.fail(key, error, "write what the model can hold")
            done.append(command)

        tokens = table.table("tokens")
        for sequence in tokens:
            one_of("sequence", sequence, self._state.graph.sequences)
            words, known = tokens.words(sequence), self._state.graph.vocabulary(sequence)
            if isinstance(known, Vocabulary) and (unknown := [word for word in words if word not in known]):
                tokens.fail(sequence, f"'{unknown[0]}' is no piece of the model", "write the pieces of its tokenizer")
            do(tokens, sequence, SetTokens(sequence, words))
        switches = table.table("switches")
        for key in switches:
            block, name = self._names.switch(key)
            do(switches, key, SetSwitch(block, name, switches.data[key]))
        for one in self._nodes(table, "release"):
            do(table, "release", Release(one))
        inputs, pins = table.table("inputs"), table.table("pins")
        for key in inputs:
            do(inputs, key, self._given(inputs, key, pin=False))
        for key in pins:
            do(pins, key, self._given(pins, key, pin=True))
        return done

    def _given(self, table: TomlTable, key: str, pin: bool) -> Command:
        """The command that sets or pins a whole array, or one cell given by its labels."""
        array = table.array(key, gaps=pin)
        if array.ndim == 0 and "[" in key:
            name, cell = self._names.written_cell(key)
            return PinCells(name, {cell: float(array)}) if pin else SetCells(name, {cell: float(array)})
        place = self._names.place(key)
        if self._names.stands_in and array.size:  # the true model has other sizes
            array = np.resize(array, self._state.graph.shape(place.node)[len(place.index) :])
        if not pin:
            return SetArray(key, array)
        return PinCells(key, {cell: float(n) for cell, n in np.ndenumerate(array) if not np.isnan(n)})

    def _training(self) -> schema.Training | None:
        if "training" not in self._table:
            return None
        table = self._table.table("training")
        table.has_only("steps", "rate", "optimiser")
        optimiser, rate = self._lesson.descent_in(self._state.setting)
        if LOSS not in self._state.graph.nodes:
            self._table.fail("training", "has no loss to lower here", "leave it out, or switch a loss on")
        return schema.Training(
            table.number("steps", default=1, least=1, most=MOST_TRAINING),
            table.real("rate", default=rate, least=1e-9, most=1000),
            table.one_of("optimiser", OPTIMISERS, default=optimiser),
        )

    # Where to look

    def _look(self, table: TomlTable) -> tuple[schema.Look, int]:
        table.has_only("stage", "node", "rows", "columns", "element", "token", "word", "ticked", "beside")
        stages = [stage.name for stage in self._state.graph.stages]
        stage = table.text("stage")
        writing = (*schema.WRITING, schema.FAMILY) if self._state.model.kind == "gpt" else ()
        one_of("stage", stage, [*stages, *schema.ELSEWHERE, *writing])
        head = self._table.number("head", default=1, least=1, most=128) - 1
        node = table.text("node", default="")
        if node:
            node, head = self._of_head(table, node, head)
        rows, columns = self._lines(table, "rows", node), self._lines(table, "columns", node)
        token = None
        if "token" in table:
            axis, _, word = table.text("token").partition(" ")
            token = one_of("sequence", axis, self._state.graph.axes), self._names.number(axis, word, "token")
        element, word = table.text("element", ""), table.text("word", "")
        ticked = table.words("ticked", ())
        beside = tuple(self._nodes(table, "beside"))
        return schema.Look(stage, node, rows, columns, element, token, word, ticked, beside), head

    def _nodes(self, table: TomlTable, key: str) -> dict[str, Place]:
        """The nodes and slices that a list names, each with its place; none if the list is missing."""
        return {name: self._names.place(name) for name in table.words(key, ())}

    def _of_head(self, table: TomlTable, node: str, head: int) -> tuple[str, int]:
        """The name of a node, or of the slice of the given head if the node is stacked over heads; and the head."""
        graph = self._state.graph
        place = self._names.place(node)
        if place.head is not None:
            return node, place.head
        heads = graph.n_heads.get(place.node)
        if not heads:
            return node, head
        if head >= heads:
            self._table.fail("head", f"{head + 1} is out of range", f"choose from 1 to {heads}")
        return name_of_head(node, head), head

    def _lines(self, table: TomlTable, key: str, node: str) -> tuple[int, ...]:
        if key not in table:
            return ()
        if not node:
            table.fail(key, "are of no matrix", 'name it: node = "…"')
        given = table.data[key]
        if not isinstance(given, list) or not given:
            table.fail(key, "is not a list", f'write {key} = ["friend"] or {key} = [1]')
        axes = self._names.axes(node)
        least = 1 if key == "rows" else 2
        if len(axes) < least:
            table.fail(key, f"are more than `{node}` has", f"it has {'rows alone' if axes else 'one number'}")
        axis = axes[-1] if key == "columns" or len(axes) == 1 else axes[-2]
        what = key.removesuffix("s")
        return tuple(self._names.number(axis, one, what) for one in given)

    # What is asked

    def _question(self, look: schema.Look) -> schema.Question:
        table = self._table.table("question")
        kinds: dict[str, Callable[[TomlTable, schema.Look, schema.Question], schema.Question]]
        kinds = {"predict": self._predict, "choose": self._choose, "point": self._point, "make": self._make}
        kind = table.one_of("kind", kinds)
        hints = table.words("hints", (), MOST_TEXT)
        covers = tuple(self._nodes(table, "covers"))
        ask, paper, why = table.markdown("ask"), table.markdown("paper", ""), table.markdown("why", "")
        alone = table.flag("alone", True)
        common = schema.Question(ask=ask, paper=paper, hints=hints, why=why, covers=covers, alone=alone)
        return kinds[kind](table, look, common)

    def _node(self, table: TomlTable, look: schema.Look) -> str:
        node = table.text("node", default=look.node)
        if not node:
            table.fail("node", "is missing", 'say of which node: node = "…"')
        return self._of_head(table, node, self._table.number("head", default=1, least=1, most=128) - 1)[0]

    def _predict(self, table: TomlTable, look: schema.Look, common: schema.Question) -> schema.Predict:
        table.has_only(*_PLAIN, "node", "cell", "of", "digits", "fade", "fresh")
        node = self._node(table, look)
        if "cell" in table:
            cell = self._cell(table, "cell", node, table.data["cell"])
        elif node == look.node and len(look.rows) == 1 == len(look.columns):
            cell = (look.rows[0], look.columns[0])
        elif not self._names.axes(node):
            cell = ()
        else:
            table.fail("cell", "is missing", 'say which number is asked for: cell = ["row", "column"]')
        fade = schema.ALL if table.data.get("fade") == "all" else table.number("fade", default=0, least=0, most=100)
        digits, fresh = table.number("digits", default=2, least=0, most=8), table.flag("fresh", False)
        of = table.one_of("of", ("value", "gradient"), default="value")
        if of == "gradient":
            self._check_gradient(table, "of", node)
            if fresh:
                table.fail("fresh", "draws no numbers for a gradient", "leave it out")
        return schema.Predict(**vars(common), node=node, cell=cell, of=of, digits=digits, fade=fade, fresh=fresh)

    def _check_gradient(self, table: TomlTable, key: str, node: str) -> None:
        """Raise an error if a node has no gradient."""
        graph = self._state.graph
        if LOSS not in graph.nodes or graph.nodes[graph.place(node).node].op.whole:
            table.fail(key, f"asks for a gradient that `{node}` has not", "name a node of a model that has a loss")

    def _cell(self, table: TomlTable, key: str, node: str, labels: object) -> schema.Cell:
        if not isinstance(labels, list):
            table.fail(key, "is not a list", f'write {key} = ["row", "column"]')
        return self._names.cell(node, labels)

    def _choose(self, table: TomlTable, look: schema.Look, common: schema.Question) -> schema.Choose:
        table.has_only(*_PLAIN, "choices", "order")
        choices, ones = [], table.tables("choices")
        right_ones = sum(one.flag("right", False) for one in ones)
        if not 0 < right_ones < len(ones):  # before the others, which would ask for the `why` of a right one
            table.fail("choices", "need a right answer and a wrong one", 'write [{ text = "…", right = true }, …]')
        for one in ones:
            one.has_only("text", "right", "why")
            right = one.flag("right", False)
            why = one.markdown("why", "") if right else one.markdown("why")
            choices.append(schema.Choice(one.text("text", most=MOST_TEXT), right, why))
        mixed = table.one_of("order", ("mixed", "as written"), default="mixed") == "mixed"
        return schema.Choose(**vars(common), choices=tuple(choices), mixed=mixed)

    def _point(self, table: TomlTable, look: schema.Look, common: schema.Question) -> schema.Point:
        table.has_only(*_PLAIN, "at", "node", "right")
        at, right = table.one_of("at", ("token", "cell", "head")), table.table("right")
        if len(right) != 1:
            table.fail("right", "says how the right answer is found", 'write right = { largest = "row" }')
        (how,) = right
        right.has_only("largest", "smallest", at, f"{at}s")
        question = schema.Point(**vars(common), at=at)
        if how in ("largest", "smallest"):
            name = table.text("node", default=look.node) if at == "head" else self._node(table, look)
            return self._extreme(table, right, how, replace(question, node=name))
        given = right.data[how] if how == f"{at}s" else [right.data[how]]
        if not isinstance(given, list) or not given:
            right.fail(how, "is not a list", "write each answer in it")
        if at == "cell":
            node = self._node(table, look)
            return replace(question, node=node, right=tuple(self._cell(right, how, node, one) for one in given))
        if at == "token":
            axis = self._token_axis(table, look, given[0])
            numbers = tuple((self._names.number(axis, one, "token"),) for one in given)
            return replace(question, axis=axis, right=numbers)
        if not all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in given):
            right.fail(how, "is no number of a head", "count from 1")
        heads = max(self._state.graph.n_heads.get(name, 1) for name in self._state.graph.nodes)
        if max(given) > heads:
            right.fail(how, f"{max(given)} is out of range", f"choose from 1 to {heads}")
        return replace(question, right=tuple((one - 1,) for one in given))

    def _extreme(self, table: TomlTable, right: TomlTable, how: str, question: schema.Point) -> schema.Point:
        """A question for the largest or the smallest number of a node, or of one of its rows."""
        node, row = question.node, right.data[how]
        axes = self._names.axes(node)
        if not axes:
            table.fail("node", "is a single number", "name one with rows or columns")
        if question.at == "head" and len(axes) < 3:
            table.fail("node", "is not stacked over heads", "name one that is, such as encoder.1.self.weights")
        question = replace(question, extreme=how, axis=axes[-1] if question.at == "token" and axes else "")
        if row == "all":
            return question
        if len(axes) < 2:
            right.fail(how, "needs a matrix with rows", f'write {how} = "all"')
        return replace(question, row=self._names.number(axes[-2], row, "row"))

    def _token_axis(self, table: TomlTable, look: schema.Look, token: object) -> str:
        """The axis of a directly named token: the columns or rows of the node, or a sequence."""
        node = table.text("node", default=look.node)
        axes = self._names.axes(node) if node else ()
        known = [*reversed(axes), *self._state.graph.sequences]
        if not known:
            table.fail("node", "is missing", "name a node whose columns or rows are the words")
        return next((axis for axis in known if token in self._names.labels(axis)), known[0])

    def _make(self, table: TomlTable, look: schema.Look, common: schema.Question) -> schema.MakeSo:
        table.has_only(*_PLAIN, "goal", "edits", "allowed")
        goal = table.text("goal", most=MOST_TEXT)
        conditions = read_goal(goal, self._names)
        allowed = self._nodes(table, "allowed")
        for name, place in allowed.items():
            if not self._state.graph.nodes[place.node].is_input:
                inputs = ", ".join(self._state.graph.inputs_of(place.node))
                table.fail("allowed", f"names `{name}`, which is computed", f"name inputs, such as {inputs}")
        edits = table.number("edits", default=0, least=0, most=10_000)
        return schema.MakeSo(**vars(common), goal=goal, conditions=conditions, edits=edits, allowed=tuple(allowed))


def _at_cell(look: schema.Look, cell: schema.Cell) -> schema.Look:
    """A look at a node, as a look at one of its cells."""
    rows, columns = (cell[-2:-1], cell[-1:]) if len(cell) > 1 else (cell, ())
    return replace(look, rows=rows, columns=columns)


_PLAIN = ("kind", "ask", "paper", "hints", "why", "covers", "alone")
