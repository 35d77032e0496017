"""What a launch of a study is asked for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.studies import STUDY, study_in

from stressbench.experiments.study.launching import RunLauncher
from stressbench.experiments.study.running import ScheduledRun
from stressbench.launch import session
from stressbench.launch.session import LaunchRequest


def test_all_attempts_of_a_run_have_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A storage motif takes over the files that a failed attempt has left only if they belong to its run id."""
    requested: list[LaunchRequest] = []

    def prepare(request: LaunchRequest, environment: object) -> str:
        requested.append(request)
        return "prepared"

    def run(prepared: object, *, run_file: Path) -> Any:
        outcome = SimpleNamespace(stop_requests=0, was_asked_to_stop=False, status=3, errors="")
        return SimpleNamespace(status=3, death=None, run=None, outcome=outcome)

    monkeypatch.setattr(session, "prepare", prepare)
    monkeypatch.setattr(session, "run", run)
    directory = study_in(tmp_path, STUDY)
    launcher = RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write)
    planned = directory.study.runs[0]

    for attempt in (1, 2):
        path = directory.path / directory.file_of(planned.id, attempt=attempt)
        launcher(ScheduledRun(run=planned, path=path, continues=False, time_limit_s=None))

    assert [one.options.run_id for one in requested] == [planned.id] * 2
