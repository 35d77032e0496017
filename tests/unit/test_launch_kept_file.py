"""Where a run is whose run file was deleted, replaced or cut."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stressbench.launch import session
from stressbench.launch.command import Command
from stressbench.launch.kept_file import KeptFile, new_run_id, run_id_in
from stressbench.launch.stopping import StopPolicy


def write(path: Path, run_id: str | None = "mine") -> Path:
    header = {"type": "header"} if run_id is None else {"type": "header", "run_id": run_id}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(header) + "\n")
    return path


def kept_file(run_file: Path, *, run_id: str | None = "mine") -> KeptFile:
    return KeptFile(run_file, temporary=run_file.parent / "tmp", run_id=run_id)


@pytest.mark.parametrize("name", ["run.kept.jsonl", "tmp/run.kept.jsonl", "run.kept-2.jsonl"])
def test_a_new_file_with_the_id_of_the_run_is_the_kept_one(tmp_path: Path, name: str) -> None:
    if "-2" in name:
        write(tmp_path / "run.kept.jsonl")
    kept = kept_file(tmp_path / "run.jsonl")

    write(tmp_path / name)

    assert kept.path() == tmp_path / name


def test_files_of_other_runs_and_of_earlier_launches_are_not(tmp_path: Path) -> None:
    write(tmp_path / "run.kept.jsonl")
    kept = kept_file(tmp_path / "run.jsonl")

    write(tmp_path / "run.kept-2.jsonl", "another")
    (tmp_path / "run.kept-3.jsonl").write_text("no header")

    assert kept.path() is None


def test_a_file_of_an_early_version_has_no_id(tmp_path: Path) -> None:
    kept = kept_file(tmp_path / "run.jsonl", run_id=None)

    assert kept.path() is None
    assert run_id_in(tmp_path / "run.jsonl") is None
    assert kept_file(tmp_path / "run.jsonl", run_id=None).path() is None
    assert write(tmp_path / "run.kept.jsonl", None) == kept.path()


def test_a_new_run_gets_an_id_and_a_continued_one_has_that_of_its_file(tmp_path: Path) -> None:
    new = session.PreparedLaunch(command=Command(argv=("mpirun", "engine")), advice=None, stop_policy=StopPolicy())

    started = new.with_run_id(tmp_path / "new.jsonl")
    continued = new.with_run_id(write(tmp_path / "old.jsonl"))
    named = replace(new, run_id="named").with_run_id(tmp_path / "new.jsonl")

    assert started.command.argv == ("mpirun", "engine", "--run-id", started.run_id)
    assert (continued.command, continued.run_id) == (new.command, "mine")
    assert (named.command, named.run_id) == (new.command, "named")


def test_run_ids_differ() -> None:
    assert len({new_run_id() for _ in range(100)}) == 100
