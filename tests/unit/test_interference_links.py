"""Shares of links that a program used, by the counters in the run file of the probes beside it."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.builders import MadeJob, MadeMachine, build_run
from support.probe_series import measured
from support.sensitivities import victim

from stressbench.formats.run import Run, read_run
from stressbench.interference.impact_analysis import analyse_impact
from stressbench.interference.link_shares import link_shares, mean_link_shares
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
