"""What a launch of a study is asked for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.studies import PART, STUDY, study_in

from stressbench.experiments.study.launching import RunLauncher
from stressbench.experiments.study.running import ScheduledRun
from stressbench.launch import session
from stressbench.launch.session import LaunchRequest


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[LaunchRequest]:
    """The requests of all launches, which fail."""
    requests: list[LaunchRequest] = []

    def prepare(request: LaunchRequest, environment: object) -> str:
        requests.append(request)
        return "prepared"

    def run(prepared: object, *, run_file: Path) -> Any:
        outcome = SimpleNamespace(stop_requests=0, was_asked_to_stop=False, status=3, errors="")
        return SimpleNamespace(status=3, death=None, run=None, outcome=outcome)

    monkeypatch.setattr(session, "prepare", prepare)
    monkeypatch.setattr(session, "run", run)
    return requests


def test_all_attempts_of_a_run_have_its_id(tmp_path: Path, requested: list[LaunchRequest]) -> None:
    """A storage motif takes over the files that a failed attempt has left only if they belong to its run id."""
    directory = study_in(tmp_path, STUDY)
    launcher = RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write)
    planned = directory.study.runs[0]

    for attempt in (1, 2):
        path = directory.path / directory.file_of(planned.id, attempt=attempt)
        launcher(ScheduledRun(run=planned, path=path, continues=False, time_limit_s=None))

    assert [one.options.run_id for one in requested] == [planned.id] * 2


def test_runs_read_the_telemetry_of_the_study_file_and_the_engine_checks_its_sources(
    tmp_path: Path, requested: list[LaunchRequest]
) -> None:
    telemetry = 'telemetry = "ethernet,cpu"\ntelemetry_command = "counters --json"\ntelemetry_limit = "200ms"\n'
    directory = study_in(tmp_path, f"{STUDY}[run]\n{telemetry}")
    launcher = RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write)
    planned = directory.study.runs[0]

    launcher.check()
    path = directory.path / directory.file_of(planned.id, attempt=1)
    path.parent.mkdir(exist_ok=True)
    path.write_text(PART, encoding="utf-8")
    for continues in (False, True):
        launcher(ScheduledRun(run=planned, path=path, continues=continues, time_limit_s=None))

    *checked, new, continued = (one.options for one in requested)
    assert {one.telemetry for one in checked} == {"ethernet,cpu"}
    for one in (new, continued):
        assert (one.telemetry, one.telemetry_command) == ("ethernet,cpu", "counters --json")
        assert one.telemetry_limit == "200ms"
