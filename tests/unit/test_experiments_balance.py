"""b_eff with Rmax: where Rmax is from, and the balance factor."""

from pathlib import Path

import pytest
from support.beff_protocols import made_beff

from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.balance import BEffWithRmax, RmaxChoice, evaluate_balanced_b_eff, rmax_choice
from stressbench.launch.errors import LaunchMistake
from stressbench.suites.hpcc import Rmax

RMAX = Rmax(flops_per_s=2.5e9, source="as given")


@pytest.mark.parametrize(
    ("text", "choice"),
    [(None, RmaxChoice()), ("hpcc", RmaxChoice(by_hpcc=True)), ("2.5", RmaxChoice(given=RMAX))],
)
def test_rmax_is_given_or_measured_by_hpcc(text: str | None, choice: RmaxChoice) -> None:
    assert rmax_choice(text) == choice


def test_another_text_is_refused() -> None:
    with pytest.raises(LaunchMistake, match="'HPCC' must be Linpack's Rmax in GFlop/s, above 0, or hpcc"):
        rmax_choice("HPCC")


def test_the_balance_factor_is_b_eff_over_rmax(tmp_path: Path) -> None:
    result = evaluate_balanced_b_eff(made_beff(tmp_path, name="made.jsonl"), rmax=RmaxChoice(given=RMAX))

    assert result.status == ExitStatus.ok
    assert result.balanced.b_eff == result.b_eff.b_eff
    assert result.balanced.balance_bytes_per_flop == pytest.approx(result.b_eff.b_eff / 2.5e9)


def test_without_rmax_the_balance_factor_is_unknown(tmp_path: Path) -> None:
    result = evaluate_balanced_b_eff(made_beff(tmp_path, name="made.jsonl"), rmax=RmaxChoice()).balanced

    assert (result.rmax_flops_per_s, result.balance_bytes_per_flop) == (None, None)


def test_a_protocol_file_has_no_ranks_for_hpcc(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--rmax hpcc: needs a measurement"):
        evaluate_balanced_b_eff(made_beff(tmp_path, name="made.jsonl"), rmax=RmaxChoice(by_hpcc=True))


def test_an_hpcc_that_failed_is_a_fault_next_to_a_valid_b_eff(tmp_path: Path) -> None:
    b_eff = evaluate_balanced_b_eff(made_beff(tmp_path, name="made.jsonl"), rmax=RmaxChoice()).b_eff

    assert BEffWithRmax(b_eff=b_eff, hpcc_fault="it ended with status 3").status == ExitStatus.fault
