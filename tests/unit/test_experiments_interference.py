"""Experiments on interference as functions: values in, results and errors out, progress through a callback."""

import signal
from pathlib import Path

import pytest
from support.fake_clock import FakeClock
from support.fake_place import environment, folder
from support.sensitivities import aggressor, victim

from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.compression import measure_compression
from stressbench.experiments.interference.impact import measure_impact
from stressbench.experiments.interference.outcome import MeasurementAborted
from stressbench.experiments.interference.prediction import NoPlacement, predict_slowdowns, propose_placement
from stressbench.experiments.interference.profile_selection import select_profiles
from stressbench.experiments.interference.ring_plan import ring_plan
from stressbench.experiments.interference.spec import (
    BackgroundLoad,
    MeasurementSpec,
    measurement_spec,
    probe_load,
    probe_pairs,
)
from stressbench.formats.profiles.profile import to_json
from stressbench.formats.profiles.store import Store
from stressbench.interference.impact_analysis import analyse_impact
from stressbench.interference.models import Model
from stressbench.interference.probes import ROUND_S, ProbeSchedule
from stressbench.launch.clock import timed_by
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LOCAL

__all__ = ["folder"]

SCHEDULE = ProbeSchedule(pairs=1, message_bytes=1024, interval_s=0.005)


@pytest.fixture
def machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with stand-ins for mpirun and the engine and a clock of their own."""
    monkeypatch.chdir(folder)
    for name, value in environment(folder.parent).items():
        monkeypatch.setenv(name, value)
    return folder


def spec(*command: str, background_ranks: int = 2) -> MeasurementSpec:
    return measurement_spec(
        command, target=LOCAL, target_name="local", schedule=SCHEDULE, background_ranks=background_ranks, ranks=1,
        idle_s=0.5, probe_after=False,
    )  # fmt: skip


def test_the_impact_of_a_program_is_measured_without_a_command_line(
    machine: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    steps: list[str] = []

    with timed_by(FakeClock.here()):
        data = measure_impact(spec("elapse", "600"), progress=steps.append)

    assert steps == ["idle, before: probing the idle machine for 0.5 s", "elapse on 1 rank, with probes"]
    assert data.with_probes_s == pytest.approx((0.61,))
    assert analyse_impact(data).loaded.count > 30
    assert capfd.readouterr() == ("", "")
    assert sorted(path.name for path in machine.iterdir()) == ["bad.sb", "demo.sb"]


def test_rounds_of_probes_are_long_beside_the_program(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two rounds the network is not probed, and that takes longer while its queues are full."""
    loads: list[BackgroundLoad] = []

    def recorded(measured: MeasurementSpec, *, round_s: float = ROUND_S) -> BackgroundLoad:
        loads.append(probe_load(measured, round_s=round_s))
        return loads[-1]

    monkeypatch.setattr("stressbench.experiments.interference.impact.probe_load", recorded)
    with timed_by(FakeClock.here()):
        measure_impact(spec("elapse", "600"))

    checked, beside = loads
    assert checked.workload == SCHEDULE.workload()
    assert beside.workload == SCHEDULE.workload(seconds=5.0)


def test_congestion_levels_are_measured_without_a_command_line(machine: Path) -> None:
    plan = ring_plan(
        LOCAL, target_name="local", pairs=1, by_rounds=False, levels=None, runs=1, partners=(1,), pauses_s=(1e-5, 1e-3),
        messages=(1,),
    )  # fmt: skip
    measured = spec("elapse", "300", background_ranks=plan.background_ranks(LOCAL, pairs=1))

    with timed_by(FakeClock.here()):
        found = measure_compression(measured, plan)

    assert found.interrupted is None
    assert [one.configuration.pause_s for one in found.data.levels] == [1e-5, 1e-3]
    assert [len(one.times_s) for one in found.data.completed_levels] == [1, 1]
    assert len(found.data.alone_s) == 1


def test_a_program_that_fails_is_an_error_with_its_reason_and_an_exit_status(machine: Path) -> None:
    with timed_by(FakeClock.here()), pytest.raises(MeasurementAborted) as caught:
        measure_impact(spec("sh", "-c", "exit 7"))

    assert caught.value.reason.startswith("sh ended with status 7 after")
    assert caught.value.exit_status is ExitStatus.fault
    assert list(machine.glob(".stressbench-*")) == []


def test_signal_handlers_are_those_from_before_after_a_measurement(machine: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)

    with timed_by(FakeClock.here()), pytest.raises(MeasurementAborted):
        measure_impact(spec("true"))

    assert signal.getsignal(signal.SIGTERM) is before
    assert machine.is_dir()


def test_mistakes_are_reported_before_anything_starts(machine: Path) -> None:
    with pytest.raises(LaunchMistake, match="gone-program: there is no such executable program"):
        spec("gone-program")
    with pytest.raises(LaunchMistake, match="--pairs: 2 pairs need 4 hosts"):
        probe_pairs(LOCAL, 2, target_name="local")
    assert machine.is_dir()


def test_profiles_are_selected_from_files_and_stores(tmp_path: Path) -> None:
    cg, fft = victim({0.3: 1.5}, name="cg"), aggressor(0.3, name="fft")
    store = Store(folder=tmp_path / "store")
    for one in (cg, fft):
        store.save(one)
    (tmp_path / "cg.json").write_text(to_json(cg))

    assert [one.application for one in select_profiles([], store=store.folder)] == ["cg", "fft"]
    assert [one.application for one in select_profiles([str(tmp_path / "cg.json")] * 2)] == ["cg", "cg"]
    with pytest.raises(UserError, match="no profiles"):
        select_profiles([])


def test_predictions_are_values_and_what_cannot_be_predicted_is_an_error() -> None:
    cg, fft, silent = victim({0.3: 1.5}, name="cg"), victim({0.3: 1.2}, name="fft"), aggressor(0.3, name="io")

    found = predict_slowdowns([cg, fft], models=(Model.monotone,))

    assert [one.application for one in found.applications] == ["cg", "fft"]
    with pytest.raises(UserError, match="cg alone: expected at least two profiles"):
        predict_slowdowns([cg])
    with pytest.raises(NoPlacement, match="no placement can be predicted") as caught:
        propose_placement([silent, aggressor(0.4, name="log")], switches=1)
    assert caught.value.exit_status is ExitStatus.negative
