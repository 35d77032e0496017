"""Slurm on the hosts of a lab: one slurmctld and a slurmd on each host. All processes end with the lab.

Jobs of the partition `urgent` preempt those of `all`, which are told by SIGTERM and may then go on for a minute.
"""

import os
import secrets
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from support.lab_bench import Bench, descendants_marked
from support.programs import LIMIT_S, Outcome, finished, send, wait_until

DAEMONS = ("munged", "slurmctld", "slurmd")
PLACES = f"{os.environ['PATH']}:/usr/sbin:/sbin"
RUN = "/run/slurm"  # of the lab, which has a /run of its own
CONFIGURATION = """\
ClusterName=lab
SlurmctldHost={first}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=/run/munge/socket,cred_expire=15
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
StateSaveLocation={run}/state
SlurmdSpoolDir={run}/%n
TmpFS={run}/%n.tmp
SlurmctldPidFile={run}/slurmctld.pid
SlurmdPidFile={run}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
MessageTimeout=60
ReturnToService=1
SchedulerParameters=sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName={hosts} CPUs=2
PartitionName=all Nodes=ALL Default=YES State=UP PriorityTier=1 GraceTime=60
PartitionName=urgent Nodes=ALL State=UP PriorityTier=2 PreemptMode=OFF
"""
# cred_expire: a job that is requeued starts again after this time. The default is two minutes.
CGROUPS = "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n"
# slurmd looks for control groups, which nodes of a lab do not have; with this directory it works without them.
NO_CGROUPS = "mount -t tmpfs cgroup /sys/fs/cgroup && mkdir /sys/fs/cgroup/systemd"


@dataclass(frozen=True)
class Process:
    """A process of a job."""

    pid: int
    name: str
    words: tuple[str, ...]
    settings: Mapping[str, str]


@dataclass(frozen=True)
class Slurm:
    """A lab under Slurm. `daemons`: processes of the lab and of Slurm that are there without a job."""

    lab: Bench
    configuration: Path
    daemons: frozenset[int] = frozenset()

    def on(self, host: str, *words: str | Path, timeout_s: float = LIMIT_S) -> Outcome:
        return finished(
            self.command(host, *words), cwd=self.lab.folder, environment=self.lab.environment, timeout_s=timeout_s
        )  # fmt: skip

    def command(self, host: str, *words: str | Path) -> list[str]:
        """A command on a host, as `stressbench lab exec` starts it."""
        entered = (sys.executable, "-m", "stressbench.labs.enter", self.lab.folder / "labs" / self.lab.name, host)
        return [*map(str, entered), "env", f"SLURM_CONF={self.configuration}", f"PATH={PLACES}", *map(str, words)]

    def allocate(self, *options: str) -> tuple[str, ...]:
        """Prefix of a `stressbench` command that runs it in an allocation, from the first host."""
        return ("salloc", "--quiet", *options, sys.executable, "-m", "stressbench")

    def submit(self, lines: str, *options: str, name: str = "job") -> str:
        """Submit a script of these lines with sbatch and return the id of the job. Its output is in `name`.out."""
        (self.lab.folder / f"{name}.sh").write_text(f"#!/bin/bash\n{lines}\n", encoding="utf-8")
        words = ("--parsable", "--open-mode=append", f"--output={name}.out", *options, f"{name}.sh")
        ended = self.on("h0", "sbatch", *words)
        assert ended.status == 0, ended.text
        return ended.output.strip()

    def control(self, *words: str) -> None:
        """A subcommand of scontrol."""
        started(self.on("h0", "scontrol", *words))

    def job(self, job: str) -> Mapping[str, str]:
        """What `scontrol show job` says of a job, by name."""
        ended = self.on("h0", "scontrol", "--oneliner", "show", "job", job)
        assert ended.status == 0, ended.text
        return dict(word.split("=", 1) for word in ended.output.split() if "=" in word)

    def wait_for_state(self, job: str, *states: str, within_s: float = 300) -> Mapping[str, str]:
        """Wait until the job is in one of these states."""
        wait_until(
            lambda: self.job(job)["JobState"] in states, f"job {job} is {' or '.join(states)}", within_s=within_s,
            every_s=1,
        )  # fmt: skip
        return self.job(job)

    def processes(self, job: str | None = None) -> Iterator[Process]:
        """Processes of a job on all hosts, by default of all jobs."""
        for pid in descendants_marked(self.lab.folder / "labs"):
            if pid in self.daemons:
                continue
            folder = Path(f"/proc/{pid}")
            with suppress(OSError):
                name, words = (folder / "comm").read_text().strip(), (folder / "cmdline").read_text(errors="replace")
                pairs = (folder / "environ").read_text(errors="replace").split("\0")
                settings = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
                if name not in DAEMONS and job in (None, settings.get("SLURM_JOB_ID")):
                    yield Process(pid, name, tuple(words.split("\0")[:-1]), settings)

    def main_process(self, job: str) -> Process:
        """The `stressbench` command of a job, which replaced its script. Its workers have the same words."""
        python = (one for one in self.processes(job) if one.words[1:3] == ("-m", "stressbench"))
        return min(python, key=lambda one: one.pid)

    def ranks(self, job: str | None = None) -> Mapping[str, int]:
        """Process ids of live ranks of the engine on all hosts, by rank."""
        return {
            one.settings["SLURM_PROCID"]: one.pid for one in self.processes(job)
            if "SLURM_PROCID" in one.settings and one.name == "stressbench-mpi"[:15]
        }  # fmt: skip

    def wait_until_idle(self) -> None:
        """Wait until no process of a job and no job in the queue is left."""
        wait_until(lambda: not list(self.processes()), "no process of a job is left", every_s=0.3)
        wait_until(lambda: not self.on("h0", "squeue", "--noheader").output, "no job is left in the queue", every_s=0.5)

    def kill_node(self, host: str) -> None:
        """Kill all processes on a host as a power failure does, but for the lab's own, and let Slurm know."""
        (daemon,) = (pid for pid in descendants_marked(self.lab.folder / "labs") if is_slurmd_of(pid, host))
        namespace = Path(f"/proc/{daemon}/ns/uts").readlink()
        victims = [daemon]
        for process in self.processes():
            with suppress(OSError):
                if Path(f"/proc/{process.pid}/ns/uts").readlink() == namespace:
                    victims.append(process.pid)
        send(signal.SIGKILL, victims)
        self.fail_node(host)

    def fail_node(self, host: str) -> None:
        """Let Slurm consider a node as failed."""
        self.control("update", f"nodename={host}", "state=down", "reason=a-test")

    def revive_node(self, host: str) -> None:
        """Make a failed node available again, and wait until it is."""
        if not any(is_slurmd_of(pid, host) for pid in descendants_marked(self.lab.folder / "labs")):
            started(self.on(host, "slurmd", "-N", host))
        self.on("h0", "scontrol", "update", f"nodename={host}", "state=resume")  # fails if it has come back by itself
        words = ("sinfo", "--noheader", f"--nodes={host}", "--format=%t")
        wait_until(lambda: set(self.on("h0", *words).output.split()) == {"idle"}, f"{host} is idle", every_s=1)


def start_slurm(lab: Bench, hosts: tuple[str, ...]) -> Slurm:
    """Start Slurm on a lab that is up; skips the test with a reason if a package is missing."""
    lacking = [name for name in DAEMONS if shutil.which(name, path=PLACES) is None]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)} (packages slurm-wlm and munge)")
    if os.geteuid() != 0:
        pytest.skip("Slurm's daemons call setgroups, which the kernel refuses in a user namespace: needs root")
    folder = lab.folder / "slurm"
    folder.mkdir()
    slurm = Slurm(lab, folder / "slurm.conf")
    slurm.configuration.write_text(
        CONFIGURATION.format(first=hosts[0], run=RUN, folder=folder, hosts=",".join(hosts)),
        encoding="utf-8",
    )
    (folder / "cgroup.conf").write_text(CGROUPS, encoding="utf-8")
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)

    spaces = (f"{RUN}/{host}{end}" for host in hosts for end in ("", ".tmp"))
    started(slurm.on(hosts[0], "mkdir", "-p", "/run/munge", f"{RUN}/state", *spaces))
    files = ("--socket=/run/munge/socket", "--pid-file=/run/munge/pid", "--seed-file=/run/munge/seed")
    started(slurm.on(hosts[0], "munged", "--force", f"--key-file={key}", f"--log-file={folder}/munged.log", *files))
    started(slurm.on(hosts[0], "slurmctld"))
    for host in hosts:
        started(slurm.on(host, "sh", "-c", f"{NO_CGROUPS} && slurmd -N {host}"))
    return replace(slurm, daemons=frozenset(descendants_marked(lab.folder / "labs")))


def is_slurmd_of(pid: int, host: str) -> bool:
    """Whether the process is the slurmd of this host."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
        return Path(words[0]).name == "slurmd" and words[1:3] == ["-N", host]
    except OSError:
        return False


def started(outcome: Outcome) -> None:
    assert outcome.status == 0, outcome.text
