"""What `stressbench validate` concludes and prints: verdicts, ratios, sentences, tables and captions."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.validations import RESULT, block

from stressbench.api.validation_results import ValidationResults
from stressbench.report.document import Note, Notes, Paragraph, Table
from stressbench.report.renderers import render
from stressbench.report.validation.document import brief, page
from stressbench.results.validation import Ratio, Validation, Verdict, launch_pairs, ratio_of, verdict_of
from stressbench.tracing.iterations import IterationDifference

DIFFERENCE = IterationDifference(
    rank=1, place=4, calls=1200, before=("Barrier:0@2",), program=("Is>0:1:8", "Wa(1)"), workload=()
)


def sentences(result: Validation) -> list[str]:
    return [part.text for part in brief(result).sections[0].blocks if isinstance(part, Paragraph)]


def notes(result: Validation) -> list[str]:
    found = [part for part in brief(result).sections[0].blocks if isinstance(part, Notes)]
    return [note.text for part in found for note in part.notes if isinstance(note, Note)]


def times(result: Validation) -> Table:
    (table,) = [one for one in brief(result).sections[0].blocks if isinstance(one, Table) and one.key == "times"]
    return table


@pytest.mark.parametrize(
    ("ratio", "tolerance", "verdict", "is_certain"),
    [
        (Ratio(value=1.02, low=1.01, high=1.03), 0.05, Verdict.within, True),
        (Ratio(value=1.04, low=1.01, high=1.06), 0.05, Verdict.within, False),
        (Ratio(value=0.94, low=0.90, high=0.96), 0.05, Verdict.outside, False),
        (Ratio(value=0.90, low=0.89, high=0.94), 0.05, Verdict.outside, True),
        (Ratio(value=1.10, low=1.06, high=1.20), 0.05, Verdict.outside, True),
        (Ratio(value=1.02, low=None, high=None), 0.05, Verdict.within, False),
        (Ratio(value=1.50, low=1.40, high=1.60), None, Verdict.same_calls, True),
        (None, 0.05, Verdict.same_calls, True),
    ],
)
def test_the_estimate_decides_and_the_interval_says_whether_it_is_certain(ratio, tolerance, verdict, is_certain):
    assert verdict_of(ratio, tolerance=tolerance, differences=()) == (verdict, is_certain)
    assert verdict_of(ratio, tolerance=tolerance, differences=(DIFFERENCE,)) == (Verdict.different_calls, True)


def test_the_ratio_is_estimated_on_logarithms_with_an_interval_from_six_pairs_on():
    assert ratio_of([]) is None
    five = ratio_of([0.5, 2.0, 0.5, 2.0, 1.0])
    assert five is not None
    assert (five.value, five.low, five.high) == (pytest.approx(1.0), None, None)
    six = ratio_of([1.01, 1.02, 1.03, 1.04, 1.05, 1.06])
    assert six is not None and six.low is not None and six.high is not None
    assert six.low <= 1.011 and 1.03 < six.value < 1.04 and six.high >= 1.059


def test_the_calls_are_the_same_in_what_was_compared():
    assert "with the same peers, tags and sizes (100 iterations" in sentences(RESULT)[0]
    assert "with the same peers and sizes, without tags (100" in sentences(replace(RESULT, any_tag=True))[0]
    assert "in the same order with the same" in sentences(RESULT)[0]
    assert "in the same order, but for waits, with" in sentences(replace(RESULT, any_wait_place=True))[0]


def test_a_verdict_that_is_not_certain_says_why():
    uncertain = replace(RESULT, verdict=Verdict.within, tolerance=0.05, is_certain=False)
    assert sentences(uncertain)[-1] == (
        "verdict: within 5.0 %, but the interval contains that limit; more --launches narrow it"
    )
    few = replace(uncertain, ratio=Ratio(value=1.02, low=None, high=None), blocks=(block(),) * 5)
    assert sentences(few)[-1] == "verdict: within 5.0 %, without an interval; 6 or more --launches give one"
    assert notes(few) == ["5 pairs of launches: an interval takes at least 6"]
    assert sentences(replace(uncertain, is_certain=True))[-1] == "verdict: within 5.0 %"


def different(difference: IterationDifference, *, workload: str = "halo2d") -> list[str]:
    return sentences(
        replace(RESULT, workload=(workload,), differences=(difference,), found=0, measured=0, ratio=None, blocks=())
    )


def test_a_difference_has_its_place_in_an_iteration():
    assert different(DIFFERENCE) == [
        "calls: 1 rank of 2 never makes the calls of halo2d",
        "rank 1, call 5 of 1,200 of an iteration after Barrier:0@2: the program makes Is>0:1:8 Wa(1); "
        "the workload nothing more",
    ]


def test_a_difference_at_the_first_call_does_not_claim_that_the_call_is_missing():
    first = replace(DIFFERENCE, place=0, before=(), workload=("Barrier:0@2",))
    assert different(first)[1] == (
        "rank 1: no iteration of the program begins with Barrier:0@2, the first of the workload's 1,200 calls"
    )


def test_a_difference_of_a_replay_has_its_place_in_the_measured_part():
    assert different(DIFFERENCE, workload="replay") == [
        "calls: 1 rank of 2 makes other calls in the replay than in the program",
        "rank 1, call 5 of 1,200 of the measured part after Barrier:0@2: the program makes Is>0:1:8 Wa(1); "
        "the replay nothing more",
    ]


@pytest.mark.parametrize(
    ("computation", "caption"),
    [
        ("sequence", "computes before each call for as long as the program did"),
        ("measured", "for times drawn from the program's"),
        ("mean", "for the mean time of the program"),
        ("own", "has its own computation, so that only the times in MPI are comparable"),
    ],
)
def test_the_caption_says_how_the_workload_computes(computation, caption):
    assert caption in str(times(replace(RESULT, computation=computation)).caption)


def test_times_have_no_rank_that_is_only_known_of_the_program():
    table = times(RESULT)
    assert all("slowest" not in str(column) for column in table.columns)
    assert launch_pairs(RESULT)[0].program_slowest_s == 1.1
    assert launch_pairs(RESULT)[0].workload_slowest_s is None


def test_notes_of_the_result_are_printed():
    assert notes(replace(RESULT, notes=("ranks differ",), complete=False)) == [
        "stopped after 6 pairs of launches", "ranks differ"
    ]  # fmt: skip


def test_the_page_has_every_launch():
    assert {section.key for section in page(RESULT).sections} == {"result", "launches", "setting"}


def test_the_figure_shows_the_time_of_each_launch_below_the_pointer() -> None:
    found = re.findall(r'<g class="value"><title>(.*?)</title>', render("html", page(RESULT)))

    assert len(found) == 4 * len(RESULT.blocks)
    assert found[0] == "program, pair 1: 1.00 s"
    assert "workload, pair 6: 200 ms in MPI" in found


def test_results_write_their_figure_with_the_times_of_all_launches(tmp_path: Path) -> None:
    files = ValidationResults(RESULT).figures(tmp_path / "figures")

    index = json.loads(files[-1].read_text(encoding="utf-8"))
    assert [one["name"] for one in index["figures"]] == ["times-by-launch"]
    assert index["figures"][0]["data"]["rows"] == len(RESULT.blocks)
    assert len((tmp_path / "figures" / "times-by-launch.csv").read_text().splitlines()) == 1 + len(RESULT.blocks)
