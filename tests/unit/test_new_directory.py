"""The directory of `--output DIR`, in which launches begin."""

from pathlib import Path

import pytest

from stressbench.experiments.new_directory import make_new_directory
from stressbench.formats.study.errors import StudyMistake


def test_a_directory_is_made_with_those_above_it_or_taken_if_it_is_empty(tmp_path: Path) -> None:
    make_new_directory(tmp_path / "a" / "b", begins="a validation begins")
    make_new_directory(tmp_path / "a" / "b", begins="a validation begins")
    assert (tmp_path / "a" / "b").is_dir()


def test_what_is_in_use_or_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").touch()
    for path in (tmp_path / "used", tmp_path / "used" / "file"):
        with pytest.raises(StudyMistake, match=r"--output: .* already exists; a validation begins in a new directory"):
            make_new_directory(path, begins="a validation begins")
    with pytest.raises(StudyMistake, match=r"--output: .*/file/below: not a directory"):
        make_new_directory(tmp_path / "used" / "file" / "below", begins="a validation begins")
