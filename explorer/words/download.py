"""Downloading a set of vectors: into a part file, resumed after a break, checked, then moved to its place."""

import http.client
import os
import re
import shutil
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import md5
from pathlib import Path
from time import sleep
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from explorer.core.errors import ExplorerError
from explorer.core.progress import Meter, Progress, Report
from explorer.files import locked
from explorer.words.catalogue import Offered, download_folder, present

TIMEOUT = 20.0
"""Seconds without data after which a connection counts as broken."""
ATTEMPTS = 3
"""How many connections in a row may break without bringing any data."""
WAIT = 0.2
"""Seconds between two checks whether another download of the same set has ended."""
_CHUNK = 1 << 16
_SPARE = 50_000_000
"""Bytes that must stay free on the disk."""

Open = Callable[[Request, float], Any]


class _Broken(Exception):  # noqa: N818
    """The connection broke, or the server sent something wrong; another attempt may succeed."""


def download(
    one: Offered,
    report: Report | None = None,
    folder: Path | None = None,
    url: str | None = None,
    timeout: float = TIMEOUT,
) -> Path:
    """Download a set of vectors, unless it is already on this machine.

    `report`: called with the number of bytes received. If it raises, the part file is kept, and the next call resumes
    it.
    `folder`: the destination; default: the user's data folder.
    `url`: another address than the catalogue's.
    `timeout`: seconds.
    Returns the complete file; its size and MD5 have been checked.
    Raises `ExplorerError`: "download-offline", "download-refused", "download-broken", "download-wrong", "not-written",
    "disk-full".
    """
    if folder is None and (file := present(one)) is not None:
        return file
    folder = folder or download_folder()
    file, part = folder / f"{one.name}.gz", folder / f"{one.name}.gz.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder / f"{one.name}.gz.lock", report):
            if file.is_file() and file.stat().st_size == one.size:
                return file
            _fill(part, one, url or one.url, timeout, report)
            _check(part, one, report)
            os.replace(part, file)
    except OSError as error:
        raise ExplorerError("not-written", file=error.filename or part, reason=error.strerror or error) from None
    return file


@contextmanager
def _alone(lock: Path, report: Report | None) -> Iterator[None]:
    """Wait until no other download of this set runs: in another window, or a cancelled one that has not stopped yet."""
    with lock.open("ab") as stream:
        while locked(stream) is False:
            if report is not None:
                report(Progress("waiting", 0, 0))
            sleep(WAIT)
        yield


def _fill(part: Path, one: Offered, url: str, timeout: float, report: Report | None) -> None:
    """Download until the part file is complete; each attempt that brings data allows further ones."""
    have = _size(part)
    if have > one.size:
        part.unlink()
        have = 0
    need, free = one.size - have + _SPARE, shutil.disk_usage(part.parent).free
    if free < need:
        raise ExplorerError("disk-full", folder=part.parent, need=_megabytes(need), free=_megabytes(free))
    meter = Meter("downloading", one.size, report, begun=have)
    meter(have)
    failed = 0
    while have < one.size:
        problem = ""
        try:
            _attempt(part, have, one, url, timeout, meter)
        except _Broken as broken:
            problem = str(broken)
        now = _size(part)
        failed = 0 if now > have else failed + 1
        have = now
        if failed >= ATTEMPTS:
            raise ExplorerError("download-broken", name=one.name, reason=problem, have=_megabytes(have))


def _attempt(part: Path, have: int, one: Offered, url: str, timeout: float, meter: Meter) -> None:
    """One connection, which continues at the end of the part file.

    Raises `_Broken`: the data received so far are in the part file.
    """
    headers = {"User-Agent": "transformer-explorer", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        with _opener(url)(Request(url, headers=headers), timeout) as answer:
            start = _start(answer, have, one)
            # A server without range requests sends the whole file again.
            with part.open("r+b" if start else "wb") as stream:
                stream.seek(start)
                stream.truncate()
                _copy(answer, stream, start, one, meter)
    except HTTPError as error:
        error.close()
        if error.code == 416:  # the requested byte does not exist: the part file is not the beginning of this file
            part.unlink(missing_ok=True)
            raise _Broken("the server has a shorter file") from None
        if error.code >= 500 or error.code in (408, 429):
            raise _Broken(f"the server answered {error.code} {error.reason}") from None
        reason = " ".join([str(error.code), *str(error.reason).splitlines()[:1]]).strip()
        raise ExplorerError("download-refused", name=one.name, url=url, reason=reason) from None
    except URLError as error:
        if isinstance(error.reason, ssl.SSLError):
            raise ExplorerError("download-refused", name=one.name, url=url, reason=error.reason) from None
        if isinstance(error.reason, TimeoutError):
            raise _Broken(_quiet(timeout)) from None
        if have:
            raise _Broken("the server cannot be reached") from None
        why = getattr(error.reason, "strerror", None) or error.reason
        raise ExplorerError("download-offline", name=one.name, reason=why) from None
    except TimeoutError:
        raise _Broken(_quiet(timeout)) from None
    except (ConnectionError, ssl.SSLError, http.client.HTTPException):
        raise _Broken("the connection broke") from None


def _start(answer: Any, have: int, one: Offered) -> int:
    """The byte at which an answer begins. The total size in the answer must be the known size.

    Raises `ExplorerError`: "download-wrong".
    """
    start, total = 0, answer.headers.get("Content-Length", "")
    if answer.status == 206:
        match = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", answer.headers.get("Content-Range", ""))
        if match is None or int(match[1]) != have:
            raise _Broken("the server sent another part than it was asked for")
        start, total = have, match[2]
    if total.isdigit() and int(total) != one.size:
        what = f"{int(total):,} bytes are offered where there should be {one.size:,}"
        raise ExplorerError("download-wrong", name=one.name, what=what)
    return start


def _copy(answer: Any, stream: IO[bytes], start: int, one: Offered, meter: Meter) -> None:
    have = start
    while chunk := answer.read1(_CHUNK):
        if have + len(chunk) > one.size:
            what = f"more came than the {one.size:,} bytes there should be"
            stream.truncate(0)
            raise ExplorerError("download-wrong", name=one.name, what=what)
        stream.write(chunk)
        have += len(chunk)
        meter(have)
    if have < one.size:
        raise _Broken("the connection broke")


def _check(part: Path, one: Offered, report: Report | None) -> None:
    """Check the MD5 of the part file.

    Raises `ExplorerError`: "download-wrong"; the file is then deleted.
    """
    found, meter, done = md5(usedforsecurity=False), Meter("checking", one.size, report), 0
    with part.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            found.update(chunk)
            done += len(chunk)
            meter(done)
    if found.hexdigest() != one.md5:
        part.unlink()
        raise ExplorerError("download-wrong", name=one.name, what="its check sum is not the right one")


def _opener(url: str) -> Open:
    import certifi

    context = ssl.create_default_context(cafile=certifi.where())
    opener = build_opener(HTTPSHandler(context=context), _SameScheme())
    return lambda request, timeout: opener.open(request, timeout=timeout)


class _SameScheme(HTTPRedirectHandler):
    """Follows redirections, but not from https to http, nor to other schemes."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> Request | None:
        safe = ("https:",) if req.full_url.startswith("https:") else ("https:", "http:")
        if not newurl.lower().startswith(safe):
            raise HTTPError(newurl, code, "a redirection to an address that is not safe", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _size(file: Path) -> int:
    return file.stat().st_size if os.path.exists(file) else 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"


def _quiet(timeout: float) -> str:
    return f"nothing came for {timeout:g} seconds"
