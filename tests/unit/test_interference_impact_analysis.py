"""Probes as a workload, their latencies from a run file, and what follows: all from series that are written down."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeRun, build_run
from support.probe_series import BUSY, IDLE, PROBING, STEPS, measured, series
from support.sensitivities import profile, sample, victim

from stressbench.formats.run import Run, read_run
from stressbench.interference.errors import Inconclusive
from stressbench.interference.impact_analysis import ImpactData, analyse_impact
from stressbench.interference.probe_statistics import probing_time_s
from stressbench.interference.probes import (
    ProbeSchedule,
    ProbeSeries,
    concatenate_series,
    merge_pairs,
    read_probe_series,
    series_between,
)
from stressbench.interference.profile_assembly import impact_profile, levels_incompatibility, probe_settings

JOBS = tuple(
    MadeJob(name=f"pair{pair}", ranks=1, nodes=f"{2 * pair}-{2 * pair + 1}", steps=STEPS * 10) for pair in range(2)
)


def made_run(*, rounds: int = 3) -> MadeRun:
    return build_run(
        jobs=JOBS,
        plan=MadePlan(blocks=rounds, isolated=0, repetitions=1, warmup=0, extra=0),
        machine=MadeMachine(hosts=("h0", "h1", "h2", "h3"), noise=0.0, round_noise=0.0),
        histograms=False,
    )


def read(made: MadeRun, folder: Path) -> Run:
    return read_run(made.write(folder))


def test_a_job_a_pair_sleeps_and_plays() -> None:
    probing = replace(PROBING, interval_s=1.0)

    assert probing.workload() == (
        "# probes of `stressbench impact`\n"
        "[JOB_NAME] pair0\n[NODES] 2\n[REPEAT] 1\n"
        "[MOTIF] compute --mode sleep --mean 750000000ns\n[MOTIF] one_way_delay --size 1024B --clocks raw\n"
        "[JOB_NAME] pair1\n[NODES] 2\n[REPEAT] 1\n"
        "[MOTIF] compute --mode sleep --mean 1250000000ns\n[MOTIF] one_way_delay --size 1024B --clocks raw\n"
    )


@pytest.mark.parametrize(("interval_s", "repeated"), [(0.02, 5), (0.0005, 200), (10.0, 1)])
def test_a_longer_round_repeats_the_same_pauses(interval_s: float, repeated: int) -> None:
    probing = replace(PROBING, interval_s=interval_s)

    text = probing.workload(seconds=5.0)

    assert text.count(f"[REPEAT] {repeated}\n") == probing.pairs
    assert text == probing.workload().replace(f"[REPEAT] {probing.repetitions}\n", f"[REPEAT] {repeated}\n")


@pytest.mark.parametrize("interval_s", [0.1, 0.02, 0.0005])
def test_sleeps_are_spread_evenly_over_half_an_interval_to_one_and_a_half_in_no_order(interval_s: float) -> None:
    probing = replace(PROBING, interval_s=interval_s)

    first, second = (np.array(probing.pauses_ns(pair)) / (interval_s * 1e9) for pair in range(2))

    assert np.mean([first, second]) == pytest.approx(1.0)
    assert np.diff(np.sort([*first, *second])) == pytest.approx(1 / (2 * len(first)), rel=1e-3)
    assert (min(first), max(second)) == (pytest.approx(0.5, abs=0.06), pytest.approx(1.5, abs=0.06))
    assert 0.2 < np.mean(np.diff(first) > 0) < 0.8
    assert np.argsort(first).tolist() != np.argsort(second).tolist()


def test_a_program_that_repeats_itself_is_seen_at_all_its_places() -> None:
    """Every 20 ms, and the program's period is 20 ms: equal sleeps would see one place of it."""
    probing = ProbeSchedule(pairs=1, message_bytes=1024, interval_s=0.02)

    seen = np.cumsum(np.array(probing.pauses_ns(0)) * 1e-9) % 0.02 / 0.02

    assert np.histogram(seen, bins=4, range=(0, 1))[0].min() >= 5  # of 50


@pytest.mark.parametrize(
    ("interval_s", "per_round", "repetitions", "rounds"),
    [(0.1, 10, 1, 21), (0.02, 50, 1, 21), (0.005, 200, 4, 21), (4.0, 1, 1, 6)],
)
def test_a_round_takes_a_second_or_one_probe(interval_s: float, per_round: int, repetitions: int, rounds: int) -> None:
    probing = replace(PROBING, interval_s=interval_s)

    assert (probing.per_round, probing.repetitions, probing.rounds(20)) == (per_round, repetitions, rounds)


def test_latencies_are_half_round_trips_with_their_times_and_the_first_round_is_left_out(tmp_path: Path) -> None:
    first, second = read_probe_series(read(made_run(), tmp_path), PROBING)

    assert (first.hosts, second.hosts) == (("h0", "h1"), ("h2", "h3"))
    assert len(first) == 20
    assert first.latencies_s == pytest.approx(1e-4)
    assert first.round.tolist() == [2] * 10 + [3] * 10
    assert first.at_s[:2].tolist() == pytest.approx([1.5 + 0.09, 1.5 + 0.0902 + 0.09])  # round 2 began at 1.5 s
    assert first.at_s[10] == pytest.approx(2.5 + 0.09)
    assert first.stands_for_s == pytest.approx(0.0902)
    assert first.late_s[10:] == pytest.approx(0.09 - np.array(PROBING.pauses_ns(0)) * 1e-9)
    assert second.late_s.mean() == pytest.approx(0.09 - np.mean(PROBING.pauses_ns(1)) * 1e-9)


def test_repeated_pauses_of_a_round_are_in_temporal_order(tmp_path: Path) -> None:
    probing = ProbeSchedule(pairs=1, message_bytes=1024, interval_s=0.01)
    steps = tuple(
        replace(step, time_s=step.time_s * (1 + number // 2)) for number, step in enumerate(STEPS * 50)
    )  # each ping-pong longer than the one before it
    made = build_run(
        jobs=(replace(JOBS[0], steps=steps),),
        plan=MadePlan(blocks=2, isolated=0, repetitions=2, warmup=0, extra=0),
        machine=MadeMachine(hosts=("h0", "h1"), noise=0.0, round_noise=0.0), histograms=False,
    )  # fmt: skip

    (pair,) = read_probe_series(read(made, tmp_path), probing)

    assert pair.latencies_s == pytest.approx(1e-4 * np.tile(np.arange(1, 51), 2))
    apart = np.diff(pair.at_s)
    assert pair.stands_for_s[1:49] == pytest.approx((apart[:48] + apart[1:49]) / 2)
    assert np.diff(pair.at_s)[[0, 49]].tolist() == pytest.approx([0.0002 + 2 * 0.09, 50 * 0.0002 + 0.09])


def test_delays_of_both_directions_are_those_of_the_motif_without_the_offset_of_clocks(tmp_path: Path) -> None:
    delays = (("forward_delay_s", 3600 + 1e-4), ("backward_delay_s", -3600 + 1e-4))
    steps = tuple(replace(step, metrics=delays) if step.motif == "one_way_delay" else step for step in STEPS * 10)
    made = build_run(
        jobs=tuple(replace(job, steps=steps) for job in JOBS),
        plan=MadePlan(blocks=3, isolated=0, repetitions=1, warmup=0, extra=0),
        machine=MadeMachine(hosts=("h0", "h1", "h2", "h3"), noise=0.0, round_noise=0.0), histograms=False,
    )  # fmt: skip

    first, second = read_probe_series(read(made, tmp_path), PROBING)

    for pair in (first, second):
        assert pair.forward_s == pytest.approx(1e-4)
        assert pair.backward_s == pytest.approx(1e-4)
        assert pair.delays_s is not None
        assert pair.delays_s.shape == (40,)


def test_probes_without_delays_of_directions_have_none(tmp_path: Path) -> None:
    first, _ = read_probe_series(read(made_run(), tmp_path), PROBING)

    assert (first.forward_s, first.backward_s, first.delays_s) == (None, None, None)


def test_a_run_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Inconclusive, match="holds no probes of 3 pairs"):
        read_probe_series(read(made_run(), tmp_path), replace(PROBING, pairs=3))


def test_a_run_that_was_stopped_at_once_holds_no_probes(tmp_path: Path) -> None:
    assert [len(pair) for pair in read_probe_series(read(made_run(rounds=1), tmp_path), PROBING)] == [0, 0]


def test_what_was_on_its_way_when_the_program_began_or_ended_does_not_count() -> None:
    probes = series([0.03] * 10)  # each takes 0.06 s, one every 0.1 s

    kept = series_between(probes, began_s=0.15, ended_s=0.75)

    assert kept.at_s.tolist() == pytest.approx([0.05, 0.15, 0.25, 0.35, 0.45])


def test_launches_follow_each_other_and_pairs_are_mixed_in_the_order_of_time() -> None:
    one, two = series([1.0] * 20), series([2.0] * 20, hosts=("h2", "h3"), at_s=0.05)

    after, mixed = concatenate_series((one, two)), merge_pairs((one, two))

    assert (np.diff(after.at_s) >= 0).all()
    assert after.round.tolist() == [1] * 10 + [2] * 10 + [3] * 10 + [4] * 10
    assert mixed.latencies_s[:4].tolist() == [1, 2, 1, 2]
    assert mixed.hosts == ("h0", "h1", "h2", "h3")


def test_utilisation_is_read_by_both_readings_and_pair_by_pair() -> None:
    found = analyse_impact(measured(before=(IDLE, IDLE), beside=(BUSY, IDLE)))

    assert found.ours.value == pytest.approx(0.25, abs=0.02)  # half of the probes wait for 2/3 of a service
    assert found.paper.value is not None
    assert found.paper.value > found.ours.value
    assert [one.utilisation.value for one in found.pairs] == pytest.approx([0.4, 0.0], abs=0.01)
    assert [one.share for one in found.idle.percentiles] == [0.5, 0.95, 0.99]
    assert (found.idle.count, found.loaded.count) == (600, 600)


def by_direction(forward_waits: np.ndarray, backward_waits: np.ndarray, *, seed: int) -> ProbeSeries:
    """Probes whose directions take 50 us +- 1 us and these waits."""
    random = np.random.default_rng(seed)
    forward, backward = (50e-6 + random.normal(0, 1e-6, len(forward_waits)) for _ in range(2))
    both = series(((forward + forward_waits + backward + backward_waits) / 2).tolist())
    return replace(both, forward_s=forward + forward_waits)


def test_a_load_in_one_direction_is_found_in_that_direction() -> None:
    random = np.random.default_rng(3)
    waits = np.where(random.random(1000) < 0.6, random.uniform(0, 1e-2, 1000), 0.0)
    none = np.zeros(1000)

    found = analyse_impact(
        measured(before=(by_direction(none, none, seed=1),), beside=(by_direction(none, waits, seed=2),))
    )

    (pair,) = found.pairs
    assert pair.forward is not None
    assert pair.backward is not None
    assert pair.forward.value == pytest.approx(0, abs=0.03)
    assert pair.backward.value == pytest.approx(0.6, abs=0.05)
    assert found.undelayed.value == pytest.approx(0.3, abs=0.03)
    joined = merge_pairs((by_direction(none, waits, seed=2), by_direction(waits, none, seed=3)))
    assert joined.delays_s is not None
    assert len(joined.delays_s) == 4000


def test_without_delays_of_directions_both_are_taken_to_be_equally_busy() -> None:
    random = np.random.default_rng(3)
    waits = np.where(random.random(1000) < 0.5, random.uniform(0, 1e-2, 1000), 0.0)
    none = np.zeros(1000)
    idle, busy = by_direction(none, none, seed=1), by_direction(none, waits, seed=2)

    found = analyse_impact(measured(before=(replace(idle, forward_s=None),), beside=(busy,)))

    assert (found.pairs[0].forward, found.pairs[0].backward) == (None, None)
    assert found.undelayed.value == pytest.approx(1 - 0.5**0.5, abs=0.04)


def test_ping_pongs_that_take_much_of_the_interval_are_a_caution() -> None:
    slow = series([latency + 0.02 for latency in sample(0.4, count=300)])

    (reported,) = (one for one in analyse_impact(measured(beside=(slow,))).cautions if "underestimated" in one)

    assert "the utilisation is underestimated; use --every 161ms or more" in reported
    assert not [one for one in analyse_impact(measured()).cautions if "underestimated" in one]


def test_phases_have_their_times() -> None:
    found = analyse_impact(measured(beside=(series([*sample(0.0, count=120), *sample(0.6, count=180)]),)))

    quiet, busy = found.phases
    assert (quiet.began_s, busy.ended_s) == (0.0, pytest.approx(29.9))
    assert quiet.ended_s == busy.began_s == pytest.approx(12, abs=0.2)
    assert (quiet.utilisation, busy.utilisation) == (pytest.approx(0.0, abs=0.01), pytest.approx(0.6, abs=0.01))
    assert busy.low <= busy.utilisation <= busy.high


def test_pairs_within_one_host_give_no_utilisation() -> None:
    found = analyse_impact(measured(beside=(replace(BUSY, hosts=("h0",)),)))

    assert found.ours.value is None
    assert found.paper.value is None
    assert found.undelayed.reason == found.ours.reason
    assert "both ranks of a pair are on h0" in str(found.ours.reason)
    assert found.phases == ()


def test_an_idle_machine_that_changed_is_no_calibration() -> None:
    slower = series([2 * value for value in sample(0.0, count=300)])

    found = analyse_impact(measured(after=(slower,)))

    assert found.drift is not None
    assert found.drift.centre == pytest.approx(2, rel=0.02)
    assert "on the idle machine latencies drifted" in str(found.ours.reason)
    assert "idle latencies after the program are 2.00 times those before it" in found.cautions[0]


def slowed(factor: float) -> ImpactData:
    return measured(with_s=[factor * one for one in (1.0, 1.01, 1.02, 1.03)], without_s=(1.0, 1.01, 1.02, 1.03))


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        (measured(beside=(replace(BUSY, late_s=np.full(300, 1e-6)),)), "probes woke up 1.0 µs later"),
        (
            measured(before=(IDLE, replace(IDLE, latencies_s=2 * IDLE.latencies_s)), beside=(BUSY, BUSY)),
            "pairs differ on the idle machine, with medians from 1.0 µs to 2.0 µs",
        ),
        (
            measured(before=(series(IDLE.latencies_s[:40].tolist()),)),
            "40 idle probes: an interval of 5% on an idle switch takes",
        ),
        (slowed(1.2), "probes slow the program down by a factor of 1.200"),
    ],
    ids=["late", "pairs", "few", "effect"],
)
def test_cautions_name_what_makes_the_result_doubtful(taken: ImpactData, said: str) -> None:
    assert any(said in caution for caution in analyse_impact(taken).cautions)


@pytest.mark.parametrize(
    "taken", [measured(), slowed(1.0), measured(after=(IDLE,)), measured(beside=(replace(IDLE, late_s=BUSY.late_s),))]
)
def test_a_sound_measurement_has_no_cautions(taken: ImpactData) -> None:
    assert analyse_impact(taken).cautions == ()


def test_how_long_so_many_probes_take() -> None:
    assert probing_time_s(30, PROBING) == pytest.approx(1.5)


def test_a_profile_keeps_all_and_adds_to_what_was_known() -> None:
    known = victim({0.2: 1.1, 0.6: 1.9})
    taken = measured(with_s=(30.0,), without_s=(29.0, 28.0))

    kept = impact_profile(
        taken, application="victim", machine="lab", provenance=known.provenance, stored=known
    )  # fmt: skip

    assert kept.alone_s == (1.0,) * 5 + (29.0, 28.0)
    assert kept.levels == known.levels
    assert kept.impact is not None
    assert kept.impact.times_s == (30.0,)
    assert kept.impact.probes.array == pytest.approx(BUSY.latencies_s)
    assert kept.idle.array == pytest.approx(IDLE.latencies_s)
    assert (kept.probe.pairs, kept.probe.interval_s, kept.probe.averaged) == (1, 0.1, 2)


def test_compressions_count_only_with_the_probes_that_read_them() -> None:
    known = victim({0.2: 1.1})

    assert "not by 2 pairs, 1024 B, every 0.1 s, the mean of 2" in str(
        levels_incompatibility(known, probe_settings(replace(PROBING, interval_s=0.1), None))
    )
    assert levels_incompatibility(profile("app", idle_s=sample(0.0)), probe_settings(PROBING, None)) is None
