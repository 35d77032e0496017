"""`stressbench study watch` and `run --watch` as a person meets them, without MPI."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.commands import call
from support.fake_launcher import FAKE_ENGINE, LIBRARIES
from support.programs import Started, launchers_of, wait_until
from support.schemas import schema_faults
from support.studies import PART, WHOLE
from support.watching import finished_study, killed_study


@contextmanager
def watching(*words: str | Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-u", "-m", "stressbench", *map(str, words)]
    with Started(command, cwd=None, environment=environment) as process:
        yield process


def address(process: subprocess.Popen[str]) -> str:
    """The address that was printed."""
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
            return found[0]
    pytest.fail("no address was printed")


def fetched(url: str, path: str = "/") -> str:
    with urllib.request.urlopen(url.replace("/?", f"{path}?"), timeout=60) as answer:
        text: str = answer.read().decode()
        return text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--interval", "0.1s"), "--interval: '0.1s': expected 0.5 s to 1 h"),
        (("--interval", "2h"), "--interval: '2h': expected 0.5 s to 1 h"),
        (("--interval", "soon"), "--interval: 'soon' must be"),
        (("--port", "70000"), "'70000': Input should be less than or equal to 65535"),
        (("--json",), "--json: expected only with --once"),
        (("--once", "--terminal"), "--terminal: expected only without --once"),
        (("--once", "--port", "8888"), "--port: expected only without --once"),
        (("--terminal", "--port", "8888"), "--port: expected only without --terminal, which serves no page"),
    ],
)
def test_a_mistake_gives_one_message_and_status_2(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    ended = call("study", "watch", tmp_path, *options)

    assert ended.exit_code == 2
    assert message in " ".join(ended.output.split())


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with watching("study", "watch", tmp_path) as first:
        port = re.search(r":(\d+)/", address(first))
        assert port is not None
        ended = call("study", "watch", tmp_path, "--port", port[1])

    assert ended.exit_code == 2
    assert f"--port: {port[1]}: address already in use; name another one, or 0 for any free one" in ended.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--watch-port", "8888"), "--watch-port 8888: expected only with --watch"),
        (("--watch", "--emit", "--on", "slurm"), "--watch: expected only without --emit"),
    ],
)
def test_mistakes_about_the_page_of_a_run(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    ended = call("run", tmp_path / "w.sb", "-n", "2", *options)

    assert ended.exit_code == 2
    assert message in ended.stderr


def test_one_look_prints_the_state_and_as_json(tmp_path: Path) -> None:
    folder = killed_study(tmp_path, done=3).path

    text, values = call("study", "watch", folder, "--once"), call("study", "watch", folder, "--once", "--json")

    assert (text.exit_code, values.exit_code) == (0, 0)
    assert "nothing runs: the study was killed during" in text.stdout
    found = json.loads(values.stdout)
    assert (found["activity"], found["study"]["done"]) == ("stopped", 3)
    assert schema_faults("study-watch", found) == []


@pytest.mark.parametrize("name", ["gone", "gone.jsonl"])
def test_one_look_at_nothing_has_status_2(tmp_path: Path, name: str) -> None:
    ended = call("study", "watch", tmp_path / name, "--once")

    assert ended.exit_code == 2
    assert str(tmp_path / name) in ended.stderr


def test_in_the_terminal_it_ends_with_the_study(tmp_path: Path) -> None:
    with watching("study", "watch", finished_study(tmp_path).path, "--terminal") as process:
        output, _ = process.communicate(timeout=300)

    assert process.returncode == 0
    assert output.startswith("12 of 12 runs; all runs are done\n")
    assert "12 runs: 12 done" in output
    assert "\x1b" not in output


def test_in_the_terminal_a_line_is_printed_for_each_progress(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with watching("study", "watch", path, "--terminal", "--interval", "0.5s") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        path.write_text(PART)
        lines.append(process.stdout.readline())
        path.write_text(WHOLE)
        rest, _ = process.communicate(timeout=300)

    assert process.returncode == 0
    assert lines[0] == f"{path} does not exist yet\n"
    assert lines[1].startswith("6 of 6 rounds; ")
    assert "18 of 18 rounds; complete\n" in rest


@pytest.mark.parametrize("options", [(), ("--terminal",)])
def test_ctrl_c_ends_the_watcher_with_status_0(tmp_path: Path, options: tuple[str, ...]) -> None:
    with watching("study", "watch", tmp_path / "later", *options) as process:
        stream = process.stdout if options else process.stderr
        assert stream is not None
        stream.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)

    assert process.returncode == 0


def test_the_page_follows_a_study_that_begins_later_and_ends(tmp_path: Path) -> None:
    with watching("--quiet", "study", "watch", tmp_path / "made", "--interval", "0.5s") as process:
        url = address(process)
        before = json.loads(fetched(url, "/state.json"))
        finished_study(tmp_path)
        wait_until(lambda: "all runs are done" in fetched(url), "the page shows the end")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)

    assert before["activity"] == "waiting"
    assert (process.returncode, errors) == (0, "")


def test_the_watcher_changes_nothing_in_the_study(tmp_path: Path) -> None:
    folder = killed_study(tmp_path, done=3).path
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}

    with watching("study", "watch", folder, "--interval", "0.5s") as process:
        url = address(process)
        for _ in range(3):
            fetched(url)
        with pytest.raises(urllib.error.HTTPError, match="403"):
            fetched(url.partition("?")[0])

    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    (tmp_path / "w.sb").write_text("[JOB_NAME] CG\n[NODES] 1\n[MOTIF] allreduce\n")
    (tmp_path / "whole").write_text(WHOLE)
    return tmp_path / "w.sb"


FAKES = {"STRESSBENCH_MPI": str(FAKE_ENGINE), "FAKE_LIBRARY": LIBRARIES["mpirun.openmpi"]}


@pytest.mark.skipif(not os.path.exists("/usr/bin/mpirun.openmpi"), reason="mpirun.openmpi is not installed")  # noqa: PTH110
def test_a_run_serves_its_page_while_it_runs_and_leaves_no_process(workload: Path, tmp_path: Path) -> None:
    fakes = {**FAKES, "FAKE_RUN": str(tmp_path / "whole"), "FAKE_ENGINE": "wait"}
    with watching("run", workload, "-n", "2", "-o", tmp_path / "w.jsonl", "--watch", **fakes) as process:
        url = address(process)
        wait_until(lambda: "18 of 18 rounds" in fetched(url), "the page shows the rounds")
        process.send_signal(signal.SIGINT)
        wait_until(lambda: '"activity": "ended"' in safely(url), "the final state is shown")
        process.communicate(timeout=300)

    with pytest.raises(urllib.error.URLError, match="refused"):
        fetched(url)


def safely(url: str) -> str:
    try:
        return fetched(url, "/state.json")
    except (urllib.error.URLError, OSError):
        return ""


@pytest.mark.skipif(not os.path.exists("/usr/bin/mpirun.openmpi"), reason="mpirun.openmpi is not installed")  # noqa: PTH110
def test_the_page_of_a_killed_run_ends_with_it(workload: Path, tmp_path: Path) -> None:
    fakes = {**FAKES, "FAKE_RUN": str(tmp_path / "whole"), "FAKE_ENGINE": "wait"}
    with watching("run", workload, "-n", "2", "-o", tmp_path / "w.jsonl", "--watch", **fakes) as process:
        url = address(process)
        wait_until(lambda: "18 of 18 rounds" in fetched(url), "the page shows the rounds")
        (launcher,) = launchers_of(process.pid)
        process.kill()
        process.communicate(timeout=300)
        os.kill(launcher, signal.SIGTERM)  # mpirun outlives a killed stressbench, and ends its ranks

    wait_until(lambda: not safely(url), "nobody answers any more")
