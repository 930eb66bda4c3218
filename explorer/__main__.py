"""Start the program: ``explorer`` or ``python -m explorer``."""

import signal
import sys

# Until `main` handles it, Ctrl+C ends the process silently; Python would print a traceback from inside an import.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from explorer.cli import main

if __name__ == "__main__":
    sys.exit(main())
