"""Loads lessons from TOML files and checks everything in them.

Also courses: files that put lessons into an order.
"""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from explorer import paths
from explorer.core.errors import ExplorerError, nearest
from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.lessons.model_tables import inputs_of, read_model, read_settings, switches_in, to_try
from explorer.lessons.reading import MOST_TEXT, TomlTable, likeliest, read, recipe_in
from explorer.lessons.schema import WHOLE, Lesson, Setting

if TYPE_CHECKING:
    from explorer.checkpoints.checkpoint import Checkpoint, Told

MOST_SETTINGS = 20
FORMAT = 4
"""The format of a lesson's file. Formats 1 to 3, in which numbers counted from 0, were never released."""


def load(name_or_path: str | Path, model: str | Path | None = None, told: "Told | None" = None) -> Lesson:
    """A lesson of the program by its id, or any lesson by the path of its file.

    `model`: the folder or file of the model that it needs; None: a lesson that needs one has its stand-in.
    `told`: called while the model is read; see `explorer.checkpoints.opened`.
    Raises `ExplorerError`: "unknown-lesson", "no-model-in-folder", "lesson-not-read", "lesson-too-large",
    "lesson-syntax" or "lesson-key"; with a model those of `load_with`.
    """
    if model is not None:
        return load_with(name_or_path, Path(model), told)
    name, files = str(name_or_path), example_files()
    if isinstance(name_or_path, Path) or name.endswith(".toml") or "/" in name or "\\" in name:
        return lesson_from(read(Path(name)))
    if name in files:
        return _given(files[name])
    if os.path.isdir(name):
        raise ExplorerError("no-model-in-folder", name=name)
    if os.path.isfile(name):
        return lesson_from(read(Path(name)))
    raise ExplorerError("unknown-lesson", name=name, near=nearest(name, list(files)))


def ready(name_or_path: str | Path, model: str | Path | None = None, told: "Told | None" = None) -> Lesson:
    """A lesson that can be opened as it is, or with its model, as in `load`.

    Raises `ExplorerError`: those of `load`, and "model-needed" if its model is not given.
    """
    lesson = load(name_or_path, model, told)
    if lesson.needed is not None:
        raise lesson.needed.missing(lesson.title)
    return lesson


def load_with(name_or_path: str | Path, model: Path, told: "Told | None" = None) -> Lesson:
    """A lesson that needs a model, with the model from a folder or a file.

    Raises `ExplorerError`: those of `load`, and of `explorer.lessons.needed_model.read_given`; "no-model-needed".
    """
    files = example_files()
    name = str(name_or_path)
    top = read(files[name] if name in files else Path(name))
    whole = _with_example(top)
    if "checkpoint" not in whole:
        raise ExplorerError("no-model-needed", name=name)
    from explorer.lessons.needed_model import read_given  # few lessons need a model

    found = read_given(whole, model, told)
    lesson = lesson_from(top, found)
    return replace(lesson, folder=found.path, architecture=found.architecture)


def catalogue() -> list[Lesson]:
    """The lessons that come with the program, the easiest first."""
    return _in_order(lesson_files())


def models() -> list[Lesson]:
    """The models that were trained for the program and come with it, the smallest first."""
    return _in_order(model_files())


def _in_order(files: Mapping[str, Path]) -> list[Lesson]:
    return sorted(map(_given, files.values()), key=lambda lesson: (lesson.order, lesson.title))


def _given(file: Path) -> Lesson:
    """A lesson of the program, the same one each time: so are the states of its steps, some of which train a model."""
    return _read(file, file.stat().st_mtime_ns)


@cache
def _read(file: Path, changed: int) -> Lesson:
    return lesson_from(read(file))


def titles() -> dict[str, str]:
    """The titles of the program's lessons by id, the easiest first; no model is built for that."""
    return _titles(lesson_files())


def model_titles() -> dict[str, str]:
    """The titles of the models that were trained for the program, by id."""
    return _titles(model_files())


def _titles(files: Mapping[str, Path]) -> dict[str, str]:
    return {head.id: head.title for head in sorted(map(head_of, files.values()))}


@cache
def errata() -> Mapping[str, str]:
    """The ids of the lessons on what a printed example gets wrong, by the number of the text, such as "004".

    The result is kept, because it is needed for each number that the reader points at. Only files with names "errata-…"
    are read: reading all files would stop the window for 0.13 s.
    """
    files = [file for id, file in lesson_files().items() if id.startswith("errata-")]
    return {head.errata: head.id for head in map(head_of, files) if head.errata}


class Head(NamedTuple):
    """The facts on a lesson that can be read without building its model."""

    order: int
    title: str
    id: str
    needs: tuple[str, ...]
    errata: str  # the text whose errata it is
    takes_over: bool  # whether its settings are those of other examples


def head_of(file: Path) -> Head:
    """The facts on the lesson in a file; errors as in `load`."""
    return _read_head(file, file.stat().st_mtime_ns)


@cache
def _read_head(file: Path, changed: int) -> Head:
    """The head of a lesson's file, cached: menus need it often, and all take 0.2 s. Files of others are read whole."""
    top = read(file, head=file.parent.parent == paths.resources())
    needs = top.words("needs", ())
    errata = top.text("reference") if top.flag("errata", False) else ""
    return Head(_order(top), top.text("title"), top.text("id"), needs, errata, _takes_over(top.table("settings")))


def lesson_files() -> MappingProxyType[str, Path]:
    """The files of the lessons that come with the program, by id."""
    return _files(paths.resources() / "lessons")


def model_files() -> MappingProxyType[str, Path]:
    """The files of the models that were trained for the program and come with it, by id."""
    return _files(paths.resources() / "models")


def example_files() -> dict[str, Path]:
    """The files of the lessons and models that come with the program, by id."""
    return lesson_files() | model_files()


@cache
def _files(folder: Path) -> MappingProxyType[str, Path]:
    return MappingProxyType({file.stem: file for file in sorted(folder.glob("*.toml"))})


def lesson_from(top: TomlTable, found: "Checkpoint | None" = None) -> Lesson:
    """The lesson that a file's table describes.

    `found`: the model that the lesson needs, if it needs one and that was found.

    Raises `ExplorerError`: "no-lesson"; "lesson-key", naming file, key, problem and remedy.
    """
    for key, what in (("data", "a recipe for `explorer train`"), ("questions", "an exercise sheet")):
        if key in top and "id" not in top:
            raise ExplorerError("no-lesson", file=top.file, what=what)
    format = top.number("format", default=FORMAT, least=1, most=10**9)
    if format != FORMAT:
        id = "lesson-newer" if format > FORMAT else "lesson-older"
        raise ExplorerError(id, file=top.file, version=format, known=FORMAT)
    top = _with_example(top)
    top.has_only(
        *("id", "title", "paragraph", "try", "reference", "start_stage", "start_head", "order", "ours"),
        *("model", "tokens", "switches", "inputs", "settings", "training", "weights", "card"),
        *("tokenizer", "checkpoint"),
        *("format", "example", "teaches", "needs", "minutes", "step", "learns", "errata"),
    )
    id = top.text("id")
    if not set(id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-"):
        top.fail("id", f"'{id}' is no id", "write lower-case letters, digits and hyphens, as in you-are-welcome")
    title, paragraph = top.text("title"), top.text("paragraph", most=MOST_TEXT)
    tables = top.table("settings")
    if not len(tables):
        top.fail("settings", "is missing", "add at least one, such as [settings.textbook]")
    if len(tables) > MOST_SETTINGS:
        top.fail("settings", f"holds {len(tables)} settings", f"write up to {MOST_SETTINGS}")
    ours: Collection[str] = ()
    needed = None
    inputs: Mapping[str, Array]
    if "checkpoint" in top:
        from explorer.lessons.needed_model import read_needed, read_on_needed  # few lessons need a model

        needed = read_needed(top)
        _lacks(top, "the model that the lesson needs", "tokenizer", "training", "learns")
        model, inputs, settings = read_on_needed(top, needed, found)
        stage = WHOLE
    elif _takes_over(tables):
        _lacks(top, "the examples that the settings are from", "start_stage")
        settings = {name: _from_example(tables.table(name), name, id) for name in tables}
        first = next(iter(settings.values()))
        assert first.model is not None
        model, inputs = first.model, {}
        stage = WHOLE  # the only stage that all models have
    else:
        model, given = read_model(top)
        model = replace(model, switches=switches_in(top.table("switches"), model))
        inputs, settings, ours, stage = read_settings(top, model, given)
    order = _order(top)
    reference = top.text("reference", default="")
    training = recipe_in(top.table("training")) if "training" in top else None
    lesson = Lesson(
        *(id, title, paragraph, reference, stage, order, model, inputs, frozenset(ours), settings),
        training=training,
        learns=top.one_of("learns", settings) if "learns" in top else "",
        to_try=to_try(top),
        teaches=top.text("teaches", default=""),
        needs=top.words("needs", ()),
        minutes=top.real("minutes", default=0.0, least=0, most=1000),
        start_head=top.number("start_head", default=1, least=1, most=128),
        card={name: top.table("card").real(name, 0.0, -1e12, 1e12) for name in top.table("card")},
        example=top.text("example", default=id),
        errata=top.flag("errata", False),
        needed=needed if found is None else None,
    )
    if "step" not in top:
        return lesson
    from explorer.lessons.step_tables import read_steps  # the model of the first picture has no steps

    return replace(lesson, steps=read_steps(top, lesson))


def _lacks(top: TomlTable, owner: str, *more: str) -> None:
    for key in ("model", "tokens", "switches", "inputs", "weights", "ours", *more):
        if key in top:
            top.fail(key, f"belongs to {owner}", "leave it out")


def _takes_over(settings: TomlTable) -> bool:
    """Whether a lesson's settings are those of other examples."""
    return any("from" in settings.table(name) for name in settings)


def _from_example(table: TomlTable, name: str, lesson: str) -> Setting:
    """A setting of another example, with its model and all its numbers: `from = "EXAMPLE/SETTING"`."""
    table.has_only("from", "title", "paragraph")
    id, _, setting = table.text("from").partition("/")
    files = example_files()
    files.pop(lesson, None)
    # The example must not take over settings itself: that could lead back to this lesson.
    if id not in files or head_of(files[id]).takes_over:
        own = [one for one, file in files.items() if not head_of(file).takes_over]
        table.fail("from", f"there is no example '{id}'", likeliest(id, own, "there are"))
    example = _given(files[id])
    if setting not in example.settings:
        table.fail("from", f"'{id}' has no setting '{setting}'", likeliest(setting, example.settings, "it has"))
    found = example.settings[setting]
    return replace(
        found,
        name=name,
        title=table.text("title", default=found.title),
        paragraph=table.text("paragraph", default=found.paragraph, most=MOST_TEXT),
        inputs={**example.inputs, **found.inputs},
        ours=(example.ours | found.ours).intersection(inputs_of(example.state(setting).graph)),
        model=example.model,
        training=example.training_in(setting),
        source=(id, setting),
    )


def _with_example(top: TomlTable) -> TomlTable:
    """The table of a lesson with all that it takes over from its example, including the numbers."""
    if "example" not in top:
        return top
    id = top.text("example")
    files = {name: file for name, file in example_files().items() if name != top.data.get("id")}
    if id not in files:
        top.fail("example", f"there is no '{id}'", likeliest(id, files, "there are"))
    taken = {key: value for key, value in _with_example(read(files[id])).data.items() if key in _OF_EXAMPLE}
    taken = _lying(files[id].parent, taken)
    taken["settings"] = {name: _lying(files[id].parent, one) for name, one in taken["settings"].items()}
    for key in taken.keys() & top.data.keys() & set(_NUMBERS):
        top.fail(key, "belongs to the example", "leave it out, and change it in a step")
    return TomlTable(top.file, {**taken, **top.data})


def _lying(folder: Path, table: Mapping[str, Any]) -> dict[str, Any]:
    """The table with full paths for the files in a folder that it names."""
    return {key: str(folder / value) if key in ("weights", "tokenizer") else value for key, value in table.items()}


_NUMBERS = ("model", "tokens", "switches", "inputs", "settings")
_OF_EXAMPLE = (
    *_NUMBERS,
    *("weights", "tokenizer", "checkpoint", "ours", "training", "learns", "reference", "start_stage", "start_head"),
)
"""The keys that a lesson takes over from its example."""


def _order(top: TomlTable) -> int:
    return top.number("order", default=1000, least=0, most=1000)


class Course(Frozen):
    """Some lessons in an order."""

    id: str  # the name of its file
    title: str
    paragraph: str
    lessons: tuple[str, ...]  # the ids of the lessons; each comes after those that it needs
    chapter: int = 0  # its number among the chapters of the path through all lessons; 0: a course by itself


def courses() -> list[Course]:
    """The courses that come with the program, sorted by title."""
    return sorted((one for one in _all() if not one.chapter), key=lambda course: course.title)


def chapters() -> list[Course]:
    """The chapters of the path through all lessons, in their order."""
    return sorted((one for one in _all() if one.chapter), key=lambda course: course.chapter)


def _all() -> list[Course]:
    files, known = sorted((paths.resources() / "courses").glob("*.toml")), lesson_files()
    return [course_from(read(file), file.stem, known) for file in files]


def course(id: str) -> Course:
    """The course with this id.

    Raises `ExplorerError`: "unknown-course".
    """
    known = {one.id: one for one in courses()}
    if id not in known:
        raise ExplorerError("unknown-course", name=id, near=nearest(id, list(known)))
    return known[id]


def next_lesson(
    id: str, chosen: str, is_whole: Callable[[Lesson], bool], is_new: Callable[[Lesson], bool] = lambda _: False
) -> Lesson | None:
    """The next lesson with questions, after the lesson `id`, that is not finished yet; None if there is none.

    `chosen`: the id of the course that the student follows. If it is empty or lacks the lesson, the longest course with
    the lesson is followed, or else all lessons in their order. After a chapter comes the next chapter.
    `is_new`: whether the student has never begun a lesson: one that the next lesson needs comes before that.
    """
    found, path = [one for one in courses() if id in one.lessons], chapters()
    found.sort(key=lambda one: (one.id == chosen, len(one.lessons)))
    if any(one.id == chosen and id in one.lessons for one in path):
        order = tuple(lesson for one in path for lesson in one.lessons)
    else:
        order = found[-1].lessons if found else tuple(titles())
    behind = map(load, order[order.index(id) + 1 :] if id in order else ())
    asked = (lesson for lesson in behind if lesson.questions and not lesson.errata)
    found_next = next((lesson for lesson in asked if not is_whole(lesson)), None)
    while found_next is not None:
        unread = next((need for need in map(load, found_next.needs) if need.id != id and is_new(need)), None)
        if unread is None:
            break
        found_next = unread
    return found_next


def course_from(top: TomlTable, id: str, known: Mapping[str, Path]) -> Course:
    """The course that a file's table describes; `known`: the files of all lessons, by id.

    Raises `ExplorerError`: "lesson-key" if a lesson is unknown, is listed twice, or comes before one that it needs.
    """
    top.has_only("title", "paragraph", "lessons", "chapter")
    lessons = top.words("lessons")
    for at, lesson in enumerate(lessons):
        if lesson not in known:
            top.fail("lessons", f"there is no lesson '{lesson}'", likeliest(lesson, known, "there are"))
        if lesson in lessons[:at]:
            top.fail("lessons", f"'{lesson}' stands twice", "name each lesson once")
        for need in head_of(known[lesson]).needs:
            if need in lessons[at:]:
                top.fail("lessons", f"'{lesson}' needs '{need}', which comes later", f"put '{need}' before it")
    chapter = top.number("chapter", default=0, least=0, most=100)
    return Course(id, top.text("title"), top.text("paragraph", most=MOST_TEXT), lessons, chapter)
