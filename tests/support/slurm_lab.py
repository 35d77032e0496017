"""Slurm on the hosts of a lab: one slurmctld and a slurmd on each host. All processes end with the lab."""

import os
import secrets
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.lab_bench import Bench
from support.programs import LIMIT_S, Outcome

DAEMONS = ("munged", "slurmctld", "slurmd")
PLACES = f"{os.environ['PATH']}:/usr/sbin:/sbin"
RUN = "/run/slurm"  # of the lab, which has a /run of its own
CONFIGURATION = """\
ClusterName=lab
SlurmctldHost={first}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=/run/munge/socket
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
NodeName={hosts} CPUs=2
PartitionName=all Nodes=ALL Default=YES State=UP
"""
CGROUPS = "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n"
# slurmd looks for control groups, which nodes of a lab do not have; with this directory it works without them.
NO_CGROUPS = "mount -t tmpfs cgroup /sys/fs/cgroup && mkdir /sys/fs/cgroup/systemd"


@dataclass(frozen=True)
class Slurm:
    """A lab under Slurm."""

    lab: Bench
    configuration: Path

    def on(self, host: str, *words: str | Path, timeout_s: float = LIMIT_S) -> Outcome:
        return self.lab.stressbench(*self.words(host, *words), timeout_s=timeout_s)

    def words(self, host: str, *words: str | Path) -> list[str]:
        settings = (f"SLURM_CONF={self.configuration}", f"PATH={PLACES}")
        return ["lab", "exec", "--lab", self.lab.name, host, "--", "env", *settings, *map(str, words)]

    def allocate(self, *options: str) -> tuple[str, ...]:
        """Prefix of a `stressbench` command that runs it in an allocation, from the first host."""
        return ("salloc", "--quiet", *options, sys.executable, "-m", "stressbench")


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
        started(slurm.on(host, "sh", "-c", NO_CGROUPS))
        started(slurm.on(host, "slurmd", "-N", host))
    return slurm


def started(outcome: Outcome) -> None:
    assert outcome.status == 0, outcome.text
