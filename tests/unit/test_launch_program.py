"""Programs on launch targets: the priority of their launchers."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stressbench.launch import machine, program
from stressbench.launch.command import Command
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LOCAL


@pytest.mark.parametrize("realtime", [False, True])
def test_a_launcher_has_the_priority_of_its_ranks(monkeypatch: pytest.MonkeyPatch, realtime: bool) -> None:
    events: list[str] = []

    @contextmanager
    def like_ranks() -> Iterator[None]:
        events.append("raised")
        yield
        events.append("as before")

    def execute(command: Command, **_: Any) -> Outcome:
        events.append("executed")
        return Outcome(status=0, stop_requests=0, output="", errors="", rank_of=())

    monkeypatch.setattr(machine, "scheduled_like_ranks", like_ranks)
    monkeypatch.setattr(program, "command_of", lambda *_, **__: Command(argv=("true",), environment=()))
    monkeypatch.setattr(program, "execute", execute)
    target = replace(LOCAL, realtime_by_default=realtime)

    program.run_program(("true",), folder=Path.cwd(), ranks=2, target=target, engine=None, environment=os.environ)

    assert events == (["raised", "executed", "as before"] if realtime else ["executed"])
