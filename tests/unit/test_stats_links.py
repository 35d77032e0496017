"""How busy links were, from a run file to the table."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.builders import MadeJob, MadeMachine, build_run
from support.commands import call

from stressbench.formats.run import read_run
from stressbench.stats import link_utilisation

JOBS = (MadeJob(name="one"), MadeJob(name="other"))
COUNTED = MadeMachine(counts_links=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_run(jobs=JOBS, machine=COUNTED).write(tmp_path)


def test_use_is_what_was_carried_over_what_could_have_been_the_busiest_first(path: Path) -> None:
    use = link_utilisation(read_run(path))

    assert use is not None
    full, empty = use
    assert (full.source, full.target, full.rate_bits_per_s) == ("s0", "s1", 100_000_000)
    assert full.contended == pytest.approx(1.0)
    assert [(one.job, one.use) for one in full.isolated] == [(0, pytest.approx(0.5)), (1, pytest.approx(0.5))]
    assert full.drops == 30
    assert empty.source == "s1"
    assert empty.peak == 0


def test_nobody_counted_is_not_nothing_carried(tmp_path: Path) -> None:
    assert link_utilisation(read_run(build_run(jobs=JOBS).write(tmp_path))) is None


def test_a_link_without_a_rate_has_no_share(path: Path) -> None:
    run = read_run(path)
    rounds = tuple(
        replace(one, links=tuple(replace(link, rate_bits_per_s=None) for link in one.links or ())) for one in run.rounds
    )
    launches = (replace(run.launches[0], rounds=rounds),)

    assert link_utilisation(replace(run, launches=launches)) == ()


def test_show_names_the_busiest_links_and_how_many_more_there_are(path: Path) -> None:
    printed = call("show", path, "--links", "1").stdout

    assert "s0-s1" in printed
    assert "s0 > s1" in printed
    assert "s1 > s0" not in printed
    assert "100 Mbit/s" in printed
    assert "100.0" in printed
    assert "1 more with --links 2" in printed
    assert "s0-s1" not in call("show", path, "--links", "0").stdout
