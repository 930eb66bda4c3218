"""``explorer seek``: inputs that give a cell a value."""

from argparse import Namespace

from explorer.cli.arguments import parse_set
from explorer.cli.errors import UsageError
from explorer.cli.output import wrote
from explorer.cli.show import opened


def seek(arguments: Namespace) -> int:
    """Show the way, and write the model if it gets there. Returns 1 where it does not."""
    (name, cell), value = parse_set(arguments.wish)
    if not arguments.change:
        raise UsageError("Say what may change: --change NODE, an input such as encoder.1.self.W_Q.")
    m = opened(arguments)
    found = m.seek(f"{name}[{','.join(map(str, cell))}]", value, arguments.change)
    print(found)
    if found.reached and arguments.out is not None:
        m.save(arguments.out)
        print(wrote(arguments.out))
    return int(not found.reached)
