"""Storage motifs as a user sees them: bytes that the kernel saw, what is said when storage refuses, what is left."""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.programs import LIMIT_S, kill_ranks_when, own_copy, ranks_of, wait_for_rounds

from stressbench.formats.run import read_run

RANKS = 2
CALLS = "write,pwrite64,writev,pwritev,pwritev2,read,pread64,readv,preadv,preadv2"
MOVED = re.compile(r"(p?(?:write|read)(?:64|v|v2)?)\(\d+<(?P<path>[^>]*)>.* = (?P<bytes>\d+)$")


def written_workload(folder: Path, *motifs: str, repeat: int = 2) -> Path:
    """A job of two ranks that does these storage motifs."""
    file = folder / "storage.sb"
    lines = "\n".join(f"[MOTIF] {motif}" for motif in motifs)
    file.write_text(f"[JOB_NAME] store\n[NODES] 1\n[REPEAT] {repeat}\n{lines}\n")
    return file


def samples(run: Path) -> list[dict]:
    records = [json.loads(line) for line in run.read_text().splitlines()]
    return [record for record in records if record["type"] == "sample"]


def faults(run: Path) -> list[dict]:
    records = [json.loads(line) for line in run.read_text().splitlines()]
    return [record for record in records if record["type"] == "fault"]


def message(fault: dict) -> str:
    """What the engine prints about the fault of a record, in a job `store`."""
    place = "job store, motif {motif}, rank {rank} on host {host}, round {round}".format_map(fault)
    assert fault["job"] == 0
    return f"stressbench-mpi: {fault['cause']} ({place})"


def kernel_bytes(log: Path, file: Path) -> dict[str, int]:
    """Bytes that calls wrote to and read from files whose names begin so, from strace's logs, one a thread."""
    moved = {"write": 0, "read": 0}
    lines = [line for part in log.parent.glob(f"{log.name}.*") for line in part.read_text().splitlines()]
    for line in lines:
        found = MOVED.search(line)
        if found and found["path"].startswith(str(file)) and not found["path"].endswith(".stressbench"):
            moved["write" if "write" in found[1] else "read"] += int(found["bytes"])
    return moved


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("files", ["one", "rank"])
@pytest.mark.parametrize("backend", ["posix", "posix --call write", "mpiio -n MPI_File_write_at", "mpiio"])
def test_the_kernel_saw_the_bytes_that_the_record_says(engine, tmp_path, backend, files):
    run, log, file = tmp_path / "run.jsonl", tmp_path / "strace.log", tmp_path / "data"
    workload = written_workload(
        tmp_path, f"{backend} -s 300000 -t 70000 --files {files} -f {file} --do write_read", repeat=3
    )
    command = engine.launch(
        "strace", "-ff", "-y", "-qq", "-e", f"trace={CALLS}", "-o", log, engine.program, "run", workload,
        "--isolated", "1", "--contended", "0", "--warmup", "0", "--output", run, ranks=RANKS,
    )  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if "ptrace" in done.stderr.lower():
        pytest.skip("the kernel refuses ptrace")
    assert done.returncode == 0, done.stderr

    metrics = [sample["metrics"] for sample in samples(run) if sample["step"] is not None]
    assert len(metrics) == 3
    said = {way: sum(RANKS * one[f"{name}_bytes"]["mean"] for one in metrics)
            for way, name in (("write", "written"), ("read", "read"))}  # fmt: skip
    assert said == {"write": 3 * RANKS * 300000, "read": 3 * RANKS * 300000}
    assert kernel_bytes(log, file) == said


# Motif and path (within a folder of the test's own), what is done to the folder before, words of the message.
FAULTS = {
    "disk full": ("posix -s 8MiB -t 1MiB -f {small}/data", ["pwrite", "{small}/data", "No space left on device"]),
    "disk full, MPI-IO": (
        "mpiio -s 8MiB -t 1MiB -f {small}/data -n MPI_File_write_at",
        ["MPI_File_write_at", "{small}/data", "No space left on device"],
    ),
    "path missing": ("posix -f {folder}/nowhere/data", ["{folder}/nowhere", "No such file or directory"]),
    "not a folder": ("posix -f {folder}/storage.sb/data", ["{folder}/storage.sb", "Not a directory"]),
    "I/O error": (
        "memory -s 8MiB -t 1MiB -f m --fail-call write --fail-after 11 --fail-rank 1",
        ["write 'm'", "Input/output error", "offset"],
    ),
    "quota": ("memory -f m --fail-call write --fail-with EDQUOT", ["write 'm'", "Disk quota exceeded"]),
    "short write": (
        "memory -f m --fail-call write --fail-with short",
        ["wrote 524288 of 1048576 bytes", "No space left"],
    ),
    "read-only": ("memory -f m --fail-call open --fail-with EROFS", ["open 'm'", "Read-only file system"]),
    "at close": ("memory -f m --fail-call close", ["close 'm'", "Input/output error"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_storage_is_one_message_that_says_where(any_engine, small_disk, tmp_path, fault):
    motif, words = FAULTS[fault]
    places = {"small": small_disk, "folder": tmp_path}
    workload = written_workload(tmp_path, motif.format(**places))
    outcome = any_engine.run("run", workload, "--isolated", "1", "--contended", "0", "--output", tmp_path / "run.jsonl",
                             ranks=RANKS, cwd=tmp_path)  # fmt: skip
    assert outcome.status == 3, outcome.text
    said = [line for line in outcome.errors.splitlines() if "stressbench-mpi" in line]
    assert said, outcome.errors
    for word in ("job store", f"motif {motif.split()[0]}", "rank ", f"on host {os.uname().nodename}", *words):
        assert word.format(**places) in said[0], said[0]
    assert said[0] in [message(fault) for fault in faults(tmp_path / "run.jsonl")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.jsonl", "small", "storage.sb"]
    assert not [path.name for path in small_disk.iterdir() if path.name.startswith("data")]


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root, to give a right away")
def test_permission_denied_is_named(engine, tmp_path):
    folder = tmp_path / "others"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    folder.chmod(0o555)
    workload = written_workload(tmp_path, f"posix -f {folder}/data")
    command = engine.launch(
        "setpriv", "--bounding-set=-dac_override,-dac_read_search", engine.program, "run", workload, "--isolated", "1",
        "--contended", "0", "--output", tmp_path / "run.jsonl", ranks=RANKS,
    )  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 3, done.stderr
    assert f"{folder}/data" in done.stderr
    assert "Permission denied" in done.stderr


def take_all_that_is_free(other, until):
    """Writes to a file until `until` holds; also what the run sets free when it makes its file anew."""
    while not until():
        try:
            other.write(bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC, error
            time.sleep(1e-4)


def test_a_disk_that_fills_up_leaves_the_rounds_before(any_engine, stressbench, small_disk, tmp_path):
    run = tmp_path / "run.jsonl"
    workload = written_workload(tmp_path, f"posix -s 8KiB -t 1KiB --think 1ms -f {small_disk}/data")
    plan = ("--isolated", "100000", "--contended", "0")
    with any_engine.started("run", workload, *plan, "--output", run, ranks=RANKS) as process:
        wait_for_rounds(run, 2)
        with (small_disk / "other").open("wb", buffering=0) as other:
            take_all_that_is_free(other, until=lambda: process.poll() is not None)
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 3, errors
    assert "No space left on device" in errors and "job store" in errors
    assert sorted(path.name for path in small_disk.iterdir()) == ["other"]
    records = [json.loads(line) for line in run.read_text().splitlines()]
    done = [record["round"] for record in records if record["type"] == "round"]
    assert done == list(range(1, len(done) + 1)) and len(done) >= 2
    assert faults(run)[0]["round"] == len(done) + 1
    assert stressbench("show", run).status == 0


def test_a_run_that_ended_by_a_fault_keeps_its_record_when_it_is_continued(engine, tmp_path):
    run = tmp_path / "run.jsonl"
    workload = written_workload(tmp_path, f"posix -s 8KiB -t 1KiB -f {tmp_path}/later/data")
    assert engine.run("run", workload, "--isolated", "2", "--contended", "0", "--output", run, ranks=RANKS).status == 3
    before = faults(run)
    assert before and before[0]["round"] == 1
    (tmp_path / "later").mkdir()

    again = engine.run("run", "--continue", run, ranks=RANKS)

    assert again.status == 0, again.text
    assert faults(run) == before
    assert [launch.faults == () for launch in read_run(run).launches] == [False, True]


def test_a_file_system_that_goes_away_is_named(engine, tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    run = tmp_path / "run.jsonl"
    workload = written_workload(tmp_path, f"posix -s 1MiB -t 64KiB --think 1ms -f {folder}/data")
    with engine.started(
        "run", workload, "--isolated", "100000", "--contended", "0", "--output", run, ranks=RANKS
    ) as process:
        wait_for_rounds(run, 2)
        folder.rename(tmp_path / "elsewhere")
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 3, errors
    assert f"{folder}/data" in errors
    assert "No such file or directory" in errors


def test_what_a_killed_run_left_goes_with_its_next_launch(any_engine, tmp_path, wait_for):
    run, file = tmp_path / "run.jsonl", tmp_path / "data"
    mine = own_copy(any_engine, tmp_path)
    workload = written_workload(tmp_path, f"posix -s 1MiB -t 64KiB --think 10ms --files rank -f {file}")
    plan = ("--isolated", "10000", "--contended", "0")
    with mine.started("run", workload, *plan, "--output", run, ranks=RANKS) as process:
        wait_for_rounds(run, 2)
        kill_ranks_when(mine.program, lambda: len(list(tmp_path.glob("data.0*"))) == RANKS, "the next one's files")
        process.communicate(timeout=300)
    wait_for(lambda: not ranks_of(mine.program), "all ranks are gone")
    left = [path.name for path in tmp_path.glob("data*")]
    assert "data.stressbench" in left and len(left) > 1, left

    other = any_engine.run("run", workload, *plan, "--output", tmp_path / "other.jsonl", ranks=RANKS)
    assert other.status == 2, other.text
    assert "--run-id" in other.errors and "--overwrite" in other.errors
    assert [path.name for path in tmp_path.glob("data*")] == left

    with any_engine.started("run", "--continue", run, ranks=RANKS) as process:
        wait_for(
            lambda: any('"motif_remark"' in line and "removed" in line for line in run.read_text().splitlines()),
            "the removal of these files is remarked",
        )
        process.send_signal(signal.SIGUSR1)  # which launchers hand on to ranks
        process.communicate(timeout=LIMIT_S)
    assert not list(tmp_path.glob("data*"))


def test_files_of_others_are_never_touched(any_engine, tmp_path):
    file = tmp_path / "data"
    file.write_text("precious")
    for backend in ("posix", "mpiio", "hdf5", "pnetcdf"):
        if backend not in any_engine.run("list").output:
            continue
        outcome = any_engine.run("motif", backend, "-f", file, "--repetitions", "1", ranks=RANKS)
        assert outcome.status == 2, outcome.text
        assert "--overwrite" in outcome.errors
        assert file.read_text() == "precious"
        assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_backend_whose_library_is_missing_is_refused_with_the_packages_that_bring_it(engine, tmp_path):
    (tmp_path / "bin").mkdir()
    copy = own_copy(engine, tmp_path / "bin")
    modules = tmp_path / "lib" / "stressbench" / "backends"
    modules.mkdir(parents=True)
    # What the loader says of an empty file, it says of a module whose library is gone.
    (modules / "stressbench-hdf5.so").touch()
    workload = tmp_path / "writer.sb"
    workload.write_text("[JOB_NAME] writer\n[NODES] 1\n[MOTIF] hdf5 -s 1MiB\n")

    asked = {words: copy.run(*words.split()) for words in ("motif hdf5", "describe hdf5", f"check {workload}")}
    version = copy.run("--version")

    for words, outcome in asked.items():
        assert outcome.status == 2, words
        for part in ("stressbench-hdf5.so", "libhdf5-openmpi-dev", "hdf5-openmpi-devel", "hdf5+mpi (Spack)"):
            assert part in outcome.errors, (words, part)
    assert "storage backend hdf5: missing, " in version.output and "libhdf5-openmpi-dev" in version.output
    assert f"storage backend pnetcdf: missing, {modules}/stressbench-pnetcdf.so does not exist" in version.output
    assert copy.run("motif", "posix", "-f", tmp_path / "out", "--repetitions", "1", ranks=RANKS).status == 0


USAGE = """\
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize("backend", ["posix", "mpiio -n MPI_File_read_at", "posix --random"])
def test_memory_is_that_of_a_transfer_however_long_the_file(engine, tmp_path, backend):
    file = tmp_path / "long"
    with file.open("wb") as made:
        made.truncate(16 << 30)  # holes: they read as zeros, and take no disk
    done = subprocess.run(
        [sys.executable, "-c", USAGE, *engine.command(
            "motif", *backend.split(), "-s", "8GiB", "-t", "1MiB", "-f", file, "--do", "read", "--existing",
            "--for", "2s", "--repetitions", "1", "--warmup", "0", ranks=2,
        )], capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stderr.split()[-1]) < 64 * 1024  # KiB, of the largest process
