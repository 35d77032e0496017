"""Streams by which `lab check` measures links."""

import os
import socket
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from stressbench.labs import stream
from stressbench.labs.process import Process


def test_a_stream_of_which_nothing_arrives_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: int, work: Callable[[], object], *, where: str) -> SimpleNamespace:
        return SimpleNamespace(result=work)

    receiver, sender = socket.socketpair()
    monkeypatch.setattr(stream, "start_in_network", start)
    monkeypatch.setattr(stream, "_listening", lambda _: socket.socket())
    monkeypatch.setattr(stream, "_accepted", lambda _: receiver)
    monkeypatch.setattr(stream, "_send", lambda *_: sender.close())
    end = stream.Endpoint(node="h0", holder=Process(pid=os.getpid(), started=1), address="127.0.0.1", device="lo")

    with pytest.raises(OSError, match="nothing arrived"):
        stream.stream(end, end, seconds=0)
