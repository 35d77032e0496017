"""Standard output and standard error that cannot be written, and characters that they cannot hold."""

import json
import os
import resource
import subprocess
from pathlib import Path

import pytest
from support import forked
from support.programs import CHECKOUT
from support.streams import Stream, ended, stressbench

from stressbench.memory_limit import MIN_MIB, single_threaded_blas

RUN = CHECKOUT / "tests" / "golden" / "data" / "v0.1.0" / "run.jsonl"
PRINTING = [
    ("--version",), ("--help",), ("show", "--help"), ("show", RUN), ("show", RUN, "--json"), ("compare", RUN, RUN),
    ("report", RUN, "--format", "md"), ("study", "list"), ("lab", "list"),
]  # fmt: skip
WHY = {Stream.full: "No space left on device", Stream.closed: "it is closed"}


def short(words: tuple[object, ...]) -> str:
    return " ".join(getattr(word, "name", str(word)) for word in words)


@pytest.mark.parametrize("output", [Stream.full, Stream.closed])
@pytest.mark.parametrize("words", PRINTING, ids=short)
def test_output_that_cannot_be_written_is_one_message(words: tuple[object, ...], output: Stream) -> None:
    done = ended(stressbench(*words), output=output)

    assert done.errors == f"stressbench: standard output cannot be written: {WHY[output]}\n"
    assert done.status == 3


def test_output_that_is_buffered_is_no_different() -> None:
    done = ended(stressbench("--version"), output=Stream.full, environment={"PYTHONUNBUFFERED": ""})

    assert done.errors == "stressbench: standard output cannot be written: No space left on device\n"
    assert done.status == 3


def test_a_reader_who_has_enough_is_no_mistake() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as output:
        command = [str(word) for word in stressbench("show", RUN)]
        done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, timeout=300, check=False)

    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("errors", [Stream.full, Stream.closed])
@pytest.mark.parametrize(
    ("words", "status"), [(("show", "missing"), 2), (("show", "--missing"), 2), (("show", RUN), 0)], ids=str
)
def test_messages_that_nobody_can_read_change_nothing_else(
    words: tuple[object, ...], status: int, errors: Stream
) -> None:
    done = ended(stressbench(*words), errors=errors)

    assert done.status == status
    assert done.output == forked.stressbench(*words).stdout


def test_no_file_becomes_standard_output_where_that_is_closed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"

    done = ended(stressbench("report", RUN, "--format", "md", "-o", page), output=Stream.closed)

    assert done.status == 3  # its name could not be printed
    assert page.read_text(encoding="utf-8") == forked.stressbench("report", RUN, "--format", "md").stdout


def test_an_encoding_that_lacks_characters_gets_escapes(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text(RUN.read_text(encoding="utf-8").replace('"halo"', '"hälo 😀"'), encoding="utf-8")
    ascii_only = {"PYTHONIOENCODING": "ascii"}

    table = ended(stressbench("show", run), environment=ascii_only)
    numbers = ended(stressbench("show", run, "--json"), environment=ascii_only)

    assert (table.status, table.errors) == (0, "")
    assert "h\\u00e4lo \\ud83d\\ude00" in table.output
    assert "hälo 😀" in {job["name"] for job in json.loads(numbers.output)["jobs"]}
    assert numbers.output.isascii()


@pytest.mark.parametrize(
    "words", [("sh\x1b[31m\x9bow",), ("show", "--\x1b[31m\x9b"), ("show", "\x1b[31m\x9b")], ids=ascii
)
def test_what_was_typed_wrong_cannot_steer_the_terminal(words: tuple[str, ...]) -> None:
    done = forked.stressbench(*words)

    assert done.returncode == 2
    assert "31m" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x9b" not in done.stdout + done.stderr


def test_a_limit_on_memory_is_told_before_anything_is_loaded() -> None:
    limited = subprocess.run(
        stressbench("show", RUN), capture_output=True, text=True, timeout=300, check=False,  # type: ignore[arg-type]
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (200_000 << 10, 200_000 << 10)),
    )  # fmt: skip

    assert limited.stderr == (
        f"stressbench: memory is limited to 195 MiB; expected {MIN_MIB} MiB or more (`ulimit -v` reports KiB)\n"
    )
    assert limited.returncode == 3


@pytest.mark.parametrize("before", [None, "7"])
def test_what_holds_while_libraries_are_loaded_is_not_handed_on(before: str | None, monkeypatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if before is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", before)

    with single_threaded_blas():
        assert os.environ["OPENBLAS_NUM_THREADS"] == (before or "1")

    assert os.environ.get("OPENBLAS_NUM_THREADS") == before
