"""pytest plugin for tests that measure: the number of samples, and a log of all figures.

Figures are printed in a section at the end of the output, stored as properties in the JUnit file, and appended to the
file named by STRESSBENCH_FIGURES as JSON Lines.

"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from support.measured import LEAST, Figure, Tolerated, Verdict, around, median_of

FILE_VARIABLE = "STRESSBENCH_FIGURES"
PROPERTY = "figure"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("stressbench", "how much the tests of tests/nightly repeat")
    group.addoption(
        "--samples", type=_at_least(LEAST), default=9, metavar="N",
        help=f"independent measurements of each figure, fixed before the first; at least {LEAST} [%(default)s]. "
        "Where one takes longer than 10 s: two thirds of them. "
        f"{FILE_VARIABLE}=FILE appends all figures to a file, a line of JSON each",
    )  # fmt: skip
    group.addoption(
        "--kills", type=_at_least(1), default=100, metavar="N",
        help="random moments at which a lab that comes up is killed [%(default)s]",
    )  # fmt: skip
    group.addoption(
        "--interruptions", type=_at_least(1), default=20, metavar="N",
        help="random moments at which a study, or a job of Slurm, is interrupted or killed [%(default)s]",
    )  # fmt: skip


def _at_least(least: int) -> Callable[[str], int]:
    def number(word: str) -> int:
        if int(word) < least:
            raise ValueError(word)
        return int(word)

    number.__name__ = f"number of at least {least}"  # argparse: invalid ... value
    return number


@pytest.fixture(scope="session")
def samples(pytestconfig: pytest.Config) -> int:
    """Number of independent measurements of a figure."""
    return int(pytestconfig.getoption("--samples"))


@pytest.fixture(scope="session")
def few_samples(samples: int) -> int:
    """Number of measurements for figures that take a long launch each."""
    return max(LEAST, 2 * samples // 3)


class Measured:
    """Records the figures of a test and fails the test if one is outside of its tolerance."""

    def __init__(self, note: Callable[[str, object], None]) -> None:
        self._note = note

    def median(self, name: str, values: Sequence[float], *, expected: float, within: float) -> None:
        """The median of independent measurements must be `expected` within a relative tolerance."""
        self.medians({name: values}, expected=expected, within=within)

    def medians(self, all_values: Mapping[str, Sequence[float]], *, expected: float, within: float) -> None:
        """Same as `median` for several figures."""
        tolerated = around(expected, within=within)
        self.judge(median_of(name, values, tolerated) for name, values in all_values.items())

    def bounded(self, name: str, values: Sequence[float], tolerated: Tolerated) -> None:
        """The median of independent measurements must be within a bound."""
        self.judge([median_of(name, values, tolerated)])

    def judge(self, figures: Iterable[Figure]) -> None:
        """Record all figures, then fail if any is outside of its tolerance."""
        taken = list(figures)
        for figure in taken:
            self._note(PROPERTY, json.dumps(figure.record()))
        missed = [str(figure) for figure in taken if figure.verdict is Verdict.outside]
        assert not missed, "\n".join(missed)


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Measured:
    """Recorder of figures for tests that measure."""
    return Measured(record_property)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    path = os.environ.get(FILE_VARIABLE)
    if not path or report.when != "call" or "PYTEST_XDIST_WORKER" in os.environ:
        return
    with Path(path).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"test": report.nodeid, **one}) + "\n" for one in _figures_of(report))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [one for kind in terminalreporter.stats.values() for one in kind if isinstance(one, pytest.TestReport)]
    shown = [(one.nodeid, figure) for one in reports if one.when == "call" for figure in _figures_of(one)]
    if shown:
        terminalreporter.section("figures of tests that measure")
        for test, figure in sorted(shown, key=lambda entry: entry[0]):
            terminalreporter.line(f"{test}: {figure['said']}")


def _figures_of(report: pytest.TestReport) -> list[dict[str, object]]:
    return [json.loads(str(value)) for name, value in report.user_properties if name == PROPERTY]
