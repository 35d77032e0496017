"""`rate` and `rails` of a study: what places make of them, and links that carry all again after every run."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.fake_lab import FakeLab
from support.studies import STUDY, carry_out, made_run, study_in

from stressbench.experiments.study.cell_targets import require_links
from stressbench.experiments.study.directory import Directory, now
from stressbench.experiments.study.launching import RunLauncher
from stressbench.experiments.study.run_states import State as RunState
from stressbench.experiments.study.run_states import run_states, slowed_networks
from stressbench.formats.study.errors import StudyFileMistake, StudyMistake
from stressbench.formats.study.file import study_file_mistakes
from stressbench.formats.study.manifest import LinksRecord
from stressbench.formats.units import RateShare
from stressbench.labs.file import parse_lab
from stressbench.labs.process import Process
from stressbench.labs.state import LabDirectory, Phase, State
from stressbench.launch import session
from stressbench.launch.command import Launcher
from stressbench.launch.errors import LinkMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.local import Request
from stressbench.launch.targets import registered, resolve_target

PAIR = """\
[hosts]
count = 2
[[rail]]
rate = "100Mbit"
[[rail]]
rate = "40Mbit"
[topology]
kind = "single"
"""
REQUEST = Request(ranks=2, program=("engine", "run", "a.sb"), cores=2)


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A lab of two rails that is up as far as is written down."""
    monkeypatch.setenv("STRESSBENCH_LABS", str(tmp_path / "labs"))
    here = Process(pid=1, started=1)
    nodes = {node.name: here for node in parse_lab(PAIR, name="pair", source="pair.toml").nodes}
    slot = LabDirectory("pair")
    assert slot.lock()
    slot.write(
        State(
            name="pair", source="pair.toml", text=PAIR, phase=Phase.up, since="2026-01-02T03:04:05+00:00",
            user_namespace=False, builder=here, nodes=nodes,
        )
    )  # fmt: skip
    yield "lab:pair"
    slot.unlock()


def command(place: LaunchTarget, flavour: Flavour = Flavour.openmpi4) -> tuple[str, ...]:
    launcher = Launcher(path=Path("/opt/mpirun"), recognised=Recognised(flavour=flavour, version="4.1"))
    return place.build(launcher=launcher, request=REQUEST).argv


@pytest.mark.parametrize(("rails", "nics"), [(1, "eth0"), (2, "eth0,eth1")])
def test_open_mpi_is_told_which_nics_messages_may_take(pair: str, rails: int, nics: str) -> None:
    words = command(resolve_target(pair, environment={}, rails=rails))

    assert words[words.index("btl_tcp_if_include") - 1 :][:3] == ("--mca", "btl_tcp_if_include", nics)
    assert "btl_tcp_if_include" not in command(resolve_target(pair, environment={}))


def test_an_mpi_that_chooses_nics_by_itself_is_refused(pair: str) -> None:
    place = resolve_target(pair, environment={}, rails=1)

    with pytest.raises(LinkMistake, match=r"--on lab:pair: rails: 1: MPICH 4.1 chooses NICs by itself; expected an"):
        command(place, Flavour.mpich)


@pytest.mark.parametrize(
    ("on", "wanted", "message"),
    [
        ("lab:pair", {"rails": 3}, "--on lab:pair: rails: 3: lab pair has 2 rails; expected 1 to 2"),
        (
            "lab:pair",
            {"rate": RateShare.of(Fraction(1, 10_000))},
            "rate: 1/10000: lab pair's link h0-s0.1 would have 4kbit; expected at least",
        ),
        ("simgrid:tiny", {"rails": 2}, "--on simgrid:tiny: rails: 2: a simulated host has one NIC; expected 1"),
        (
            "simgrid:tiny",
            {"rate": RateShare.of(Fraction(1, 100_000))},
            "--on simgrid:tiny: rate: 1/100000: lab tiny's link h0-s0 would have",
        ),
    ],
)
def test_links_that_a_place_cannot_have_are_refused(pair: str, on: str, wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(LinkMistake, match=message):
        resolve_target(on, environment={}, **wanted)


def test_a_simulated_lab_has_the_share_of_its_rates_and_says_so() -> None:
    place: Any = resolve_target("simgrid:tiny", environment={}, rate=RateShare.of(Fraction(1, 4)), rails=1)

    assert "\nlink h0-s0 h0 s0 3125000 " in place.platform
    assert place.source.startswith("# rate = 1/4\n# rails = 1\nabout = ")


def test_one_rail_of_two_can_be_simulated() -> None:
    place: Any = resolve_target("simgrid:dual-rail", environment={}, rails=1)

    assert "\nlink h0-s0 " in place.platform
    assert "s0.1" not in place.platform


ON_LAB = STUDY.replace("ranks = 4", 'ranks = 4\non = "lab:fake"\nrate = ["1/4", "full"]')
ALSO_RAILS = ON_LAB.replace('rate = ["1/4", "full"]', 'rate = "half"\nrails = [1, 3]')


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLab]:
    made = FakeLab()

    def run(prepared: object, *, run_file: Path) -> Any:
        made.events.append("run")
        run_file.write_text(made_run())
        return SimpleNamespace(
            status=0, outcome=SimpleNamespace(stop_requests=0, hung_in_finalize=False, was_asked_to_stop=False)
        )

    monkeypatch.setattr(session, "prepare", lambda request, environment: "prepared")
    monkeypatch.setattr(session, "run", run)
    with registered(lab=made):
        yield made


def launching(directory: Directory) -> RunLauncher:
    return RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write)


def test_links_are_set_before_each_run_and_carry_all_again_after_it(tmp_path: Path, lab: FakeLab) -> None:
    directory = study_in(tmp_path, ON_LAB.replace("repetitions = 2", ""))

    carry_out(directory, launching(directory))

    rates = [str(run.cell.rate) for run in directory.study.runs]
    assert lab.events == [
        event for rate in rates for event in (f"lab:fake {rate}", "run", "lab:fake full")
    ]  # fmt: skip
    said = [record for record in directory.read().records if isinstance(record, LinksRecord)]
    assert [(record.on, record.rate) for record in said] == [
        ("lab:fake", rate) for before in rates for rate in (before, "full")
    ]
    assert slowed_networks(said) == {}


def test_links_carry_all_again_when_a_run_cannot_be_started(
    tmp_path: Path, lab: FakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(prepared: object, *, run_file: Path) -> Any:
        raise KeyboardInterrupt

    directory = study_in(tmp_path, ON_LAB.replace('["1/4", "full"]', '"1/4"'))
    monkeypatch.setattr(session, "run", fail)

    with pytest.raises(KeyboardInterrupt):
        carry_out(directory, launching(directory))

    assert lab.events == ["lab:fake 1/4", "lab:fake full"]


def test_what_a_killed_study_left_slower_is_put_back(tmp_path: Path, lab: FakeLab) -> None:
    directory = study_in(tmp_path, ON_LAB)
    directory.write(LinksRecord(run="a-r1", at=now(), on="lab:fake", rate="1/4"))

    launching(directory).restore_full_rates(slowed_networks(directory.read().records).values())

    assert lab.events == ["lab:fake full"]
    assert slowed_networks(directory.read().records) == {}


def test_a_run_is_done_though_links_could_not_be_put_back_and_that_is_remembered(tmp_path: Path, lab: FakeLab) -> None:
    directory = study_in(tmp_path, ON_LAB.replace('["1/4", "full"]', '"1/4"'))
    lab.refuses = "full"

    carry_out(directory, launching(directory))

    records = directory.read().records
    assert {one.state for one in run_states(directory.study.runs, records)} == {RunState.done}
    assert slowed_networks(records)["lab:fake"].rate == "1/4"


def test_links_that_cannot_be_set_fail_the_run(tmp_path: Path, lab: FakeLab) -> None:
    directory = study_in(tmp_path, ON_LAB.replace('["1/4", "full"]', '"1/4"'))
    lab.refuses = "1/4"

    _, runner = carry_out(directory, launching(directory), retries=0)

    assert "run" not in lab.events
    assert {one.reason for one in runner.run_states} == {"lab:fake is gone"}


def test_rails_that_a_lab_lacks_are_told_with_their_line(tmp_path: Path) -> None:
    directory = study_in(tmp_path, ALSO_RAILS)

    with (
        registered(lab=FakeLab()),
        pytest.raises(StudyFileMistake) as caught,
        study_file_mistakes(ALSO_RAILS, source="s.toml"),
    ):
        require_links(directory.study, folder=tmp_path, environment={})

    assert str(caught.value) == "s.toml:8: factors.rails: 3: lab fake has 1 rail; expected 1"


def test_each_number_of_rails_is_checked_before_a_study_resumes(tmp_path: Path, lab: FakeLab) -> None:
    """The lab may have come up with fewer since it began."""
    directory = study_in(tmp_path, ALSO_RAILS)

    with pytest.raises(StudyMistake, match=r"rails = 3.*: --on lab:fake: rails: 3: lab fake has 1 rail; expected 1"):
        launching(directory).check()
