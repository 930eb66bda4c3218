"""Downloads from a loopback server that misbehaves in every way the issue names."""

import threading
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

import numpy as np
import pytest
from refusals import refuses

from explorer.core.progress import Cancelled
from explorer.sentences import sentence
from explorer.words import catalogue, download
from explorer.words.catalogue import OFFERED, Offered

CONTENT = np.random.default_rng(1).bytes(300_000)
SET = Offered("set", len(CONTENT), md5(CONTENT).hexdigest(), 3, 2, "nothing")
PATIENT = 60
"""A busy machine must not look like a server that stalls."""


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `acts`, and the last for ever."""

    daemon_threads = True

    def __init__(self, *acts):
        super().__init__(("127.0.0.1", 0), Handler)
        self.acts, self.asked = list(acts), []
        self.news = threading.Condition()
        self.done = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/set.gz"

    def handle_error(self, request, client_address):
        """A client that goes away is no fault here."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        with server.news:
            server.asked.append((self.path, start))
            server.news.notify()
            act = server.acts.pop(0) if len(server.acts) > 1 else server.acts[0]
        act(self, start)

    def head(self, code, length, **headers):
        self.send_response(code)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, *args):
        """Nothing goes to standard error."""


def whole(handler, start):
    """No ranges: all of it, whatever was asked."""
    handler.head(200, len(CONTENT))
    handler.wfile.write(CONTENT)


def ranges(handler, start):
    if start >= len(CONTENT):
        handler.head(416, 0)
        return
    part = f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"
    handler.head(206 if start else 200, len(CONTENT) - start, **({"Content_Range": part} if start else {}))
    handler.wfile.write(CONTENT[start:])


def breaks_after(size):
    def act(handler, start):
        part = f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"
        handler.head(206 if start else 200, len(CONTENT) - start, **({"Content_Range": part} if start else {}))
        handler.wfile.write(CONTENT[start : start + size])

    return act


def truncates(handler, start):
    """No length is said, and the end comes too soon."""
    handler.head(200, None)
    handler.wfile.write(CONTENT[:1000])


def stalls(handler, start):
    breaks_after(1000)(handler, start)
    handler.wfile.flush()
    handler.server.done.wait(10)


def status(code, **headers):
    return lambda handler, start: handler.head(code, 0, **headers)


@pytest.fixture
def serve():
    servers = []

    def start(*acts):
        server = Server(*acts)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.done.set()
        server.shutdown()
        server.server_close()


def get(server, folder, report=None, timeout=PATIENT):
    return download.download(SET, report, folder, server.url, timeout)


def files_in(folder):
    return [one.name for one in folder.iterdir() if one.suffix != ".lock"]


def content_of(file):
    assert files_in(file.parent) == [file.name]  # no part file
    return file.read_bytes()


def test_a_download_is_checked_and_put_in_its_place(serve, tmp_path, monkeypatch):
    monkeypatch.setattr("explorer.core.progress.EVERY", 0)
    server, seen = serve(ranges), []
    file = get(server, tmp_path, seen.append)
    assert file == tmp_path / "set.gz"
    assert content_of(file) == CONTENT
    assert list(dict.fromkeys(one.what for one in seen)) == ["downloading", "checking"]
    done = [one.done for one in seen if one.what == "downloading"]
    assert all(a <= b for a, b in pairwise(done))
    assert (done[0], done[-1]) == (0, len(CONTENT))
    assert get(server, tmp_path) == file  # it is there: nothing is asked again
    assert len(server.asked) == 1


def test_what_broke_off_goes_on_where_it_was(serve, tmp_path):
    server = serve(breaks_after(100_000), breaks_after(50_000), ranges)
    assert content_of(get(server, tmp_path)) == CONTENT
    assert [start for _, start in server.asked] == [0, 100_000, 150_000]


def test_a_server_without_ranges_sends_all_of_it_again(serve, tmp_path):
    server = serve(breaks_after(100_000), whole)
    assert content_of(get(server, tmp_path)) == CONTENT


def test_a_part_of_an_earlier_session_is_gone_on_with(serve, tmp_path):
    (tmp_path / "set.gz.part").write_bytes(CONTENT[:200_000])
    server, seen = serve(ranges), []
    assert content_of(get(server, tmp_path, seen.append)) == CONTENT
    assert server.asked == [("/set.gz", 200_000)]
    assert seen[0].done == 200_000


def test_a_part_that_is_whole_is_only_checked(serve, tmp_path):
    (tmp_path / "set.gz.part").write_bytes(CONTENT)
    server = serve(status(500))
    assert content_of(get(server, tmp_path)) == CONTENT
    assert server.asked == []


def test_a_part_that_is_too_long_is_thrown_away(serve, tmp_path):
    (tmp_path / "set.gz.part").write_bytes(CONTENT + b"more")
    server = serve(ranges)
    assert content_of(get(server, tmp_path)) == CONTENT
    assert server.asked == [("/set.gz", 0)]


def test_a_part_of_another_file_is_found_by_its_check_sum(serve, tmp_path):
    (tmp_path / "set.gz.part").write_bytes(b"x" * 1000)
    server = serve(ranges)
    with refuses("its check sum is not the right one"):
        get(server, tmp_path)
    assert files_in(tmp_path) == []
    assert content_of(get(server, tmp_path)) == CONTENT


def test_stopping_keeps_what_came(serve, tmp_path, monkeypatch):
    monkeypatch.setattr("explorer.core.progress.EVERY", 0)
    server = serve(ranges)

    def stop(now):
        if now.done > 100_000:
            raise Cancelled

    with pytest.raises(Cancelled):
        get(server, tmp_path, stop)
    assert not (tmp_path / "set.gz").exists()
    have = (tmp_path / "set.gz.part").stat().st_size
    assert 100_000 < have < len(CONTENT)
    assert content_of(get(server, tmp_path)) == CONTENT
    assert server.asked[-1] == ("/set.gz", have)


@pytest.mark.parametrize(
    ("act", "said", "requests"),
    [
        (status(404), "404 Not Found", 1),
        (status(403), "403 Forbidden", 1),
        (lambda handler, start: handler.wfile.write(b"HTTP/1.1 410 \r\nContent-Length: 0\r\n\r\n"), ": 410.", 1),
        (status(500), "broke off: the server answered 500", 3),
        (status(503), "broke off: the server answered 503", 3),
        (breaks_after(0), "broke off: the connection broke; 0 MB are kept", 3),
        (lambda handler, start: handler.server.done.wait(10), "broke off: nothing came for 0.1 seconds", 3),
        (lambda handler, start: handler.head(200, 5), "5 bytes are offered where there should be 300,000", 1),
        (lambda handler, start: handler.head(200, 10**12), "1,000,000,000,000 bytes are offered", 1),
        (status(302, Location="/set.gz"), "302", 1),
        (status(302, Location="ftp://127.0.0.1/x"), "302", 1),
        (lambda handler, start: handler.wfile.write(b"not HTTP at all\r\n\r\n"), "broke off: the connection broke", 3),
    ],
)
def test_a_server_that_has_nothing_for_us(serve, tmp_path, act, said, requests):
    server = serve(act)
    with refuses("set") as caught:
        get(server, tmp_path, timeout=0.1 if "0.1" in said else PATIENT)
    assert said in sentence(caught.value)
    assert "\n" not in sentence(caught.value)
    with server.news:  # who has given up on a request is quicker than the server that reads it
        assert server.news.wait_for(lambda: len(server.asked) >= requests, PATIENT)
    assert not (tmp_path / "set.gz").exists()


def test_two_downloads_of_one_set_ask_once(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "WAIT", 0.001)
    waiting, second, files = threading.Event(), [], []

    def late(now):
        second.append(now.what)
        waiting.set()

    def act(handler, start):
        thread.start()
        assert waiting.wait(PATIENT)
        ranges(handler, start)

    server = serve(act)
    thread = threading.Thread(target=lambda: files.append(get(server, tmp_path, late)))
    files.append(get(server, tmp_path))
    thread.join(PATIENT)
    assert files == [tmp_path / "set.gz"] * 2
    assert content_of(files[0]) == CONTENT
    assert set(second) == {"waiting"}
    assert len(server.asked) == 1


def test_a_server_that_goes_silent_in_the_middle(serve, tmp_path, monkeypatch):
    copy = download._copy

    def copy_quickly(answer, stream, start, one, meter):
        def had(have):
            meter(have)
            if not start:  # only now: a busy machine takes its time until the first bytes are there
                answer.fp.raw._sock.settimeout(0.1)

        copy(answer, stream, start, one, had)

    monkeypatch.setattr(download, "_copy", copy_quickly)
    server = serve(stalls, ranges)
    assert content_of(get(server, tmp_path)) == CONTENT
    assert [start for _, start in server.asked] == [0, 1000]


def test_a_server_that_always_ends_too_soon(serve, tmp_path):
    server = serve(truncates)
    with refuses("broke off: the connection broke"):
        get(server, tmp_path)
    assert (tmp_path / "set.gz.part").read_bytes() == CONTENT[:1000]


def test_a_server_that_sends_more_than_it_should(serve, tmp_path):
    def more(handler, start):
        handler.head(200, None)
        handler.wfile.write(CONTENT * 2)

    with refuses("more came than the 300,000 bytes"):
        get(serve(more), tmp_path)
    assert (tmp_path / "set.gz.part").stat().st_size == 0


def test_a_server_that_sends_another_part_than_it_was_asked_for(serve, tmp_path):
    def other(handler, start):
        handler.head(206, 10, Content_Range=f"bytes 7-16/{len(CONTENT)}")
        handler.wfile.write(CONTENT[7:17])

    server = serve(breaks_after(1000), other, ranges)
    assert content_of(get(server, tmp_path)) == CONTENT
    assert [start for _, start in server.asked] == [0, 1000, 1000]


def test_a_server_whose_file_is_now_shorter(serve, tmp_path):
    server = serve(breaks_after(1000), status(416), ranges)
    assert content_of(get(server, tmp_path)) == CONTENT
    assert [start for _, start in server.asked] == [0, 1000, 0]


def test_wrong_bytes_of_the_right_length_are_not_kept(serve, tmp_path):
    def wrong(handler, start):
        handler.head(200, len(CONTENT))
        handler.wfile.write(bytes(len(CONTENT)))

    with refuses("its check sum is not the right one"):
        get(serve(wrong), tmp_path)
    assert files_in(tmp_path) == []


def test_a_redirection_is_followed_with_its_range(serve, tmp_path):
    server = serve(status(302, Location="/elsewhere"), breaks_after(1000), status(302, Location="/elsewhere"), ranges)
    assert content_of(get(server, tmp_path)) == CONTENT
    assert server.asked == [("/set.gz", 0), ("/elsewhere", 0), ("/set.gz", 1000), ("/elsewhere", 1000)]


def test_no_redirection_from_a_safe_address_to_another():
    from urllib.error import HTTPError
    from urllib.request import Request

    handler = download._SameScheme()
    with pytest.raises(HTTPError, match="not safe") as caught:
        handler.redirect_request(Request("https://a/x"), None, 302, "Found", {}, "http://a/x")
    caught.value.close()


def test_being_offline_is_said(serve, tmp_path):
    server = serve(ranges)
    server.shutdown()
    server.server_close()  # nobody listens there any more
    with refuses("there is no connection to the server"):
        get(server, tmp_path)


def test_a_full_disk_is_seen_before(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(download.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 10**6}))
    server = serve(ranges)
    with refuses("50 MB are needed and 1 MB are free"):
        get(server, tmp_path)
    assert server.asked == []


def test_a_folder_that_cannot_be_made(serve, tmp_path):
    (tmp_path / "taken").write_text("", "utf-8")
    with refuses("cannot be written"):
        get(serve(ranges), tmp_path / "taken" / "x")


@pytest.mark.parametrize("where", ["downloads", "gensim-data/set"])
def test_a_copy_that_is_here_is_used_as_it_is(tmp_path, where):
    folder = tmp_path / where
    folder.mkdir(parents=True)
    (folder / "set.gz").write_bytes(b"half")
    assert catalogue.present(SET) is None
    (folder / "set.gz").write_bytes(CONTENT)
    assert catalogue.present(SET) == folder / "set.gz"
    assert download.download(SET, url="http://127.0.0.1:1/") == folder / "set.gz"


def test_what_is_offered_is_what_the_issue_names():
    assert [(one.name, one.size, one.md5) for one in OFFERED] == [
        ("glove-twitter-25", 109885004, "50db0211d7e7a2dcd362c6b774762793"),
        ("glove-twitter-50", 209216938, "c168f18641f8c8a00fe30984c4799b2b"),
        ("glove-twitter-100", 405932991, "b04f7bed38756d64cf55b58ce7e97b15"),
        ("glove-twitter-200", 795373100, "e52e8392d1860b95d5308a525817d8f9"),
        ("glove-wiki-gigaword-50", 69182535, "c289bc5d7f2f02c6dc9f2f9b67641813"),
        ("glove-wiki-gigaword-100", 134300434, "40ec481866001177b8cd4cb0df92924f"),
        ("glove-wiki-gigaword-200", 264336934, "59652db361b7a87ee73834a6c391dfc1"),
        ("glove-wiki-gigaword-300", 394362229, "29e9329ac2241937d55b852e8284e89b"),
    ]
    assert {one.licence for one in OFFERED} == {"PDDL"}
    assert OFFERED[0].url == (
        "https://github.com/RaRe-Technologies/gensim-data/releases/download/glove-twitter-25/glove-twitter-25.gz"
    )
