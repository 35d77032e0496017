"""Reading what somebody else wrote: only regular files, and only up to a stated size."""

import os
import socket
from pathlib import Path

import pytest

from stressbench.formats.files import FileRefused, limits, lines_in, open_regular, read_bytes, read_text


def refusal(path: Path, *, limit: int = 100) -> str:
    with pytest.raises(FileRefused) as refused:
        read_bytes(path, limit=limit)
    return str(refused.value.strerror)


def test_what_is_no_regular_file_is_refused_without_waiting_for_anybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the address of a socket has 107 characters at most
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

    assert refusal(tmp_path) == "is a directory; expected a regular file"
    assert refusal(tmp_path / "fifo") == "is a FIFO; expected a regular file"
    assert refusal(tmp_path / "socket") == "is a socket; expected a regular file"
    assert refusal(Path("/dev/zero")) == "is a device; expected a regular file"


def test_a_link_to_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to("file")

    assert read_bytes(tmp_path / "link", limit=4) == b"text"


def test_a_file_above_its_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 1 << 40)

    assert refusal(tmp_path / "large", limit=3 * limits.MIB) == "is larger than 3 MiB, the most that is read"
    (tmp_path / "fits").write_bytes(b"x" * 100)
    assert len(read_bytes(tmp_path / "fits", limit=100)) == 100


def test_a_file_that_says_it_is_empty_is_read_up_to_its_limit() -> None:
    assert refusal(Path("/proc/kallsyms"), limit=limits.KIB) == "is larger than 1 KiB, the most that is read"


def test_what_is_not_there_is_no_refusal(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "nothing", limit=1)


def test_lines_end_as_texts_of_python_do(tmp_path: Path) -> None:
    (tmp_path / "dos").write_bytes(b"a\r\nb\rc\n")

    assert read_text(tmp_path / "dos", limit=10) == "a\nb\nc\n"


def test_a_line_above_its_limit_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\n" + b"x" * 1023 + b"\n" + b"x" * 1024 + b"\n")

    with open_regular(path, limit=limits.MIB) as file:
        lines = lines_in(file, path=path, longest=limits.KIB)
        assert [len(next(lines)), len(next(lines))] == [4, 1024]
        with pytest.raises(FileRefused, match="line 3 is longer than 1 KiB, the most that is read"):
            next(lines)
