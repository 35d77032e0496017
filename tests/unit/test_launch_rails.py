"""Which NIC each rank's messages take: policies as texts, settings for each MPI, and wrappers that really run."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from stressbench.formats.study.rail_policies import Kind, Transport, parse_nic, parse_policy
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.job_ranks import Block, JobPlacement, JobRanks, job_ranks
from stressbench.launch.rail_scripts import by_numa_distance
from stressbench.launch.rails import RailMistake, Rails, require_possible

NICS = ("eth0", "eth1")
OPEN_MPI = Recognised(flavour=Flavour.openmpi4, version="4.1.4")
MPICH = Recognised(flavour=Flavour.mpich, version="4.0")
TCP = "OMPI_MCA_btl_tcp_if_include"
SHOW = ("sh", "-c", f'echo "${{{TCP}:-unset}} $*"', "show", "a b", "$c")
SPACED = tuple(JobRanks(name=f"j{k}", blocks=(Block(first=k, width=1, step=3, count=2),)) for k in range(3))


def rails(policy: str, *, nics: tuple[str, ...] = NICS, transport: Transport | None = None) -> Rails:
    return Rails(policy=parse_policy(policy), nics=nics, transport=transport)


def started(wrapper: tuple[str, ...], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*wrapper, *SHOW], env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True, check=False
    )


def nic(wrapper: tuple[str, ...], **environment: str) -> str:
    ended = started(wrapper, environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    name, _, words = ended.stdout.strip().partition(" ")
    assert words == "a b $c"
    return name


@pytest.mark.parametrize(
    "text", ["default", "nic0", "nic7", "round-robin", "local", "per-job", "jobs:a=0,b=1", "jobs:a b=2"]
)
def test_a_policy_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_policy(text)) == text


@pytest.mark.parametrize("text", ["", "nic", "nic-1", "NIC0", "both", "jobs:", "jobs:a", "jobs:a=x", "jobs:a=0,a=1"])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^expected "):
        parse_policy(text)


@pytest.mark.parametrize("text", ["", "a b", "$(id)", "-x", "eth0,eth1", "a/b", "é"])
def test_names_that_are_no_nic_s_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected the name of a NIC"):
        parse_nic(text)


@pytest.mark.parametrize(
    ("library", "transport", "variables"),
    [
        (OPEN_MPI, None, [f"{TCP}=eth1"]),
        (OPEN_MPI, Transport.tcp, ["OMPI_MCA_pml=ob1", "OMPI_MCA_btl=tcp,vader,self", f"{TCP}=eth1"]),
        (OPEN_MPI, Transport.ucx, ["OMPI_MCA_pml=ucx", "UCX_NET_DEVICES=eth1"]),
        (Recognised(flavour=Flavour.openmpi5, version="5"), Transport.tcp,
         ["OMPI_MCA_pml=ob1", "OMPI_MCA_btl=tcp,sm,self", f"{TCP}=eth1"]),
        (MPICH, None, ["FI_TCP_IFACE=eth1", "FI_SOCKETS_IFACE=eth1", "FI_VERBS_IFACE=eth1"]),
        (MPICH, Transport.ucx, ["MPIR_CVAR_CH4_NETMOD=ucx", "UCX_NET_DEVICES=eth1"]),
    ],
)  # fmt: skip
def test_one_nic_for_all_ranks_is_plain_environment(
    library: Recognised, transport: Transport | None, variables: list[str]
) -> None:
    assert rails("nic1", transport=transport).wrapper(library) == ("env", *variables)


def test_what_stands_before_the_rank_wins_over_what_a_lab_exports() -> None:
    assert nic(rails("nic1").wrapper(OPEN_MPI), **{TCP: "eth0,eth1"}) == "eth1"


def test_the_default_changes_nothing_but_the_transport_that_was_typed() -> None:
    assert rails("default", nics=()).wrapper(Recognised(flavour=Flavour.unknown, version=None)) == ()
    assert rails("default", nics=(), transport=Transport.ucx).wrapper(OPEN_MPI) == ("env", "OMPI_MCA_pml=ucx")


@pytest.mark.parametrize("variable", ["OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"])
def test_round_robin_gives_the_ranks_of_a_host_its_nics_in_turns(variable: str) -> None:
    wrapper = rails("round-robin", nics=("eth0", "eth1", "eth2")).wrapper(OPEN_MPI)

    assert [nic(wrapper, **{variable: str(rank)}) for rank in range(4)] == ["eth0", "eth1", "eth2", "eth0"]


def test_the_launcher_s_own_rank_counts_more_than_the_batch_script_s() -> None:
    wrapper = rails("round-robin").wrapper(OPEN_MPI)

    assert nic(wrapper, SLURM_LOCALID="0", OMPI_COMM_WORLD_LOCAL_RANK="1") == "eth1"


@pytest.mark.parametrize(("policy", "word"), [("round-robin", "on its host"), ("per-job", "in the launch")])
def test_a_rank_that_cannot_know_its_number_says_so_and_does_not_start(policy: str, word: str) -> None:
    ended = started(rails(policy).wrapper(OPEN_MPI, jobs=SPACED), {})

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"stressbench: rails: no launcher says which rank this is {word}\n"


def test_each_job_has_a_nic_and_the_next_one_the_next() -> None:
    wrapper = rails("per-job").wrapper(OPEN_MPI, jobs=SPACED)

    assert [nic(wrapper, PMI_RANK=str(rank)) for rank in range(7)] == [
        "eth0", "eth1", "eth0", "eth0", "eth1", "eth0", "eth0"
    ]  # fmt: skip


def test_jobs_have_the_nics_that_were_named_and_others_the_first() -> None:
    wrapper = rails("jobs:j2=0,j0=1").wrapper(MPICH, jobs=SPACED)

    seen = [
        started((*wrapper, "sh", "-c", 'echo "${FI_TCP_IFACE:-unset}"'), {"OMPI_COMM_WORLD_RANK": str(rank)}).stdout
        for rank in range(3)
    ]
    assert [text.strip() for text in seen] == ["eth1", "eth0", "eth0"]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("jobs:j9=0", "--policies: jobs:j9=0: the workload has no job 'j9'; expected j0, j1, j2"),
        ("nic2", "--policies: nic2: hosts have eth0, eth1; expected nic0 to nic1"),
        ("jobs:j0=5", "--policies: jobs:j0=5: hosts have eth0, eth1; expected nic0 to nic1"),
    ],
)
def test_jobs_and_nics_that_are_not_there_are_named(policy: str, message: str) -> None:
    with pytest.raises(RailMistake) as caught:
        rails(policy).wrapper(OPEN_MPI, jobs=SPACED)
    assert str(caught.value) == message


def test_a_program_without_a_workload_has_no_jobs() -> None:
    with pytest.raises(RailMistake, match="per-job: a program without a workload has no jobs"):
        rails("per-job").wrapper(OPEN_MPI)


@pytest.mark.parametrize(
    ("flavour", "transport", "message"),
    [
        (Flavour.mpich, Transport.tcp, "--transport: tcp: MPICH 9 accepts NICs for ofi or ucx"),
        (Flavour.openmpi5, Transport.ofi, "--transport: ofi: Open MPI 9 accepts NICs for tcp or ucx"),
        (Flavour.craympich, None, "--transport: no setting of Cray MPICH 9 for NICs is known to us"),
    ],
)
def test_an_mpi_without_such_a_setting_is_refused(flavour: Flavour, transport: Transport | None, message: str) -> None:
    with pytest.raises(RailMistake, match=message):
        rails("nic0", transport=transport).wrapper(Recognised(flavour=flavour, version="9"))


def test_nics_must_be_known_and_real_ones_for_distances() -> None:
    with pytest.raises(RailMistake, match=r"--nics: nic0: the NICs of the hosts are unknown; expected --nics, such as"):
        require_possible(parse_policy("nic0"), ())
    with pytest.raises(RailMistake, match="local: NICs eth0, eth1 belong to no NUMA node; expected another policy"):
        require_possible(parse_policy("local"), NICS, sysfs=None)
    require_possible(parse_policy("default"), ())


class Host:
    """A made-up /sys of two sockets with distances, and a /proc/self/stat of a rank on one processor."""

    def __init__(self, folder: Path, *, distances: tuple[str, ...] = ("10 21", "21 10"), nodes: Mapping[str, str]):
        self.sys, self.stat = folder / "sys", folder / "stat"
        for number, text in enumerate(distances):
            place = self.sys / f"devices/system/node/node{number}"
            place.mkdir(parents=True)
            (place / "distance").write_text(text + "\n")
            (self.sys / f"devices/system/cpu/cpu{number}/node{number}").mkdir(parents=True)
        for name, node in nodes.items():
            device = self.sys / "class" / name / "device"
            device.mkdir(parents=True)
            (device / "numa_node").write_text(node + "\n")

    def choose(self, nics: tuple[str, ...], *, cpu: int) -> subprocess.CompletedProcess[str]:
        fields = ["S", *map(str, range(4, 39)), str(cpu), "0"]
        self.stat.write_text(f"1 (a) name) {' '.join(fields)}\n")
        return started(by_numa_distance(nics, names=[TCP], sys=str(self.sys), stat=str(self.stat)), {})


def test_local_is_the_nic_nearest_to_the_rank_s_processor(tmp_path: Path) -> None:
    host = Host(tmp_path, nodes={"net/ib0": "0", "net/ib1": "1"})

    assert [host.choose(("ib0", "ib1"), cpu=cpu).stdout.split()[0] for cpu in (0, 1)] == ["ib0", "ib1"]


def test_local_goes_by_distance_and_takes_the_first_of_two_as_near(tmp_path: Path) -> None:
    far = ("10 40 20 20", "40 10 30 30", "20 30 10 11", "20 30 11 10")
    host = Host(tmp_path, distances=far, nodes={"infiniband/mlx5_0": "1", "net/ib1": "2", "net/ib2": "3"})

    assert host.choose(("mlx5_0:1", "ib1", "ib2"), cpu=0).stdout.split()[0] == "ib1"
    assert host.choose(("mlx5_0:1", "ib1", "ib2"), cpu=1).stdout.split()[0] == "mlx5_0:1"


@pytest.mark.parametrize("node", ["-1", ""])
def test_a_rank_that_cannot_tell_where_a_nic_is_says_so_and_does_not_start(tmp_path: Path, node: str) -> None:
    ended = Host(tmp_path, nodes={"net/ib0": "0", "net/ib1": node}).choose(("ib0", "ib1"), cpu=0)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.strip().endswith("no NUMA node is known of NIC ib1")


def test_a_processor_of_no_numa_node_is_named(tmp_path: Path) -> None:
    ended = Host(tmp_path, nodes={"net/ib0": "0"}).choose(("ib0",), cpu=7)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.strip().endswith("no NUMA node is known of processor 7")


def described(*jobs: tuple[str, str, int]) -> bytes:
    return json.dumps({"jobs": [{"name": n, "nodes": nodes, "ranks": ranks} for n, nodes, ranks in jobs]}).encode()


def test_jobs_beside_each_other_on_shared_nodes_have_every_other_rank() -> None:
    found = job_ranks(described(("a", "0-3", 4), ("b", "0-3", 4)), ranks_per_node=2)

    assert [(job.name, job.blocks) for job in found] == [
        ("a", (Block(first=0, width=1, step=2, count=4),)), ("b", (Block(first=1, width=1, step=2, count=4),))
    ]  # fmt: skip


def test_jobs_on_nodes_of_their_own_have_blocks_and_order_does_not_matter() -> None:
    found = job_ranks(described(("a", "2,0,1", 12), ("b", "9,5,7", 12)), ranks_per_node=4)

    assert found[0].blocks == (Block(first=0, width=12, step=12, count=1),)
    assert found[1].blocks == (Block(first=20, width=4, step=8, count=3),)


def test_ten_thousand_nodes_make_one_short_word() -> None:
    found = job_ranks(described(("a", "0-9999", 10_000), ("b", "0-9999", 30_000)), ranks_per_node=4)

    assert max(map(len, rails("per-job").wrapper(OPEN_MPI, jobs=found))) < 1000


def test_the_engine_is_asked_with_all_that_decides_about_ranks() -> None:
    placement = JobPlacement(workload=Path("w.sb"), sets=("n=2",), placement="random:3")

    assert placement.describe_command(Path("e"), ranks=8, ranks_per_node=2) == (
        *("e", "describe", "w.sb", "--json", "--ranks", "8", "--ranks-per-node", "2"),
        *("--place", "random:3", "--set", "n=2"),
    )


@pytest.mark.parametrize("reported", [b"", b"[]", b'{"jobs": [{}]}', b'{"jobs": [{"name": "a", "nodes": null}]}'])
def test_what_no_engine_says_is_a_mistake(reported: bytes) -> None:
    with pytest.raises(LaunchMistake, match="what the engine describes cannot be understood"):
        job_ranks(reported, ranks_per_node=1)


def test_kinds_know_whether_they_go_by_job() -> None:
    assert {kind for kind in Kind if Rails(policy=parse_policy(
        {"nic": "nic0", "jobs": "jobs:a=0"}.get(kind, kind.value)), nics=NICS).policy.depends_on_jobs
    } == {Kind.per_job, Kind.jobs}  # fmt: skip
