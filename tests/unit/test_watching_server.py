"""The server of the page of `study watch`: only for who knows the token, only for reading, only from this machine."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator

import pytest

from stressbench.experiments.watching.page_server import _MOST_CONNECTIONS, Content, PageServer

POLICY = "default-src 'none'"


@pytest.fixture
def server() -> Iterator[PageServer]:
    contents = {
        "/": Content(media_type="text/html", text=lambda: "<p>state</p>"),
        "/state.json": Content(media_type="application/json", text=lambda: '{"state": 1}'),
    }
    with PageServer(contents, policy=POLICY) as made:
        thread = threading.Thread(target=lambda: made.serve_forever(poll_interval=0.01), daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join(timeout=60)


class Answer:
    """An answer, read completely."""

    def __init__(self, server: PageServer, path: str, *, method: str = "GET", host: str | None = None) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{server.port}")
        connection.endheaders()
        answer = connection.getresponse()
        self.status, self.headers, self.text = answer.status, answer.headers, answer.read().decode()
        connection.close()


def with_token(server: PageServer, path: str = "/") -> str:
    return f"{path}?token={server.token}"


def test_it_listens_on_the_loopback_interface_only(server: PageServer) -> None:
    assert server.server_address == ("127.0.0.1", server.port)
    assert server.url == f"http://127.0.0.1:{server.port}/?token={server.token}"


def test_the_page_and_the_state_are_sent_to_who_knows_the_token(server: PageServer) -> None:
    page, state = Answer(server, with_token(server)), Answer(server, with_token(server, "/state.json"))

    assert (page.status, page.headers["Content-Type"], page.text) == (200, "text/html; charset=utf-8", "<p>state</p>")
    assert (state.status, json.loads(state.text)) == (200, {"state": 1})
    assert server.last_answer_s is not None


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?other={}", "?token={}x", "?token={}&token={}"])
def test_without_the_token_nothing_is_shown(server: PageServer, query: str) -> None:
    answer = Answer(server, f"/{query.format(server.token, server.token)}")

    assert answer.status == 403
    assert "state" not in answer.text
    assert server.token not in answer.text
    assert server.last_answer_s is None


def test_each_server_has_a_token_of_its_own(server: PageServer) -> None:
    with PageServer({}, policy=POLICY) as other:
        assert other.token != server.token
        assert len(other.token) >= 32


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
def test_nothing_but_reading_is_allowed(server: PageServer, method: str) -> None:
    answer = Answer(server, with_token(server), method=method)

    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_head_has_the_headers_without_the_content(server: PageServer) -> None:
    request = f"HEAD {with_token(server)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request.encode())
        received = b"".join(iter(lambda: connection.recv(4096), b""))

    assert received.startswith(b"HTTP/1.1 200 ")
    assert b"Content-Length: 12\r\n" in received
    assert received.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:8888", "127.0.0.1:1", "[::1]:8888", "[::1]"])
def test_the_host_may_be_that_of_a_tunnel(server: PageServer, host: str) -> None:
    assert Answer(server, with_token(server), host=host).status == 200


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1.example.org", "localhost.example.org:80", "0.0.0.0", "a:b"])
def test_a_host_that_was_rebound_to_this_machine_is_refused(server: PageServer, host: str) -> None:
    assert Answer(server, with_token(server), host=host).status == 403


@pytest.mark.parametrize("path", ["/index.html", "/../etc/passwd", "/state.json/", "/%2e%2e/"])
def test_no_other_path_exists(server: PageServer, path: str) -> None:
    assert Answer(server, with_token(server, path)).status == 404


def test_answers_forbid_scripts_of_others_caches_and_guessing(server: PageServer) -> None:
    for path in (with_token(server), "/"):
        headers = Answer(server, path).headers

        assert headers["Content-Security-Policy"] == POLICY
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Server"] == "stressbench"


@pytest.mark.parametrize(
    "request_", [b"\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\xff\x00 / HTTP/1.1\r\n\r\n"]
)
def test_what_is_not_http_does_not_disturb_it(server: PageServer, request_: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request_)
        connection.shutdown(socket.SHUT_WR)
        while received := connection.recv(4096):
            assert b"200" not in received

    assert Answer(server, with_token(server)).status == 200


def test_idle_connections_are_limited(server: PageServer) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(_MOST_CONNECTIONS)]
    one_more = socket.create_connection(("127.0.0.1", server.port), timeout=60)

    assert one_more.recv(1) == b""  # it is closed at once, and no other one
    idle[0].setblocking(False)
    with pytest.raises(BlockingIOError):
        idle[0].recv(1)

    for connection in (*idle, one_more):
        connection.close()


def test_a_port_that_is_taken_is_an_error(server: PageServer) -> None:
    with pytest.raises(OSError, match="in use"):
        PageServer({}, policy=POLICY, port=server.port)
