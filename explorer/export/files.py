"""A whole model as a file: a spreadsheet with working formulas, or a numpy script."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from explorer.core import script
from explorer.document.document import Document
from explorer.files import write_file
from explorer.lessons.schema import Lesson

ENDINGS = (".xlsx", ".py")


def save_model(document: Document, lesson: Lesson, path: Path) -> tuple[Path, ...]:
    """Write all numbers of a document, and how they are computed, into a file.

    Parameters
    ----------
    lesson : Lesson
        The lesson that the document belongs to.
    path : Path
        Its ending, one of `ENDINGS`, decides the format.

    Returns
    -------
    tuple of Path
        The files written: a script may have its large arrays in a second one.

    Raises
    ------
    ExplorerError
        "sheet-too-large", "not-a-script-name" or "not-written".
    """
    return writing(document, lesson, path)()


def writing(document: Document, lesson: Lesson, path: Path) -> Callable[[], tuple[Path, ...]]:
    """A function that does `save_model` with the present numbers, and may be called later and on any thread."""
    document.settle()
    engine, model = replace(document.engine), document.state.model
    setting = lesson.settings.get(document.state.setting)
    said = setting.title if setting else document.state.setting
    if document.history.modified:
        said = f"{said}, edited"
    if path.suffix.lower() != ".xlsx":
        title = f"{lesson.title} ({lesson.id}), {said}"
        return lambda: script.save(script.export(engine, title), path)

    def write() -> tuple[Path, ...]:
        from explorer.export.workbook import workbook  # XlsxWriter takes 50 ms to import

        content = workbook(engine, model, lesson.title, said)
        return write_file(path, content)

    return write
