"""The directory of a study: whose files are written, and what is left of a study that is refused."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.studies import WORKLOAD, study_in

from stressbench.experiments.study import claims
from stressbench.experiments.study.directory import (
    Directory,
    create_or_extend,
    locked,
    open_directory,
    removed_if_refused,
)
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import read_study

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


def test_what_was_made_before_a_refusal_is_removed_and_what_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "there" / "older").mkdir(parents=True)
    for path in (tmp_path / "a" / "b" / "c", tmp_path / "there" / "new"):
        with pytest.raises(StudyMistake, match="refused"), removed_if_refused(path.parent, path.name):
            (path / "below").mkdir(parents=True)
            (path / "file").touch()
            raise StudyMistake("refused")

    assert sorted(path.name for path in tmp_path.rglob("*")) == ["older", "there"]


def test_what_was_made_without_a_refusal_stays(tmp_path: Path) -> None:
    with removed_if_refused(tmp_path / "a", "b"):
        (tmp_path / "a" / "b").mkdir(parents=True)

    assert (tmp_path / "a" / "b").is_dir()


def test_a_refusal_before_anything_was_made_and_below_a_file_is_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "none", tmp_path / "file" / "below"):
        with pytest.raises(StudyMistake, match="refused"), removed_if_refused(path.parent, path.name):
            raise StudyMistake("refused")

    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def refuse() -> None:
    raise StudyMistake("refused")


def begin(folder: Path, text: str, *, check: Callable[[], None]) -> None:
    (folder / "two.sb").write_text(WORKLOAD, encoding="utf-8")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    study, text = read_study(folder / "study.toml")
    create_or_extend(folder / "above" / "made", study=study, text=text, folder=folder, check=check)


def test_of_a_refused_study_nothing_is_left_but_what_was_there(tmp_path: Path) -> None:
    made = tmp_path / "above" / "made"
    with pytest.raises(StudyMistake, match="refused"):
        begin(tmp_path, STUDY, check=refuse)
    assert not made.parent.exists()

    made.mkdir(parents=True)
    with pytest.raises(StudyMistake, match="refused"):
        begin(tmp_path, STUDY, check=refuse)
    assert list(made.iterdir()) == []

    def refuse_after_a_note() -> None:
        (made / "note.txt").write_text("of the user", encoding="utf-8")
        refuse()

    with pytest.raises(StudyMistake, match="refused"):
        begin(tmp_path, STUDY, check=refuse_after_a_note)
    assert [path.name for path in made.iterdir()] == ["note.txt"]


def test_of_a_study_whose_manifest_cannot_be_written_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Directory, *records: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Directory, "write", full)

    with pytest.raises(StudyMistake, match="no space left on device"):
        begin(tmp_path, STUDY, check=lambda: None)

    assert not (tmp_path / "above").exists()


def test_a_refused_study_leaves_alone_what_another_command_begins_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one waits for the claim, and gets it as soon as the first gives it up."""
    give_up, waiting = claims._unlock, [1]

    def then_the_other_begins(path: Path, descriptor: int) -> None:
        give_up(path, descriptor)
        if waiting:
            waiting.pop()
            begin(tmp_path, STUDY, check=lambda: None)

    monkeypatch.setattr(claims, "_unlock", then_the_other_begins)

    with pytest.raises(StudyMistake, match="refused"):
        begin(tmp_path, STUDY, check=refuse)

    directory = open_directory(tmp_path / "above" / "made")
    directory.plan()
    assert len(directory.read().records) == 2
    assert (directory.path / "runs").is_dir()


def test_a_study_begins_though_another_command_has_removed_the_new_directory_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, found = claims.open_journal, []

    def open_after_it_was_removed(path: Path) -> int:
        if not found:
            found.append(path)
            shutil.rmtree(path.parent)
        return opened(path)

    monkeypatch.setattr(claims, "open_journal", open_after_it_was_removed)

    begin(tmp_path, STUDY, check=lambda: None)

    assert open_directory(tmp_path / "above" / "made").path.joinpath("runs").is_dir()
