"""`study watch` beside a study with real ranks: it is killed, resumed and ends, and the watcher is killed and reopened."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from support.browser import browse, needs_browser
from support.programs import Started, wait_until
from support.studies import REAL_PAIR

STUDY = """\
[factors]
workload = "pair.sb"
ranks = 2
ranks_per_node = 1
placement = ["linear", "interleaved"]
[set]
size = "2KiB"
[run]
isolated = 8
contended = 8
repetitions = 5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pair.sb").write_text(REAL_PAIR)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def started(folder: Path, *words: str, engine: Path) -> Started:
    command = [sys.executable, "-u", "-m", "stressbench", *words]
    return Started(command, cwd=folder, environment={"STRESSBENCH_MPI": str(engine)})


def address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
            return found[0]
    pytest.fail("no address was printed")


def state(url: str) -> Any:
    with urllib.request.urlopen(url.replace("/?", "/state.json?"), timeout=60) as answer:
        return json.load(answer)


def test_a_watcher_follows_a_study_that_is_killed_and_resumed_and_may_be_killed_itself(engine, folder: Path) -> None:
    watch = ("study", "watch", "made", "--interval", "0.5s")
    with started(folder, *watch, engine=engine.program) as watcher:
        url = address(watcher)
        assert state(url)["activity"] == "waiting"
        with started(folder, "study", "run", "study.toml", "-o", "made", engine=engine.program) as study:
            wait_until(lambda: rounds(state(url)) > 0, "rounds are shown")
            found = state(url)
            watcher.kill()  # it takes nothing with it
            watcher.communicate(timeout=300)
            assert study.poll() is None
            study.kill()
            study.communicate(timeout=300)

    assert found["activity"] == "running"
    assert [job["hosts"] for job in found["runs"][0]["jobs"]] != [[], []]
    with started(folder, *watch, engine=engine.program) as watcher:
        url = address(watcher)
        wait_until(lambda: state(url)["activity"] == "stopped", "nothing runs any more")
        assert "nothing runs: the study was killed during" in state(url)["sentence"]
        resumed = engine.stressbench("study", "resume", "made", cwd=folder)
        assert resumed.status == 0, resumed.text
        wait_until(lambda: state(url)["activity"] == "ended", "the end is shown")
        ended = state(url)
        watcher.send_signal(signal.SIGINT)
        watcher.communicate(timeout=300)

    assert watcher.returncode == 0
    assert (ended["study"]["done"], ended["runs"]) == (2, [])
    impacts = [impact for cell in ended["cells"] for impact in cell["impacts"]]
    assert len(impacts) == 4
    assert all(impact["low"] is not None and impact["high"] is not None for impact in impacts)
    report = json.loads(engine.stressbench("study", "report", "made", "--format", "json", cwd=folder).output)
    reported = {(cell["id"], job["name"]): job["impact"] for cell in report["cells"] for job in cell["jobs"]}
    for cell in ended["cells"]:
        for impact in cell["impacts"]:
            assert reported[cell["cell"], impact["job"]]["low"] == pytest.approx(impact["low"])


def rounds(found: Any) -> int:
    return sum(run["rounds"] for run in found["runs"])


def test_a_run_serves_a_page_that_a_browser_shows_and_ends_with_it(engine, folder: Path) -> None:
    words = ("run", "pair.sb", "-n", "2", "--ranks-per-node", "1", "--isolated", "8", "--contended", "8", "--watch")
    with started(folder, *words, "-o", "run.jsonl", engine=engine.program) as process:
        url = address(process)
        wait_until(lambda: rounds(state(url)) > 0, "rounds are shown")
        output, errors = process.communicate(timeout=300)

    assert process.returncode == 0, errors
    assert "all" in output
    with pytest.raises(OSError, match="refused"):
        state(url)


@needs_browser
def test_a_browser_runs_the_script_of_the_page(engine, folder: Path) -> None:
    """The run begins only after the page was loaded: what is shown of it comes from the script."""
    with started(folder, "study", "watch", "run.jsonl", "--interval", "0.5s", engine=engine.program) as watcher:
        url = address(watcher)
        words = ("run", "pair.sb", "-n", "2", "--ranks-per-node", "1", "--isolated", "8", "--contended", "8")
        with started(folder, *words, "-o", "run.jsonl", engine=engine.program):
            shown = browse(
                folder, folder, "--dump-dom", "--timeout=20000", "--enable-logging=stderr", address=url
            )  # fmt: skip

    assert "of 24 rounds" in shown.stdout
    assert "Refused to" not in shown.stderr
