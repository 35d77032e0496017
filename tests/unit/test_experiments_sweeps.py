"""Sweeps as values: the study of a sweep, and the text of its study file, without a command line."""

from collections.abc import Callable

import pytest

from stressbench.experiments.sweep.rails import RailSweep
from stressbench.experiments.sweep.rates import RateSweep
from stressbench.experiments.sweep.specification import Specification, SweepRounds
from stressbench.formats.toml import Mistakes, by_option
from stressbench.launch.rails import Transport, parse_policy
from stressbench.study.file import parse_study

RATES = RateSweep(
    workloads=("one.sb", "two.sb"), on="lab:tiny", rates=("full", "1/2"), ranks=(2, 4), nodes_variable="n",
    variables={"text": ['a "quoted" \\ word', "é"]}, placements=("interleaved",), runs=2, seed=7,
    rounds=SweepRounds(isolated=3, contended=0, min_time="10ms"),
)  # fmt: skip
RAILS = RailSweep(
    workloads=("one.sb",), on="local", policies=(parse_policy("default"), parse_policy("jobs:a=0,b=1")),
    nics=("ib0", "ib1"), transport=Transport.ucx, ranks=(8,), rounds=SweepRounds(isolated=6),
)  # fmt: skip


@pytest.mark.parametrize("specify", [RATES.specification, RAILS.specification], ids=["rates", "rails"])
def test_the_text_of_a_sweep_reads_as_its_study(specify: Callable[[], Specification]) -> None:
    made = specify()

    assert parse_study(made.text, source="study-1.toml") == made.study


def test_a_variable_follows_the_number_of_ranks() -> None:
    cells = RATES.specification().study.cells

    assert {(cell.ranks, dict(cell.sets)["n"]) for cell in cells} == {(2, "2"), (4, "4")}
    assert len(cells) == 2 * 2 * 2 * 2  # workloads, rates, ranks, values of `text`


def test_a_mistake_is_worded_by_the_caller() -> None:
    wrong = RateSweep(
        workloads=("one.sb",), on="local", rates=("full", "1/2"), rounds=SweepRounds(min_time="60")
    )  # fmt: skip

    with pytest.raises(Mistakes, match=r"^run\.min_time: '60': expected a time with its unit"):
        wrong.specification()
    with pytest.raises(Mistakes, match=r"^--min-time: '60': expected a time with its unit"):
        wrong.specification(called=by_option({"run.min_time": "--min-time: "}))
