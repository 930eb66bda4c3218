"""Programs that open the window, each in a process of its own.

Only the modules are imported once for all of them, where a process can be split: it takes most of a start.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PATIENCE_S = 900  # a machine may be very busy; what hangs still ends
# It has imported what the first line of a program imports, and becomes two processes for each program.
IMPORTED = """
import gc, json, os, sys
import explorer.app
gc.freeze()
for line in open(0, closefd=False):  # nothing is read of `sys.stdin`
    code, arguments, folder, environment = json.loads(line)
    if process := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
    else:
        for fd, name in enumerate(("stdin", "stdout", "stderr")):
            os.dup2(os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT), fd)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["-c", *arguments]
        gc.unfreeze()
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        print(end="", flush=True)
        os._exit(0)
"""


def started(code, *arguments, **changes):
    """
    What a program returns and prints. One that calls `sys.exit` ends in order, which takes a fifth of a second.

    `changes`: those of the surroundings; None: it is not there.
    """
    environment = {name: value for name, value in {**os.environ, **changes}.items() if value is not None}
    if sys.platform != "linux":
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    with tempfile.TemporaryDirectory() as folder:
        imported = _imported()
        print(json.dumps((code, [*map(str, arguments)], folder, environment)), file=imported.stdin, flush=True)
        said = imported.stdout.readline()
        out, err = (Path(folder, name).read_text("utf-8") for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(code, int(said), out, err)


def drawn_without_display(folder, *command):
    """What a command returns and prints in a folder, where there is no display and nothing is asked of Qt."""
    code = "import os, sys; from explorer.__main__ import main; os.chdir(sys.argv.pop(1)); sys.exit(main())"
    without = (name for name in os.environ if name.startswith(("QT_", "DISPLAY", "WAYLAND")))
    return started(code, folder, *command, **dict.fromkeys(without))


@functools.cache
def _imported():
    command = [sys.executable, "-c", IMPORTED]
    root = Path(__file__).parents[1]
    running = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(running.communicate)  # it ends where nothing more comes
    return running
