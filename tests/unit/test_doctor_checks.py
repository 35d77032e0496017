"""What each check of `stressbench doctor` says of values that are given to it."""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stressbench.experiments.doctor import CHECKS
from stressbench.experiments.doctor.check import EngineFacts, Setting, Verdict, ok
from stressbench.experiments.doctor.machine import (
    batch_system,
    clock,
    frequency,
    idle_states,
    judge_limits,
    processor_time,
)
from stressbench.experiments.doctor.network import counted_devices, host_names, hosts_in, links, nics
from stressbench.experiments.doctor.programs import container, settings
from stressbench.experiments.doctor.ranks import between_hosts, binding, hosts, inside_host, judge_sharing, quoted
from stressbench.experiments.doctor.storage import Mount, mount_of, shared_directories
from stressbench.formats.run.launched_ranks import (
    Carrier,
    DirectoryCheck,
    LaunchedRank,
    LaunchLine,
    MessageCarrier,
    RankMessages,
)
from stressbench.formats.run.records import Clock
from stressbench.launch.allocation import Allocation
from stressbench.launch.command import Command, Launcher
from stressbench.launch.execute import Outcome
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.launched_ranks import ObservedLaunch
from stressbench.results.doctor import Level

ENDED = Outcome(status=0, stop_requests=0, output="", errors="", rank_of=())
TCP = MessageCarrier(carrier=Carrier.tcp, device="eth0")
SHARED = MessageCarrier(carrier=Carrier.shared_memory, device=None)
UNKNOWN = MessageCarrier(carrier=Carrier.unknown, device=None)


def rank(number: int, *processors: int, host: str = "a", of: int = 4, yields: bool | None = None) -> LaunchedRank:
    """A rank bound to `processors`, all if none are given, of a host that has `of`."""
    usable = tuple(range(of))
    return LaunchedRank(
        rank=number, host=host, processors=processors or usable, usable_processors=usable, yields=yields
    )


def launched(
    *ranks: LaunchedRank, inside: MessageCarrier | None = None, between: MessageCarrier | None = None,
    overhead_s: float = 2e-8, directories: tuple[DirectoryCheck, ...] = (),
) -> ObservedLaunch:  # fmt: skip
    measured = Clock(source="CLOCK_MONOTONIC", resolution_s=1e-9, overhead_s=overhead_s)
    job = LaunchLine(type="launch", version="0.2.0", library="Open MPI v4.1.4", clock=measured, ranks=ranks)
    messages = tuple(RankMessages(rank=one.rank, inside_host=inside, between_hosts=between) for one in ranks)
    return ObservedLaunch(
        command=Command(argv=("mpirun",)), outcome=ENDED, timed_out=False, jobs=(job,), messages=messages,
        directories=directories,
    )  # fmt: skip


def setting(*ranks: LaunchedRank, root: Path = Path("/nowhere"), **launch: MessageCarrier | None) -> Setting:
    return Setting(ranks=len(ranks), launch=launched(*ranks, **launch), root=root)  # type: ignore[arg-type]


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def only(found: Iterator[Verdict]) -> Verdict:
    (verdict,) = found
    return verdict


def test_each_check_has_a_name_of_its_own_and_says_what_it_examines() -> None:
    assert len({one.name for one in CHECKS}) == len(CHECKS)
    assert all(one.about for one in CHECKS)


def test_the_guide_lists_all_checks() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "doctor.md").read_text(encoding="utf-8")

    table = page.partition("| check | examines |")[2].partition("\n\n")[0]
    assert [f"| {one.name} | {one.about} |" for one in CHECKS] == table.splitlines()[2:]


def test_ranks_on_one_processor_beside_idle_ones_are_an_error() -> None:
    verdict = only(binding.judge(setting(rank(0, 2), rank(1, 2), rank(2, 2))))

    assert verdict.level is Level.error
    assert verdict.found == "3 of 3 ranks on a share 1 processor (2), 3 of 4 processors are idle"
    assert verdict.remedy is not None and "--bind-to core" in verdict.remedy


def test_two_ranks_on_a_processor_are_found_among_others() -> None:
    verdict = only(binding.judge(setting(rank(0, 0), rank(1, 0), rank(2, 1, 2, 3))))

    assert verdict.level is Level.error
    assert verdict.found.startswith("2 of 3 ranks on a share 1 processor (0), 0 of 4")


@pytest.mark.parametrize(
    ("ranks", "says"),
    [
        ((rank(0, 0), rank(1, 1)), "each rank is bound to 1 processor"),
        ((rank(0), rank(1)), "ranks are not bound: each may use 4 processors"),
        (tuple(rank(number) for number in range(9)), "ranks are not bound"),
        ((rank(0, 0), rank(1, 0, host="b")), "each rank is bound to 1 processor"),
    ],
)
def test_a_processor_for_each_rank_is_right(ranks: tuple[LaunchedRank, ...], says: str) -> None:
    verdict = only(binding.judge(setting(*ranks)))

    assert (verdict.level, verdict.found.startswith(says)) == (Level.ok, True), verdict.found


@pytest.mark.parametrize(
    ("yields", "flavour", "level", "says"),
    [
        (True, Flavour.openmpi4, Level.note, "and yield while they wait"),
        (False, Flavour.openmpi4, Level.error, "and do not yield while they wait"),
        (None, Flavour.mpich, Level.warning, "and MPICH spins while it waits"),
        (None, Flavour.unknown, Level.warning, "may spin"),
    ],
)
def test_more_ranks_than_processors_must_yield(yields: bool | None, flavour: Flavour, level: Level, says: str) -> None:
    verdict = judge_sharing("a", [rank(number, of=2, yields=yields) for number in range(3)], flavour)

    assert verdict is not None and verdict.level is level
    assert verdict.found.startswith("3 ranks on a share 2 processors, ") and says in verdict.found


def test_as_many_ranks_as_processors_share_none() -> None:
    assert judge_sharing("a", [rank(0, of=2), rank(1, of=2)], Flavour.openmpi4) is None


def test_an_allocation_whose_hosts_have_no_ranks_is_a_warning() -> None:
    one = Setting(ranks=2, launch=launched(rank(0), rank(1)), target=Spread(nodes=4))

    verdict = only(hosts.judge(one))

    assert verdict.level is Level.warning
    assert verdict.found == "ranks of each host: a: 2; 3 of 4 hosts have none"


class Spread(Allocation):
    """Nodes of a batch system."""


def test_messages_inside_a_host_should_not_go_through_tcp() -> None:
    loopback = MessageCarrier(carrier=Carrier.tcp, device="lo")

    assert only(inside_host.judge(setting(rank(0), rank(1), inside=loopback))).level is Level.warning
    assert only(inside_host.judge(setting(rank(0), rank(1), inside=SHARED))).found == "shared memory"
    assert only(inside_host.judge(setting(rank(0), rank(1), inside=UNKNOWN))).level is Level.note
    assert not list(inside_host.judge(setting(rank(0))))


def test_tcp_is_an_error_where_there_is_infiniband(tmp_path: Path) -> None:
    ranks = (rank(0), rank(1, host="b"))

    assert only(between_hosts.judge(setting(*ranks, between=TCP, root=tmp_path))).level is Level.ok
    put(tmp_path / "sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n")
    verdict = only(between_hosts.judge(setting(*ranks, between=TCP, root=tmp_path)))

    assert verdict.level is Level.error
    assert verdict.found == "TCP over eth0, although this host has InfiniBand"


def test_tcp_over_a_bridge_of_containers_is_a_warning(tmp_path: Path) -> None:
    bridge = MessageCarrier(carrier=Carrier.tcp, device="docker0")

    verdict = only(between_hosts.judge(setting(rank(0), rank(1, host="b"), between=bridge, root=tmp_path)))

    assert (verdict.level, verdict.found) == (Level.warning, "TCP over docker0")


def test_a_port_that_is_down_is_a_warning(tmp_path: Path) -> None:
    put(tmp_path / "sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n")

    verdict = only(nics.judge(Setting(root=tmp_path)))

    assert (verdict.level, verdict.found) == (Level.warning, "port 1 of mlx5_0 is not active (1: DOWN)")


def test_devices_with_counters_are_those_of_nics() -> None:
    sources = [
        {"name": "ethernet", "counters": [{"device": "eth1"}, {"device": "eth0"}, {"device": "eth0"}]},
        {"name": "cpu", "counters": [{"device": "package0"}]}, {"name": "cxi", "counters": []},
    ]  # fmt: skip

    assert counted_devices(json.dumps(sources)) == {"ethernet": ["eth0", "eth1"]}
    assert counted_devices("no JSON") == counted_devices("[1]") == {}


@pytest.mark.parametrize(
    ("values", "level", "says"),
    [
        ({"locked": 65536, "has_infiniband": True}, Level.error, "locked memory is limited to 64 KiB"),
        ({"locked": 65536}, Level.ok, "locked memory: 64 KiB; open files: 1024"),
        ({"locked": None, "has_infiniband": True}, Level.ok, "locked memory: unlimited"),
        ({"files": 256, "ranks": 512}, Level.error, "open files are limited to 256, 512 ranks over TCP need about"),
    ],
)
def test_limits_that_mpi_exceeds_are_errors(values: dict[str, int | bool | None], level: Level, says: str) -> None:
    given = {"locked": None, "files": 1024, "has_infiniband": False, "ranks": 4, **values}

    verdict = next(judge_limits(**given))  # type: ignore[arg-type]

    assert (verdict.level, verdict.found.startswith(says)) == (level, True), verdict.found


def test_governors_that_follow_the_load_are_a_warning(tmp_path: Path) -> None:
    assert only(frequency.judge(Setting(root=tmp_path))).level is Level.ok
    for number, governor in enumerate(("performance", "powersave")):
        put(tmp_path / f"sys/devices/system/cpu/cpu{number}/cpufreq/scaling_governor", f"{governor}\n")

    verdict = only(frequency.judge(Setting(root=tmp_path)))

    assert verdict.level is Level.warning
    assert verdict.found == "governor performance on 1, powersave on 1 of 2 processors"


def test_idle_states_that_take_long_to_leave_are_told(tmp_path: Path) -> None:
    setting, processors = Setting(root=tmp_path), tmp_path / "sys/devices/system/cpu"
    assert only(idle_states.judge(setting)).found.startswith("no idle states of processors are visible")
    for number, (name, latency_us) in enumerate((("POLL", 0), ("C1", 2), ("C6", 133))):
        put(processors / f"cpu1/cpuidle/state{number}/name", f"{name}\n")
        put(processors / f"cpu1/cpuidle/state{number}/latency", f"{latency_us}\n")
        put(processors / f"cpu1/cpuidle/state{number}/disable", "0\n")

    assert only(idle_states.judge(setting)).found == "idle processors take up to 133 us to wake up (C6)"
    put(processors / "cpu1/cpuidle/state2/disable", "1\n")
    assert only(idle_states.judge(setting)) == ok("idle processors wake up in 2 us (C1)")


def test_processors_of_a_virtual_machine_that_halt_are_told(tmp_path: Path) -> None:
    put(tmp_path / "sys/devices/system/cpu/cpuidle/current_driver", "haltpoll\n")
    put(tmp_path / "sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "1\n")  # without the time of the hypervisor

    verdict = only(idle_states.judge(Setting(root=tmp_path)))

    assert (verdict.level, verdict.found) == (Level.note, "idle processors of this virtual machine halt")


def test_a_hypervisor_and_a_quota_and_heat_are_found(tmp_path: Path) -> None:
    put(tmp_path / "proc/stat", "cpu  500 0 0 450 0 0 0 50 0 0\n")
    put(tmp_path / "proc/self/cgroup", "0::/box\n")
    put(tmp_path / "sys/fs/cgroup/box/cpu.max", "50000 100000\n")
    put(tmp_path / "sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "3\n")

    found = list(processor_time.judge(Setting(root=tmp_path)))

    assert [one.level for one in found] == [Level.warning, Level.warning, Level.note]
    assert found[0].found.startswith("a hypervisor took 5.0%")
    assert found[1].found.startswith("a CPU quota allows 0.5 processors, 2 ranks")
    assert found[2].found.endswith("throttled by its temperature 3 times since the start of this host")


def test_no_quota_and_no_stolen_time_are_right(tmp_path: Path) -> None:
    put(tmp_path / "proc/stat", "cpu  500 0 0 500 0 0 0 1 0 0\n")
    put(tmp_path / "proc/self/cgroup", "0::/\n")
    put(tmp_path / "sys/fs/cgroup/cpu.max", "max 100000\n")

    assert only(processor_time.judge(Setting(root=tmp_path))).level is Level.ok


@pytest.mark.parametrize(("source", "overhead_s", "level"), [
    ("tsc", 2e-8, Level.ok), ("hpet", 2e-8, Level.warning), ("tsc", 2e-6, Level.warning),
])  # fmt: skip
def test_a_slow_clock_is_a_warning(tmp_path: Path, source: str, overhead_s: float, level: Level) -> None:
    put(tmp_path / "sys/devices/system/clocksource/clocksource0/current_clocksource", f"{source}\n")
    one = Setting(root=tmp_path, ranks=1, launch=launched(rank(0), overhead_s=overhead_s))

    assert only(clock.judge(one)).level is level


@pytest.mark.parametrize(
    ("environment", "on", "level", "says"),
    [
        ({}, "local", Level.ok, "no allocation of a batch system"),
        ({"SLURM_JOB_ID": "7", "SLURM_NTASKS": "8"}, "slurm", Level.ok, "in job 7 of Slurm, 8 tasks"),
        ({"SLURM_JOB_ID": "7", "SLURM_NTASKS": "8"}, "local", Level.note, "in job 7 of Slurm, 8 tasks"),
        ({"SLURM_JOB_ID": "7", "SLURM_NTASKS": "2"}, "slurm", Level.warning, "in job 7 of Slurm, 2 tasks, for 4 ranks"),
        ({"PBS_JOBID": "9", "PBS_NUM_NODES": "2"}, "pbs", Level.ok, "in job 9 of PBS, 2 nodes"),
    ],
)
def test_the_allocation_is_named(environment: dict[str, str], on: str, level: Level, says: str) -> None:
    verdict = only(batch_system.judge(Setting(environment={"PATH": "/nowhere", **environment}, on=on, ranks=4)))

    assert (verdict.level, verdict.found) == (level, says)


def test_a_login_node_is_a_warning(tmp_path: Path) -> None:
    put(tmp_path / "sbatch", "#!/bin/sh\n")
    (tmp_path / "sbatch").chmod(0o755)

    verdict = only(batch_system.judge(Setting(environment={"PATH": str(tmp_path)})))

    assert verdict.level is Level.warning
    assert verdict.remedy == "salloc -N 2, then stressbench doctor --on slurm"


def with_library(flavour: Flavour, *, on: str = "local", **environment: str) -> Setting:
    """A setting whose engine has this MPI, started by srun on the target slurm."""
    library = Recognised(flavour=flavour, version="1.0")
    srun = Launcher(path=Path("srun"), recognised=library, is_mpirun=False)
    facts = EngineFacts(path=Path("engine"), library=library, launcher=srun if on == "slurm" else None)
    return Setting(on=on, engine=facts, environment=environment)


def test_settings_of_the_engine_s_mpi_are_a_note_and_those_of_others_are_none() -> None:
    environment = {"OMPI_MCA_btl": "tcp,self", "I_MPI_FABRICS": "shm", "PATH": "/bin"}

    found = only(settings.judge(with_library(Flavour.openmpi4, **environment)))

    assert (found.level, found.found) == (Level.note, "1 setting of Open MPI 1.0: OMPI_MCA_btl=tcp,self")
    assert found.remedy == "unset OMPI_MCA_btl"
    assert not list(settings.judge(with_library(Flavour.craympich, **environment)))


def test_a_launch_inside_a_launch_is_a_warning() -> None:
    found = only(settings.judge(with_library(Flavour.mpich, PMI_RANK="0")))

    assert (found.level, found.found) == (Level.warning, "this process is a rank of another launch (PMI_RANK)")


def test_intel_mpi_needs_the_library_of_slurm_under_srun() -> None:
    found = only(settings.judge(with_library(Flavour.intelmpi, on="slurm")))

    assert found.level is Level.warning
    assert found.found == "I_MPI_PMI_LIBRARY is not set, and srun starts the ranks of Intel MPI 1.0"
    named = with_library(Flavour.intelmpi, on="slurm", I_MPI_PMI_LIBRARY="/usr/lib64/libpmi2.so")
    assert [one.level for one in settings.judge(named)] == [Level.note]


def test_where_intel_mpi_is_installed_is_no_setting() -> None:
    assert not list(settings.judge(with_library(Flavour.intelmpi, I_MPI_ROOT="/opt/intel/mpi")))


def test_a_container_is_named_with_the_wrapper_to_use(tmp_path: Path) -> None:
    found = only(container.judge(Setting(root=tmp_path, environment={"APPTAINER_CONTAINER": "/images/mpi.sif"})))

    assert (found.level, found.found) == (Level.note, "this process is in a container (/images/mpi.sif)")
    assert found.remedy == "outside: stressbench run FILE -n N -- apptainer exec /images/mpi.sif"
    assert not list(container.judge(Setting(root=tmp_path)))


def test_a_wrapper_that_is_missing_is_an_error(tmp_path: Path) -> None:
    extra = ("apptainer", "exec", "image.sif")

    verdict = only(container.judge(Setting(root=tmp_path, environment={"PATH": "/nowhere"}, extra=extra)))

    assert (verdict.level, verdict.found) == (Level.error, "`apptainer` is not on PATH, or does not start")


MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /work rw,relatime - nfs4 server:/work rw
31 30 0:41 / /work/my\\040scratch rw,relatime shared:9 master:2 - lustre mds:/fs rw
broken line
"""


@pytest.mark.parametrize(
    ("directory", "point", "kind"),
    [("/home/a", "/", "ext4"), ("/work/a", "/work", "nfs4"), ("/work/my scratch/run", "/work/my scratch", "lustre")],
)
def test_the_innermost_mount_holds_a_directory(directory: str, point: str, kind: str) -> None:
    assert mount_of(Path(directory), MOUNTS) == Mount(point=Path(point), kind=kind)


def test_a_directory_that_another_host_does_not_have_is_a_warning() -> None:
    checked = (
        DirectoryCheck(path="/work", fault=None, hosts_without=()),
        DirectoryCheck(path="/tmp", fault=None, hosts_without=("b",)),
        DirectoryCheck(path="/full", fault="No space left on device", hosts_without=()),
    )
    one = Setting(ranks=2, launch=launched(rank(0), rank(1, host="b"), directories=checked))

    found = list(shared_directories.judge(one))

    assert [verdict.level for verdict in found] == [Level.ok, Level.warning, Level.error]
    assert found[1].found == "/tmp is another directory on b"
    assert found[2].found == "rank 0 cannot write to /full: No space left on device"


def test_hosts_are_those_of_options_and_host_files(tmp_path: Path) -> None:
    put(tmp_path / "hosts", "# two\nc slots=2\n\nd:4\na\n")

    assert hosts_in(("--host", "a:2,b", "--hostfile", str(tmp_path / "hosts"), "--bind-to", "core")) == tuple("abcd")
    assert hosts_in(("--bind-to", "core")) == ()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets only these names be resolved."""

    def allow(*known: str) -> None:
        def resolve(name: str, _: object) -> list[object]:
            if name not in known:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return []

        monkeypatch.setattr(socket, "gethostname", lambda: "here")
        monkeypatch.setattr(socket, "getaddrinfo", resolve)

    return allow


def test_hosts_that_cannot_be_resolved_are_an_error(names: Callable[..., None]) -> None:
    names("here", "a")

    verdict = only(host_names.judge(Setting(extra=("--host", "a,gone"))))

    assert (verdict.level, verdict.found) == (Level.error, "host gone cannot be resolved: name or service not known")
    assert only(host_names.judge(Setting())).found == "here can be resolved"


def test_an_own_name_that_cannot_be_resolved_is_a_warning(names: Callable[..., None]) -> None:
    names()

    verdict = only(host_names.judge(Setting()))

    assert verdict.level is Level.warning
    assert verdict.remedy == "as root: echo '127.0.1.1 here' >> /etc/hosts"


def test_what_a_launcher_printed_is_quoted_without_rules() -> None:
    printed = "-------\nThere are not enough slots\n\nin the system\nmore\n-------\n"

    assert quoted(printed) == "There are not enough slots in the system"
    assert quoted("x" * 400) == "x" * 300 + "..."


def test_targets_without_links_have_no_check_of_them() -> None:
    assert not list(links.judge(Setting(engine=EngineFacts())))
