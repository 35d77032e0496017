"""Rings beside probes, times of workloads, and what a program suffers: from series that are written down."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run
from support.probe_series import IDLE, PROBING, STEPS, series
from support.probe_series import measured as impact_measured
from support.sensitivities import configuration, sample, victim

from stressbench.formats.profiles.profile import Configuration, Latencies, PauseAfter, parse_profile, to_json
from stressbench.formats.run import read_run
from stressbench.interference.compression_analysis import (
    CompressionData,
    CongestionLevel,
    analyse_compression,
    ring_waits,
)
from stressbench.interference.congestor_ring import (
    CongestorRing,
    ProbePairing,
    congestor_ring,
    ring_workload,
    with_measured_pace,
)
from stressbench.interference.errors import Inconclusive
from stressbench.interference.probes import read_probe_series
from stressbench.interference.profile_assembly import (
    compression_profile,
    idle_drift_since_impact,
    impact_incompatibility,
    impact_profile,
    probe_settings,
)
from stressbench.interference.queueing import Service
from stressbench.interference.round_times import round_times

ONE = Configuration(partners=3, messages=10, pause_s=1e-3, pause_after=PauseAfter.partner)


def test_each_host_has_a_probe_s_rank_and_the_ring_s_which_loads_the_network_in_the_background() -> None:
    probing = replace(PROBING, interval_s=1.0)
    text = ring_workload(probing, CongestorRing(configuration=ONE, nodes=5, loops=7), pairing=ProbePairing.linear)

    shared = "[SHARED] yes\n[RANKS_PER_NODE] 1\n"
    assert text == (
        "# probes and a ring of `stressbench compress`\n"
        f"[JOB_NAME] pair0\n[NID_LIST] 0,1\n{shared}[REPEAT] 1\n"
        "[MOTIF] compute --mode sleep --mean 750000000ns\n[MOTIF] one_way_delay --size 1024B --clocks raw\n"
        f"[JOB_NAME] pair1\n[NID_LIST] 2,3\n{shared}[REPEAT] 1\n"
        "[MOTIF] compute --mode sleep --mean 1250000000ns\n[MOTIF] one_way_delay --size 1024B --clocks raw\n"
        f"[JOB_NAME] ring\n[NID_LIST] 0-4\n{shared}[ROLE] background\n[REPEAT] 1\n"
        "[LOOP] 7\n"
        "[MOTIF] compression --partners 3 --messages 10 --size 40960B --pause 1000000ns "
        "--pause-after partner\n"
        "[END]\n"
    )


def test_a_steady_ring_has_no_pauses_between_rounds_for_ten_minutes() -> None:
    ring = CongestorRing(configuration=ONE, nodes=5, loops=7)
    often = replace(PROBING, interval_s=0.02)

    text = ring_workload(often, ring, pairing=ProbePairing.linear, is_steady=True)

    assert text.count("[REPEAT] 600\n") == often.pairs  # a sequence of pauses takes a second
    assert text.endswith(ring.job)
    rare = ring_workload(replace(PROBING, interval_s=7.0), ring, pairing=ProbePairing.linear, is_steady=True)
    assert rare.count("[REPEAT] 86\n") == PROBING.pairs


def test_interleaved_pairs_are_those_of_the_engine_s_placement() -> None:
    assert [ProbePairing.interleaved.nodes(pair, pairs=3) for pair in range(3)] == [(0, 3), (1, 4), (2, 5)]


@pytest.mark.parametrize(
    ("partners", "messages", "pause_s", "loops"),
    [(1, 1, 9.6e-6, 25), (1, 1, 9.6e-3, 5), (17, 10, 1e-5, 1), (4, 1, 9.6e-3, 1)],
)
def test_a_repetition_is_many_iterations_unless_they_are_long_or_heavy(
    partners: int, messages: int, pause_s: float, loops: int
) -> None:
    configuration = Configuration(partners=partners, messages=messages, pause_s=pause_s, pause_after=PauseAfter.partner)
    ring = congestor_ring(configuration, nodes=18)

    assert ring.loops == loops


def ring_run(folder: Path, *, took_s: float) -> Path:
    jobs = (
        MadeJob(name="pair0", ranks=1, nodes="0-1", steps=STEPS * 10),
        MadeJob(name="ring", ranks=1, nodes="0-1", steps=(MadeStep(motif="compression", time_s=took_s),),
                role="background"),
    )  # fmt: skip
    machine = MadeMachine(hosts=("h0", "h1"), noise=0.0, round_noise=0.0)
    plan = MadePlan(blocks=3, isolated=0, repetitions=1, warmup=0, extra=0)
    return build_run(jobs=jobs, plan=plan, machine=machine, histograms=False).write(folder)


def test_once_its_pace_is_known_a_repetition_lasts_a_twentieth_of_a_second(tmp_path: Path) -> None:
    ring = CongestorRing(configuration=ONE, nodes=2, loops=4)

    assert with_measured_pace(ring, read_run(ring_run(tmp_path, took_s=0.001))).loops == 200
    assert with_measured_pace(ring, read_run(ring_run(tmp_path, took_s=3.0))).loops == 1


def test_a_ring_in_the_background_is_no_probe(tmp_path: Path) -> None:
    (pair,) = read_probe_series(read_run(ring_run(tmp_path, took_s=0.001)), replace(PROBING, pairs=1))

    assert (pair.hosts, len(pair)) == (("h0", "h1"), 20)


def test_a_round_takes_as_long_as_its_slowest_job_without_warm_up_and_what_came_after(tmp_path: Path) -> None:
    jobs = (
        MadeJob(name="quick", steps=(MadeStep(time_s=1e-3),)),
        MadeJob(name="slow", steps=(MadeStep(time_s=3e-3), MadeStep(time_s=1e-3))),
        MadeJob(name="noise", steps=(MadeStep(time_s=9.0),), role="background"),
    )
    made = build_run(
        jobs=jobs, plan=MadePlan(blocks=4, isolated=0, repetitions=5, warmup=2, extra=3),
        machine=MadeMachine(noise=0.0, round_noise=0.0), histograms=False,
    )  # fmt: skip

    assert round_times(read_run(made.write(tmp_path))) == pytest.approx([0.02] * 3)


def test_a_workload_of_one_round_has_no_time(tmp_path: Path) -> None:
    made = build_run(plan=MadePlan(blocks=1, isolated=0), histograms=False)

    with pytest.raises(Inconclusive, match="no round behind its first one"):
        round_times(read_run(made.write(tmp_path)))


def made_level(
    number: int, utilisation: float, times_s: Sequence[float], *, ended_at_s: Sequence[float] = (), late_s: float = 0.0
) -> CongestionLevel:
    probes = series(sample(utilisation, count=300), late_s=late_s)
    return CongestionLevel(
        configuration=configuration(number), probes=(probes,), times_s=tuple(times_s), ended_at_s=tuple(ended_at_s)
    )


def compressed(
    *levels: CongestionLevel, start_s: float | None = None, packets: Service | None = None
) -> CompressionData:
    return CompressionData(
        probing=replace(PROBING, pairs=1), before=(IDLE,), after=(IDLE,), alone_s=(1.0, 1.01, 1.02, 1.03),
        levels=levels, start_s=start_s, packets=packets,
    )  # fmt: skip


BOTH = (made_level(1, 0.6, (2.0, 2.02, 2.04, 2.06)), made_level(0, 0.2, (1.1, 1.111, 1.122, 1.133)))


def test_slow_downs_stand_by_the_load_that_probes_saw() -> None:
    found = analyse_compression(compressed(*BOTH))

    light, heavy = found.levels
    assert [light.utilisation.value, heavy.utilisation.value] == pytest.approx([0.2, 0.6], abs=0.01)
    assert light.slowdown is not None and heavy.slowdown is not None
    assert [light.slowdown.centre, heavy.slowdown.centre] == pytest.approx([1.1, 2.0], rel=0.02)
    assert heavy.slowdown.low is not None and heavy.slowdown.low > 1.9
    assert found.drift is not None and found.drift.centre == pytest.approx(1)
    assert found.cautions == ()


def test_known_packets_take_the_place_of_probes() -> None:
    """Twice the residual service of probes, so that the same wait is less load."""
    residual_s = 2 * (1e-6 + 2 * float(np.var(IDLE.latencies_s)) / 1e-6) / 2
    packets = Service(mean_s=2 * residual_s, variance_s2=0.0)

    (level,) = analyse_compression(compressed(BOTH[0], packets=packets)).levels

    wait_s = float(np.mean(sample(0.6, count=300))) - 1e-6
    assert level.utilisation.value == pytest.approx(wait_s / (wait_s + residual_s), abs=0.01)


def test_probes_that_are_faster_beside_a_ring_are_inconclusive_with_a_reason() -> None:
    """Cores that sleep on an idle machine, and not on a busy one."""
    faster = replace(BOTH[0], probes=(series([0.6 * one for one in sample(0.0, count=300)]),))

    (level,) = analyse_compression(compressed(faster)).levels

    assert level.utilisation.value is None
    assert "probes were faster under load" in str(level.utilisation.reason)
    assert level.slowdown is not None


def test_rings_are_chosen_by_the_quietest_machine_where_the_idle_one_was_slower() -> None:
    asleep, quiet = (replace(IDLE, latencies_s=np.full(300, latency_s)) for latency_s in (3e-6, 1e-6))
    levels = (replace(made_level(0, 0.0, ()), probes=(quiet,)), made_level(1, 0.6, ()))

    found = ring_waits((asleep,), levels)

    assert found.idle_s == pytest.approx(1e-6)
    assert list(found.waits_s.values()) == pytest.approx([0.0, float(np.mean(sample(0.6, count=300))) - 1e-6])
    assert ring_waits((asleep,), ()).idle_s == pytest.approx(3e-6)


def test_waits_of_rings_are_means_over_time() -> None:
    """A ping-pong that took long stands for the time in which others could not begin."""
    seldom = series([1e-6] * 9 + [1e-3])
    level = replace(made_level(0, 0.0, ()), probes=(replace(seldom, stands_for_s=np.array([1.0] * 9 + [9.0])),))

    assert list(ring_waits((IDLE,), (level,)).waits_s.values()) == pytest.approx([(1e-3 - 1e-6) / 2], rel=0.01)


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        (compressed(made_level(0, 0.4, (1.2,))), "1 of 1 slowdowns have no interval: it takes 4"),
        (
            compressed(made_level(0, 0.4, (), ended_at_s=(9.0,))),
            "at 1 of 1 congestion levels the program was ended",
        ),
        (compressed(*BOTH, start_s=0.3), "starting its ranks takes at least 30% of the program's isolated time"),
        (
            compressed(made_level(0, 0.4, (1.2,) * 4, late_s=1e-6)),
            "beside 1 of 1 congestion levels probes woke up late",
        ),
        (
            compressed(replace(made_level(0, 0.4, (1.2,) * 4), probes=(series([0.02] * 300),))),
            "so that the utilisation is underestimated",
        ),
    ],
    ids=["few", "ended", "start", "late", "seldom"],
)
def test_cautions_name_what_makes_the_result_doubtful(taken: CompressionData, said: str) -> None:
    assert any(said in caution for caution in analyse_compression(taken).cautions)


def test_a_run_that_reached_the_time_limit_gives_a_lower_bound_and_stays_out_of_the_profile() -> None:
    taken = compressed(BOTH[0], made_level(3, 0.8, (2.5,), ended_at_s=(10.3,)))

    slowest = analyse_compression(taken).levels[-1]

    assert (slowest.slowdown, slowest.at_least) == (None, pytest.approx(10.0))
    assert [one.configuration for one in taken.completed_levels] == [BOTH[0].configuration]


def test_a_profile_has_new_compressions_and_times_and_the_impact_with_both_idle_machines() -> None:
    known = replace(victim({0.3: 5.0}), idle=Latencies(latencies_s=(1e-6, 2e-6), at_s=(5.0, 7.0)))

    updated = compression_profile(
        compressed(*BOTH), application="victim", machine="lab", provenance=known.provenance, stored=known
    )

    assert [one.configuration for one in updated.levels] == [one.configuration for one in BOTH]
    assert updated.levels[0].times_s == (2.0, 2.02, 2.04, 2.06)
    assert updated.alone_s == (1.0, 1.01, 1.02, 1.03)
    assert updated.impact == known.impact
    assert updated.idle.array[:2].tolist() == [1e-6, 2e-6]
    assert len(updated.idle.latencies_s) == 2 + 600
    assert to_json(parse_profile(to_json(updated), source=Path("made-up"))) == to_json(updated)


@pytest.mark.parametrize("known", [True, False], ids=["both-known", "one-unknown"])
def test_idle_latencies_of_both_measurements_keep_their_directions_if_both_know_them(known: bool) -> None:
    directed = replace(IDLE, forward_s=0.6 * IDLE.latencies_s)
    stored = replace(
        victim({0.3: 5.0}), idle=Latencies(latencies_s=(2e-6, 1e-6), at_s=(7.0, 5.0), forward_s=(3e-6, 1.5e-6))
    )

    updated = compression_profile(
        replace(compressed(*BOTH), before=(directed,), after=(directed if known else IDLE,)), application="victim",
        machine="lab", provenance=stored.provenance, stored=stored,
    )  # fmt: skip

    if not known:
        assert updated.idle.directions is None
        return
    assert updated.idle.directions is not None
    forward, backward = updated.idle.directions
    assert forward[:2].tolist() == [1.5e-6, 3e-6]
    assert forward[2:] == pytest.approx(0.6 * updated.idle.array[2:])
    assert backward == pytest.approx(2 * updated.idle.array - forward)


def test_times_of_rounds_and_of_launches_are_not_mixed() -> None:
    taken = impact_measured(with_s=(30.0,), without_s=(29.0,))
    known = victim({0.3: 5.0})
    impact = impact_profile(taken, application="cg", machine="lab", provenance=known.provenance)

    onto_rounds = impact_profile(
        taken, application="cg", machine="lab", provenance=known.provenance, stored=known, by_rounds=True
    )
    onto_launches = compression_profile(
        compressed(*BOTH),
        application="cg",
        machine="lab",
        provenance=known.provenance,
        stored=impact,
        by_rounds=True,
    )

    assert onto_rounds.alone_s == known.alone_s
    assert onto_rounds.impact is not None and onto_rounds.impact.times_s is None
    assert onto_launches.impact is not None and onto_launches.impact.times_s is None
    assert impact.impact is not None and onto_launches.impact.probes == impact.impact.probes


def test_a_change_of_the_idle_machine_since_the_impact_is_a_caution() -> None:
    known = replace(victim({}), idle=Latencies(latencies_s=tuple(0.5 * IDLE.latencies_s)))

    assert "idle latencies are 2.00 times those of the stored impact" in str(
        idle_drift_since_impact(known, compressed(*BOTH))
    )
    assert idle_drift_since_impact(replace(known, impact=None), compressed(*BOTH)) is None
    assert idle_drift_since_impact(victim({}), compressed(*BOTH)) is None


def test_an_impact_is_combined_only_with_congestion_levels_of_the_same_probes() -> None:
    known = victim({})

    assert "the impact of victim was probed by 2 pairs, 1024 B" in str(
        impact_incompatibility(known, probe_settings(PROBING, None))
    )
    assert impact_incompatibility(replace(known, impact=None), probe_settings(PROBING, None)) is None
    assert (
        impact_incompatibility(replace(known, probe=probe_settings(PROBING, None)), probe_settings(PROBING, None))
        is None
    )


def test_waits_that_count_in_known_packets_do_not_go_with_others() -> None:
    known = replace(victim({}), probe=probe_settings(PROBING, Service(mean_s=0.5, variance_s2=0)))

    assert "packets of 0.5 s, not by 2 pairs" in str(impact_incompatibility(known, probe_settings(PROBING, None)))
