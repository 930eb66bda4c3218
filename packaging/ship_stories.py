"""Put stories260K into `resources/models`, so that it comes along: its weights, its tokenizer, and its switches.

    python packaging/ship_stories.py stories260K.bin tok512.bin

Both are of Andrej Karpathy's tinyllamas, under the MIT licence. The words about it are written by hand, in
`resources/models/stories260k.toml`; what stands there below the line that names this script is written by it.
"""

import json
import sys
from pathlib import Path

from explorer import container, paths
from explorer.checkpoints.llama2c import opened, tokenizer_of
from explorer.files import whole_file

NAME = "stories260k"
LINE = "# Written by packaging/ship_stories.py: do not edit."


def main(model_file: str, tokenizer_file: str) -> None:
    """Write the three files."""
    tokenizer = tokenizer_of(Path(tokenizer_file))
    found = opened(model_file, "float32", tokenizer_file)
    model, inputs = found.model, found.inputs
    folder = paths.resources() / "models"
    weights = {name: array for name, array in inputs.items() if name not in ("input.tokens", "output.temperature")}
    with whole_file(folder / f"{NAME}.safetensors") as stream:
        container.write(stream, {"from": Path(model_file).name}, weights)
    (folder / f"{NAME}.tokenizer.json").write_text(tokenizer.source + "\n", encoding="utf-8")
    tables: dict[str, dict[str, object]] = {
        "model": {"kind": model.kind, "d_model": model.d_model, "layers": model.layers, "dtype": model.dtype},
        "switches": dict(model.switches),
    }
    file = folder / f"{NAME}.toml"
    lines = [file.read_text(encoding="utf-8").partition(LINE)[0].rstrip(), "", LINE]
    for table, entries in tables.items():
        lines += ["", f"[{table}]", *(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in entries.items())]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
