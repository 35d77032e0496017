"""Probes beside congestor rings that are kept, so that they serve for several programs on one machine."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.outcome import MeasurementAborted
from stressbench.experiments.interference.spec import BackgroundLoad
from stressbench.experiments.progress import Progress
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_atomically
from stressbench.formats.run import Run, RunFileError, read_run
from stressbench.launch.errors import LaunchMistake

_DIGITS = 12
_IDLE = "idle"


def rings_of_machine(rings: Path | None, machine: str) -> Path | None:
    """The directory of a machine in that of `--rings`. Raises LaunchMistake if one of them is not a directory."""
    if rings is None:
        return None
    folder = rings / machine
    for one in (rings, folder):
        if one.exists() and not one.is_dir():
            raise LaunchMistake(f"--rings: {one} is not a directory")
    return folder


@dataclass(frozen=True, kw_only=True)
class KeptRings:
    """Run files of probes in `folder`, one of the idle machine, and one of each ring.

    Only those count whose workload, rounds, hosts, MPI library and transports, and version of StressBench are those of
    today; they are part of the file names. `idle_now` is a run of the idle machine, which tells them.
    """

    folder: Path
    idle_now: Run
    rounds: int
    progress: Progress

    def idle(self, load: BackgroundLoad) -> Run:
        """The run of the idle machine at the time of the rings: the one that is kept, or that of now, which is kept."""
        kept = self.find(_IDLE, load)
        if kept is None:
            self.keep(_IDLE, load, self.idle_now)
        return kept or self.idle_now

    def find(self, name: str, load: BackgroundLoad) -> Run | None:
        """The kept run of a ring, if there is one."""
        path = self._path(name, load)
        if not path.exists():
            return None
        try:
            run = read_run(path)
        except RunFileError as fault:
            self.progress(f"{fault}: measured again")
            return None
        return None if run.end is None else run

    def keep(self, name: str, load: BackgroundLoad, run: Run) -> None:
        """Keep a run, in the place of an earlier one. Raises MeasurementAborted."""
        path = self._path(name, load)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, run.path.read_bytes())
        except OSError as fault:
            raise MeasurementAborted(
                f"--rings: {path}: {reason_of(fault)}", effect="; no result is reported", status=ExitStatus.fault
            ) from fault

    def _path(self, name: str, load: BackgroundLoad) -> Path:
        header = self.idle_now.header
        hosts, mpi = sorted(header.nodes.hosts.items()), header.mpi
        identity = (load.workload, load.ranks, self.rounds, hosts, mpi.library, mpi.transports, header.version)
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:_DIGITS]
        return self.folder / f"{name.replace('=', '').replace(' ', '-')}-{digest}.jsonl"
