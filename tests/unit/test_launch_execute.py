"""Starting and stopping ranks under each MPI that is installed: nobody is cut off in a round, nobody is left behind."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.programs import send, wait_until

FAKE_ENGINE = Path(__file__).parents[1] / "support" / "fake_engine.py"
MPI_PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char** words) {
  int rank;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d ready in process %d\\n", rank, (int)getpid());
  fflush(stdout);
  while (count > 1 && access(words[1], F_OK) != 0) usleep(10000);  // until all were seen as ranks, and read
  if (count > 1 && rank == 1) raise(SIGKILL);
  sleep(600);  // longer than anybody waits
  MPI_Finalize();
  return 0;
}
"""
PATIENCE_S = 300  # only ends what hangs
DRIVER = """
import os
import signal
import sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background begin with SIGINT ignored
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and under nohup with SIGHUP
from stressbench.launch.command import Command
from stressbench.launch.diagnosis import diagnose
from stressbench.launch.execute import execute
from stressbench.launch import execute as executing
from stressbench.launch import stopping
from stressbench.launch.stopping import Launch, StopPolicy
stopping._POLL_INTERVAL_S, stopping._FINALIZE_TIMEOUT_S = 1.0, 2.0
stopping._DUPLICATE_SIGNAL_S = 600.0  # one signal is one request, and two are two, however late they arrive
executing._RANK_SCAN_TIMES_S = tuple(0.5 * look for look in range(1, 200))
record_ranks = Launch.record_ranks
def note_and_tell(launch):
    record_ranks(launch)
    if len(launch.rank_of) == 3:
        Path(os.environ["SEEN"]).touch()
Launch.record_ranks = note_and_tell
grace_s, limit_s, finished, *words = sys.argv[1:]
stop_policy = StopPolicy(grace_s=float(grace_s), limit_s=None if limit_s == "never" else float(limit_s))
outcome = execute(Command(argv=tuple(words)), stop_policy=stop_policy, has_finished=lambda: bool(finished))
end = ("REQUESTS", outcome.stop_requests, "HUNG", outcome.hung_in_finalize, "DEATH", diagnose(outcome))
print("STATUS", outcome.status, *end)
"""
pytestmark = pytest.mark.mpi


@pytest.fixture(params=["mpirun.openmpi", "mpirun.mpich"])
def launcher(request: pytest.FixtureRequest) -> list[str]:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    extra = ["--oversubscribe", "--bind-to", "none"] if "openmpi" in request.param else []
    return [request.param, *extra, "-n", "3"]


class Driven:
    """A process that calls `execute`, its output so far, and the processes that its ranks reported."""

    def __init__(
        self,
        argv: list[str],
        *,
        what: str = "",
        grace_s: float = 60,
        limit_s: float | str = "never",
        finished: str = "",
        seen: Path = Path(os.devnull),
    ) -> None:
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(grace_s), str(limit_s), finished, *argv],
            env={**os.environ, **root, "FAKE_ENGINE": what, "SEEN": str(seen)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.text = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.text += line

    def until(self, pattern: str, *, times: int = 1) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while len(re.findall(pattern, self.text)) < times:
            assert time.monotonic() < deadline, f"no {pattern!r} in:\n{self.text}"
            time.sleep(0.02)

    def finish(self) -> str:
        self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return self.text

    def left_behind(self) -> list[int]:
        """Ranks that still run, after a moment for those that are on their way out."""
        ranks = [int(pid) for pid in re.findall(r"ready in process (\d+)", self.text)]
        deadline = time.monotonic() + PATIENCE_S
        while (alive := [pid for pid in ranks if _runs(pid)]) and time.monotonic() < deadline:
            time.sleep(0.05)
        return alive

    def clean_up(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        send(signal.SIGKILL, filter(_runs, map(int, re.findall(r"ready in process (\d+)", self.text))))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def driven(request: pytest.FixtureRequest, launcher: list[str]) -> Iterator[Driven]:
    """The fake engine on three ranks; the parameter says what it does, and the stop_policy with it."""
    what, stop_policy = request.param if isinstance(request.param, tuple) else (request.param, {})
    started = Driven([*launcher, sys.executable, str(FAKE_ENGINE), "run", "a.sb"], what=what, **stop_policy)
    yield started
    started.clean_up()


@pytest.fixture
def driven_mpi(request: pytest.FixtureRequest, launcher: list[str], tmp_path: Path) -> Iterator[Driven]:
    """Three ranks that called MPI_Init: only these notice that their launcher is gone, only these hydra tells apart."""
    dies = getattr(request, "param", None) == "die"
    compiler = launcher[0].replace("mpirun", "mpicc")
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "ranks.c").write_text(MPI_PROGRAM)
    subprocess.run([compiler, "-o", str(tmp_path / "ranks"), str(tmp_path / "ranks.c")], check=True)
    die = [str(tmp_path / "die")] if dies else []
    started = Driven([*launcher, str(tmp_path / "ranks"), *die], seen=tmp_path / "seen")
    yield started
    started.clean_up()


@pytest.mark.parametrize("driven", ["wait"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_the_first_request_reaches_every_rank_and_lets_it_finish(driven: Driven, number: signal.Signals) -> None:
    driven.until("ready", times=3)

    driven.process.send_signal(number)

    text = driven.finish()
    assert f"{number.name}: the engine finishes the current round" in text
    assert len(re.findall(r"rank \d finished its round after \['SIGUSR1'\]", text)) == 3
    assert "REQUESTS 1 HUNG False DEATH None" in text


@pytest.mark.parametrize("driven", ["stubborn"], indirect=True)
def test_the_second_request_ends_ranks_that_do_not_listen(driven: Driven) -> None:
    driven.until("ready", times=3)

    driven.process.send_signal(signal.SIGINT)
    driven.until("finishes the current round")
    driven.process.send_signal(signal.SIGTERM)

    assert "REQUESTS 2" in driven.finish()
    assert "finished its round" not in driven.text
    assert driven.left_behind() == []


@pytest.mark.parametrize("driven", [("stubborn", {"grace_s": 2})], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ranks_that_hang_are_killed_when_their_grace_is_over(driven: Driven, number: signal.Signals) -> None:
    driven.until("ready", times=3)

    driven.process.send_signal(number)
    driven.until("finishes the current round")
    driven.process.send_signal(number)  # as `timeout` does

    assert "ranks still run 2 s after they were asked to end: ending all now" in driven.finish()
    assert f"{number.name} again" not in driven.text
    assert "REQUESTS 2" in driven.text
    assert driven.left_behind() == []


@pytest.mark.parametrize("driven", [("stubborn", {"grace_s": 2, "limit_s": 2})], indirect=True)
def test_ranks_that_hang_are_killed_after_their_time_limit(driven: Driven) -> None:
    assert "ranks still run 2 s after their time limit: ending all now" in driven.finish()
    assert driven.left_behind() == []


@pytest.mark.parametrize("driven", [("stubborn", {"finished": "yes"})], indirect=True)
def test_ranks_that_hang_when_their_work_is_done_are_killed(driven: Driven) -> None:
    assert "the run is complete, but ranks do not end within 2 s: ending them" in driven.finish()
    assert "HUNG True" in driven.text
    assert driven.left_behind() == []


@pytest.mark.parametrize("driven", [("wait", {"grace_s": 0.1})], indirect=True)
def test_sigusr1_waits_as_long_as_a_round_takes(driven: Driven) -> None:
    """Batch systems send it some time before the signal that ends."""
    driven.until("ready", times=3)

    driven.process.send_signal(signal.SIGUSR1)

    assert len(re.findall(r"finished its round", driven.finish())) == 3
    assert "REQUESTS 1" in driven.text


def test_ranks_do_not_outlive_a_command_that_was_killed(driven_mpi: Driven) -> None:
    driven_mpi.until("ready", times=3)

    driven_mpi.process.kill()

    assert driven_mpi.left_behind() == []


@pytest.mark.parametrize("driven_mpi", ["die"], indirect=True)
def test_a_killed_rank_is_named_by_number_and_signal(driven_mpi: Driven, tmp_path: Path) -> None:
    driven_mpi.until("ready", times=3)
    wait_until((tmp_path / "seen").exists, "all were seen as ranks")

    (tmp_path / "die").touch()

    text = driven_mpi.finish()

    # MPICH ends the others at once, and may then name one of them.
    named = re.search(r" PID (\d+) RUNNING AT ", text)
    dead = "1" if named is None else re.search(rf"rank (\d+) ready in process {named[1]}\b", text)[1]
    assert re.search(rf"DEATH Death\(rank={dead}, host='\S+', number=9\)", text)


@pytest.mark.parametrize("driven", ["mistake"], indirect=True)
def test_the_engine_s_status_comes_through(driven: Driven) -> None:
    assert "STATUS 2 REQUESTS 0 HUNG False DEATH None" in driven.finish()
