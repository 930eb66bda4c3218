"""The .deb: the bundle in /usr/lib, a command, a menu entry, the types of its files, a man page."""

import gzip
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import build
from explorer.cli.parser import COMMANDS
from system_libraries import PACKAGES

# What every Debian has or Qt opens only where it is, in addition to those that `make setup` installs.
BASE = {
    "ld-linux-x86-64.so.2": "libc6 (>= 2.35)",
    "ld-linux-aarch64.so.1": "libc6 (>= 2.35)",
    "libc.so.6": "libc6 (>= 2.35)",
    "libdl.so.2": "libc6 (>= 2.35)",
    "libgcc_s.so.1": "libgcc-s1",
    "libm.so.6": "libc6 (>= 2.35)",
    "libpthread.so.0": "libc6 (>= 2.35)",
    "librt.so.1": "libc6 (>= 2.35)",
    "libstdc++.so.6": "libstdc++6 (>= 12)",
    "libutil.so.1": "libc6 (>= 2.35)",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
OPTIONAL = {"libcupsprintersupport.so", "libqgtk3.so"}
"""Plugins that Qt passes over where their libraries are not there."""
CONTROL = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: The authors of Transformer Explorer <transformer-explorer@localhost>
Installed-Size: {kilobytes}
Depends: {depends}
Section: education
Priority: optional
Description: see and change every number of a transformer
 A program for learning how transformers work. It shows a whole transformer
 like a spreadsheet: every quantity, from the tokens to the output, is a
 matrix with its numbers, its labels and its formula. Change a token, a
 weight or a switch and everything that depends on it follows at once.
"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Transformer Explorer
Comment: What comes along (Python, Qt, numpy and others) has its own
 licences: see /usr/lib/transformer-explorer/licences.

Files: *
Copyright: the authors of Transformer Explorer
License: MIT
 {licence}
"""


MANUAL = """\
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


def depends(bundle: Path) -> list[str]:
    """The packages of the libraries that a bundle leaves to the system."""
    found = set()
    for library, files in build.needed(bundle).items():
        package = {**PACKAGES, **BASE}.get(library)
        if package:
            found.add(package)
        elif files - OPTIONAL:
            raise SystemExit(f"{library}, which {', '.join(sorted(files))} needs, belongs to no known package")
    return sorted(found)


def write(file: Path, content: str | bytes) -> None:
    """Write a file of the package, compressed where its name says so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    file.write_bytes(gzip.compress(data, 9, mtime=0) if file.suffix == ".gz" else data)


def package(bundle: Path, out: Path) -> Path:
    """Make the .deb of a bundle; returns its file."""
    date, version = time.gmtime(build.built_at()), build.version()
    architecture = build.run("dpkg", "--print-architecture").strip()
    file = out / f"{build.NAME}_{version}_{architecture}.deb"
    desktop, doc = build.ROOT / "resources/desktop", Path("usr/share/doc") / build.NAME
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        shutil.copytree(bundle, root / "usr/lib" / build.NAME, symlinks=True)
        (root / "usr/bin").mkdir()
        (root / "usr/bin/explorer").symlink_to(f"../lib/{build.NAME}/explorer")
        share = root / "usr/share"
        for source, place in (
            (desktop / f"{build.NAME}.desktop", share / "applications"),
            (desktop / f"{build.NAME}.xml", share / "mime/packages"),
        ):
            write(place / source.name, source.read_bytes())
        write(
            share / f"icons/hicolor/scalable/apps/{build.NAME}.svg",
            (build.ROOT / "resources/icons/app.svg").read_bytes(),
        )
        about = (build.ROOT / f"packaging/linux/{build.NAME}.metainfo.xml").read_text("utf-8")
        about = about.replace("@version@", version).replace("@date@", time.strftime("%Y-%m-%d", date))
        write(share / f"metainfo/{build.NAME}.metainfo.xml", about)
        write(share / "man/man1/explorer.1.gz", manual_page(bundle / "explorer", version, date))
        licence = "\n ".join(line or "." for line in (build.ROOT / "LICENSE").read_text("utf-8").strip().splitlines())
        write(root / doc / "copyright", COPYRIGHT.format(licence=licence))
        write(root / doc / "changelog.gz", (build.ROOT / "CHANGELOG.md").read_bytes())
        for path in root.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        control = CONTROL.format(
            name=build.NAME,
            version=version,
            architecture=architecture,
            kilobytes=build.size(root) * 1000,
            depends=", ".join(depends(bundle)),
        )
        write(root / "DEBIAN/control", control)
        # Dated by SOURCE_DATE_EPOCH, which `build.run` sets.
        build.run("dpkg-deb", "--root-owner-group", "-Zxz", "-z4", "--build", root, file)
    return file


def manual_page(program: Path, version: str, date: time.struct_time) -> str:
    """The man page of a program, made of what it says when it is asked for help on each of its commands."""
    parts = [MANUAL.format(date=time.strftime("%Y-%m-%d", date), version=version)]
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
