"""Shares of links that a program used, by the counters in the run file of the probes beside it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.builders import MadeJob, MadeMachine, build_run
from support.probe_series import measured, series
from support.sensitivities import victim

from stressbench.formats.run import Run, read_run
from stressbench.interference.impact_analysis import ImpactData, analyse_impact
from stressbench.interference.link_shares import LinkShares, link_shares, mean_link_shares
from stressbench.interference.profile_assembly import impact_profile
from stressbench.report.interference.impact import links_text

ALWAYS = {"began_s": 0.0, "ended_s": 1e9}
FORTH, BACK = "s0-s1: s0 > s1", "s0-s1: s1 > s0"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Contended rounds fill the link one way, isolated ones half."""
    return read_run(
        build_run(jobs=(MadeJob(name="pair"),), machine=MadeMachine(counts_links=True)).write(tmp_path)
    )  # fmt: skip


def test_a_share_is_what_was_carried_of_what_could_have_been(run: Run) -> None:
    rooms = [(one.duration_s, 1.0 if one.kind.value == "contended" else 0.5) for one in run.rounds]
    expected = sum(room * share for room, share in rooms) / sum(room for room, _ in rooms)

    assert link_shares(run, **ALWAYS) == {FORTH: pytest.approx(expected), BACK: 0.0}


def test_only_rounds_between_the_two_times_count(run: Run) -> None:
    first = next(one for one in run.rounds if one.kind.value == "contended")
    ended_s = max(one.started_s + one.duration_s for one in run.rounds)

    found = link_shares(run, began_s=first.started_s, ended_s=first.started_s + first.duration_s)

    assert found == {FORTH: pytest.approx(1.0), BACK: 0.0}
    assert link_shares(run, began_s=ended_s, ended_s=ended_s + 1.0) is None


def test_a_program_that_ran_in_a_part_of_a_round_caused_all_of_its_traffic(run: Run) -> None:
    half_full = next(one for one in run.rounds if one.kind.value == "isolated")

    found = link_shares(
        run, began_s=half_full.started_s + 0.25 * half_full.duration_s,
        ended_s=half_full.started_s + half_full.duration_s,
    )  # fmt: skip

    assert found == {FORTH: pytest.approx(0.5 / 0.75), BACK: 0.0}


def test_unknown_is_not_nothing(tmp_path: Path) -> None:
    nobody_counts = read_run(build_run(jobs=(MadeJob(name="pair"),)).write(tmp_path))

    assert link_shares(nobody_counts, **ALWAYS) is None
    assert mean_link_shares([None, {FORTH: 0.5}]) is None
    assert mean_link_shares([{FORTH: 0.25}, {FORTH: 0.75}]) == {FORTH: pytest.approx(0.5)}


def test_a_profile_has_the_newest_link_shares_and_keeps_them_without_new_counters() -> None:
    known = victim({}, links={FORTH: 0.1})
    names = {"application": "victim", "machine": "lab", "provenance": known.provenance, "stored": known}

    assert impact_profile(replace(measured(), links={FORTH: 0.5}), **names).links == {FORTH: 0.5}
    assert impact_profile(measured(), **names).links == {FORTH: 0.1}


def test_the_busiest_links_are_told_as_counted() -> None:
    assert "the busiest of 2: s0-s1: s0 > s1 50.0 %, s0-s1: s1 > s0 12.5 %" in str(
        links_text(analyse_impact(replace(measured(), links={BACK: 0.125, FORTH: 0.5})))
    )
    assert links_text(analyse_impact(measured())) is None


def half_loaded(*, one_way: bool = False) -> ImpactData:
    """Half of the probes wait for a millisecond on average, in both directions or in the backward one."""
    random = np.random.default_rng(1)
    idle_s = 1e-4 * (1 + 0.01 * random.standard_normal(600))
    waits_s = random.exponential(1e-3, 600) * (random.random(600) < 0.5)
    idle = replace(series(idle_s.tolist()), forward_s=idle_s)
    if one_way:
        return measured(before=(idle,), beside=(replace(series((idle_s + waits_s / 2).tolist()), forward_s=idle_s),))
    busy_s = idle_s + waits_s
    return measured(before=(idle,), beside=(replace(series(busy_s.tolist()), forward_s=busy_s),))


def unseen(data: ImpactData, links: LinkShares | None) -> list[str]:
    """Cautions about a link that is busier than probes can have found."""
    return [one for one in analyse_impact(replace(data, links=links)).cautions if "by its counters" in one]


@pytest.mark.parametrize("one_way", [False, True], ids=["both ways", "one way"])
def test_a_link_that_is_busier_than_probes_can_have_found_is_doubtful(one_way: bool) -> None:
    data = half_loaded(one_way=one_way)
    backward = analyse_impact(data).pairs[0].backward
    assert backward is not None and backward.high is not None and 0.45 < backward.high < 0.6

    (caution,) = unseen(data, {BACK: 0.1, FORTH: backward.high + 0.06})

    assert f"link {FORTH} was busy {backward.high + 0.06:.0%} of the time" in caution
    assert f"at most {backward.high:.0%} in any direction" in caution
    assert unseen(data, {BACK: 0.1, FORTH: backward.high + 0.04}) == []
    assert unseen(data, None) == []


def test_nothing_is_said_about_links_if_the_load_of_a_direction_has_no_bound() -> None:
    assert analyse_impact(measured()).undelayed.high is None
    assert unseen(measured(), {FORTH: 0.9}) == []

    known = half_loaded()
    (idle,), (busy,) = known.before, known.beside
    unknown = replace(busy, hosts=("h2",))  # messages inside of a host say nothing about the network
    assert unseen(measured(before=(idle, idle), beside=(busy, unknown)), {FORTH: 0.9}) == []
