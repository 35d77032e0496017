"""Acceptance criteria: what a file may say, and the line of each mistake."""

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support.machines import made_bandwidth, made_figure, made_result, spread_around, whole_result

from stressbench.experiments.machine.acceptance import figures_of_suite, read_criteria
from stressbench.formats.machines import Criteria, CriteriaMistake, parse_criteria
from stressbench.formats.schemas import SCHEMAS
from stressbench.results.machine_acceptance import AcceptanceVerdict, check_result

WHOLE = """\
about = "Acceptance of phase 1"
suite = 1
ranks = 2
nodes = 2
launches = 3

[at_most]
"latency.network.8B" = "2.5us"
"impact.interleaved.alltoall" = 1.3

[at_least]
"bandwidth.network.one-way" = "11GB/s"
"""


def criteria(text: str) -> Criteria:
    return parse_criteria(text, source="criteria.toml", figures=figures_of_suite())


def test_bounds_are_read_in_si_units() -> None:
    read = criteria(WHOLE)

    assert [(one.figure, one.bound) for one in read.criteria] == [
        ("latency.network.8B", pytest.approx(2.5e-6)), ("impact.interleaved.alltoall", 1.3),
        ("bandwidth.network.one-way", 11e9),
    ]  # fmt: skip
    assert (read.about, read.suite, read.ranks, read.nodes, read.launches) == ("Acceptance of phase 1", 1, 2, 2, 3)


def test_criteria_follow_their_schema() -> None:
    assert Draft202012Validator(SCHEMAS["machine-criteria"]()).is_valid(json.loads(json.dumps(tomllib.loads(WHOLE))))


def test_every_figure_of_the_suite_can_have_a_criterion() -> None:
    assert list(figures_of_suite()) == [figure.name for figure in whole_result().figures]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("suite = 1\n", "", "criteria.toml:1: suite is missing"),
        ("suite = 1", "suite = 0", "criteria.toml:2: suite: 0: expected at least 1"),
        ("suite = 1", 'suite = "1"', "criteria.toml:2: suite: '1': expected a whole number"),
        ("launches", "launch", "criteria.toml:5: unknown key 'launch'; did you mean 'launches'?"),
        ("8B", "16B", "criteria.toml:8: unknown figure 'latency.network.16B'; did you mean 'latency.network.8B'?"),
        ('"2.5us"', '"2.5"', "criteria.toml:8: at_most.latency.network.8B: '2.5': expected a time"),
        ('"2.5us"', "2.5e-6", "criteria.toml:8: at_most.latency.network.8B: 2.5e-06: expected a time with its unit"),
        ("1.3", '"1.3"', "criteria.toml:9: at_most.impact.interleaved.alltoall: '1.3': expected a ratio, such as 1.3"),
        ("1.3", "true", "criteria.toml:9: at_most.impact.interleaved.alltoall: True: expected a ratio"),
        ("1.3", "inf", "criteria.toml:9: at_most.impact.interleaved.alltoall: inf: expected a ratio"),
        ("1.3", "-1", "criteria.toml:9: at_most.impact.interleaved.alltoall: -1: expected a ratio above 0"),
        ('"11GB/s"', '"11GB"', "criteria.toml:12: at_least.bandwidth.network.one-way: '11GB': expected a rate in"),
        ("[at_least]\n", "", "criteria.toml:11: [at_most] of bandwidth.network.one-way, more is better"),
        ("[at_most]", "[at_most", "criteria.toml: not TOML"),
    ],
)
def test_a_mistake_is_named_with_its_line(before: str, after: str, message: str) -> None:
    assert before in WHOLE

    with pytest.raises(CriteriaMistake) as raised:
        criteria(WHOLE.replace(before, after))

    assert message in str(raised.value)


def test_a_file_without_criteria_accepts_nothing() -> None:
    with pytest.raises(CriteriaMistake, match=r"criteria.toml:1: no criteria; expected figures in \[at_most\]"):
        criteria("suite = 1\n")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CriteriaMistake, match=r"gone\.toml: No such file"):
        read_criteria(tmp_path / "gone.toml")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (2.0e-6, 2.5e-6, AcceptanceVerdict.met),
        (2.0e-6, 2.6e-6, AcceptanceVerdict.undecided),
        (2.5e-6, 2.6e-6, AcceptanceVerdict.undecided),
        (2.51e-6, 2.6e-6, AcceptanceVerdict.missed),
        (None, None, AcceptanceVerdict.undecided),
    ],
)
def test_the_whole_interval_has_to_lie_within_an_upper_bound(
    low: float | None, high: float | None, verdict: AcceptanceVerdict
) -> None:
    value = 2.2e-6 if low is None or high is None else (low + high) / 2
    result = made_result(made_figure(values=(value,), low=low, high=high))

    checked = check_result(result, criteria('suite = 1\n[at_most]\n"latency.network.8B" = "2.5us"\n'))

    assert checked.criteria[0].verdict is verdict
    assert checked.accepted is (verdict is AcceptanceVerdict.met)


@pytest.mark.parametrize(
    ("centre", "verdict"),
    [(12e6, AcceptanceVerdict.met), (11e6, AcceptanceVerdict.undecided), (10e6, AcceptanceVerdict.missed)],
)
def test_the_whole_interval_has_to_lie_within_a_lower_bound(centre: float, verdict: AcceptanceVerdict) -> None:
    result = made_result(made_bandwidth(spread_around(centre)))

    checked = check_result(result, criteria('suite = 1\n[at_least]\n"bandwidth.network.one-way" = "11MB/s"\n'))

    assert checked.criteria[0].verdict is verdict


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("suite = 2", "suite: 1; the criteria are for 2"),
        ("suite = 1\nranks = 8", "ranks: 4; the criteria are for 8"),
        ("suite = 1\nnodes = 8", "nodes: 4; the criteria are for 8"),
        ("suite = 1\nlaunches = 4", "launches: 3; the criteria are for 4 or more"),
        ("suite = 1", None),
    ],
)
def test_another_measurement_is_not_accepted(line: str, fault: str | None) -> None:
    checked = check_result(made_result(), criteria(f'{line}\n[at_most]\n"latency.network.8B" = "1s"\n'))

    assert checked.faults == (() if fault is None else (fault,))
    assert checked.accepted is (fault is None)


def test_an_incomplete_measurement_is_not_accepted() -> None:
    checked = check_result(made_result(complete=False), criteria('suite = 1\n[at_most]\n"latency.network.8B" = "1s"\n'))

    assert checked.faults == ("the measurement is incomplete",)
