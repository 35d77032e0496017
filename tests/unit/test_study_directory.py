"""What a study's directory holds is written in its own files, whatever else bears their names."""

import os
from pathlib import Path

import pytest
from support.studies import study_in

from stressbench.experiments.study.directory import locked
from stressbench.formats.study.errors import StudyMistake

STUDY = '[factors]\nworkload = "two.sb"\nranks = 2\n'


@pytest.mark.parametrize(
    "name", [".environment.json.new", ".study-1.json.new", ".study-1.toml.new", "environment.json"]
)
def test_nothing_is_written_through_a_link_in_a_study_s_directory(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / name).symlink_to(victim)

    study_in(tmp_path, STUDY)

    assert victim.read_text(encoding="utf-8") == "precious"


def test_a_study_whose_manifest_is_a_link_is_not_taken_up(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious\nlast line without end")
    study_in(tmp_path, STUDY)
    (tmp_path / "made" / "manifest.jsonl").unlink()
    (tmp_path / "made" / "manifest.jsonl").symlink_to(victim)
    before = sorted(path.name for path in (tmp_path / "made").iterdir())

    with pytest.raises(StudyMistake, match=r"manifest\.jsonl: is a symbolic link, which is not written through"):
        study_in(tmp_path, f"repetitions = 2\n{STUDY}")

    assert victim.read_bytes() == b"precious\nlast line without end"
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == before


def test_a_lock_that_is_a_fifo_is_refused_without_waiting(tmp_path: Path) -> None:
    study_in(tmp_path, STUDY)
    os.mkfifo(tmp_path / "made" / ".lock")

    with pytest.raises(StudyMistake, match=r"\.lock: is not a regular file"), locked(tmp_path / "made"):
        pass
