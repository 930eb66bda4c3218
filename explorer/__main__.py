"""Start the program: ``explorer`` or ``python -m explorer``."""

import signal
import sys

# Until `main` listens, Ctrl+C ends the process as it ends others: Python would print where in an import it was.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from explorer.cli import main

if __name__ == "__main__":
    sys.exit(main())
