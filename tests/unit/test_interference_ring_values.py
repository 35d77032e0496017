"""Options of the congestor ring as values: levels, pauses, numbers, and the pairing of probes."""

import pytest

from stressbench.experiments.interference import ring_values
from stressbench.interference.compression import PAPER_CLOCK_HZ
from stressbench.interference.congestor_ring import ProbePairing
from stressbench.launch.errors import LaunchMistake


def test_levels_are_a_number_or_all() -> None:
    assert (ring_values.levels("5"), ring_values.levels("all")) == (5, None)
    for text in ("0", "-1", "ALL", "1.5"):
        with pytest.raises(LaunchMistake, match=f"--levels: '{text}' must be a number, at least 1, or all"):
            ring_values.levels(text)


def test_pauses_are_times_or_cycles_of_the_clock() -> None:
    assert ring_values.pauses_s("10us,1ms", clock_hz=1.0) == (1e-5, 1e-3)
    assert ring_values.pauses_s("2e6, 2000000", clock_hz=ring_values.clock_hz("2GHz")) == (1e-3,)
    assert ring_values.pauses_s(None, clock_hz=1.0) == ()
    assert ring_values.clock_hz(None) == PAPER_CLOCK_HZ


@pytest.mark.parametrize(
    ("text", "clock", "message"),
    [
        ("soon", None, "--bubbles: 'soon' must be"),
        ("1", None, "--bubbles: '1' must be .*; 1ns at least"),
        ("1us", "fast", "--clock: 'fast' must be"),
    ],
)
def test_other_pauses_are_refused(text: str, clock: str | None, message: str) -> None:
    with pytest.raises(LaunchMistake, match=message):
        ring_values.pauses_s(text, clock_hz=ring_values.clock_hz(clock))


def test_numbers_are_distinct_and_above_zero() -> None:
    assert ring_values.numbers("4, 1,4", option="--partners") == (4, 1)
    assert ring_values.numbers(None, option="--partners") == ()
    for text in ("0", "1,", "x"):
        with pytest.raises(LaunchMistake, match=f"--partners: '{text}' must be numbers, 1 or more"):
            ring_values.numbers(text, option="--partners")


def test_probes_on_the_hosts_of_a_ring_are_paired_linearly_or_interleaved() -> None:
    assert ring_values.pairing(None) == ProbePairing.linear
    assert ring_values.pairing("interleaved") == ProbePairing.interleaved
    with pytest.raises(LaunchMistake, match="--place: 'random:1': probes share hosts with a ring"):
        ring_values.pairing("random:1")
