"""What killed launches leave is removed when nobody who lives needs it, and nothing else is."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.commands import call
from support.counted import Counted
from support.programs import wait_until
from support.schemas import schema_faults

import stressbench
from stressbench import experiments
from stressbench.formats.files import new_output
from stressbench.launch.leftovers import Kind, Leftover, find, remove
from stressbench.launch.leftovers.live_processes import LiveProcesses
from stressbench.launch.leftovers.search import Candidate, is_needed

ME = os.geteuid()
SEGMENT = f"vader_segment.node.{ME}.76f70001.0"
POOL = "stressbench-trace-0123456789abcdef-0.pool"
HOLDS = """
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    held = mmap.mmap(file.fileno(), 0)
print("ready", flush=True)
sys.stdin.read()
"""


def names(folder: Path, user: int = ME) -> list[str]:
    return [left.name for left in find([folder], user=user)]


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(4096))
    return path


def session(folder: Path, name: str) -> Path:
    path = folder / f"ompi.{os.uname().nodename}.{ME}" / name
    put(path / "1" / "0" / "shared")
    return path


@contextmanager
def process(*words: object, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", *map(str, words)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    ) as started:
        assert started.stdout is not None and started.stdout.readline() == "ready\n"
        yield started
        started.kill()


@pytest.mark.parametrize("name", [SEGMENT, f"sm_segment.a.b.{ME}.1.12", POOL, POOL.replace("-0.", "-0.3.")])
def test_files_of_nobody_are_found_and_removed(tmp_path: Path, name: str) -> None:
    put(tmp_path / name)
    put(tmp_path / f"{name}.mine")
    put(tmp_path / "stressbench-trace.pool")

    (left,) = find([tmp_path, tmp_path], user=ME)
    remove(left)

    assert left.path == tmp_path / name
    assert left.size >= 4096
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([f"{name}.mine", "stressbench-trace.pool"])


def test_what_a_live_process_maps_stays_until_it_is_dead_even_unreaped(tmp_path: Path) -> None:
    with process(HOLDS, put(tmp_path / SEGMENT)) as holder:
        assert names(tmp_path) == []
        holder.kill()
        wait_until(lambda: names(tmp_path) == [SEGMENT], "a zombie lets go")
        assert holder.returncode is None  # nobody has asked for its status


def test_a_pool_stays_while_its_launcher_lives(tmp_path: Path) -> None:
    put(tmp_path / POOL)

    with process(HOLDS, put(tmp_path / "other"), STRESSBENCH_TRACE_ID="0123456789abcdef"):
        assert names(tmp_path) == []

    assert names(tmp_path) == [POOL]


def test_what_is_another_s_or_of_another_type_stays(tmp_path: Path) -> None:
    put(tmp_path / "precious")
    (tmp_path / SEGMENT).symlink_to("precious")
    (tmp_path / POOL).mkdir()
    os.mkfifo(tmp_path / f"sm_segment.node.{ME}.1.0")
    put(tmp_path / f"ompi.{os.uname().nodename}.{ME}")
    put(tmp_path / "own" / SEGMENT)
    (tmp_path / f"ompi.elsewhere.{ME}" / "pid.1").mkdir(parents=True)

    assert names(tmp_path) == []
    assert names(tmp_path / "own", user=ME + 1) == []
    assert names(tmp_path / "gone") == []


def test_a_session_is_that_of_its_launcher_as_long_as_that_lives(tmp_path: Path) -> None:
    session(tmp_path, f"pid.{os.getpid()}")
    with process("print('ready', flush=True); input()") as dead:
        gone = session(tmp_path, f"pid.{dead.pid}")
        assert names(tmp_path) == []

    (left,) = find([tmp_path], user=ME)
    assert left.path == gone
    remove(left)
    assert not gone.exists()


def test_a_file_of_a_session_that_is_removed_meanwhile_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = session(tmp_path, "pid.4194999")  # above the largest number that a process can have
    put(gone / "leaves")
    lstat = Path.lstat

    def removing(path: Path) -> os.stat_result:
        if path.name == "leaves":
            path.unlink()
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", removing)
    (left,) = find([tmp_path], user=ME)

    assert left.path == gone
    assert left.size >= 4096


def test_a_session_that_a_link_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "places").mkdir()
    precious = session(tmp_path / "places", "pid.1")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / precious.parent.name).symlink_to(precious.parent)
    gone = session(tmp_path / "out", "pid.4194999")  # above the largest number that a process can have
    (gone / "link").symlink_to(precious)

    assert names(tmp_path / "in") == []
    (left,) = find([tmp_path / "out"], user=ME)
    remove(left)

    assert not gone.exists()
    assert (precious / "1" / "0" / "shared").exists()


def candidate(kind: Kind, name: str, *, changed_s: float) -> Candidate:
    left = Leftover(kind=kind, folder=Path("/tmp"), inside=(), name=name, size=0, device=1, number=2)
    return Candidate(leftover=left, changed_s=changed_s)


def users(**given: object) -> LiveProcesses:
    return LiveProcesses(**{"started_s": {}, "files": frozenset(), "texts": (), **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(("started_s", "needed"), [(900.0, True), (1000.5, True), (1010.0, False)])
def test_a_number_that_a_later_process_has_got_is_not_the_launcher_s(started_s: float, needed: bool) -> None:
    assert is_needed(candidate(Kind.session, "pid.7", changed_s=1000.0), users(started_s={7: started_s})) is needed


def scratch(folder: Path, *, pid: int, host: str = os.uname().nodename, name: str = "validate") -> Path:
    path = folder / f".stressbench-{name}-{host}-{pid}-abc_1234"
    put(path / "made.trace")
    return path


def test_temporary_directories_of_dead_processes_are_found_and_removed_when_they_are_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = scratch(tmp_path, pid=4194999)
    scratch(tmp_path, pid=os.getpid())
    scratch(tmp_path, pid=4194999, host="elsewhere")
    put(tmp_path / ".stressbench-validate-abc_1234" / "of-whom")
    assert names(tmp_path) == []  # it may just be starting

    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    (left,) = find([tmp_path], user=ME)
    remove(left)

    assert (left.path, left.kind) == (dead, Kind.scratch)
    assert not dead.exists()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_temporary_directory_has_a_name_by_which_its_owner_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kill = "import os, signal; from stressbench.experiments.scratch import scratch_directory as made\n"
    kill += "with made('validate') as folder: os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", kill], check=False)
    (left,) = tmp_path.iterdir()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)

    would = call("clean", "--dry-run", "--json")  # in the current directory, too

    assert str(left) in [one["path"] for one in json.loads(would.stdout)]


def test_experiments_make_no_temporary_directories_with_other_names() -> None:
    folder = Path(experiments.__file__).parent
    making = [path.name for path in folder.rglob("*.py") if "TemporaryDirectory(" in path.read_text(encoding="utf-8")]
    assert making == ["scratch.py"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_output_that_a_signal_left_unfinished_is_found_when_it_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.chdir(tmp_path)
    kill = "import os; from pathlib import Path; from stressbench.formats.files import new_output\n"
    kill += f"with new_output(Path('report.html')): os.kill(os.getpid(), {int(number)})"
    if number != signal.SIGKILL:  # whoever started the tests may ignore it, as nohup does SIGHUP
        kill = f"import signal; signal.signal({int(number)}, signal.SIG_DFL)\n{kill}"
    subprocess.run([sys.executable, "-c", kill], check=False)
    (left,) = tmp_path.iterdir()
    put(tmp_path / left.name.replace(os.uname().nodename, "elsewhere"))
    put(tmp_path / ".stressbench-0123456789abcdef.new")
    assert names(tmp_path) == []  # it may just be starting
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)

    with new_output(tmp_path / "other.html"):
        (found,) = find([tmp_path], user=ME)
    remove(found)

    assert (found.path, found.kind) == (left, Kind.output)
    assert not left.exists()


def test_leftovers_elsewhere_are_found_where_the_current_directory_was_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = put(tmp_path / "pools" / POOL)
    monkeypatch.setenv("STRESSBENCH_TRACE_POOL", str(left.parent))
    (tmp_path / "removed").mkdir()
    monkeypatch.chdir(tmp_path / "removed")
    (tmp_path / "removed").rmdir()

    assert str(left) in [one.path for one in stressbench.clean(dry_run=True).data]


FAMILY = 0x76F7


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        (f"A=1\0PMIX_NAMESPACE={(FAMILY << 16) + 1}\0", True),
        (f"/tmp/ompi.node.0/pid.9/pmix_dstor_ds21_9/smseg-{(FAMILY << 16) + 1}-0", True),
        ("/dev/shm/vader_segment.node.0.76f70001.1", True),
        ("/dev/shm/vader_segment.node.0.76f80001.1", False),
    ],
)
@pytest.mark.parametrize(("kind", "name"), [(Kind.session, f"jf.{FAMILY}"), (Kind.segment, SEGMENT)])
def test_what_a_job_of_its_family_may_need_stays(kind: Kind, name: str, text: str, needed: bool) -> None:
    assert is_needed(candidate(kind, name, changed_s=0.0), users(texts=(text,))) is needed


@pytest.mark.parametrize(
    "text",
    [
        f"PMIX_NAMESPACE={'9' * 5000}\0",
        f"/tmp/smseg-{'9' * 5000}",
        f"/dev/shm/vader_segment.node.0.{'f' * 5000}.1",
        "vader_segment." * 300_000,
    ],
    ids=["namespace", "segment of PMIx", "segment", "many segments"],
)
def test_numbers_that_no_job_has_are_ignored(text: str) -> None:
    assert not is_needed(candidate(Kind.segment, SEGMENT, changed_s=0.0), users(texts=(text,)))


def test_environments_are_searched_for_job_families_once() -> None:
    alive = users(texts=Counted(["PMIX_NAMESPACE=1\0"]))

    for _ in range(100):
        is_needed(candidate(Kind.session, "jf.7", changed_s=0.0), alive)

    assert alive.texts.reads <= 100 + 3  # each time for the path, and once for each form of the number


def test_what_took_the_name_meanwhile_stays(tmp_path: Path) -> None:
    put(tmp_path / SEGMENT)
    (left,) = find([tmp_path], user=ME)
    (tmp_path / SEGMENT).rename(tmp_path / "first")
    put(tmp_path / SEGMENT)

    remove(left)

    assert (tmp_path / SEGMENT).exists()


def test_clean_says_what_it_removes_and_a_dry_run_removes_nothing(tmp_path: Path) -> None:
    put(tmp_path / SEGMENT)

    would = call("clean", "--dry-run", "--json", "--in", tmp_path)
    assert (tmp_path / SEGMENT).exists()
    done = call("clean", "--in", tmp_path)

    assert json.loads(would.stdout) == [
        {"path": str(tmp_path / SEGMENT), "kind": "shared memory of Open MPI", "bytes": 4096, "removed": False,
         "reason": None}
    ]  # fmt: skip
    assert schema_faults("clean", json.loads(would.stdout)) == []
    assert done.exit_code == 0
    assert done.stdout.replace("\n", "") == f"{tmp_path / SEGMENT}: shared memory of Open MPI, 4 KiB"
    assert "1 leftover, 4 KiB, removed" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_help_teaches_by_example() -> None:
    said = call("clean", "--help").stdout

    assert "Examples:" in said
    assert "stressbench clean --dry-run" in said
    assert "Exit status:" in said
