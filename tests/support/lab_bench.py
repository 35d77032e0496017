"""A lab for a test, brought up with the command line in its own folder."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stressbench.formats.run import Kind, read_run
from stressbench.labs.capabilities import missing, storage
from stressbench.labs.state import FOLDER_VARIABLE
from stressbench.stats import RunSummary, summarise
from stressbench.stats.impact import pair_blocks
from support.example_files import TWO_HOSTS
from support.programs import LIMIT_S, Outcome, Started, finished, wait_for_rounds

PAYLOAD = 1448 / 1514  # highest share of payload in a TCP stream
RATE = 100e6 * PAYLOAD  # payload rate in bits/s
WINDOW = 2 * 2**20  # bytes that `STREAM` sends
STREAM = "bandwidth -s 512KiB -w 4"
TAPERED = """
[hosts]
count = 4
[[rail]]
rate = "100Mbit"
[topology]
kind = "fat-tree"
hosts_per_leaf = 2
taper = "2:1"
"""
SERVED = (
    TAPERED
    + """
[io]
count = 2
attach = "root0"
rate = "100Mbit"
"""
)
STORING = (
    TWO_HOSTS
    + """
[io]
count = 2
attach = "s0"
rate = "100Mbit"
"""
)


@dataclass(frozen=True)
class Bench:
    """A lab and the command that controls it."""

    name: str
    folder: Path
    program: Path

    @property
    def environment(self) -> dict[str, str]:
        return {FOLDER_VARIABLE: str(self.folder / "labs"), "STRESSBENCH_MPI": str(self.program)}

    def stressbench(self, *words: str | Path, timeout_s: float = LIMIT_S) -> Outcome:
        command = [sys.executable, "-m", "stressbench", *map(str, words)]
        return finished(command, cwd=self.folder, environment=self.environment, timeout_s=timeout_s)

    def lab(self, *words: str, status: int = 0) -> str:
        """Run a subcommand of `stressbench lab` that must end with `status`; returns its output."""
        ended = self.stressbench("lab", *words)
        assert ended.status == status, ended.text
        return ended.output if status == 0 else ended.text

    def set(self, link: str, change: str) -> None:
        self.lab("set", "--lab", self.name, link, change)

    def json(self, *words: str, status: int | None = 0) -> Any:
        """JSON output of a subcommand of `stressbench lab` that must end with `status`; None: any status."""
        ended = self.stressbench("lab", *words, "--lab", self.name, "--json")
        assert status in (None, ended.status), ended.text
        return json.loads(ended.output)

    def shares(self, samples: int) -> dict[tuple[str, str], list[float]]:
        """Shares of the link rate reached by this number of streams, by source and target of each link."""
        found = self.json("check", "--streams", str(samples), status=None)
        return {(one["source"], one["target"]): one["shares"] for one in found}

    def sent(self) -> Mapping[tuple[str, str], int]:
        """Bytes sent by each end of each link, by link and node."""
        return {(one["link"], one["source"]): one["bytes"] for one in self.json("stats", "--interval", "0.1")}

    def run(self, workload: str, *options: str) -> RunSummary:
        """Run the workload on this lab and return the summary."""
        (self.folder / "w.sb").write_text(workload, encoding="utf-8")
        target = self.folder / "w.jsonl"
        target.unlink(missing_ok=True)
        ended = self.stressbench("run", "w.sb", "--on", f"lab:{self.name}", "-o", target, *options, timeout_s=900)
        assert ended.status == 0, ended.text
        return summarise(read_run(target))

    @contextmanager
    def in_round(self, target: Path, *options: str, under: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
        """Run `w.sb` on this lab into `target` and yield when a round is done; `under` is a prefix of the command."""
        command = [*under, sys.executable, "-m", "stressbench", "run", "w.sb", "--on", f"lab:{self.name}"]
        with Started([*command, "-o", str(target), *options], cwd=self.folder, environment=self.environment) as process:
            wait_for_rounds(target)
            yield process


def job(name: str, nodes: str, motif: str) -> str:
    return f"[JOB_NAME] {name}\n[NID_LIST] {nodes}\n[MOTIF] {motif}\n"


def isolated_s(found: RunSummary, number: int = 0) -> list[float]:
    """Median isolated time of a job in each round, in order. Rounds are the independent measurements of a launch."""
    rounds = [one for one in found.jobs[number].timing.rounds if one.kind is Kind.isolated]
    return [one.median_s for one in sorted(rounds, key=lambda one: one.block)]


def impacts(found: RunSummary, number: int = 0) -> list[float]:
    """Contended divided by isolated time of a job in each block, whose rounds are in random order."""
    blocks = pair_blocks(found.jobs[number].timing.rounds)
    return [float(ratio) for ratio in blocks.contended / blocks.isolated]


def isolated_ratios(found: RunSummary, job: int, over: int) -> list[float]:
    """Isolated time of one job divided by that of another in each block."""
    return [a / b for a, b in zip(isolated_s(found, job), isolated_s(found, over), strict=True)]


def isolated(samples: int, *, repetitions: int = 3) -> tuple[str, ...]:
    """A plan of this number of isolated rounds per job."""
    return ("--isolated", str(samples), "--contended", "0", "--repetitions", str(repetitions))


def blocks(samples: int, *, repetitions: int = 3) -> tuple[str, ...]:
    """A plan of this number of blocks."""
    return ("--isolated", str(samples), "--contended", str(samples), "--repetitions", str(repetitions))


def require_storage() -> None:
    """Skip the test with a reason if I/O nodes cannot serve files here."""
    unavailable = [one for one in storage() if not one.there]
    if unavailable:
        pytest.skip("no I/O node serves here: " + "; ".join(f"{one.name} missing: {one.remedy}" for one in unavailable))


def require_labs() -> None:
    """Skip the test with a reason if the kernel does not support labs."""
    unavailable = missing()
    if unavailable:
        pytest.skip("no lab can be made here: " + "; ".join(f"{one.name} missing: {one.remedy}" for one in unavailable))


def without_root(folder: Path) -> tuple[str, ...]:
    """Prefix of a command that runs it as another user, who may write to `folder`/labs; skips if impossible.

    The right to read this Python is kept, as it may be installed in a folder of root.
    """
    if os.geteuid() != 0:
        pytest.skip("this session has no root, so that every other test shows it")
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    nobody += ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    if subprocess.run([*nobody, "unshare", "-Ur", "true"], capture_output=True, check=False).returncode:
        pytest.skip("the kernel refuses user namespaces")
    home = folder / "labs"
    home.mkdir()
    os.chown(home, 65534, 65534)
    for above in (folder, *folder.parents[:2]):
        above.chmod(0o755)
    return nobody


def descendants_marked(folder: Path) -> list[int]:
    """Processes anywhere on this machine whose environment names the folder of this test's labs."""
    mark = f"{FOLDER_VARIABLE}={folder}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def left_of(folder: Path) -> list[str]:
    """Remaining files and processes of these labs, including the folder."""
    files = [str(path) for path in (folder, *sorted(folder.glob("**/*"))) if path.exists()]
    return files + [f"process {pid}" for pid in descendants_marked(folder)]


def gone(folder: Path) -> bool:
    """Whether no process and no file of these labs is left."""
    return not left_of(folder)
