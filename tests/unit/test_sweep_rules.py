"""Rules for the options of `degrade` and `rails`: their texts as values, defaults, and combinations."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stressbench.experiments.sweep import option_values
from stressbench.experiments.sweep.rails.program import ProgramRailSweep
from stressbench.experiments.sweep.rails.shipped_workloads import shipped_workloads
from stressbench.experiments.sweep.rails.study import RailSweep
from stressbench.experiments.sweep.rates import rules
from stressbench.experiments.sweep.rates.competing import CompetingSweep
from stressbench.experiments.sweep.rates.program import ProgramRateSweep
from stressbench.experiments.sweep.rates.study import RateSweep
from stressbench.experiments.sweep.specification import SweepRounds
from stressbench.experiments.sweep.workload_rules import refuse_program_options, require_rounds
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.rail_policies import Kind, RailPolicy, Transport, parse_policy
from stressbench.formats.units import Stated


def rounds(isolated: int | None, contended: int | None, *, competing: bool = False) -> tuple[int | None, int | None]:
    made = rules.rounds_of(isolated, contended, repetitions=3, min_time="1s", competing=competing)
    assert (made.repetitions, made.min_time) == (3, Stated(1.0, "1s"))
    return made.isolated, made.contended


def test_rounds_are_isolated_unless_traffic_competes() -> None:
    assert rounds(None, None) == (10, 0)
    assert rounds(4, 2) == (4, 2)
    assert rounds(None, None, competing=True) == (None, 10)
    assert rounds(None, 3, competing=True) == (None, 3)


def test_a_sweep_without_rounds_is_refused() -> None:
    with pytest.raises(StudyMistake, match="--isolated 0: expected isolated rounds, or --contended N"):
        rounds(0, None)
    require_rounds(0, 2)
    require_rounds(None, 0)


def test_the_target_is_a_lab_unless_a_command_sets_the_rate() -> None:
    assert rules.target_or_lab(None, rate_command=None) == rules.LAB
    assert rules.target_or_lab("slurm", rate_command="./set-rate") == "slurm"
    with pytest.raises(StudyMistake, match="--rate-command: needs --on"):
        rules.target_or_lab(None, rate_command="./set-rate")


def test_the_variable_for_nodes_follows_from_the_numbers_of_ranks() -> None:
    rules.require_node_counts(None, variables=("n",), ranks=())
    rules.require_node_counts("nodes", variables=("n",), ranks=(2, 4))
    with pytest.raises(StudyMistake, match="--nodes n: has a value of --set"):
        rules.require_node_counts("n", variables=("n",), ranks=(2, 4))
    with pytest.raises(StudyMistake, match="--nodes nodes: needs the numbers of ranks"):
        rules.require_node_counts("nodes", variables=(), ranks=())


def test_a_program_has_no_competing_traffic() -> None:
    rules.refuse_competing(("./app",), competing=False)
    with pytest.raises(StudyMistake, match=r"--compete: is for workloads, .* and \./app is a program"):
        rules.refuse_competing(("./app",), competing=True)


def test_competing_traffic_takes_its_share_of_the_rate_of_a_link() -> None:
    sweep = RateSweep(
        workloads=("a.sb",), on="local", rates=(Fraction(1), Fraction(1, 2)), rounds=SweepRounds(contended=10)
    )

    assert rules.competing_with(sweep, link="10Gbit").link_bytes_per_s == 1.25e9
    for link, message in ((None, "--compete: needs --link"), ("fast", "--link: 'fast': ")):
        with pytest.raises(StudyMistake, match=message):
            rules.competing_with(sweep, link=link)


def test_rounds_beside_competing_traffic_are_contended_unless_others_are_asked_for() -> None:
    def sweep(rounds: SweepRounds | None) -> CompetingSweep:
        return CompetingSweep(sweep=RateSweep(workloads=("a.sb",), on="local", rounds=rounds), link_bytes_per_s=1e9)

    for given in (None, SweepRounds(), SweepRounds(isolated=0, contended=10)):
        assert sweep(given).rounds == SweepRounds(isolated=0, contended=10)
    assert sweep(SweepRounds(contended=3, repetitions=2)).rounds == SweepRounds(isolated=0, contended=3, repetitions=2)
    for wrong, message in (
        (SweepRounds(contended=0), "--contended 0: expected rounds"),
        (SweepRounds(isolated=2), "--isolated 2: with --compete there are no isolated rounds"),
    ):
        with pytest.raises(StudyMistake, match=message):
            sweep(wrong)


def test_the_rate_of_a_link_is_for_competing_traffic() -> None:
    rules.require_competing(None, competing=False)
    rules.require_competing("10Gbit", competing=True)
    with pytest.raises(StudyMistake, match=r"--link 10Gbit: .* --compete"):
        rules.require_competing("10Gbit", competing=False)


def test_workloads_have_no_figures_of_merit() -> None:
    refuse_program_options((("--fom", ()), ("--fom-file", None)))
    with pytest.raises(StudyMistake, match="--fom-file: is for programs"):
        refuse_program_options((("--fom", ()), ("--fom-file", "f"), ("--hpcc", True)))


def test_the_shipped_workloads_of_rails_exist() -> None:
    assert [Path(path).name for path in shipped_workloads()] == ["rails-bandwidth.sb", "rails-latency.sb"]
    assert option_values.workloads(shipped_workloads()) == shipped_workloads()


def test_rates_are_exact_shares_of_which_one_is_1() -> None:
    assert option_values.rates("1,50%,1/3", example="1,1/2") == (Fraction(1), Fraction(1, 2), Fraction(1, 3))
    for text, message in (
        ("1/2,1/4", "expected 1 and a smaller one"), ("1", "expected 1 and a smaller one"),
        ("1,1/2,50%", "'50%' equals 1/2"), ("1,2", "'2': expected shares"), ("1,x", "'x': expected shares"),
    ):  # fmt: skip
        with pytest.raises(StudyMistake, match=f"--rates: .*{message}"):
            option_values.rates(text, example="1,1/2")


@pytest.mark.parametrize(
    "sweep", [partial(RateSweep, workloads=("a.sb",)), partial(ProgramRateSweep, command=("a",))], ids=("sb", "program")
)
def test_rates_from_python_are_exact_shares_of_which_one_is_1(sweep: Callable[..., Any]) -> None:
    exact = (Fraction(1), Fraction(1, 2), Fraction(1, 10))

    for rates in (exact, (1, 0.5, 0.1), ("1", "50%", "1/10")):
        assert sweep(rates=rates).rates == exact
    for rates, message in (
        ((Fraction(1, 2), Fraction(1, 4)), "--rates: 1/2,1/4: expected 1 and a smaller one"),
        ((Fraction(1),), "--rates: 1: expected 1 and a smaller one"), ((), "--rates: none: expected 1"),
        ((1, 0.5, Fraction(1, 2)), "--rates: '1/2' equals 0.5"),
        ((1, Fraction(3, 2)), "--rates: '3/2': expected shares"), ((1, 0), "--rates: '0': expected shares"),
        ((1, -0.5), "--rates: '-0.5': expected shares"),
        ((1, float("nan")), "--rates: 'nan': expected shares"),
    ):  # fmt: skip
        with pytest.raises(StudyMistake, match=message):
            sweep(rates=rates)


@pytest.mark.parametrize(
    "sweep", [partial(RailSweep, workloads=("a.sb",)), partial(ProgramRailSweep, command=("a",))], ids=("sb", "program")
)
def test_policies_from_python_are_two_or_more(sweep: Callable[..., Any]) -> None:
    default, first = map(parse_policy, ("default", "nic0"))

    for given in ((default, first), ("default", "nic0")):
        assert sweep(policies=given).policies == (default, first)
    for policies, message in (
        ((default,), "--policies: default: expected at least two, such as default,nic0"),
        ((), "--policies: none: expected at least two"), ((first, first), "--policies: 'nic0': is given twice"),
        ((default, RailPolicy(kind=Kind.nic)), "--policies: 'nicNone': expected default, nic0"),
    ):  # fmt: skip
        with pytest.raises(StudyMistake, match=message):
            sweep(policies=policies)


def test_numbers_of_ranks_are_distinct() -> None:
    assert option_values.rank_counts("2,4,8") == (2, 4, 8)
    assert option_values.rank_counts(None) == ()
    assert (option_values.one_rank_count("4"), option_values.one_rank_count(None)) == (4, None)
    for text in ("2,2", "0", "2,", "x"):
        with pytest.raises(StudyMistake, match=r"-n: '.*': expected numbers of ranks, each once"):
            option_values.rank_counts(text)
    with pytest.raises(StudyMistake, match="-n: '2,4': expected one number of ranks"):
        option_values.one_rank_count("2,4")


def test_variables_keep_the_order_of_their_values() -> None:
    assert option_values.variables(["a=2", "b=x=y", "a=1"]) == {"a": ["2", "1"], "b": ["x=y"]}
    for texts in (["a"], ["1=2"], ["a=1", "a=1"]):
        with pytest.raises(StudyMistake, match="--set "):
            option_values.variables(texts)


def test_a_policy_by_jobs_may_contain_commas() -> None:
    policies = option_values.policies("default,jobs:a=0,b=1,nic0", example="default,nic0")

    assert list(map(str, policies)) == ["default", "jobs:a=0,b=1", "nic0"]
    with pytest.raises(StudyMistake, match="--policies: default: expected at least two"):
        option_values.policies("default", example="default,nic0")


def test_nics_and_transports_are_optional() -> None:
    assert (option_values.nics("ib0,ib1"), option_values.nics(None)) == (("ib0", "ib1"), ())
    assert (option_values.transport("ucx"), option_values.transport(None)) == (Transport.ucx, None)
    with pytest.raises(StudyMistake, match="--nics: 'ib0': is given twice"):
        option_values.nics("ib0,ib0")
    with pytest.raises(StudyMistake, match="--transport: 'rdma': expected tcp, ucx, ofi"):
        option_values.transport("rdma")
