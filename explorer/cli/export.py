"""A lesson's whole model as a file."""

from argparse import Namespace
from pathlib import Path

from explorer.cli.errors import UsageError
from explorer.cli.output import wrote
from explorer.cli.show import opened
from explorer.export.files import ENDINGS, save_model


def export(arguments: Namespace) -> int:
    """``explorer export``."""
    out = Path(arguments.out)
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"'{out}' does not say what to write; choose a name that ends in {' or '.join(ENDINGS)}.")
    m = opened(arguments)
    print(wrote(*save_model(m.document, m.lesson, out)))
    return 0
