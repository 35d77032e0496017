"""Chains of thousands of motifs, and jobs that did millions of extra repetitions."""

import re
from pathlib import Path

import numpy as np
from support.builders import MadeJob, MadePlan, MadeStep, build_run
from support.commands import CommandResult, invoke

from stressbench.formats.run import Kind, Phase, read_run
from stressbench.stats import select, summarise

CHAIN = tuple(MadeStep(motif=f"m{number}", time_s=1e-6 * (1 + number % 7)) for number in range(150))
PLAN = MadePlan(blocks=2, repetitions=2, extra=4)


def result_of(*words: str | Path) -> CommandResult:
    ended = invoke([str(word) for word in words])
    assert ended.exit_code == 0, ended.output
    return ended


def test_the_motifs_that_took_longest_are_told_in_the_chain_s_order(tmp_path: Path) -> None:
    path = build_run(jobs=(MadeJob(name="long", steps=CHAIN), MadeJob(name="b")), plan=PLAN).write(tmp_path)

    lines = result_of("show", path).stdout.splitlines()

    rows = [int(found[1]) for line in lines if (found := re.match(r"  (\d+) m\d", line))]
    assert len(rows) == 100
    assert rows == sorted(rows)
    assert {6, 13, 20} <= set(rows)  # seven times as long as motif 0
    assert "long: the 100 motifs that took longest; 50 more with --motifs 0." in lines
    all_of_them = result_of("show", path, "--motifs", "0").stdout
    assert sum(f" m{number} " in all_of_them for number in range(150)) == 150


def test_of_many_doubts_alike_the_first_are_told(tmp_path: Path) -> None:
    path = build_run(jobs=(MadeJob(name="long", steps=CHAIN), MadeJob(name="b")), plan=PLAN)
    for number in range(150):
        event = {"type": "event", "severity": "warning", "kind": "timer_resolution", "message": f"step {number}"}
        path.records.insert(1, {**event, "round": 1, "job": 0})

    lines = result_of("show", path.write(tmp_path)).stdout.splitlines()

    assert sum(line.startswith("warning from the engine: long: step") for line in lines) == 10
    assert "140 more like it (timer_resolution); --json has all of them" in lines


def test_extra_repetitions_that_were_thinned_count_as_much_as_measured_ones(tmp_path: Path) -> None:
    """Of 4000 extra repetitions 4 are kept: beside them the two measured ones are next to nothing."""
    made = build_run(jobs=(MadeJob(name="a"), MadeJob(name="b")), plan=PLAN)
    for record in made.records:
        if record["type"] == "round" and record["kind"] == "contended":
            for job in record["jobs"]:
                job["extra"] *= 1000
    run = read_run(made.write(tmp_path))

    contended = [found.round for found in run.rounds if found.kind is Kind.contended]
    kept = run.samples_of(job=0)
    extra = int(np.count_nonzero(kept.in_phases(Phase.extra)))
    assert extra > 0
    assert len(select(run, job=0, include_extra=True).contended_s) == extra
    assert len(select(run, job=0).contended_s) == 2 * len(contended)  # without them, nothing changes
    warnings = [one.text for one in summarise(run, include_extra=True).warnings if one.kind == "extra_thinned"]
    assert warnings[0].startswith(f"of {extra * 1000:,} extra repetitions, {extra:,} evenly spaced ones are in the")
    assert not [one for one in summarise(run).warnings if one.kind == "extra_thinned"]


def test_extra_repetitions_that_are_all_there_count_with_all_measured_ones(tmp_path: Path) -> None:
    run = read_run(build_run(jobs=(MadeJob(name="a"), MadeJob(name="b")), plan=PLAN).write(tmp_path))

    kept = run.samples_of(job=0)
    contended = np.isin(kept.round, [found.round for found in run.rounds if found.kind is Kind.contended])
    counted = kept.in_phases(Phase.measured, Phase.extra) & contended
    assert len(select(run, job=0, include_extra=True).contended_s) == int(np.count_nonzero(counted))
