"""Functions of the Python interface that measure, with stand-ins for engine, launcher, labs and tracer."""

import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support import fake_place, fake_tracer
from support.beff_protocols import put_beff_machine
from support.fake_lab import FOUR, FakeLab
from support.fake_site import Site

import stressbench
from stressbench.experiments import balance
from stressbench.launch import program as launching
from stressbench.launch import session
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome
from stressbench.launch.targets import registered
from stressbench.suites.hpcc import Rmax

place = fake_place.folder
traced = fake_tracer.folder
RATES = (Fraction(1), Fraction(1, 2))
ON_A_LAB = """
import sys
import stressbench
from stressbench.launch.clock import timed_by
from stressbench.launch.targets import registered
from support.fake_clock import FakeClock
from support.fake_lab import FOUR, FakeLab
probes = stressbench.Probes(every_s=0.005, idle_s=0.5)
with registered(lab=FakeLab(here=FOUR)), timed_by(FakeClock.here()):
    results = {}
    results.report("result.json", format="json")
    print(results.report(), file=sys.stderr)
"""


def measured(place: Path, call: str) -> subprocess.CompletedProcess[str]:
    """The call in a process of its own, where every lab has four hosts and time passes where stand-ins say so."""
    return subprocess.run(
        [sys.executable, "-c", ON_A_LAB.format(call)], cwd=place, capture_output=True, text=True, check=False,
        env=fake_place.environment(place.parent, FAKE_HOSTS="h0,h1,h2,h3"),
    )  # fmt: skip


def test_impact_is_measured_and_its_profile_written(place: Path) -> None:
    ended = measured(
        place,
        'stressbench.impact(["sh", "-c", "touch busy; elapse 1200; rm busy"], on="lab:four", ranks=1, probes=probes,'
        ' output="app.json", progress=print)',
    )

    assert ended.returncode == 0, ended.stderr
    found = json.loads((place / "result.json").read_text())
    assert 0.3 < found["ours"]["value"] < 0.6
    assert (found["application"], found["on"], found["probing"]["pairs"]) == ("sh", "lab:four", 2)
    assert "wrote app.json" in ended.stdout
    assert "utilisation: " in ended.stderr
    assert stressbench.read(place / "app.json").data[0].impact is not None


def test_compression_is_measured_at_the_levels_of_the_ring(place: Path) -> None:
    ended = measured(
        place,
        'stressbench.compress(["sh", "-c", "elapse $(cat ring 2>/dev/null || echo 400)"], on="lab:four", ranks=1,'
        " probes=probes, ring=stressbench.Ring(runs=1, levels=None, partners=(1,), messages=(1,),"
        " pauses_s=(1e-5, 1e-3)))",
    )

    assert ended.returncode == 0, ended.stderr
    found = json.loads((place / "result.json").read_text())
    assert [level["configuration"]["pause_s"] for level in found["levels"]] == [1e-3, 1e-5]
    assert found["levels"][1]["slowdown"]["centre"] > found["levels"][0]["slowdown"]["centre"]


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLab]:
    """A lab of four hosts on which no launch starts."""
    monkeypatch.setattr(session, "prepare", lambda *_, **__: pytest.fail("a launch was prepared"))
    made = FakeLab(here=FOUR)
    with registered(lab=made):
        yield made


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            'stressbench.impact(["no-such-program"], on="lab:four", ranks=1)',
            "no-such-program: there is no such executable",
        ),
        ('stressbench.impact(["true"], on="simgrid:tiny")', "two programs cannot run side by side in a simulation"),
        ('stressbench.compress(["true"], on="lab:four", ranks=1, ring=stressbench.Ring(nodes=9))', "--nodes: 9 hosts"),
        (
            'stressbench.compress(["true"], on="lab:four", ranks=1, probes=stressbench.Probes(place="random:1"))',
            "--place: 'random:1': probes share hosts with a ring; expected",
        ),
    ],
)
def test_what_is_wrong_is_an_error_before_anything_starts(place: Path, call: str, message: str) -> None:
    ended = measured(place, call)

    assert message in ended.stderr
    assert not (place / "result.json").exists()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"every_s": 0.0}, "--every: 0 s: expected more than 0 s"), ({"every_s": -1.0}, "--every: -1 s"),
        ({"idle_s": float("nan")}, "--idle: nan s: expected"), ({"message_bytes": 0}, "--size: 0 is not at least 1"),
    ],
)  # fmt: skip
def test_probes_out_of_range_start_nothing(lab: FakeLab, values: dict[str, Any], message: str) -> None:
    with pytest.raises(stressbench.StressBenchError, match=message):
        stressbench.impact(["true"], on="lab:four", ranks=1, probes=stressbench.Probes(**values))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"levels": 0}, "--levels: 0 is not at least 1"), ({"partners": (0,)}, "--partners: 0 is not at least 1"),
        ({"messages": (4, -1)}, "--messages: -1 is not at least 1"),
        ({"pauses_s": (1e-10,)}, "--bubbles: 1e-10 s: expected at least 1e-09 s"),
        ({"message_bytes": 0}, "--message-size: 0 is not at least 1"), ({"runs": 0}, "--runs: 0 is not at least 1"),
    ],
)  # fmt: skip
def test_a_ring_out_of_range_starts_nothing(lab: FakeLab, values: dict[str, Any], message: str) -> None:
    with pytest.raises(stressbench.StressBenchError, match=message):
        stressbench.compress(["true"], on="lab:four", ranks=1, ring=stressbench.Ring(**values))


def test_a_time_limit_of_0_starts_nothing(lab: FakeLab) -> None:
    for measure in (stressbench.impact, stressbench.compress):
        with pytest.raises(stressbench.StressBenchError, match="--time-limit: 0 s: expected more than 0 s"):
            measure(["true"], on="lab:four", ranks=1, time_limit_s=0.0)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a launcher and an engine that are made up."""
    put_beff_machine(tmp_path, monkeypatch)
    return tmp_path


def test_beff_is_that_of_the_protocol_that_is_kept(machine: Path) -> None:
    results = stressbench.beff(ranks=4, rmax=12.5, output="kept.jsonl")

    assert results.data.balance_bytes_per_flop == pytest.approx(results.data.b_eff / 12.5e9)
    assert stressbench.read("kept.jsonl").data.b_eff == results.data.b_eff
    assert "balance: " in results.report()


def test_b_eff_is_kept_where_hpcc_fails(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> Rmax:
        raise LaunchMistake("hpcc ended with status 3")

    monkeypatch.setattr(balance, "require_hpcc", lambda *_, **__: None)
    monkeypatch.setattr(balance, "measure_rmax", fails)

    with pytest.raises(stressbench.RmaxFailed, match="hpcc ended with status 3") as failed:
        stressbench.beff(ranks=4, rmax="hpcc")

    assert (failed.value.status, failed.value.results.data.rmax_flops_per_s) == (3, None)
    assert failed.value.results.data.b_eff > 0


def test_settings_of_beff_io_are_checked_before_anything_starts(machine: Path) -> None:
    with pytest.raises(stressbench.StressBenchError, match="--mpart 1MiB: follows from --memory 1GiB"):
        stressbench.beff_io(ranks=4, memory="1GiB", mpart="1MiB")
    with pytest.raises(stressbench.StressBenchError, match="--types: '7' must be types from 0 to 4"):
        stressbench.beff_io(ranks=4, types=[7])
    assert not (machine / "launches").exists()


@pytest.fixture
def here(traced: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in fake_tracer.environment(traced).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(traced)
    return traced


def test_a_capture_is_the_trace_that_is_written(here: Path) -> None:
    trace = stressbench.capture(["sh", "-c", fake_tracer.COPY], output="app.trace")

    assert trace.complete
    assert trace.calls(rank=1) == stressbench.read("app.trace").calls(rank=1)


def test_calls_that_cannot_be_replayed_are_an_error_with_the_trace(here: Path) -> None:
    with pytest.raises(stressbench.TraceFailed, match="cannot be replayed: ranks 0-1: statistics only") as failed:
        stressbench.record(["sh", "-c", fake_tracer.COPY], output="app.sb")

    assert failed.value.status == 3
    assert failed.value.results is not None
    assert not Path("app.sb").exists()


def test_a_captured_program_that_fails_keeps_its_trace(here: Path) -> None:
    with pytest.raises(stressbench.TraceFailed, match="sh ended with status 5") as failed:
        stressbench.capture(["sh", "-c", f"{fake_tracer.COPY}; exit 5"], output="app.trace")

    assert failed.value.status == 5
    assert failed.value.results is not None


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Ranks of each launch of a program on a lab; the launch with 3 ranks fails."""
    started: list[int] = []

    def run(_words: tuple[str, ...], *, ranks: int, **_: object) -> Outcome:
        started.append(ranks)
        status = 9 if ranks == 3 else 0
        return Outcome(
            status=status, output="GF: 8", stop_requests=0, errors="", rank_of=(), began_s=1.0, ended_s=2.0
        )  # fmt: skip

    monkeypatch.setattr(launching, "command_of", lambda *words, **how: None)
    monkeypatch.setattr(launching, "run_program", run)
    monkeypatch.chdir(tmp_path)
    with registered(lab=FakeLab(events=[])):
        yield started


def test_a_program_is_launched_at_each_rate(program: list[int]) -> None:
    figures = stressbench.FigureOptions(figures=(r"GF=GF: (\S+)",))
    sweep = stressbench.ProgramRateSweep(command=("./app",), rates=RATES, ranks=(2,), runs=2, figures=figures)

    results = stressbench.degrade(sweep, output="d")

    assert program == [2] * 4
    assert results.data.rates == ("1", "1/2")
    assert stressbench.read("d").data == results.data


def test_a_plan_that_no_report_could_read_begins_nothing(program: list[int]) -> None:
    sweep = stressbench.ProgramRateSweep(command=("./app",), rates=RATES, ranks=(2,), runs=0)

    with pytest.raises(stressbench.StressBenchError, match="runs 0: input should be greater than or equal to 1"):
        stressbench.degrade(sweep, output="d")

    assert not Path("d").exists()


def test_launches_that_fail_are_an_error_with_the_others(program: list[int]) -> None:
    sweep = stressbench.ProgramRateSweep(command=("./app",), rates=RATES, ranks=(2, 3), runs=1)

    with pytest.raises(stressbench.SweepFailed, match="2 launches failed") as failed:
        stressbench.degrade(sweep, output="d")

    assert failed.value.status == 3
    assert failed.value.results is not None


def test_workloads_run_at_each_rate_as_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(folder=tmp_path)
    (tmp_path / "one.sb").write_text("[JOB_NAME] halo\n[NODES] 1\n[MOTIF] halo2d\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session, "prepare", lambda request, environment: "prepared")
    monkeypatch.setattr(session, "run", site.run)
    sweep = stressbench.RateSweep(workloads=("one.sb",), ranks=(2,), rates=RATES)

    with registered(lab=FakeLab()):
        results = stressbench.degrade(sweep, output="tiny")

        assert results.data.rates == ("1", "1/2")
        assert stressbench.study_status("tiny").data.done == 2
        assert len(stressbench.read("tiny").runs) == 2
