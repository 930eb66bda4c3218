"""Try the built program out as somebody would who has nothing else: no Python, another user, no settings.

    python packaging/smoke_test.py           the .tar.xz, on a virtual screen and without one (`make package`)
    python packaging/smoke_test.py --deb     the .deb in a Debian with nothing in it (as root: it uses debootstrap)

The archive is unpacked into a folder that nobody may write to, and started by another user (if root does this) with an
empty environment and a home whose name has a blank and an umlaut. Whatever the program says beyond what is expected
fails, as does a file that it leaves behind.
"""

import argparse
import contextlib
import os
import pwd
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import build

PATIENCE_S = 1800
ALLOWED = [
    "^This plugin does not support ",  # Qt's offscreen platform, of windows that it cannot move or raise
]
DONE = [
    "opened Übung 1.explorer",
    "exported .png .pdf .svg .xlsx .py .gif",
    "painted [0-9]+ pages of [0-9]+ kinds in [0-9]+ examples",
    "went through [0-9]+ steps of a lesson",
    "looked at [0-9]+ words",
    "trained 10 steps here",
    "trained 10 steps in another process",
]
"""What `explorer --smoke-test FILE` prints, line by line."""


class FailedError(Exception):
    """What the built program did wrong."""


class Person:
    """Somebody who has the program and nothing else.

    Parameters
    ----------
    folder : Path
        An empty one, for the home.
    program : Path
    inside : Path, optional
        A root folder of a system of its own that all paths are in.
    """

    def __init__(self, folder: Path, program: str, inside: Path | None = None) -> None:
        self.home = folder / "Jörg Müller"
        self.temporary = folder / "temporary"
        self.program, self.inside = program, inside
        for place in (self.home, self.temporary):
            place.mkdir()
        self.user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        if self.user:
            os.chown(self.home, self.user.pw_uid, self.user.pw_gid)
            os.chown(self.temporary, self.user.pw_uid, self.user.pw_gid)

    def within(self, path: Path) -> str:
        """How the person names a folder."""
        return str(path) if self.inside is None else f"/{path.relative_to(self.inside)}"

    def start(self, *arguments: str, **environment: str) -> list[str]:
        """Start the program and wait for its end; returns what it printed.

        Raises
        ------
        FailedError
            Where it fails, or says more than is allowed.
        """
        empty = {"HOME": self.within(self.home), "TMPDIR": self.within(self.temporary), "PATH": "/nowhere"}
        command = [
            "/usr/bin/env",
            "-i",
            "-C",
            empty["HOME"],
            *(f"{k}={v}" for k, v in {**empty, **environment}.items()),
        ]
        command += [self.program, *arguments]
        if self.inside is not None:
            command = ["chroot", "--userspec=nobody:nogroup", str(self.inside), *command]
        elif self.user:
            command = [
                "setpriv",
                f"--reuid={self.user.pw_uid}",
                f"--regid={self.user.pw_gid}",
                "--clear-groups",
                *command,
            ]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE_S)
        said = [line for line in done.stderr.splitlines() if not any(re.search(known, line) for known in ALLOWED)]
        if done.returncode != 0 or said:
            shown = "\n".join([*said, *done.stdout.splitlines()[-5:]])
            raise FailedError(f"explorer {' '.join(arguments)} ended with {done.returncode} and said:\n{shown}")
        return done.stdout.splitlines()

    def do_everything(self, **environment: str) -> None:
        """Make a document, open it, look at everything, render a picture."""
        (said,) = self.start("--version")
        _expect(said == f"explorer {build.version()}", said)
        self.start("train", "xor", "--out", "Übung 1.explorer")
        done = self.start("--smoke-test", "Übung 1.explorer", **environment)
        _expect(len(done) == len(DONE) and all(map(re.match, DONE, done)), "\n".join(done))
        self.start("render", "emma", "attention", "Emma.pdf", **environment)
        self.start("show", "emma", "--format", "python", "--out", "emma.py")
        for name, at, known in (("Emma.pdf", 0, b"%PDF"), ("Übung 1.explorer", 8, b"{"), ("emma.py", 0, b"# ")):
            _expect((self.home / name).read_bytes().startswith(known, at), f"{name} is not what it should be")
        left = [str(path) for path in self.temporary.rglob("*")]
        _expect(not left, f"left behind: {', '.join(left)}")
        print("  " + "\n  ".join(done), flush=True)


def _expect(fine: object, otherwise: str) -> None:
    if not fine:
        raise FailedError(otherwise)


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """A virtual screen; yields what DISPLAY is to be."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-ac"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            yield f":{int(pipe.readline())}"
    finally:
        server.terminate()
        server.wait()


def listing(folder: Path) -> dict[str, int]:
    """All files in a folder, with the time of their last change."""
    return {str(path.relative_to(folder)): path.lstat().st_mtime_ns for path in folder.rglob("*")}


def try_archive(archive: Path) -> None:
    """Unpack the archive where nobody may write and try it out."""
    with tempfile.TemporaryDirectory(prefix="explorer ") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="tar")
        (place,) = folder.iterdir()
        before = listing(place)
        build.run("chmod", "-R", "a-w", place)
        try:
            for where in ("a virtual screen", "no screen"):
                print(f"{archive.name} on {where}:", flush=True)
                (folder / where).mkdir()
                person = Person(folder / where, str(place / "explorer"))
                if where == "no screen":
                    person.do_everything(QT_QPA_PLATFORM="offscreen")
                else:
                    with screen() as display:
                        person.do_everything(DISPLAY=display, QT_QPA_PLATFORM="xcb")
            _expect(listing(place) == before, "The program has changed its own folder.")
        finally:
            build.run("chmod", "-R", "u+w", place)


# The .deb

OWN = re.compile(r"(var/(cache|log|lib/(dpkg|apt|systemd))|etc/ld.so.cache|run|proc|sys|dev|tmp)(/|$)")
"""What dpkg and apt keep for themselves."""


def try_deb(package: Path, root: Path) -> None:
    """Install the .deb in an empty Debian, try it out, remove it."""
    if not (root / "usr/bin/apt-get").exists():
        suite = build.run("sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME").strip()
        # From where this machine has its packages.
        mirror = build.run("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages").split()[0]
        more = "--include=shared-mime-info,desktop-file-utils"
        build.run("debootstrap", "--variant=minbase", more, suite, root, mirror)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    shutil.copy(package, root / "tmp")
    apt = [
        "chroot",
        str(root),
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-qq",
        "--no-install-recommends",
        "-y",
    ]
    wanted = build.run("dpkg-deb", "--field", package, "Depends").strip()
    build.run(*apt, "satisfy", wanted)
    before = {path for path in listing(root) if not OWN.match(path)}
    build.run(*apt, "install", f"/tmp/{package.name}")
    added = {path for path in listing(root) if not OWN.match(path)} - before
    for file in (
        "usr/bin/explorer",
        "usr/share/applications/transformer-explorer.desktop",
        "usr/share/man/man1/explorer.1.gz",
    ):
        _expect(file in added, f"{file} is not installed")
    kinds = (root / "usr/share/mime/globs2").read_text("utf-8")
    _expect(":application/x-transformer-explorer:*.explorer" in kinds, "The type of documents is not registered.")
    with tempfile.TemporaryDirectory(prefix="explorer ", dir=root / "tmp") as name:
        Path(name).chmod(0o755)
        print(f"{package.name} in an empty Debian:", flush=True)
        Person(Path(name), "/usr/bin/explorer", root).do_everything(QT_QPA_PLATFORM="offscreen")
    build.run(*apt, "purge", build.NAME)
    left = {path for path in listing(root) if not OWN.match(path)} - before
    _expect(not left, f"left behind: {', '.join(sorted(left))}")
    print("  removed, with nothing left behind")


def main(arguments: list[str]) -> int:
    """Try out; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deb", action="store_true", help="the .deb, in a Debian with nothing in it")
    try:
        if parser.parse_args(arguments).deb:
            (package,) = build.DIST.glob(f"{build.NAME}_{build.version()}_*.deb")
            try_deb(package, build.BUILD / "debian")
        else:
            (archive,) = build.DIST.glob(f"{build.NAME}-{build.version()}-linux-*.tar.xz")
            try_archive(archive)
    except FailedError as failed:
        print(failed, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
