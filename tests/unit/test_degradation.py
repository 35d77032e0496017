"""How much slower jobs get with less bandwidth: factors, what is bound by bandwidth, and which rate suffices."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run
from support.degradations import BOUND, STILL, STUDY, found_in, made
from support.pages import Outline, figure

from stressbench.experiments.study.run_states import State, run_states
from stressbench.experiments.sweep.rates.study_results import AnalysisOptions, degradation_of
from stressbench.formats.run import Kind, Run, read_run
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import parse_study
from stressbench.report.rates import FORMATS
from stressbench.results.rates import (
    Answer,
    BalanceSource,
    Curve,
    Degradation,
    Node,
    Point,
    answer_of,
    balances_of,
    point_of,
    sufficient_rate,
)
from stressbench.stats.unpaired import PooledRatio, RatioSource, pooled_ratio


def curve(found: Degradation, job: str, *, ranks: int, step: int | None = None) -> Curve:
    return next(one for one in found.curves if (one.job, one.ranks, one.step) == (job, ranks, step))


def test_factors_are_those_of_the_times_by_job_rate_and_ranks(tmp_path: Path) -> None:
    found = found_in(tmp_path)

    assert found.rates == ("1", "1/2", "1/4", "1/8")
    assert [(one.job, one.ranks, one.where) for one in found.curves] == [
        (job, ranks, {}) for job in sorted(BOUND) for ranks in (2, 4)
    ]
    # A job takes 1 ms and, on 2 ranks, 2 ms of which the bandwidth's share grows; 4 ms on 4 ranks.
    assert [point.time_s for point in curve(found, "ptrans", ranks=2).points] == pytest.approx(
        [3e-3, 5e-3, 9e-3, 17e-3]
    )
    assert [point.factor.ratio for point in curve(found, "ptrans", ranks=2).points] == pytest.approx(
        [1, 5 / 3, 3, 17 / 3]
    )
    assert [point.factor.ratio for point in curve(found, "ptrans", ranks=4).points] == pytest.approx(
        [1, 9 / 5, 17 / 5, 33 / 5]
    )
    assert [point.factor.ratio for point in curve(found, "charon", ranks=4).points] == pytest.approx([1, 1, 1, 1])
    assert [point.ratio_of_medians for point in curve(found, "cth", ranks=2).points] == pytest.approx(
        [1, 4 / 3, 2, 10 / 3]
    )


def test_what_is_bound_by_bandwidth_is_the_share_of_the_full_time_that_grows(tmp_path: Path) -> None:
    found = found_in(tmp_path)

    for name, share in (("charon", 0.0), ("ptrans", 2 / 3), ("cth", 1 / 3)):
        points = curve(found, name, ranks=2).points
        assert points[0].bandwidth_bound.share is None
        assert [point.bandwidth_bound.share for point in points[1:]] == pytest.approx([share] * 3)


def test_motifs_have_factors_of_their_own(tmp_path: Path) -> None:
    found = found_in(tmp_path, options=AnalysisOptions(motifs=True))

    halo = curve(found, "ptrans", ranks=2, step=1)
    assert (halo.motif, halo.step) == ("halo2d", 1)
    assert [point.factor.ratio for point in halo.points] == pytest.approx([1, 2, 4, 8])
    assert [point.bandwidth_bound.share for point in halo.points[1:]] == pytest.approx([1, 1, 1])
    assert [point.factor.ratio for point in curve(found, "ptrans", ranks=2, step=0).points] == pytest.approx([1] * 4)
    assert [(one.job, one.step, one.ranks) for one in found.curves][:6] == [
        ("charon", None, 2), ("charon", None, 4), ("charon", 0, 2), ("charon", 0, 4), ("charon", 1, 2), ("charon", 1, 4)
    ]  # fmt: skip


def test_contended_rounds_are_told_where_asked_for(tmp_path: Path) -> None:
    found = found_in(tmp_path, options=AnalysisOptions(kind=Kind.contended), blocks=3)

    assert found.time == "contended"
    assert [point.rounds for point in curve(found, "cth", ranks=2).points] == [3] * 4


def test_the_interval_holds_the_truth_and_is_of_runs_from_four_on(tmp_path: Path) -> None:
    noisy = MadeMachine(noise=0.02, round_noise=0.02)

    few = curve(found_in(tmp_path, machine=noisy, blocks=8, runs=3), "cth", ranks=2).points[1]
    many = curve(found_in(tmp_path, machine=noisy, blocks=8, runs=4), "cth", ranks=2).points[1]

    assert (few.runs, few.rounds, few.factor.source) == (3, 24, "rounds")
    assert (many.runs, many.factor.source) == (4, "runs")
    for point in (few, many):
        assert point.factor.low < 4 / 3 < point.factor.high


def test_the_interval_is_mann_whitney_s_of_all_ratios() -> None:
    full, reduced = [np.array([1.0, 2.0, 4.0, 8.0])], [np.array([16.0, 32.0, 64.0, 128.0])]

    found = pooled_ratio(full, reduced, what="rounds")

    # 16 ratios from 16 / 8 to 128 / 1, the middle two 16 and 16; 4 and 4 values bound them by the extremes.
    assert (found.ratio, found.low, found.high) == pytest.approx((16.0, 2.0, 128.0))


def test_runs_medians_make_the_interval_where_there_are_enough() -> None:
    full = [np.array([1.0, 1.0, 9.0])] * 4
    reduced = [np.array([value, value, 90.0]) for value in (2.0, 3.0, 4.0, 5.0)]

    found = pooled_ratio(full, reduced, what="rounds")

    # On a log scale, where the middle of 3 and 4 is the root of 12.
    assert (found.ratio, found.low, found.high) == pytest.approx((12**0.5, 2.0, 5.0))
    assert found.source is RatioSource.runs


def test_too_few_rounds_have_a_factor_and_no_interval(tmp_path: Path) -> None:
    found = found_in(tmp_path, blocks=3)

    point = curve(found, "ptrans", ranks=2).points[1]
    assert point.factor.ratio == pytest.approx(5 / 3)
    assert (point.factor.low, point.factor.source, point.suffices) == (None, None, "cannot tell")
    assert point.factor.reason == "3 and 3 rounds: too few for a 95 % interval (4 and 4 suffice)"


def ratio(low: float | None, high: float | None) -> PooledRatio:
    return PooledRatio(ratio=1.0, low=low, high=high, source=None, reason=None)


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.9, 1.05, Answer.yes),
        (1.01, 1.05, Answer.yes),
        (1.01, 1.06, Answer.inconclusive),
        (1.05, 1.06, Answer.inconclusive),
        (1.051, 1.06, Answer.no),
        (None, None, Answer.inconclusive),
    ],
)
def test_a_rate_suffices_where_the_whole_interval_says_so(low: float, high: float, answer: Answer) -> None:
    assert answer_of(ratio(low, high), at_most=0.05) is answer


def points(*answers: Answer) -> list[Point]:
    rates = [Fraction(1, 2**power) for power in range(len(answers))]
    times = [np.array([1.0])]
    made = [point_of(rate, full=times, reduced=times, at_most=0.05) for rate in rates]
    return [
        Point(**{name: getattr(one, name) for name in Point.__slots__} | {"suffices": answer})
        for one, answer in zip(made, answers, strict=True)
    ]


YES, NO, OPEN = Answer.yes, Answer.no, Answer.inconclusive


@pytest.mark.parametrize(
    ("answers", "needs", "undecided"),
    [
        ((YES, YES, NO, NO), "1/2", ()),
        ((YES, YES, YES, YES), "1/8", ()),
        ((YES, YES, OPEN, NO), "1/2", ("1/4",)),
        ((YES, OPEN, OPEN, OPEN), "1", ("1/2", "1/4", "1/8")),
        ((YES, OPEN, YES, NO), "1/4", ()),
        ((YES, NO, YES, YES), "1", ()),
    ],
)
def test_enough_is_the_smallest_rate_that_suffices_with_none_above_that_fails(
    answers: tuple[Answer, ...], needs: str, undecided: tuple[str, ...]
) -> None:
    assert sufficient_rate(points(*answers)) == (needs, undecided)


def test_at_most_decides_what_is_enough(tmp_path: Path) -> None:
    strict, lenient = (found_in(tmp_path, options=AnalysisOptions(at_most=share)) for share in (0.05, 0.99))

    assert [curve(strict, name, ranks=2).needs for name in ("charon", "cth", "ptrans")] == ["1/8", "1", "1"]
    assert [curve(lenient, name, ranks=2).needs for name in ("charon", "cth", "ptrans")] == ["1/8", "1/2", "1/2"]


def test_what_is_not_known_is_null_and_not_zero(tmp_path: Path) -> None:
    found = found_in(tmp_path, first=1)

    assert found.curves
    for one in found.curves:
        known = [point.time_s is not None for point in one.points]
        assert sum(known) == 1
        assert {point.factor.ratio for point in one.points[1:]} == {None}
        assert one.needs == ("1" if known[0] else None)
        assert {point.rounds for point in one.points if point.time_s is None} == {0}


def test_the_balance_is_the_paper_s_arithmetic() -> None:
    rates = [Fraction(1), Fraction(1, 2), Fraction(1, 8)]

    known = balances_of(rates, Node(gflops=115.2, injection_gb_per_s=1.74))
    unknown = balances_of(rates, Node(gflops=115.2))

    assert [one.bytes_per_flop for one in known] == pytest.approx([0.0151, 0.00755, 0.00189], rel=0.01)
    assert [one.injection_gb_per_s for one in known] == pytest.approx([1.74, 0.87, 0.2175])
    assert [one.factor_worse for one in known] == [1, 2, 8]
    assert {(one.bytes_per_flop, one.injection_gb_per_s) for one in unknown} == {(None, None)}


def with_streams(folder: Path) -> Degradation:
    """Streams of 1 and 1,000 kB: the longer ones take 1.6 times as long at half the rate, the shorter ones 1.25."""
    slower = {"full": (1.0, 1.0), "1/2": (1.25, 1.6), "1/4": (1.5, 2.7), "1/8": (2.0, 5.0)}
    factors = 'workload = "w.sb"\non = "lab:tiny"\nranks = 2\nrate = ["full", "1/2", "1/4", "1/8"]\n'
    study = parse_study(f"[factors]\n{factors}", source="s.toml")
    runs = {}
    for planned in study.runs:
        steps = tuple(
            MadeStep(motif="bandwidth", time_s=time_s * factor, size_bytes=size_bytes, bandwidth_bytes=10 * size_bytes)
            for size_bytes, time_s, factor in zip(
                (1_000, 1_000_000), (1e-4, 1e-2), slower[str(planned.cell.rate)], strict=True
            )
        )
        run = build_run(
            jobs=[MadeJob(name="sizes", nodes="0", steps=steps)], machine=STILL, plan=MadePlan(blocks=6, repetitions=3),
            histograms=False,
        )  # fmt: skip
        runs[planned.id] = read_run(run.write(folder, f"{planned.id}.jsonl"))
    node = Node(gflops=115.2, injection_gb_per_s=1.74)
    return degradation_of(study, run_states(study.runs, ()), runs, options=AnalysisOptions(node=node))


def test_bandwidths_are_told_by_size_and_rate(tmp_path: Path) -> None:
    found = with_streams(tmp_path)

    assert [(one.size_bytes, one.rate) for one in found.bandwidths] == [
        (size_bytes, rate) for size_bytes in (1_000, 1_000_000) for rate in found.rates
    ]
    assert [one.bytes_per_s for one in found.bandwidths[:2]] == pytest.approx([1e8, 0.8e8])
    for one in found.bandwidths:
        assert one.bytes_per_s is not None
        assert (one.low, one.high) == pytest.approx((one.bytes_per_s, one.bytes_per_s))


def test_the_balance_is_that_of_the_highest_bandwidth_as_in_table_3(tmp_path: Path) -> None:
    balance = with_streams(tmp_path).balance

    assert [one.factor_worse for one in balance] == pytest.approx([1, 1.6, 2.7, 5.0])
    assert [one.bytes_per_flop for one in balance] == pytest.approx([0.0151, 0.0094, 0.0056, 0.0030], abs=6e-5)
    assert {one.source for one in balance} == {BalanceSource.measured}


def test_the_page_draws_bandwidth_over_size(tmp_path: Path) -> None:
    found = with_streams(tmp_path)

    assert "sizes, bandwidth, 2 ranks: bandwidth by message size and rate" in FORMATS["html"](found)
    assert "Bandwidth by message size" in FORMATS["text"](found)
    lines = [one for one in csv.DictReader(io.StringIO(FORMATS["csv"](found))) if one["size_bytes"]]
    assert [float(one["bytes_per_s"]) for one in lines[:2]] == pytest.approx([1e8, 0.8e8])


@pytest.mark.parametrize(
    ("rate", "message"),
    [
        ("", "the study compares no rates; expected factors.rate with several"),
        ('rate = "1/2"', "the study compares no rates"),
        ('rate = ["1/5", "1/10"]', "the study has the rates 1/5, 1/10; expected the full rate as well"),
    ],
)
def test_a_study_without_rates_to_compare_is_refused(rate: str, message: str) -> None:
    text = STUDY.format(runs=1).replace('rate = ["full", "1/2", "1/4", "1/8"]', rate)
    study = parse_study(text, source="s.toml")

    with pytest.raises(StudyMistake, match=message):
        degradation_of(study, (), {}, options=AnalysisOptions())


def test_other_factors_keep_their_curves_apart(tmp_path: Path) -> None:
    text = STUDY.format(runs=1).replace("ranks = [2, 4]", 'ranks = [2, 4]\nplacement = ["linear", "random:1"]')
    study = parse_study(text, source="s.toml")

    found = degradation_of(study, run_states(study.runs, ()), made(tmp_path, study), options=AnalysisOptions())

    assert {tuple(one.where.items()) for one in found.curves} == {
        (("placement", "linear"),), (("placement", "random:1"),)
    }  # fmt: skip


def test_notes_tell_what_is_missing_and_what_intervals_cannot_see(tmp_path: Path) -> None:
    study = parse_study(STUDY.format(runs=1), source="s.toml")
    runs: Mapping[str, Run] = made(tmp_path, study)
    first, *others = run_states(study.runs, ())
    failed = type(first)(run=first.run, state=State.failed, failures=2)

    found = degradation_of(
        study, (failed, *others), runs, options=AnalysisOptions(), notes=("manifest.jsonl:3: broken",)
    )

    assert found.notes[0] == "manifest.jsonl:3: broken"
    assert "intervals made from rounds cover" in found.notes[1]
    assert found.notes[2] == "1 runs failed; `stressbench study status` names them"


def test_every_format_tells_every_curve(tmp_path: Path) -> None:
    node = Node(gflops=115.2, injection_gb_per_s=1.74)
    found = found_in(tmp_path, options=AnalysisOptions(node=node, motifs=True))

    texts = {name: render(found) for name, render in FORMATS.items()}

    assert sorted(texts) == ["csv", "html", "json", "latex", "md", "text"]
    lines = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert len(lines) == 3 * 3 * 2 * 4
    assert float(next(one for one in lines if one["rate"] == "1/8" and one["motif"] == "")["factor"]) == pytest.approx(
        1
    )
    values = json.loads(texts["json"])
    assert len(values["curves"]) == 18
    assert values["curves"][0]["points"][1]["factor"]["source"] == "rounds"
    assert (
        "| ptrans |  | 2 | 3 ms | 1.667 [1.667, 1.667] | 3.000 [3.000, 3.000] | 5.667 [5.667, 5.667] |" in texts["md"]
    )
    assert "| ptrans | 2: halo2d | 2 | 2 ms | 2.000 [2.000, 2.000] |" in texts["md"]
    assert "| charon |  | 4 | yes | yes | yes | 1/8 | - |" in texts["md"]
    assert "| 1/8 | 0.217 | 0.00189 | 8 | no interval |" in texts["md"]
    words = " ".join(texts["text"].split())
    assert "cth 2 3 ms 1.333 [1.333, 1.333] 2.000 [2.000, 2.000] 3.333 [3.333, 3.333]" in words
    assert "loses at most 5 %" in words


def test_the_balance_is_left_out_of_tables_where_nothing_is_known(tmp_path: Path) -> None:
    found = found_in(tmp_path)

    assert "compute balance" not in FORMATS["text"](found)
    assert json.loads(FORMATS["json"](found))["balance"][1]["bytes_per_flop"] is None


def test_nothing_that_is_done_is_told_without_tables(tmp_path: Path) -> None:
    found = found_in(tmp_path, first=0)

    assert FORMATS["text"](found) == "made up\n0 of 8 runs are done. Times are of jobs in isolated rounds.\n"
    assert FORMATS["csv"](found).startswith("job,step,motif,ranks,rate")


def page_in(folder: Path, **how: Any) -> str:
    return FORMATS["html"](found_in(folder, **how))


def test_a_page_draws_factors_against_rate_and_against_ranks_and_has_every_table(tmp_path: Path) -> None:
    node = Node(gflops=115.2, injection_gb_per_s=1.74)
    page = page_in(tmp_path, options=AnalysisOptions(node=node), machine=MadeMachine())

    outline = Outline(page)
    assert len(set(outline.ids)) == len(outline.ids)
    assert outline.tags.count("script") == 1
    drawings = re.findall(r'<figure id="degradation-([\w-]+)"', page)
    assert drawings == ["rate-1", "rate-2", "ranks-1", "ranks-2", "ranks-3"]
    assert re.findall(r'<table id="degradation-(\d)"', page) == ["1", "2", "3", "4"]
    drawn = figure(page, "degradation-rate-2")
    assert "Slowdown of jobs on 4 ranks with reduced bandwidth" in drawn
    assert "n = 4 rounds at each rate." in figure(page, "degradation-rate-1")  # whose caption the others share
    assert re.search(r"ptrans: 1/2 1\.\d+ \[[\d., ]+\], 1/4 ", drawn)
    assert "cth: degradation over the number of ranks" in figure(page, "degradation-ranks-2")
    assert page.count('download="degradation.csv"') == 1


def test_a_page_begins_with_the_job_that_loses_most_and_what_it_needs(tmp_path: Path) -> None:
    sentences = re.findall(r"<li>(.*?)</li>", page_in(tmp_path))

    assert sentences[0] == (
        "ptrans on 4 ranks takes 6.600 times as long at 1/8 of the bandwidth, 95 % interval 6.600 to 6.600; to lose at "
        "most 5 %, the full rate is needed."
    )
    assert sentences[-1].startswith("charon on") and sentences[-1].endswith("to lose at most 5 %, 1/8 of it suffices.")


def test_a_page_of_nothing_says_so_and_of_the_full_rate_alone_draws_nothing(tmp_path: Path) -> None:
    for runs in (0, 1):
        page = page_in(tmp_path, first=runs)

        assert "No job has times at two rates yet, so there is nothing to compare." in page
        assert "<figure" not in page


def test_one_number_of_ranks_is_no_comparison_of_ranks_and_names_are_escaped(tmp_path: Path) -> None:
    found = found_in(tmp_path)
    nasty = tuple(
        replace(one, job="<script>", where={"pattern": "<b>"}) for one in found.curves if one.ranks == 2
    )  # fmt: skip
    page = FORMATS["html"](replace(found, about="<script>x", curves=nasty, notes=("<script>y",)))

    assert re.findall(r'<figure id="degradation-(\w+)-\d"', page) == ["rate"]
    assert page.count("<script") == 1 and "&lt;b&gt;, &lt;script&gt; on 2 ranks takes" in page


def test_more_jobs_than_marks_stand_in_several_figures(tmp_path: Path) -> None:
    found = found_in(tmp_path)
    one = next(one for one in found.curves if one.ranks == 2)
    many = replace(found, curves=tuple(replace(one, job=f"job{number}") for number in range(10)))
    page = FORMATS["html"](many)

    assert re.findall(r'<figure id="degradation-(rate-\d)"', page) == ["rate-1", "rate-2"]
    assert "job7" in figure(page, "degradation-rate-1") and "job8" in figure(page, "degradation-rate-2")
