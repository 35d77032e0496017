"""Figures of merit in a program's output: whatever the expression, searching ends."""

from itertools import count

import pytest

from stressbench.experiments.sweep.figures import figures_in, parse_figure
from stressbench.formats.study.errors import StudyFault


def test_the_last_match_counts_and_lines_have_ends() -> None:
    text = "FOM=1\nrate 2,000 MB/s\nFOM=3e2\nFOM=4 of none\n"

    assert figures_in(text, {"a": "^FOM=([0-9.e]+)$", "b": r"rate ([\d,]+) MB", "c": "no (x)"}) == {
        "a": 300.0,
        "b": 2000.0,
        "c": None,
    }


@pytest.mark.parametrize("digits", ["x", "nan", "9" * 5000], ids=["word", "nan", "too many digits"])
def test_what_is_no_number_is_no_figure(digits: str) -> None:
    assert figures_in(f"FOM={digits}\n", {"fom": "FOM=(.*)"}) == {"fom": None}


@pytest.mark.parametrize("pattern", ["((?:a|a?)+)+$x", "(?:([0-9]+)*)*x", "([0-9]+)x", "(?:(?:a*)*)*([0-9]*)$x"])
def test_an_expression_that_backtracks_for_years_is_searched_at_once(pattern: str) -> None:
    text = "a" * 16_384 + "1" * 16_384  # as much as is kept of standard output

    assert figures_in(text, {"fom": pattern}) == {"fom": None}


def test_a_search_that_takes_too_long_ends_with_the_name_of_its_figure() -> None:
    seconds = count(0.0, 4.0)

    with pytest.raises(StudyFault, match="--fom rate: '\\(1\\)': takes more than 10 s"):
        figures_in("1" * 100, {"rate": "(1)"}, now=lambda: next(seconds))


@pytest.mark.parametrize("pattern", ["(?=a)(b)", r"(a)\1", "(a", "(((a{1000}){1000}){1000})"])
def test_an_expression_that_has_no_linear_search_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="no regular expression of RE2"):
        parse_figure(f"fom={pattern}")
