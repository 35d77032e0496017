"""A lab comes up, is measured and goes down; a study on it and its report in a browser. More of labs: tests/nightly."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from support.browser import browse, fetched
from support.lab_bench import Bench, descendants_marked, gone, job, require_labs
from support.programs import LIMIT_S

from stressbench.labs.idle_states import DEVICE

MESSAGE, REPETITIONS, WARM_UP = 65536, 5, 1
STUDY = """\
about = "Two jobs on a lab, in two placements"
[factors]
workload = "pair.sb"
on = "lab:tiny"
ranks = 4
placement = ["linear", "interleaved"]
[run]
isolated = 6
contended = 6
repetitions = 2
"""
PAIR = """\
[JOB_NAME] solver
[NODES] 2
[MOTIF] allreduce
[JOB_NAME] stream
[NODES] 2
[MOTIF] bandwidth -s 8KiB -w 4
"""


@pytest.fixture
def tiny(engine, tmp_path, wait_for):
    """The lab `tiny`; when the test is over it must be gone, with all that it made."""
    require_labs()
    bench = Bench("tiny", tmp_path, engine.program)
    bench.lab("up", "tiny")
    yield bench
    bench.lab("down", "tiny")
    wait_for(lambda: gone(tmp_path / "labs"), "nothing of the lab is left")


def test_links_count_the_bytes_of_the_messages_that_they_carry(tiny) -> None:
    """Bytes and no times, at least those of the messages: headers add to them, and so does what is sent again."""
    sent = (REPETITIONS + WARM_UP) * MESSAGE

    rounds = ("--isolated", "1", "--contended", "0", "--repetitions", str(REPETITIONS), "--warmup", str(WARM_UP))
    found = tiny.run(job("a", "0,1", f"bandwidth -s {MESSAGE} -w 1"), "-n", "2", *rounds)

    links = {(one.link, one.source): one for one in found.links or ()}
    there, elsewhere = links["h0-s0", "h0"], links["h2-s0", "h2"]
    assert there.bytes > sent
    assert there.rate_bits_per_s == 100_000_000
    assert elsewhere.bytes < MESSAGE


@pytest.mark.skipif(not os.access(DEVICE, os.W_OK), reason="this user may not keep cores awake")
def test_idle_cores_do_not_halt_while_ranks_run(tiny, wait_for) -> None:
    (tiny.folder / "w.sb").write_text(job("pair", "0,1", "pingpong -s 8"), encoding="utf-8")

    with tiny.in_round(tiny.folder / "run.jsonl", "-n", "2", "--isolated", "100000", "--contended", "0") as process:
        asked = keeping_cores_awake(tiny)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT_S)

    assert len(asked) == 1
    wait_for(lambda: not keeping_cores_awake(tiny), "cores may halt again")


def keeping_cores_awake(bench: Bench) -> list[int]:
    """Processes of the labs that have the kernel's device open."""
    return [pid for pid in descendants_marked(bench.folder / "labs") if has_open(pid, DEVICE)]


def has_open(pid: int, path: Path) -> bool:
    """Whether a process has this file open; False if the process has ended."""
    with suppress(OSError):
        return any(one.readlink() == path for one in Path(f"/proc/{pid}/fd").iterdir())
    return False


def test_a_study_on_a_lab_ends_with_a_report_that_a_browser_shows(tiny) -> None:
    (tiny.folder / "pair.sb").write_text(PAIR, encoding="utf-8")
    (tiny.folder / "study.toml").write_text(STUDY, encoding="utf-8")

    ran = tiny.stressbench("study", "run", "study.toml", "-o", "made")
    assert ran.status == 0, ran.text
    reported = tiny.stressbench("study", "report", "made", "--format", "html", "-o", "report.html")
    assert reported.status == 0, reported.text

    page, log = tiny.folder / "report.html", tiny.folder / "log.json"
    shown = browse(page, tiny.folder, "--dump-dom", f"--log-net-log={log}").stdout
    assert all(word in shown for word in ("solver", "stream", "linear", "interleaved", "<svg"))
    assert fetched(log) == []
    measured = tiny.stressbench("study", "report", "made", "--format", "json")
    assert len(json.loads(measured.output)["cells"]) == 2
