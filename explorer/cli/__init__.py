"""The command line: it prints what the window shows, as text, for scripts, slides and tests."""

import gc
import os
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from explorer.cli.output import check_out
from explorer.cli.parser import COMMANDS, UsageError, parse
from explorer.core.errors import ExplorerError
from explorer.memory import keep_freed_memory
from explorer.paths import have_a_home
from explorer.sentences import sentence, visible


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    `argv`: the arguments after ``explorer``; by default those of this process.
    Returns: 0; 1 if ``check`` found something; 2 for wrong input, after one line on standard error; 130 after Ctrl+C.
    """
    try:
        _begin()
        code = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return code
    except SystemExit as done:  # argparse, after --help and --version
        return int(done.code or 0)
    except ExplorerError as error:
        return _fail(f"{sentence(error)}{'' if error.fields.get('near') else _HINTS.get(error.id, '')}")
    except UsageError as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("There is not enough memory for a model of this size; choose smaller sizes.")
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _discard_output()  # the reader, such as `head`, is gone
        return 141
    except OSError as error:
        _discard_output()
        return _fail(f"{error.filename or 'The output'}: {error.strerror or error}.")


_HINTS = {
    "no-loss": " `--grad-of CELL` takes that of another number.",
    "unknown-node": " `explorer show LESSON` lists them all.",
}


def _begin() -> None:
    """Set up what all commands rely on: Ctrl+C, the three standard streams, a home folder."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # see `__main__`
    # A stream may be closed, as by `>&-`, or there is no console. Then the next opened file would get the number of
    # that stream, and with it the messages that libraries print.
    while (number := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
        pass
    os.close(number)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal whose encoding lacks γ or − shows an escape sequence instead.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    if reconfigure := getattr(sys.stdin, "reconfigure", None):
        reconfigure(errors="replace")  # a key of another encoding is no answer, and no end
    have_a_home()


_LAST_STREAM = 2


def _discard_output() -> None:
    """Send the rest of the output buffer to nowhere, so that flushing it at exit raises no second error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> int:
    with suppress(OSError):  # the terminal may be gone
        print("explorer:", visible(" ".join(message.splitlines())), file=sys.stderr, flush=True)
    return 2


def _run(argv: list[str]) -> int:
    command = argv[0] if argv and argv[0] in COMMANDS else ""
    if not command and len(argv) > 1 and not any(one.startswith("-") for one in argv):
        from explorer.cli.window import refuse_several

        refuse_several(argv[0])
    arguments = parse(command, argv[1:] if command else argv)
    check_out(arguments)
    _leave_a_core()
    keep_freed_memory()
    if not command:
        return _window(arguments)
    # Each command imports only what it needs: few import Qt, and --help not even numpy.
    module, _, function = COMMANDS[command].does.partition(".")
    return int(getattr(import_module(f"explorer.cli.{module}"), function)(arguments))


def _leave_a_core() -> None:
    """Let matrix products leave one core to the window's event loop; must run before numpy is imported.

    The threads of a product wait for each other: on two cores with other work, a training ran at a fifteenth of its
    speed. The number of threads decides the last bits of a product, so all commands use as many as the window.
    """
    for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(name, str(max((os.cpu_count() or 1) - 1, 1)))


def _window(arguments: Namespace) -> int:
    if arguments.register_desktop:
        from explorer.cli.window import register

        if arguments.file is not None:
            raise UsageError("--register-desktop opens no file; leave it out.")
        return register()
    if arguments.tokenizer is not None and not (arguments.file or "").lower().endswith(".bin"):
        raise UsageError("--tokenizer is for a file of llama2.c; name that file (.bin), too.")
    if arguments.model is not None and arguments.file is None:
        raise UsageError("--model is for a lesson that needs one; name that lesson, too.")
    # Objects made before the window opens stay alive, and collecting garbage among them takes 80 ms of the start.
    gc.disable()
    from explorer.library.page import need_display, was_double_clicked

    try:
        if arguments.file is not None:
            from explorer.cli.window import openable

            openable(arguments.file)
        # The smoke test must run anywhere: without a display Qt paints into memory.
        need_display(or_offscreen=arguments.smoke_test)
        from explorer.app import run

        return run(arguments.file, arguments.smoke_test, arguments.tokenizer, arguments.model)
    except (ExplorerError, UsageError) as error:
        if was_double_clicked() and not arguments.smoke_test:
            from explorer.app import refuse

            refuse(sentence(error) if isinstance(error, ExplorerError) else str(error))
        raise
