"""The reason that the manifest of a study has for a run that was not completed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.studies import STUDY, study_in

from stressbench.experiments.study.launching import RunLauncher
from stressbench.experiments.study.running import LaunchResult, ScheduledRun
from stressbench.launch import session

STATUS = '{"kind":"rank_status","rank":0,"job":"a","motif":"incast","round":1}\n'


def result_of(folder: Path, monkeypatch: pytest.MonkeyPatch, *, status: int, errors: str) -> LaunchResult:
    """What a launch with this status and standard error counts as."""

    def run(prepared: object, *, run_file: Path) -> Any:
        outcome = SimpleNamespace(stop_requests=0, was_asked_to_stop=False, status=status, errors=errors)
        return SimpleNamespace(status=status, death=None, run=None, outcome=outcome, cancellation=None)

    monkeypatch.setattr(session, "prepare", lambda request, environment: "prepared")
    monkeypatch.setattr(session, "run", run)
    directory = study_in(folder, STUDY)
    launcher = RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write)
    planned = directory.study.runs[0]
    return launcher(ScheduledRun(run=planned, path=folder / "run.jsonl", continues=False, time_limit_s=None))


def test_an_interrupted_run_needs_no_other_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert result_of(tmp_path, monkeypatch, status=130, errors=f"some text\n{STATUS}").reason is None


def test_without_a_record_the_last_message_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of(tmp_path, monkeypatch, status=3, errors=f"first\nno slots are left\n{STATUS}\n")

    assert result.reason == "no slots are left"


def test_without_any_message_the_status_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert result_of(tmp_path, monkeypatch, status=3, errors=STATUS).reason == "the launcher ended with status 3"
