"""Checks of the machine: batch system, shared memory, limits, processors, time taken from them, clock."""

import os
import re
import resource
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from stressbench.experiments.doctor.check import Setting, Verdict, check, error, note, ok, warning
from stressbench.formats.units import BYTES, exact_size_text, parse_digits
from stressbench.report.units import count, size

_SEGMENT_BYTES = 4 * BYTES["MiB"]
"""Shared memory of a rank of Open MPI 4 (btl_vader_segment_size)."""
_LOCKED_BYTES = 64 * BYTES["MiB"]
_STEAL_SHARE = 0.01
_SPARE_DESCRIPTORS = 64
_SLOW_CLOCKS = frozenset({"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"})
_LONG_WAKEUP_US = 10
_TICKS_STEAL, _TICKS = 7, 8
"""Columns of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal (proc(5))."""


@dataclass(frozen=True, kw_only=True)
class _BatchSystem:
    """A batch system: variables with the job, its nodes and its tasks, a program for users, and how to get a job."""

    name: str
    job: str
    nodes: str
    tasks: str
    program: str
    on: str
    remedy: str


_BATCH_SYSTEMS = (
    _BatchSystem(name="Slurm", job="SLURM_JOB_ID", nodes="SLURM_JOB_NUM_NODES", tasks="SLURM_NTASKS", program="sbatch",
                 on="slurm", remedy="salloc -N 2"),
    _BatchSystem(name="Flux", job="FLUX_URI", nodes="FLUX_JOB_NNODES", tasks="FLUX_JOB_SIZE", program="flux",
                 on="flux", remedy="flux alloc -N 2"),
    _BatchSystem(name="PBS", job="PBS_JOBID", nodes="PBS_NUM_NODES", tasks="PBS_NP", program="qsub", on="pbs",
                 remedy="qsub -I -l select=2"),
    _BatchSystem(name="LSF", job="LSB_JOBID", nodes="LSB_DJOB_NUMHOSTS", tasks="LSB_DJOB_NUMPROC", program="bsub",
                 on="local", remedy="bsub -Is -nnodes 2 bash"),
)  # fmt: skip


@check("batch system", "the allocation of a batch system, and the launcher that fits it")
def batch_system(setting: Setting) -> Iterator[Verdict]:
    """In an allocation its own launcher is best; on a login node nothing should be measured."""
    environment = setting.environment
    for system in _BATCH_SYSTEMS:
        job = environment.get(system.job)
        if not job:
            continue
        nodes, tasks = environment.get(system.nodes), environment.get(system.tasks)
        numbers = "".join(
            f", {value} {noun}" for value, noun in ((nodes, "nodes"), (tasks, "tasks")) if value
        )  # fmt: skip
        granted = parse_digits(tasks or "")
        found = f"in job {job} of {system.name}{numbers}"
        if granted is not None and granted < setting.ranks:
            yield warning(
                f"{found}, for {setting.ranks} ranks",
                consequence="ranks share processors, or the launcher refuses them",
                remedy=f"stressbench doctor --on {system.on} -n {granted}, or ask for {setting.ranks} tasks",
            )
        elif setting.on == "local" and system.on != "local":
            yield note(
                found,
                consequence="--on local starts ranks with mpirun, which may use this host only",
                remedy=f"stressbench doctor --on {system.on}",
            )
        else:
            yield ok(found)
        return
    login = next((one for one in _BATCH_SYSTEMS if shutil.which(one.program, path=environment.get("PATH"))), None)
    if login is not None and setting.on == "local":
        yield warning(
            f"{login.program} of {login.name} is on PATH, but this is no allocation",
            consequence="ranks run on this host, which may be a login node that others use",
            remedy=f"{login.remedy}, then stressbench doctor --on {login.on}",
        )
    else:
        yield ok("no allocation of a batch system")


@check("shared memory", "the size of /dev/shm")
def shared_memory(setting: Setting) -> Iterator[Verdict]:
    """Ranks of a host exchange messages in files of /dev/shm."""
    needed = _SEGMENT_BYTES * setting.ranks
    remedy = "as root: mount -o remount,size=1G /dev/shm; in a container: docker run --shm-size=1g"
    try:
        state = os.statvfs(setting.root / "dev/shm")
    except OSError as fault:
        yield warning(
            f"/dev/shm: {(fault.strerror or str(fault)).lower()}",
            consequence="ranks of a host may have to exchange messages through the network",
            remedy="as root: mount -t tmpfs -o size=1G tmpfs /dev/shm",
        )
        return
    free = state.f_bavail * state.f_frsize
    if free < needed:
        yield error(
            f"/dev/shm has {size(free)} free, but {count(setting.ranks, 'rank')} of Open MPI need "
            f"{exact_size_text(needed)}",
            consequence="ranks end with SIGBUS, or exchange messages through the network",
            remedy=f"`stressbench clean` removes what dead ranks left; {remedy}",
        )
        return
    yield ok(f"/dev/shm has {size(free)} free of {size(state.f_blocks * state.f_frsize)}")


@check("limits", "limits of locked memory and of open files")
def limits(setting: Setting) -> Iterator[Verdict]:
    """InfiniBand needs locked memory, TCP a file for each connection."""
    locked, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield from judge_limits(
        locked=None if locked == resource.RLIM_INFINITY else locked,
        files=None if files == resource.RLIM_INFINITY else files,
        has_infiniband=any((setting.root / "sys/class/infiniband").glob("*")),
        ranks=setting.ranks,
    )


def judge_limits(*, locked: int | None, files: int | None, has_infiniband: bool, ranks: int) -> Iterator[Verdict]:
    """Judge the limits in bytes and in files; None is unlimited."""
    locked_text = "unlimited" if locked is None else exact_size_text(locked)
    if has_infiniband and locked is not None and locked < _LOCKED_BYTES:
        yield error(
            f"locked memory is limited to {locked_text}, and there are InfiniBand devices",
            consequence="MPI cannot register memory: it fails, or falls back to TCP",
            remedy="ulimit -l unlimited; for good, as root: '* - memlock unlimited' in /etc/security/limits.conf",
        )
    needed = 2 * ranks + _SPARE_DESCRIPTORS
    if files is not None and files < needed:
        yield error(
            f"open files are limited to {files}, {count(ranks, 'rank')} over TCP need about {needed}",
            consequence="connections fail with 'too many open files'",
            remedy=f"ulimit -n {max(needed, 4096)}",
        )
    else:
        yield ok(f"locked memory: {locked_text}; open files: {'unlimited' if files is None else files}")


@check("frequency", "the frequency governors of the processors")
def frequency(setting: Setting) -> Iterator[Verdict]:
    """Governors other than `performance` change the clock frequency with the load."""
    folder = setting.root / "sys/devices/system/cpu"
    found = Counter(
        governor for path in folder.glob("cpu[0-9]*")
        if (governor := setting.text(f"sys/devices/system/cpu/{path.name}/cpufreq/scaling_governor"))
    )  # fmt: skip
    if not found:
        yield ok("no governors are visible, as in most virtual machines")
    elif set(found) == {"performance"}:
        yield ok(f"governor performance on {count(found.total(), 'processor')}")
    else:
        governors = ", ".join(f"{name} on {number}" for name, number in sorted(found.items()))
        yield warning(
            f"governor {governors} of {count(found.total(), 'processor')}",
            consequence="the clock frequency follows the load, so that isolated and contended rounds differ by it, too",
            remedy="as root: cpupower frequency-set -g performance",
        )


@check("idle states", "how long idle processors take to wake up")
def idle_states(setting: Setting) -> Iterator[Verdict]:
    """A message to an idle host waits until its processor has left its idle state."""
    consequence = (
        "a message to a host without work waits until its processor wakes up, so that latencies of an idle machine are "
        "longer than beside a program"
    )
    if setting.text("sys/devices/system/cpu/cpuidle/current_driver") == "haltpoll":
        yield note(
            "idle processors of this virtual machine halt",
            consequence=consequence,
            remedy="labs keep processors awake beside ranks; elsewhere keep /dev/cpu_dma_latency open while measuring",
        )
        return
    states = list(_idle_states(setting))
    latency_us, name = max(states, default=(0, ""))
    if not states:
        yield ok("no idle states of processors are visible, as in many virtual machines")
    elif latency_us < _LONG_WAKEUP_US:
        yield ok(f"idle processors wake up in {latency_us} us ({name})")
    else:
        yield note(
            f"idle processors take up to {latency_us} us to wake up ({name})",
            consequence=consequence,
            remedy=f"as root: cpupower idle-set --disable-by-latency {_LONG_WAKEUP_US}",
        )


def _idle_states(setting: Setting) -> Iterator[tuple[int, str]]:
    """Enabled idle states of all processors: the time to leave them, us, and their names."""
    for path in (setting.root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpuidle/state[0-9]*"):
        state = path.relative_to(setting.root)
        latency_us = parse_digits(setting.text(f"{state}/latency") or "")
        if latency_us is not None and setting.text(f"{state}/disable") != "1":
            yield latency_us, setting.text(f"{state}/name") or "unknown"


@check("processor time", "what takes time from the processors: hypervisor, CPU quota, heat")
def processor_time(setting: Setting) -> Iterator[Verdict]:
    """Stolen time, a quota and thermal throttling lengthen computation and waiting."""
    complaints = [*_steal(setting), *_quota(setting), *_heat(setting)]
    yield from complaints or (ok("no quota, no thermal throttling, less than 1 % taken by a hypervisor"),)


def _steal(setting: Setting) -> Iterator[Verdict]:
    text = setting.text("proc/stat")
    ticks = [parse_digits(word) for word in (text or "").partition("\n")[0].split()[1:]][:_TICKS]
    known = [one for one in ticks if one is not None]
    if len(known) < _TICKS or not sum(known):
        return
    share = known[_TICKS_STEAL] / sum(known)
    if share >= _STEAL_SHARE:
        yield warning(
            f"a hypervisor took {share:.1%} of the time of the processors since the start of this host",
            consequence="single repetitions are slow, and times vary with the load of other virtual machines",
            remedy="run more rounds (--until-interval 5%), and look at steal_time: stressbench show RUN.jsonl "
            "--telemetry",
        )


def _quota(setting: Setting) -> Iterator[Verdict]:
    groups = setting.text("proc/self/cgroup") or ""
    group = re.search(r"^0::/(.*)$", groups, re.MULTILINE)
    text = None if group is None else setting.text(f"sys/fs/cgroup/{group[1]}/cpu.max")
    quota, _, period = (text or "").partition(" ")
    allowed, within = parse_digits(quota), parse_digits(period)
    if allowed is None or not within:
        return
    processors = allowed / within
    usable = len(os.sched_getaffinity(0))
    if processors < min(usable, setting.ranks):
        yield warning(
            f"a CPU quota allows {processors:.3g} processors, {setting.ranks} ranks want to use {usable}",
            consequence="the kernel stops all ranks for the rest of each period: times have steps of "
            f"{within / 1000:.3g} ms",
            remedy="start the container without --cpus (Docker) or with CPU requests equal to limits (Kubernetes)",
        )


def _heat(setting: Setting) -> Iterator[Verdict]:
    folder = setting.root / "sys/devices/system/cpu"
    counts = [
        parse_digits(setting.text(f"sys/devices/system/cpu/{path.name}/thermal_throttle/package_throttle_count") or "")
        for path in folder.glob("cpu[0-9]*")
    ]
    throttled = max((one for one in counts if one is not None), default=0)
    if throttled:
        yield note(
            f"a processor was throttled by its temperature {throttled} times since the start of this host",
            consequence="the clock frequency drops during long runs",
            remedy="look at package_throttling: stressbench show RUN.jsonl --telemetry",
        )


@check("clock", "the source and the resolution of the clock")
def clock(setting: Setting) -> Iterator[Verdict]:
    """A clock that is read through a device takes a microsecond."""
    source = setting.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
    name = "unknown" if source is None else source
    measured = setting.launch.jobs[0].clock if setting.launch is not None and setting.launch.jobs else None
    numbers = "" if measured is None else (
        f"; {measured.source} has a resolution of {measured.resolution_s * 1e9:.0f} ns, and takes "
        f"{measured.overhead_s * 1e9:.0f} ns to read"
    )  # fmt: skip
    if name in _SLOW_CLOCKS or (measured is not None and max(measured.resolution_s, measured.overhead_s) >= 1e-6):
        yield warning(
            f"the kernel's clock source is {name}{numbers}",
            consequence="each timed interval is uncertain by a microsecond or more",
            remedy="as root: echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource",
        )
    else:
        yield ok(f"the kernel's clock source is {name}{numbers}")


MACHINE_CHECKS = (batch_system, shared_memory, limits, frequency, idle_states, processor_time)
