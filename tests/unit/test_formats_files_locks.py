"""`is_locked`: whether another process holds a lock on a file, without disturbing who wants to take it."""

import fcntl
import os
from pathlib import Path

import pytest

from stressbench.formats.files import is_locked, locks


@pytest.fixture(params=["kernel", "probe"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, whose lock the kernel lists or does not, as that of another host."""
    if request.param == "probe":
        monkeypatch.setattr(locks, "_KERNEL_LOCKS", tmp_path / "none")
    (tmp_path / "file").touch()
    return tmp_path / "file"


def test_a_lock_is_found_and_its_end_is(file: Path) -> None:
    with file.open("ab") as owner:
        assert is_locked(file) is False
        fcntl.flock(owner, fcntl.LOCK_EX)
        assert is_locked(file) is True

    assert is_locked(file) is False


def test_the_lock_of_another_file_does_not_count(file: Path) -> None:
    other = file.with_name("other")
    with other.open("ab") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)

        assert is_locked(file) is False


def test_a_lock_that_the_kernel_lists_is_not_probed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    with path.open("ab") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        monkeypatch.setattr(locks.fcntl, "flock", None)

        assert is_locked(path) is True


def test_a_missing_file_has_no_lock_and_one_that_cannot_be_opened_an_unknown_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert is_locked(tmp_path / "gone") is False
    assert is_locked(tmp_path / "file" / "below") is None


def test_what_is_no_regular_file_is_not_opened_and_its_lock_is_unknown(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/dev/null")

    for name in ("fifo", "link", "."):
        assert is_locked(tmp_path / name) is None
