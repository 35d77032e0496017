"""`stressbench run --on lab:...`: ranks on the lab's hosts, under both MPIs, and none of them left when it ends."""

import signal

import pytest
from support.lab_bench import descendants_marked, job
from support.programs import LIMIT_S

from stressbench.formats.run import read_run

LONG = job("one", "0,1", "bandwidth -s 64KiB -w 4") + job("two", "2,3", "bandwidth -s 64KiB -w 4")


def test_each_rank_runs_on_its_host(lab_up, any_engine) -> None:
    tiny = lab_up("tiny")
    (tiny.folder / "w.sb").write_text(job("pair", "0,1", "pingpong -s 8"), encoding="utf-8")
    target = tiny.folder / f"{any_engine.library.replace(' ', '')}.jsonl"

    rounds = ("--isolated", "1", "--contended", "0", "--repetitions", "2")
    words = ("w.sb", "--on", "lab:tiny", "-n", "2", "-o", target, "--engine", any_engine.program)
    ended = tiny.stressbench("run", *words, *rounds)

    assert ended.status == 0, ended.text
    header = read_run(target).header
    assert [node.host for node in header.nodes] == ["h0", "h1"]
    assert header.mpi.transports is not None
    assert "OMPI_MCA_btl_tcp_flags=9" in header.mpi.transports


def test_a_workload_fills_the_lab_unless_it_is_told_otherwise(lab_up) -> None:
    tiny = lab_up("tiny")
    (tiny.folder / "w.sb").write_text(LONG, encoding="utf-8")

    shown = tiny.stressbench("run", "w.sb", "--on", "lab:tiny", "--dry-run")

    assert " -n 4 --host h0:1,h1:1,h2:1,h3:1 " in shown.output
    assert shown.status == 0


def test_a_workload_that_does_not_fit_the_lab_is_refused_before_anything_starts(lab_up) -> None:
    tiny = lab_up("tiny")
    (tiny.folder / "w.sb").write_text(job("wide", "0-7", "pingpong"), encoding="utf-8")

    refused = tiny.stressbench("run", "w.sb", "--on", "lab:tiny")

    assert refused.status == 2
    assert "w.sb:2:" in refused.errors


@pytest.mark.parametrize("requests", [(signal.SIGINT,), (signal.SIGINT, signal.SIGTERM)])
def test_a_run_that_is_stopped_leaves_no_rank_in_the_lab(lab_up, wait_for, requests) -> None:
    """One request finishes the round, the second ends everything at once."""
    tiny = lab_up("tiny")
    (tiny.folder / "w.sb").write_text(LONG, encoding="utf-8")
    target = tiny.folder / f"stopped{len(requests)}.jsonl"
    before = set(descendants_marked(tiny.folder / "labs"))
    rounds = ("--isolated", "10000", "--contended", "10000", "--repetitions", "5")

    with tiny.in_round(target, *rounds) as process:
        heard = ""
        for request in requests:
            process.send_signal(request)
            while "the engine finishes the current round" not in heard:
                heard += process.stderr.readline()
        errors = heard + process.communicate(timeout=LIMIT_S)[1]

    assert process.returncode == 130, errors
    wait_for(lambda: set(descendants_marked(tiny.folder / "labs")) <= before, "no rank is left")
    assert read_run(target).rounds


def test_a_link_that_is_cut_for_good_ends_the_run_and_names_job_and_host(lab_up, wait_for) -> None:
    tiny = lab_up("tiny")
    (tiny.folder / "w.sb").write_text(job("severed", "0,1", "bandwidth -s 256KiB -w 8"), encoding="utf-8")
    target = tiny.folder / "severed.jsonl"
    before = set(descendants_marked(tiny.folder / "labs"))
    rounds = ("--isolated", "1000", "--contended", "0", "--repetitions", "20", "--stall-limit", "3s")

    # A round takes 3.5 s, so that the cut, within a second of one's end, meets the next at work.
    with tiny.in_round(target, "-n", "2", *rounds) as process:
        tiny.set("h1-s0", "down")
        errors = process.communicate(timeout=LIMIT_S)[1]

    assert process.returncode == 3, errors
    said = next(line for line in errors.splitlines() if "no progress for 3s" in line)
    assert "job severed, motif bandwidth, rank " in said
    assert " on host h" in said
    assert read_run(target).rounds
    tiny.set("h1-s0", "up")
    wait_for(lambda: set(descendants_marked(tiny.folder / "labs")) <= before, "no rank is left")


def test_a_link_that_is_cut_for_a_moment_delays_a_run_and_does_not_end_it(lab_up) -> None:
    tiny = lab_up("tiny")
    (tiny.folder / "w.sb").write_text(job("one", "0,1", "bandwidth -s 256KiB -w 8"), encoding="utf-8")
    target = tiny.folder / "cut.jsonl"
    rounds = ("--isolated", "8", "--contended", "0", "--repetitions", "4")

    with tiny.in_round(target, "-n", "2", *rounds) as process:
        tiny.set("h1-s0", "down")
        tiny.set("h1-s0", "up")
        errors = process.communicate(timeout=LIMIT_S)[1]

    assert process.returncode == 0, errors
    assert read_run(target).complete


def test_a_run_whose_link_is_cut_for_good_ends_by_timeout_and_leaves_no_rank(lab_up, wait_for) -> None:
    """`timeout` sends SIGTERM, and no more; ranks that wait for a message do not hear it.

    It hands on the SIGTERM that it gets as it sends its own.
    """
    tiny = lab_up("tiny")
    (tiny.folder / "w.sb").write_text(LONG, encoding="utf-8")
    target = tiny.folder / "hung.jsonl"
    before = set(descendants_marked(tiny.folder / "labs"))
    rounds = ("--isolated", "10000", "--contended", "10000", "--repetitions", "5")

    with tiny.in_round(target, *rounds, "--grace", "3s", under=("timeout", "86400")) as process:
        tiny.set("h1-s0", "down")
        process.send_signal(signal.SIGTERM)
        errors = process.communicate(timeout=LIMIT_S)[1]
    tiny.set("h1-s0", "up")

    assert "SIGTERM: the engine finishes the current round within 3 s" in errors
    assert "ranks still run 3 s after they were asked to end: ending all now" in errors
    wait_for(lambda: set(descendants_marked(tiny.folder / "labs")) <= before, "no rank is left")
    assert read_run(target).rounds
