#!/usr/bin/env python3
"""Fake of stressbench-mpi under a real mpirun: no MPI inside, but the same commands, signals and exit statuses.

`FAKE_ENGINE` selects what a run does: `done`, `wait` (until asked to stop), `stubborn` (ignores requests),
`mistake`, `fault`. `FAKE_RUN` is a file with the records that rank 0 writes, `FAKE_CHECK_NOTE`
a file for the arguments of a check. With `FAKE_CONTINUES`, a continued run becomes the run of `FAKE_RUN`.
`FAKE_PROTOCOL` is copied by rank 0 to the file that follows --protocol in the workload. `FAKE_READY` is a folder where
each rank creates `ready-RANK` when it waits.

"""

import json
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path

LIBRARY = os.environ.get("FAKE_LIBRARY", "Open MPI v4.1.4, package: fake")
WHAT = os.environ.get("FAKE_ENGINE", "done")
LAUNCHER = os.getppid()


def rank() -> int:
    return int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("PMI_RANK") or 0)


def ranks() -> int:
    return int(os.environ.get("OMPI_COMM_WORLD_SIZE") or os.environ.get("PMI_SIZE") or 1)


def wait_for_the_others() -> None:
    """Wait for the other ranks as MPI_Finalize does; launchers kill all ranks if one fails.

    A rank whose launcher has been killed does not wait.
    """
    while os.getppid() == LAUNCHER and any(map(is_another_rank, Path("/proc").glob("[0-9]*"))):
        time.sleep(0.02)


def is_another_rank(process: Path) -> bool:
    try:
        state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
        return int(parent) == LAUNCHER and int(process.name) != os.getpid() and state != "Z"
    except OSError:
        return False


def check(arguments: list[str]) -> int:
    if note := os.environ.get("FAKE_CHECK_NOTE"):
        Path(note).write_text(json.dumps(arguments))
    if "bad" in Path(arguments[0]).name:
        print(f"{arguments[0]}:1:1: unknown motif 'AlReduce'; did you mean AllReduce?", file=sys.stderr)
        return 2
    return 0


def wait_for_stop(*, obey: bool) -> None:
    asked: list[int] = []
    for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: asked.append(number))
    print(f"rank {rank()} ready in process {os.getpid()}", flush=True)
    if "FAKE_READY" in os.environ:
        Path(os.environ["FAKE_READY"], f"ready-{rank()}").touch()
    while not (obey and (asked or os.getppid() != LAUNCHER)):  # as ranks of a real MPI, which notice that
        time.sleep(0.02)
    print(f"rank {rank()} finished its round after {[signal.Signals(number).name for number in asked]}", flush=True)


def run(arguments: list[str]) -> int:
    option = "--continue" if "FAKE_CONTINUES" in os.environ and "--continue" in arguments else "--output"
    output = Path(arguments[arguments.index(option) + 1]) if option in arguments else None
    if rank() == 0 and output is not None and "FAKE_RUN" in os.environ:
        shutil.copyfile(os.environ["FAKE_RUN"], output)
    if rank() == 0 and "FAKE_PROTOCOL" in os.environ:
        named = re.search(r'--protocol "(.*)"', Path(arguments[0]).read_text())
        assert named is not None and not re.search(r"(?<!\\)\$", named[1])  # otherwise it would be read as a variable
        shutil.copyfile(os.environ["FAKE_PROTOCOL"], named[1].replace("\\$", "$"))
    if rank() == 0:
        print(json.dumps(arguments), flush=True)
    match WHAT:
        case "wait" | "stubborn":
            wait_for_stop(obey=WHAT == "wait")
            if rank() == 0 and ranks() > 1:
                wait_for_the_others()
            return 130 if rank() == 0 else 0
    return {"mistake": 2, "fault": 3}.get(WHAT, 0)


def main() -> int:
    match sys.argv[1:]:
        case ["--version", *_]:
            print(f"stressbench-mpi 0.1.0\nMPI library: {LIBRARY}")
            return 0
        case ["check", *rest]:
            return check(rest)
        case ["run", *rest]:
            return run(rest)
    return 2


sys.exit(main())
