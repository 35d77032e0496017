"""What this machine offers to a launch: cores, a batch allocation, permissions."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from stressbench.launch.errors import LaunchMistake

SYSFS = "/sys"

_ALLOCATION = ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE", "FLUX_JOB_ID")


def cores(*, topology: Path = Path("/sys/devices/system/cpu")) -> int:
    """Physical cores that this process may use; hardware threads of one core count once, as Open MPI counts slots."""
    allowed = os.sched_getaffinity(0)
    siblings = {_siblings(topology / f"cpu{cpu}" / "topology" / "thread_siblings_list", cpu) for cpu in allowed}
    return max(1, len(siblings))


def _siblings(path: Path, cpu: int) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)


def numa_node_of(nic: str, *, classes: Path = Path("/sys/class")) -> int | None:
    """The NUMA node of a NIC such as `ib0`, or of a device with its port, `mlx5_0:1`. None: unknown."""
    device, colon, _ = nic.partition(":")
    path = classes / "infiniband" / device if colon else classes / "net" / nic
    try:
        node = int((path / "device" / "numa_node").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return None if node < 0 else node


def allocated(environment: Mapping[str, str]) -> bool:
    """Whether this process runs in an allocation of a batch system."""
    return any(environment.get(name) for name in _ALLOCATION)


def allows_realtime() -> bool:
    """Whether `chrt -r 1` works for this user."""
    try:
        require_realtime()
    except LaunchMistake:
        return False
    return True


def require_realtime() -> None:
    """Raise LaunchMistake unless `chrt -r 1` works for this user."""
    chrt = shutil.which("chrt")
    if chrt is None:
        raise LaunchMistake("--realtime: chrt is not installed (it is part of util-linux)")
    completed = subprocess.run([chrt, "-r", "1", "true"], capture_output=True, text=True, check=False)
    if completed.returncode != 0:
        reason = completed.stderr.strip().splitlines()
        raise LaunchMistake(
            f"--realtime: `chrt -r 1` is not permitted here ({reason[-1] if reason else 'no reason given'}); "
            "it needs root, CAP_SYS_NICE or an rtprio limit of at least 1"
        )


@contextmanager
def scheduled_like_ranks() -> Iterator[None]:
    """Context in which this thread, and all that it starts, takes turns with ranks at real-time priority.

    Otherwise launchers wait for seconds beside ranks that poll. Changes nothing where it is not permitted.
    """
    policy, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, parameters)
