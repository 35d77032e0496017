"""The engine with standard output or standard error that cannot be written."""

import pytest
from support.streams import Stream, ended

from stressbench.formats.run import read_run

WORKLOAD = "[JOB_NAME] a\n[NID_LIST] 0\n[MOTIF] allreduce\n"
PRINTING = [
    ("list",), ("list", "--json"), ("describe", "pingpong"), ("describe", "WORKLOAD"), ("check", "WORKLOAD"),
    ("--version",), ("list", "--help"), ("motif", "pingpong", "--help"),
]  # fmt: skip
WHY = {Stream.full: "No space left on device", Stream.closed: "it is closed"}


@pytest.fixture
def workload(tmp_path):
    path = tmp_path / "one.sb"
    path.write_text(WORKLOAD, encoding="utf-8")
    return path


@pytest.mark.parametrize("output", [Stream.full, Stream.closed])
@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_output_that_cannot_be_written_is_one_message(engine, workload, words, output):
    command = engine.command(*(workload if word == "WORKLOAD" else word for word in words))

    done = ended(command, output=output)

    assert done.errors == f"stressbench-mpi: standard output cannot be written: {WHY[output]}\n"
    assert done.status == 3


@pytest.mark.parametrize("errors", [Stream.full, Stream.closed])
@pytest.mark.parametrize(("words", "status"), [(("check", "missing"), 2), (("missing",), 2), (("list",), 0)], ids=str)
def test_messages_that_nobody_can_read_change_nothing_else(engine, words, status, errors):
    done = ended(engine.command(*words), errors=errors)

    assert done.status == status
    assert done.output == ended(engine.command(*words)).output


@pytest.mark.parametrize("output", [Stream.full, Stream.closed])
def test_a_run_whose_summary_cannot_be_printed_is_whole(engine, workload, tmp_path, output):
    run = tmp_path / "run.jsonl"

    done = ended(engine.command("run", workload, "--output", run, "--isolated", "1", "--contended", "1"), output=output)

    assert done.status == 3
    assert WHY[output] in done.errors
    assert read_run(run).complete


def test_memory_of_a_process_is_refused_as_a_workload(engine):
    done = ended(engine.command("check", "/proc/self/mem"))

    assert (done.status, done.output) == (2, "")
    assert done.errors == "cannot read '/proc/self/mem': Input/output error\n"
