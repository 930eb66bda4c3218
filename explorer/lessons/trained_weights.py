"""What lies beside the lesson of a model that comes with the program: its weights, and its tokenizer."""

from collections.abc import Mapping
from pathlib import Path

from explorer.container import Container, DamagedError
from explorer.core.errors import ExplorerError, written_shape
from explorer.core.graph import Graph
from explorer.core.ops import Array
from explorer.core.vocabulary import Vocabulary
from explorer.lessons.reading import TomlTable

MOST_BYTES = 50_000_000


def read_weights(top: TomlTable, graphs: Mapping[str, Graph]) -> dict[str, Array]:
    """The arrays of the file that a lesson names under ``weights``, each the whole value of an input.

    `graphs`: of the lesson's settings.

    Raises `ExplorerError`: "lesson-key".
    """
    file = Path(top.file).parent / top.text("weights", most=MOST_PATH)
    try:
        if file.stat().st_size > MOST_BYTES:
            top.fail("weights", f"{file.name} has more than {MOST_BYTES:,} bytes", "choose a smaller model")
        with file.open("rb") as stream:
            parts = Container(stream)
            arrays = {name: parts.array(name) for name in parts.forms}
    except OSError as error:
        top.fail("weights", f"{file.name} cannot be read: {error.strerror}", "put the file beside this one")
    except DamagedError as error:
        top.fail(
            "weights", f"{file.name} cannot be read ({error})", "put the file there again, or train the model again"
        )
    for name, array in arrays.items():
        for graph in graphs.values():
            if name not in graph.inputs or array.dtype.kind != "f":
                top.fail("weights", f"{file.name} holds '{name}', which this model does not learn", "train it again")
            if array.shape != graph.shape(name):
                was, wanted = written_shape(array.shape), written_shape(graph.shape(name))
                top.fail("weights", f"'{name}' has shape {was} in {file.name}, not {wanted}", "train the model again")
    return arrays


def read_pieces(top: TomlTable) -> Vocabulary:
    """The pieces of the tokenizer.json that a lesson names under ``tokenizer``.

    Raises `ExplorerError`: "lesson-key".
    """
    from explorer.checkpoints.tokenizers.pieces import named  # few models have a tokenizer
    from explorer.checkpoints.tokenizers.tokenizer_json import from_json

    file = Path(top.file).parent / top.text("tokenizer", most=MOST_PATH)
    try:
        if file.stat().st_size > MOST_BYTES:
            top.fail("tokenizer", f"{file.name} has more than {MOST_BYTES:,} bytes", "choose a smaller one")
        tokenizer = from_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        top.fail("tokenizer", f"{file.name} cannot be read: {error.strerror}", "put the file beside this one")
    except ExplorerError as error:
        top.fail("tokenizer", f"{file.name} {error.fields.get('problem')}", "put the file there again")
    except ValueError:
        top.fail("tokenizer", f"{file.name} is no text", "put the file there again")
    return named(tokenizer, len(tokenizer.pieces))


MOST_PATH = 4000
