"""Verdicts of tests that measure: how often they are wrong, what they show, and that nothing is measured twice."""

import json
import math

import numpy as np
import pytest
from support.measured import LEAST, Verdict, around, at_least, at_most, median_of, share_of

pytest_plugins = ["pytester"]
TRIALS = 800
STANDARD_ERROR = math.sqrt(0.05 * 0.95 / TRIALS)


def lognormal(source: np.random.Generator, n: int) -> np.ndarray:
    return source.lognormal(mean=0, sigma=0.1, size=n)


def spikes(source: np.random.Generator, n: int) -> np.ndarray:
    """One in ten takes three times as long; the median is that of 5/9 of the others."""
    clean = source.normal(1, 0.02, size=n)
    return np.where(source.random(n) < 0.1, 3.0, clean)


MEDIAN_OF_SPIKES = 1 + 0.02 * 0.13971  # the normal quantile of 5/9


@pytest.mark.parametrize("n", [LEAST, 9, 20])
@pytest.mark.parametrize(("noise", "median"), [(lognormal, 1.0), (spikes, MEDIAN_OF_SPIKES)])
def test_nineteen_intervals_of_twenty_hold_the_median_whatever_the_noise(n, noise, median) -> None:
    source = np.random.default_rng(20260101)
    figures = [median_of("x", noise(source, n), around(median, within=0)) for _ in range(TRIALS)]

    held = sum(one.low <= median <= one.high for one in figures) / TRIALS

    assert held >= 0.95 - 3 * STANDARD_ERROR


def test_what_is_right_hardly_ever_fails() -> None:
    source = np.random.default_rng(1)
    tolerated = around(1.0, within=0.05)

    failed = sum(median_of("x", lognormal(source, 9), tolerated).verdict is Verdict.outside for _ in range(TRIALS))

    assert failed / TRIALS < 0.02


@pytest.mark.parametrize("bias", [0.8, 0.9, 1.1, 1.25])
def test_a_biased_sample_fails(bias) -> None:
    """Noise of 1 % about a value that is 10 % and more off a tolerance of 5 %."""
    source = np.random.default_rng(2)
    figures = [median_of("x", bias * source.normal(1, 0.01, size=9), around(1.0, within=0.05)) for _ in range(200)]

    assert {one.verdict for one in figures} == {Verdict.outside}


def test_the_interval_is_that_of_order_statistics() -> None:
    nine = median_of("x", [9, 1, 8, 2, 7, 3, 6, 4, 5], around(5, within=1))
    six = median_of("x", [6, 5, 4, 3, 2, 1], around(5, within=1))

    assert (nine.value, nine.low, nine.high, nine.n) == (5, 2, 8, 9)
    assert (six.value, six.low, six.high, six.n) == (3.5, 1, 6, 6)


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="5 samples: a 95 % interval of the median needs at least 6"):
        median_of("x", [1.0] * 5, around(1, within=0.1))


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1.00, 1.01, 0.99, 1.02, 1.00, 0.98], Verdict.within),
        ([0.90, 1.20, 1.04, 1.06, 1.07, 1.10], Verdict.undecided),
        ([1.06, 1.20, 1.09, 1.06, 1.07, 1.10], Verdict.outside),
        ([0.90, 0.94, 0.93, 0.92, 0.91, 0.80], Verdict.outside),
    ],
)
def test_only_an_interval_that_lies_beyond_the_tolerance_is_outside(values, verdict) -> None:
    assert median_of("x", values, around(1.0, within=0.05)).verdict is verdict


def test_bounds_on_one_side_are_judged_on_that_side() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]

    assert median_of("x", values, at_most(0.9)).verdict is Verdict.outside
    assert median_of("x", values, at_most(1.1)).verdict is Verdict.undecided
    assert median_of("x", values, at_most(7)).verdict is Verdict.within
    assert median_of("x", values, at_least(6.1)).verdict is Verdict.outside
    assert median_of("x", values, at_least(1)).verdict is Verdict.within


def test_a_share_has_its_exact_interval() -> None:
    found = share_of("part", 0, 100, at_least(0.1))

    assert found.verdict is Verdict.outside
    assert found.high == pytest.approx(1 - 0.025**0.01)
    assert share_of("part", 8, 100, at_least(0.1)).verdict is Verdict.undecided
    assert share_of("part", 60, 100, at_least(0.1)).verdict is Verdict.within


MODULE = """
from support.measured import at_most

def test_it(measured, samples):
    measured.median("good", [1.0 + i / 1000 for i in range(samples)], expected=1.0, within=0.05)
    measured.medians({{"right": [1.0] * samples, "wrong": [{wrong}] * samples}}, expected=1.0, within=0.05)
    measured.bounded("most", [1.0] * samples, at_most(2.0))
"""


@pytest.fixture
def suite(pytester, checkout, monkeypatch):
    """Runs a test module under the plugin; other arguments are options."""
    monkeypatch.setenv("STRESSBENCH_FIGURES", str(pytester.path / "figures.jsonl"))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # this test's own worker is none of the run in it
    pytester.makeini(f"[pytest]\npythonpath = {checkout / 'tests'}\n")
    pytester.makeconftest('pytest_plugins = ["support.figures"]')

    def run(wrong: float, *options: str):
        pytester.makepyfile(MODULE.format(wrong=wrong))
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)

    return run


def test_figures_of_a_test_that_passes_are_in_the_log_and_in_the_file(suite, pytester) -> None:
    ended = suite(1.0, "--samples", "7")

    ended.assert_outcomes(passed=1)
    good = "good: 1.003 [1, 1.006], n = 7; expected 1, tolerated 0.95 to 1.05: within"
    ended.stdout.fnmatch_lines(["*figures of tests that measure*"])
    ended.stdout.fnmatch_lines([f"*::test_it: {good.replace('[', '[[]')}", "*most: 1 *expected at most 2: within"])
    lines = [json.loads(line) for line in (pytester.path / "figures.jsonl").read_text().splitlines()]
    assert [(line["name"], line["verdict"], line["n"]) for line in lines] == [
        (name, "within", 7) for name in ("good", "right", "wrong", "most")
    ]
    assert lines[0]["said"] == good
    assert lines[0]["values"] == pytest.approx([1 + i / 1000 for i in range(7)])
    assert lines[3]["tolerated"] == {"low": None, "high": 2.0, "expected": None}
    assert lines[0]["test"].endswith("::test_it")


def test_a_figure_outside_fails_the_test_once_and_is_in_the_log_too(suite, pytester) -> None:
    ended = suite(1.2)

    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(["*wrong: 1.2 [[]1.2, 1.2], n = 9; expected 1, tolerated 0.95 to 1.05: OUTSIDE"])
    ended.stdout.fnmatch_lines(["*figures of tests that measure*"])
    lines = [json.loads(line) for line in (pytester.path / "figures.jsonl").read_text().splitlines()]
    assert [line["verdict"] for line in lines] == ["within", "within", "OUTSIDE"]


def test_a_sample_size_without_an_interval_is_refused(suite) -> None:
    ended = suite(1.0, "--samples", "5")

    assert ended.ret != 0
    ended.stderr.fnmatch_lines(["*--samples: invalid number of at least 6 value: '5'"])


def test_tests_that_were_left_out_have_no_figures(suite, pytester) -> None:
    ended = suite(1.0, "-k", "another")

    ended.assert_outcomes(deselected=1)
    ended.stdout.no_fnmatch_line("*figures of tests*")


def test_figures_come_through_workers_once(suite, pytester) -> None:
    ended = suite(1.0, "-n", "2")

    ended.assert_outcomes(passed=1)
    ended.stdout.fnmatch_lines(["*good: 1.004*"])
    assert len((pytester.path / "figures.jsonl").read_text().splitlines()) == 4
