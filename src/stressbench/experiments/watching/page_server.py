"""Serves a page to the user of this machine: on the loopback interface, read-only, and only with a secret token.

Other users of the machine can connect, but do not know the token. Pages of other sites that the user visits cannot
either: the Host header must name this machine's loopback interface (DNS rebinding), and no site may embed the page.
"""

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socket import socket
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOPBACK = "127.0.0.1"
_OWN_NAMES = frozenset({LOOPBACK, "localhost", "[::1]"})
_METHODS = ("GET", "HEAD")
_MOST_CONNECTIONS = 16
_CONNECTION_TIMEOUT_S = 10.0
_TOKEN_BYTES = 24


@dataclass(frozen=True, kw_only=True)
class Content:
    """The content of one path: its media type, and a function that makes its text at each request."""

    media_type: str
    text: Callable[[], str]


class PageServer(ThreadingMixIn, TCPServer):
    """Answers GET and HEAD of the paths of `contents`, with headers that forbid scripts of others, and caching.

    Port 0 stands for any free one. Raises OSError if the port cannot be used.
    """

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, contents: Mapping[str, Content], *, policy: str, port: int = 0) -> None:
        """Listen. `policy` is the Content-Security-Policy of the answers."""
        self.contents = contents
        self.policy = policy
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self.last_answer_s: float | None = None
        """Time of the last answer with content, by the monotonic clock; None: there was none yet."""
        self._free_connections = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__((LOOPBACK, port), _Requests)

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own; close the connection if there are too many."""
        if self._free_connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer the requests of one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free_connections.release()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Ignore connections that break."""

    def accepts(self, token: str) -> bool:
        """Whether this is the token; takes the same time for all tokens of its length."""
        return secrets.compare_digest(token.encode(), self.token.encode())


class _Requests(BaseHTTPRequestHandler):
    """The requests of one connection."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    timeout = _CONNECTION_TIMEOUT_S

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Every method is answered by `_answer`, as do_GET and so on."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def _answer(self) -> None:
        if self.command not in _METHODS:
            self.close_connection = True  # its body is not read
            self._send(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD\n", headers={"Allow": ", ".join(_METHODS)})
            return
        if not self._names_this_machine():
            self._send(HTTPStatus.FORBIDDEN, "the Host header does not name the loopback interface\n")
            return
        address = urlsplit(self.path)
        tokens = parse_qs(address.query).get("token", [])
        if len(tokens) != 1 or not self.server.accepts(tokens[0]):
            self._send(HTTPStatus.FORBIDDEN, "the token is missing or wrong: use the address that was printed\n")
            return
        content = self.server.contents.get(address.path)
        if content is None:
            self._send(HTTPStatus.NOT_FOUND, "there is no such page\n")
            return
        self._send(HTTPStatus.OK, content.text(), media_type=content.media_type)
        self.server.last_answer_s = time.monotonic()

    def _names_this_machine(self) -> bool:
        """Whether the Host header is a name of the loopback interface; the port may be that of an SSH tunnel."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1:
            return False
        name, colon, port = hosts[0].strip().lower().rpartition(":")
        if colon and port.isdecimal():
            return name in _OWN_NAMES
        return hosts[0].strip().lower() in _OWN_NAMES

    def _send(
        self, status: HTTPStatus, text: str, *, media_type: str = "text/plain", headers: Mapping[str, str] | None = None
    ) -> None:
        body = text.encode(errors="backslashreplace")
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{media_type}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Content-Security-Policy": self.server.policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Answer a request that is not HTTP, in plain text."""
        self.close_connection = True
        self.command = getattr(self, "command", None) or "GET"
        if getattr(self, "request_version", "") == "HTTP/0.9":
            return
        self._send(HTTPStatus(code), f"{HTTPStatus(code).phrase.lower()}\n")

    def version_string(self) -> str:
        """The Server header, without versions."""
        return "stressbench"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name of the overridden parameter
        """Log nothing."""
