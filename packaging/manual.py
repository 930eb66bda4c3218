"""The man page, made of what the program says when it is asked for help."""

import subprocess
import time
from pathlib import Path

from explorer.cli.parser import COMMANDS

HEAD = """\
.TH EXPLORER 1 "{date}" "Transformer Explorer {version}" "User Commands"
.SH NAME
explorer \\- see and change every number of a transformer
.SH SYNOPSIS
.B explorer
.RI [ FILE ]
.br
.B explorer
.I COMMAND
\\&...
"""


def page(program: Path, version: str, date: time.struct_time) -> str:
    """The man page of a program.

    Parameters
    ----------
    program : Path
        Asked for the help on each of its commands.
    version : str
    date : time.struct_time
    """
    parts = [HEAD.format(date=time.strftime("%Y-%m-%d", date), version=version)]
    for command in ("", *COMMANDS):
        asked = [str(program), *([command] if command else []), "--help"]
        help = subprocess.run(
            asked, capture_output=True, text=True, check=True, env={"COLUMNS": "78", "LC_ALL": "C.UTF-8"}
        )
        title = f"EXPLORER {command.upper()}" if command else "DESCRIPTION"
        parts.append(f'.SH "{title}"\n.nf\n{_plain(help.stdout)}.fi\n')
    return "".join(parts)


def _plain(text: str) -> str:
    """Text as troff takes it literally."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").splitlines()
    return "".join(f"\\&{line}\n" if line.startswith((".", "\\(aq")) else f"{line}\n" for line in lines)
