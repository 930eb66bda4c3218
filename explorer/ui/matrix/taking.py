"""A matrix taken out of the window, as text on the clipboard or as a file."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from explorer.core.errors import ExplorerError
from explorer.export.matrix import ENDINGS, FORMATS, LabelledMatrix, save
from explorer.pages.matrix import Matrix
from explorer.ui.errors import show_done, show_error
from explorer.ui.files import Dialogs


def table_of(matrix: Matrix) -> LabelledMatrix:
    """What a matrix shows, with all digits.

    Raises `ExplorerError`: "covered-matrix" where a question asks for some of its numbers.
    """
    if matrix.covered:
        raise ExplorerError("covered-matrix", name=matrix.name)
    rows = () if len(matrix.shape) < 2 else matrix.rows
    return LabelledMatrix(matrix.name, matrix.formula, matrix.array, rows, matrix.columns if matrix.shape else ())


def ways(matrix: Matrix, beside: QWidget) -> Iterator[tuple[str, Callable[[], None]]]:
    """What can be done with a matrix: words, and the act, which says beside a widget what came of it."""
    for name in FORMATS:
        yield f"Copy as {name}", partial(_told, beside, partial(_copied, matrix, name))
    yield "Save as a file …", partial(_told, beside, partial(_saved, matrix, beside))


def _copied(matrix: Matrix, name: str) -> str:
    QGuiApplication.clipboard().setText(FORMATS[name](table_of(matrix)))
    return f"{matrix.name} is on the clipboard as {name}"


def _saved(matrix: Matrix, beside: QWidget) -> str:
    table = table_of(matrix)
    known = {f"{name} (*{ending})": ending for ending, name in ENDINGS.items()}
    suggestion = f"{matrix.name}.tsv"
    file, chosen = QFileDialog.getSaveFileName(beside.window(), "Save the matrix", suggestion, ";;".join(known))
    if not file:
        return ""
    path: Path | None = Path(file)
    if path is not None and path.suffix.lower() not in ENDINGS:
        path = Dialogs(beside.window()).with_ending(path, known.get(chosen, ".tsv"))
    if path is None:
        return ""
    (written,) = save(table, path)
    return f"{matrix.name} is in {written}"


def _told(beside: QWidget, act: Callable[[], str]) -> None:
    try:
        if said := act():
            show_done(said, beside)
    except ExplorerError as error:
        show_error(error, beside)
