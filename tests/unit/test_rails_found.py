"""Results of rail policies: spreads and ratios, bandwidth by size, impacts, and bytes per NIC."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run

from stressbench.experiments.study.run_states import run_states
from stressbench.experiments.sweep.rails.nic_traffic import nic_numbers_of, nic_traffic_of, requested_nics
from stressbench.experiments.sweep.rails.study_results import AnalysisOptions, rails_of_study
from stressbench.formats.run import Kind, Run, read_run
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import parse_study
from stressbench.report.rails import FORMATS
from stressbench.results.rails import RailsReport, ValueKind, box_of, subject_of

STUDY = """\
about = "made up"
repetitions = {runs}
[factors]
workload = "w.sb"
on = "lab:dual-rail"
policy = ["per-job", "default", "nic0"]
"""
STILL = MadeMachine(hosts=("h0", "h1"), noise=0.0, round_noise=0.0, drift=0.0)
TIMES = {"default": 1.0, "nic0": 2.0, "per-job": 2.0}
BESIDE = {"default": 2.0, "nic0": 2.0, "per-job": 1.0}
LINKS = ("h0-s0", "h0-s0.1", "h1-s0", "h1-s0.1")
ONE, TWO = "one", "two"


def links(sent: Sequence[int]) -> list[dict[str, Any]]:
    """Both directions of each host's two links; hosts send this on their NICs, switches send on another 7."""
    found = []
    for number, name in enumerate(LINKS):
        host, switch = name.split("-")
        for source, target, count in ((host, switch, sent[number % 2]), (switch, host, 7)):
            found.append({
                "link": name, "source": source, "target": target, "rate_bits_per_s": 100_000_000, "bytes": count,
                "frames": 1, "drops": 0,
            })  # fmt: skip
    return found


def made(folder: Path, name: str, *, policy: str, bytes_of: Mapping[str | None, Sequence[int]] | None = None) -> Run:
    """Two jobs, each a motif of two sizes; the links' counts follow from who runs."""
    steps = tuple(
        MadeStep(motif="bandwidth", time_s=1e-3 * TIMES[policy] * k, size_bytes=k * 1000, bandwidth_bytes=k * 1_000_000)
        for k in (1, 2)
    )
    jobs = [MadeJob(name=job, nodes="0-1", steps=steps, congestion=BESIDE[policy]) for job in (ONE, TWO)]
    run = build_run(jobs=jobs, machine=STILL, plan=MadePlan(blocks=6, repetitions=2, extra=0), histograms=False)
    for record in run.of("round"):
        job = None if record["job"] is None else (ONE, TWO)[record["job"]]
        record["links"] = None if bytes_of is None else links(bytes_of[job])
    return read_run(run.write(folder, f"{name}.jsonl"))


BYTES = {
    "nic0": {ONE: (1000, 1), TWO: (1000, 1), None: (2000, 2)},
    "default": {ONE: (500, 500), TWO: (500, 500), None: (1000, 1000)},
    "per-job": {ONE: (1000, 0), TWO: (0, 1000), None: (1000, 1000)},
}


def found_in(
    folder: Path, *, runs: int = 1, counts: bool = True, options: AnalysisOptions = AnalysisOptions()
) -> RailsReport:
    study = parse_study(STUDY.format(runs=runs), source="s.toml")
    done = {
        planned.id: made(folder, planned.id, policy=str(planned.cell.policy),
                         bytes_of=BYTES[str(planned.cell.policy)] if counts else None)
        for planned in study.runs
    }  # fmt: skip
    return rails_of_study(study, run_states(study.runs, ()), done, options=options, nics=("eth0", "eth1"))


def test_times_are_compared_with_the_default_which_stands_first(tmp_path: Path) -> None:
    found = found_in(tmp_path)

    assert found.policies == ("default", "per-job", "nic0")
    assert [(one.name, one.step, one.of) for one in found.subjects] == [
        (ONE, None, ValueKind.rounds),
        (TWO, None, ValueKind.rounds),
    ]
    first = found.subjects[0]
    assert (first.baseline, [entry.policy for entry in first.entries]) == ("default", ["default", "per-job", "nic0"])
    assert [entry.ratio.ratio for entry in first.entries] == pytest.approx([1, 2, 2])
    assert [entry.box.median for entry in first.entries if entry.box] == pytest.approx([3e-3, 6e-3, 6e-3])
    assert "box plots of rounds show" in " ".join(found.notes)


def test_from_four_runs_on_boxes_are_made_of_runs(tmp_path: Path) -> None:
    found = found_in(tmp_path, runs=4)

    assert {one.of for one in found.subjects} == {ValueKind.runs}
    assert {entry.box.count for one in found.subjects for entry in one.entries if entry.box} == {4}
    assert not any("boxes of rounds" in note for note in found.notes)


def test_motifs_and_contended_rounds_are_told_where_asked_for(tmp_path: Path) -> None:
    found = found_in(tmp_path, options=AnalysisOptions(kind=Kind.contended, motifs=True))

    assert [(one.name, one.step) for one in found.subjects] == [
        (job, step) for job in (ONE, TWO) for step in (None, 0, 1)
    ]
    assert found.subjects[1].motif == "bandwidth"
    assert [entry.ratio.ratio for entry in found.subjects[0].entries] == pytest.approx([1, 1, 2])


def test_bandwidth_follows_from_the_median_round_by_size_and_policy(tmp_path: Path) -> None:
    found = found_in(tmp_path)

    assert [(one.job, one.size_bytes) for one in found.bandwidths] == [(j, s) for j in (ONE, TWO) for s in (1000, 2000)]
    assert found.bandwidths[1].bytes_per_s == pytest.approx({"default": 1e9, "nic0": 5e8, "per-job": 5e8})
    one = found.bandwidths[1]
    assert all(one.low[policy] <= value <= one.high[policy] for policy, value in one.bytes_per_s.items())


def test_jobs_on_nics_of_their_own_are_seen_not_to_disturb_each_other(tmp_path: Path) -> None:
    impacts = {(one.job, one.policy): one.impact.ratio for one in found_in(tmp_path).beside}

    assert impacts == pytest.approx({
        (job, policy): impact for job in (ONE, TWO) for policy, impact in BESIDE.items()
    })  # fmt: skip


def test_bytes_are_those_that_hosts_sent_on_each_card(tmp_path: Path) -> None:
    """Two hosts, six rounds of each kind."""
    found = {(one.policy, one.job): one for one in found_in(tmp_path).carried}

    assert {key: [load.sent_bytes for load in one.loads] for key, one in found.items()} == {
        (policy, job): [12 * count for count in counts]
        for policy, jobs in BYTES.items()
        for job, counts in jobs.items()
    }
    assert [(load.nic, load.asked) for load in found["nic0", ONE].loads] == [("eth0", True), ("eth1", False)]
    assert [load.asked for load in found["per-job", TWO].loads] == [False, True]
    assert [load.asked for load in found["per-job", None].loads] == [True, True]
    assert [load.asked for load in found["default", ONE].loads] == [None, None]
    assert (found["default", ONE].asked, found["per-job", TWO].asked) == ("MPI's choice", "eth1")
    assert found["nic0", ONE].share(found["nic0", ONE].loads[0]) == pytest.approx(1000 / 1001)


def test_where_nobody_counted_that_is_said_and_nothing_claimed(tmp_path: Path) -> None:
    found = found_in(tmp_path, counts=False)

    assert found.carried == ()
    assert "the bytes of each NIC were not counted in these runs; labs count them" in found.notes


def test_the_lab_s_own_word_counts_more_than_the_order_of_links(tmp_path: Path) -> None:
    run = made(tmp_path, "r", policy="nic0", bytes_of=BYTES["nic0"])
    other = {(link, host): 1 - nic for (link, host), nic in nic_numbers_of(run).items()}

    assert nic_numbers_of(run) == {(link, link[:2]): number % 2 for number, link in enumerate(LINKS)}
    reported = [
        next(iter(nic_traffic_of([run], policy="nic0", where={}, nics=("eth0", "eth1"), numbers=numbers)))
        .loads[0]
        .sent_bytes
        for numbers in ({}, other)
    ]
    assert reported == [12_000, 12]


@pytest.mark.parametrize(
    ("policy", "job", "nics"),
    [
        ("nic1", "a", {1}), ("round-robin", "a", {0, 1}), ("default", "a", None), ("local", "a", None),
        ("per-job", "c", {0}), ("per-job", None, {0, 1}), ("jobs:a=1,b=1", "a", {1}), ("jobs:a=1", "b", {0}),
        ("jobs:a=1", None, {0, 1}), ("jobs:a=1,b=0,c=1", None, {0, 1}),
    ],
)  # fmt: skip
def test_which_nics_a_policy_asks_for(policy: str, job: str | None, nics: set[int] | None) -> None:
    assert requested_nics(policy, ("a", "b", "c"), job=job, count=2) == nics


def test_a_box_has_tukey_s_whiskers_and_outliers_beyond() -> None:
    box = box_of(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 100.0]))

    assert box is not None
    assert (box.first_quartile, box.median, box.third_quartile) == (2.25, 3.5, 4.75)
    assert (box.low, box.high, box.outliers, box.count) == (1.0, 5.0, (100.0,), 6)
    assert box_of(np.array([])) is None


def test_a_policy_without_values_has_no_box_and_no_ratio() -> None:
    found = subject_of({"nic1": [np.ones(4)], "nic0": []}, where={}, name="j")

    assert found.baseline == "nic1"
    assert found.entries[1].box is None
    assert found.entries[1].ratio.ratio is None


def test_a_study_that_compares_no_policies_is_refused() -> None:
    study = parse_study('[factors]\nworkload = "w.sb"\n', source="s")

    with pytest.raises(StudyMistake, match=r"compares no rail policies; expected factors\.policy with several"):
        rails_of_study(study, (), {}, options=AnalysisOptions())


def test_all_formats_tell_it(tmp_path: Path) -> None:
    found = found_in(tmp_path)
    reported = {name: render(found) for name, render in FORMATS.items()}

    assert set(reported) == {"csv", "html", "json", "latex", "md", "text"}
    assert [one["entries"][1]["ratio"]["ratio"] for one in json.loads(reported["json"])["subjects"]] == pytest.approx(
        [2, 2]
    )
    rows = list(csv.DictReader(io.StringIO(reported["csv"])))
    assert {row["what"] for row in rows} == {"value", "bandwidth", "carried", "impact"}
    sent = [int(row["sent_bytes"]) for row in rows if (row["policy"], row["name"], row["nic"]) == ("nic0", ONE, "eth0")]
    assert sent == [12_000]
    assert "| nic0 | one | eth0 | 0.0120 | 0.0000120 | 99.9 | 0.1 | 99.9 |" in reported["md"].replace(
        "1.20e-05", "0.0000120"
    )
    assert "Congestion impact" in reported["text"]
    assert "2.000" in reported["text"]


def test_the_page_has_boxes_and_curves_and_needs_nothing_from_the_network(tmp_path: Path) -> None:
    page = FORMATS["html"](found_in(tmp_path))

    assert page.count("<figure") == 4
    assert "one, by rail policy" in page
    assert "one, bandwidth: bandwidth by message size and rail policy" in page
    assert "takes 2.000 times as long as under default" in page
    assert "mathdefault" not in page
    assert page.count("<script") == 1  # of all pages
    assert "http://" not in page.replace("http://www.w3.org", "")
