"""The factor `policy` of studies: what study files may say of NICs, and what reaches the ranks."""

from pathlib import Path
from typing import Any

import pytest
from support.fake_lab import PAIR, Pair
from support.fake_launcher import put
from support.studies import WORKLOAD, study_in

from stressbench.experiments.study.cell_targets import rail_selection_of, require_controllable_links, require_links
from stressbench.experiments.study.directory import Directory, create_or_extend
from stressbench.experiments.study.launching import RunLauncher
from stressbench.formats.study.cells import Cell
from stressbench.formats.study.errors import StudyFileMistake, StudyMistake
from stressbench.formats.study.file import parse_study, study_file_mistakes
from stressbench.formats.study.rail_policies import parse_policy
from stressbench.formats.toml import ValidationMistakes
from stressbench.launch import machine, session
from stressbench.launch.command import Launcher
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.job_ranks import JobPlacement
from stressbench.launch.launch_target import LOCAL
from stressbench.launch.local import Request
from stressbench.launch.rail_selection import RailSelection, with_rail_selection
from stressbench.launch.rails import RailMistake, Rails
from stressbench.launch.targets import registered

STUDY = """\
[factors]
workload = "two.sb"
ranks = 4
ranks_per_node = 2
on = "lab:pair"
policy = ["default", "nic1", "per-job"]
"""
OPEN_MPI = Recognised(flavour=Flavour.openmpi4, version="4.1")
REQUEST = Request(ranks=4, program=("engine", "run"), cores=2)
TWO = '{"jobs":[{"name":"a","nodes":"0,1","ranks":2},{"name":"b","nodes":"0,1","ranks":2}]}'


def mistake(text: str) -> str:
    with pytest.raises(StudyFileMistake) as caught, study_file_mistakes(text, source="s.toml"):
        require_controllable_links(parse_study(text, source="s.toml"))
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"nic1"', '"both"', "s.toml:6: factors.policy: 'both': expected default, nic0, nic1, round-robin, local, "),
        ('"nic1"', '"default"', "s.toml:6: factors.policy: ['default', 'default', 'per-job']: default is given twice"),
        ("[factors]", 'nics = ["a b"]\n[factors]', "s.toml:1: nics: 'a b': expected the name of a NIC, such as ib0"),
        ("[factors]", 'transport = "ib"\n[factors]', "s.toml:1: transport: 'ib': expected tcp, ucx, ofi"),
        ("lab:pair", "simgrid:tiny", "policy: default: on = simgrid:tiny: a simulated host has one NIC"),
        ("ranks = 4\n", "ranks = 4\nrails = 1\n", "factors.policy: nic1: chooses among all NICs; expected no rails"),
    ],
)
def test_mistakes_of_a_study_file_have_their_line(old: str, new: str, message: str) -> None:
    assert message in mistake(STUDY.replace(old, new, 1))


@pytest.mark.parametrize("line", ['nics = ["ib0"]', 'transport = "tcp"'])
def test_nics_and_transport_go_with_policies(line: str) -> None:
    name = line.partition(" ")[0]
    without = f"{line}\n{STUDY}".replace('policy = ["default", "nic1", "per-job"]\n', "")

    assert mistake(without).endswith("is for policies; needs factors.policy")
    assert name in mistake(without)


def test_a_cell_without_a_policy_keeps_its_name() -> None:
    """Studies that were begun before go on."""
    assert Cell(workload="a.sb", on="local", ranks=4).id == "0d336b8762"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"nic1"', '"nic2"', "s.toml:6: factors.policy: nic2: hosts have eth0, eth1; expected nic0 to nic1"),
        ('"nic1"', '"local"', "s.toml:6: factors.policy: local: NICs eth0, eth1 belong to no NUMA node"),
        ("[factors]", 'nics = ["ib0"]\n[factors]', "s.toml:1: nics: ib0: hosts of lab:pair have eth0, eth1"),
    ],
)
def test_what_a_place_cannot_do_is_refused_before_anything_is_written(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = STUDY.replace(old, new, 1)

    with pytest.raises(StudyFileMistake) as caught, registered(lab=Pair()), study_file_mistakes(text, source="s.toml"):
        require_links(parse_study(text, source="s.toml"), folder=tmp_path, environment={})

    assert message in str(caught.value)


def test_a_place_that_does_not_know_its_nics_needs_their_names(tmp_path: Path) -> None:
    text = STUDY.replace("lab:pair", "local")
    with pytest.raises(
        ValidationMistakes, match=r"policy: nic1: the NICs of the hosts are unknown; expected --nics, such as ib0,ib1"
    ):
        require_links(parse_study(text, source="s"), folder=tmp_path, environment={})

    named = f'nics = ["ib0", "ib1"]\n{text}'
    require_links(parse_study(named, source="s"), folder=tmp_path, environment={})


def test_what_was_compared_stays_comparable(tmp_path: Path) -> None:
    named = f'transport = "tcp"\n{STUDY}'
    study_in(tmp_path, named)
    other = named.replace('"tcp"', '"ucx"')

    with pytest.raises(StudyMistake, match="transport was tcp and is now ucx; keep it, or begin a study in another"):
        create_or_extend(tmp_path / "made", study=parse_study(other, source="s"), text=other, folder=tmp_path)


def requests(directory: Directory, monkeypatch: pytest.MonkeyPatch) -> dict[str | None, session.LaunchRequest]:
    """What each policy's cell asks of a launch."""
    seen: list[session.LaunchRequest] = []
    monkeypatch.setattr(session, "prepare", lambda request, environment: seen.append(request) or "prepared")
    with registered(lab=Pair()):
        RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write).check()
    return {str(request.rail_selection.rails.policy) if request.rail_selection else None: request for request in seen}


def test_each_cell_s_launch_is_steered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = STUDY.replace("ranks = 4", 'ranks = 4\nplacement = "random:3"') + '[set]\nn = "2"\n'
    found = requests(study_in(tmp_path, text), monkeypatch)

    assert set(found) == {"default", "nic1", "per-job"}
    rail_selection = found["per-job"].rail_selection
    assert rail_selection is not None and rail_selection.placement is not None
    assert rail_selection.rails.nics == ("eth0", "eth1")
    assert (rail_selection.placement.sets, rail_selection.placement.placement) == (("n=2",), "random:3")
    assert rail_selection.placement.workload.name == "two.sb"


def test_a_long_check_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory, seconds, said = study_in(tmp_path, STUDY), iter(range(0, 100, 3)), []
    monkeypatch.setattr(session, "prepare", lambda request, environment: "prepared")

    with registered(lab=Pair()):
        RunLauncher(
            study=directory.study, folder=directory.folder, environment={}, note=directory.write,
            clock=lambda: next(seconds), log=said.append,
        ).check()  # fmt: skip

    assert said == ["the engine has checked 1 of 3 workloads with their settings"]


def test_a_study_without_policies_steers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = STUDY.replace('policy = ["default", "nic1", "per-job"]\n', "")

    assert set(requests(study_in(tmp_path, plain), monkeypatch)) == {None}


def engine_saying(folder: Path, text: str, *, status: int = 0) -> Path:
    put(folder / "engine", f"#!/bin/sh\necho \"$@\" > {folder}/asked\ncat <<'END'\n{text}\nEND\nexit {status}\n")
    return folder / "engine"


def request_with(policy: str, engine: Path, *, ranks_per_node: int | None = 2, **made: Any) -> Request:
    rail_selection = RailSelection(
        rails=Rails(policy=parse_policy(policy), nics=("eth0", "eth1")), placement=JobPlacement(workload=Path("two.sb"))
    )
    return with_rail_selection(
        Request(ranks=4, program=("engine", "run"), cores=2, **made), rail_selection, library=OPEN_MPI, engine=engine,
        ranks_per_node=ranks_per_node, environment={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip


def test_the_engine_says_which_ranks_a_job_has_and_the_wrapper_stands_before_the_program(tmp_path: Path) -> None:
    program = request_with("per-job", engine_saying(tmp_path, TWO)).program

    assert (tmp_path / "asked").read_text() == "describe two.sb --json --ranks 4 --ranks-per-node 2\n"
    assert program[:2] == ("sh", "-c")
    assert "t 0 1 2 2 eth0; t 1 1 2 2 eth1;" in program[2]
    assert program[-2:] == ("engine", "run")


def test_a_launcher_starts_the_wrapper_on_each_rank(tmp_path: Path) -> None:
    request = request_with("nic1", engine_saying(tmp_path, TWO))
    launcher = Launcher(path=Path("/opt/mpirun"), recognised=OPEN_MPI)

    argv = PAIR.build(launcher=launcher, request=request).argv

    assert argv[-4:] == ("env", "OMPI_MCA_btl_tcp_if_include=eth1", "engine", "run")
    assert not (tmp_path / "asked").exists()


def test_jobs_need_nodes_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(RailMistake, match=r"per-job: needs --ranks-per-node"):
        request_with("per-job", engine_saying(tmp_path, TWO), ranks_per_node=None)


def test_an_engine_that_cannot_say_it_is_heard(tmp_path: Path) -> None:
    with pytest.raises(LaunchMistake, match=r"two\.sb: the engine cannot tell the ranks of its jobs: status 2"):
        request_with("per-job", engine_saying(tmp_path, "", status=2))


def test_local_is_refused_where_this_machine_knows_no_numa_node(tmp_path: Path) -> None:
    with pytest.raises(RailMistake, match="local: no NUMA node is known of NIC eth0 of this machine"):
        request_with("local", tmp_path)
    assert "numa_node" in request_with("local", tmp_path, allocated=True).program[2]  # other hosts find out themselves


@pytest.mark.parametrize(("text", "node"), [("1\n", 1), ("-1\n", None), ("", None)])
def test_the_kernel_says_where_a_nic_is(tmp_path: Path, text: str, node: int | None) -> None:
    for place in ("net/ib0", "infiniband/mlx5_0"):
        (tmp_path / place / "device").mkdir(parents=True)
        (tmp_path / place / "device" / "numa_node").write_text(text)

    assert machine.numa_node_of("ib0", classes=tmp_path) == node
    assert machine.numa_node_of("mlx5_0:1", classes=tmp_path) == node
    assert machine.numa_node_of("eth9", classes=tmp_path) is None


def test_a_run_that_is_prepared_has_its_wrapper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "engine", "#!/bin/sh\n[ $1 != --version ] || echo 'MPI library: Open MPI v4.1.4'\n")
    put(tmp_path / "mpirun.openmpi", '#!/bin/sh\necho "mpirun (Open MPI) 4.1.4"\n')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (tmp_path / "two.sb").write_text(WORKLOAD)
    study = parse_study(f'nics = ["ib0", "ib1"]\n{STUDY}'.replace("lab:pair", "local"), source="s")
    cell = next(cell for cell in study.cells if str(cell.policy) == "nic1")
    request = session.LaunchRequest(
        workload=tmp_path / "two.sb", ranks=4, run_file=RunFile(path=tmp_path / "r.jsonl"), options=EngineOptions(),
        engine=tmp_path / "engine",
        rail_selection=rail_selection_of(study, cell, target=LOCAL, workload=tmp_path / "two.sb"),
    )  # fmt: skip

    prepared = session.prepare(request, environment={"PATH": f"{tmp_path}:/usr/bin:/bin"})

    assert isinstance(prepared, session.PreparedLaunch)
    words = prepared.command.argv
    assert words[words.index("env") + 1] == "OMPI_MCA_btl_tcp_if_include=ib1"
    assert words[words.index("env") + 2] == str(tmp_path / "engine")
