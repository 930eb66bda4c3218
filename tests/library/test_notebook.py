"""The notebook that comes along is run as Jupyter runs it, in a kernel of its own."""

import json

import pytest

from explorer.paths import resources

FILE = resources() / "notebooks" / "you-are-welcome.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The cells of the notebook after a run."""
    import nbformat  # here, or each process of tests would import Jupyter
    from nbclient import NotebookClient

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("QT_QPA_PLATFORM", "offscreen")
        for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
            environment.setenv(name, str(tmp_path_factory.mktemp(name)))
        notebook = nbformat.read(FILE, as_version=4)
        nbformat.validate(notebook)
        return NotebookClient(notebook, timeout=120).execute().cells


def shown(cell):
    """What a cell shows, by its kind: MIME types, or "text" for what it prints."""
    found = {}
    for output in cell.outputs:
        found |= {"text": output.text} if output.output_type == "stream" else output.data
    return found


def test_ten_cells_run(cells):
    assert len(cells) == 10
    assert all(cell.execution_count for cell in cells if cell.cell_type == "code")


def test_what_the_cells_show(cells):
    _, model, matrix, number, explained, difference, edited, gradient, undone, page = map(
        shown, [cell if cell.cell_type == "code" else type(cell)(outputs=[]) for cell in cells]
    )
    assert "You are welcome" in model["text/plain"]
    assert matrix["text/html"].count("<td") == 9
    assert matrix["text/latex"].startswith("$")
    first, second = number["text/plain"].strip("()").split(", ")
    assert first == second
    assert "softmax" in explained["text/latex"]
    assert "weights[0,2] = 0.53037" in explained["text/plain"]
    assert float(difference["text/plain"].removeprefix("np.float64(").rstrip(")")) < 1e-12
    assert "early" in edited["text/html"]
    assert "gradient of loss.value" in gradient["text/plain"]
    assert undone["text"].count("Undo: ") == 3
    assert undone["text/plain"] == "de nada"
    assert page["image/svg+xml"].startswith("<?xml")
    assert page["text/html"].startswith('<img alt="Encoder 1: ')


def test_it_comes_without_output(cells):
    read = json.loads(FILE.read_text("utf-8"))["cells"]
    assert all(not cell["outputs"] for cell in read if cell["cell_type"] == "code")
