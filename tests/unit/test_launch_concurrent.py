"""Several launches at the same time, with shell scripts as programs."""

import os
import signal
from pathlib import Path

import pytest
from support.programs import wait_until

from stressbench.launch.command import Command
from stressbench.launch.concurrent import concurrent_launches
from stressbench.launch.errors import LaunchMistake


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(text: str) -> Command:
    return Command(argv=("sh", "-c", text))


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_ends_are_reported_in_their_order_and_a_key_can_be_used_again(here: Path) -> None:
    with concurrent_launches() as launches:
        launches.start(0, script("until [ -e go ]; do sleep 0.02; done; echo late"))
        launches.start(1, script("echo early; exit 3"))
        first = launches.next_end()
        launches.start(1, script("touch go; exec sleep 86400"))
        second = launches.next_end()

    assert (first.key, first.outcome.status, first.outcome.output) == (1, 3, "early\n")
    assert (second.key, second.outcome.status, second.outcome.output) == (0, 0, "late\n")
    assert first.outcome.began_s <= first.outcome.ended_s <= second.outcome.ended_s


def test_no_launch_runs_after_the_context(here: Path) -> None:
    with concurrent_launches() as launches:
        for key in (0, 1):
            launches.start(key, script(f"echo $$ >pid{key}.new; mv pid{key}.new pid{key}; exec sleep 86400"))
        wait_until(lambda: all((here / f"pid{key}").exists() for key in (0, 1)), "both run")

    pids = [int((here / f"pid{key}").read_text()) for key in (0, 1)]
    wait_until(lambda: all(map(gone, pids)), "both have ended")


def test_a_launch_that_ignores_requests_is_killed(here: Path) -> None:
    with concurrent_launches() as launches:
        launches.start(0, script("trap '' TERM INT USR1; echo $$ >new; mv new pid; while :; do sleep 0.02; done"))
        wait_until((here / "pid").exists, "it runs")
        (ended,) = launches.end_all()

    assert ended.outcome.status != 0
    assert gone(int((here / "pid").read_text()))


def test_a_stop_signal_ends_all_launches(here: Path) -> None:
    with concurrent_launches() as launches:
        launches.start(0, script("exec sleep 86400"))
        launches.start(1, script(f"kill -TERM {os.getpid()}; exec sleep 86400"))
        ended = {launches.next_end().key, launches.next_end().key}

    assert ended == {0, 1}
    assert launches.interrupted
    assert launches.running == 0


def test_the_handlers_of_signals_are_restored() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with concurrent_launches():
        assert signal.getsignal(signal.SIGTERM) != before

    assert signal.getsignal(signal.SIGTERM) == before


def test_a_program_that_cannot_be_started_is_named() -> None:
    with concurrent_launches() as launches:
        with pytest.raises(LaunchMistake, match="no-such-program: no such file or directory"):
            launches.start(0, Command(argv=("no-such-program",)))

        assert launches.running == 0


def test_a_launch_ends_at_its_time_limit() -> None:
    with concurrent_launches() as launches:
        launches.start(0, script("exec sleep 86400"), limit_s=0.1)
        ended = launches.next_end()

    assert ended.outcome.stop_requests == 1


def test_what_programs_print_is_kept_and_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    with concurrent_launches() as launches:
        launches.start(0, script("echo out; echo wrong >&2; exit 3"))
        ended = launches.next_end()

    assert (ended.outcome.output, ended.outcome.errors) == ("out\n", "wrong\n")
    assert capfd.readouterr() == ("", "")
