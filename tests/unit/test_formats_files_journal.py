"""Lines that are appended are in the file as a whole, or not at all."""

import fcntl
import os
import re
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.programs import wait_until

from stressbench.formats.files import FileRefused, append_lines

APPEND = (
    "import sys; from pathlib import Path; from stressbench.formats.files import append_lines; append_lines({}, {})"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b'{"a":1}\n'),
        (b'{"b":2}\n', b'{"b":2}\n{"a":1}\n'),
        (b'{"b":2}', b'{"b":2}\n{"a":1}\n'),  # nothing but the end of the line is missing
        (b'{"b":2}\n{"c', b'{"b":2}\n{"a":1}\n'),
        (b'{"c', b'{"a":1}\n'),
        (b'{"b":2}\n{"c":"' + b"x" * 100_000, b'{"b":2}\n{"a":1}\n'),
    ],
    ids=["new", "whole", "no end", "cut off", "first cut off", "long cut off"],
)
def test_a_line_that_was_cut_off_goes_when_the_next_one_comes(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "journal").write_bytes(before)

    append_lines(tmp_path / "journal", [b'{"a":1}'])

    assert (tmp_path / "journal").read_bytes() == after


def test_what_has_no_room_leaves_the_lines_before(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.write_bytes(b'{"b":2}\n')
    lines = [b'{"a":1}', b'{"c":"%s"}' % (b"x" * 5000)]

    done = subprocess.run(
        [sys.executable, "-c", APPEND.format(f"Path({str(journal)!r})", lines)], capture_output=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)),
    )  # fmt: skip

    assert b"File too large" in done.stderr
    assert journal.read_bytes() == b'{"b":2}\n'


def test_a_process_waits_until_another_one_has_appended_its_line(tmp_path: Path) -> None:
    """It would take the half line of the other one for one that was cut off."""
    journal = tmp_path / "journal"
    with journal.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write(b'{"b":')
        other.flush()
        appending = threading.Thread(target=append_lines, args=(journal, [b'{"a":1}']))
        appending.start()
        waiting = re.compile(rf"-> FLOCK .*:{journal.stat().st_ino} ")
        wait_until(lambda: waiting.search(Path("/proc/locks").read_text()) is not None, "the thread waits")
        other.write(b"2}\n")
        other.flush()
        fcntl.flock(other, fcntl.LOCK_UN)
        appending.join()

    assert journal.read_bytes() == b'{"b":2}\n{"a":1}\n'


def test_a_journal_that_is_a_link_is_refused_and_its_target_stays(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"precious\nlast line without end")
    (tmp_path / "journal").symlink_to(tmp_path / "victim")

    with pytest.raises(FileRefused, match="is a symbolic link"):
        append_lines(tmp_path / "journal", [b'{"a":1}'])

    assert (tmp_path / "victim").read_bytes() == b"precious\nlast line without end"


def test_a_fifo_in_the_place_of_a_journal_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "journal")

    with pytest.raises(FileRefused, match="is not a regular file"):
        append_lines(tmp_path / "journal", [b'{"a":1}'])
