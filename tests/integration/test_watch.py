"""`study watch` beside a study with real ranks, which is killed, resumed and ends; the watcher is killed, too."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.browser import browse, needs_browser
from support.programs import Started, wait_until
from support.studies import PART, WHOLE, put_real_study

from stressbench.experiments.watching.page_server import Content, PageServer
from stressbench.experiments.watching.run import RunWatcher
from stressbench.report.live_page import content_security_policy, live_page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put_real_study(tmp_path, rounds=10, repetitions=3)
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
            found = {}

            def shows_rounds() -> bool:
                found.update(state(url))
                return rounds(found) > 0

            wait_until(shows_rounds, "rounds are shown")
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


def test_a_run_serves_a_page_that_shows_its_end_and_ends_with_it(engine, folder: Path) -> None:
    words = ("run", "pair.sb", "-n", "2", "--ranks-per-node", "1", "--isolated", "6", "--contended", "6", "--watch")
    with started(folder, *words, "-o", "run.jsonl", engine=engine.program) as process:
        url = address(process)
        seen: list[str] = []

        def shows_the_end() -> bool:
            seen.append(state(url)["activity"])
            return seen[-1] == "ended"

        wait_until(shows_the_end, "the end is shown")
        output, errors = process.communicate(timeout=300)

    assert process.returncode == 0, errors
    assert set(seen) == {"running", "ended"}
    assert "reduce" in output
    with pytest.raises(OSError, match="refused"):
        state(url)


@needs_browser
def test_a_browser_refreshes_the_page_by_its_script(tmp_path: Path) -> None:
    """The first page is of a run in progress; what is shown of the whole run comes from the script."""
    path, pages = tmp_path / "run.jsonl", []

    def page() -> str:
        path.write_text(WHOLE if pages else PART)
        pages.append(live_page(RunWatcher(path).look(), interval_s=0.5))
        return pages[-1]

    contents = {"/": Content(media_type="text/html", text=page)}
    with PageServer(contents, policy=content_security_policy()) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        shown = browse(
            tmp_path, tmp_path, "--dump-dom", "--virtual-time-budget=3000", "--enable-logging=stderr",
            address=server.url,
        )  # fmt: skip
        server.shutdown()

    assert "6 of 6 rounds" in pages[0]
    assert "18 of 18 rounds" in shown.stdout
    assert len(pages) > 1
    assert "Content Security Policy" not in shown.stderr
