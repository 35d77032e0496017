"""Numbers as people read them."""

import pytest

from stressbench.report.units import bit_rate, compact_count, metric_text, percent, plain_time, time


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("write_bandwidth_bytes_per_s", 5_912_698.0, "5.91 MB/s"),
        ("write_transfers_per_s", 6.452, "6.45 /s"),
        ("open_time_s", 0.0535, "53.5 ms"),
        ("written_bytes", 1_048_576.0, "1,048,576"),
        ("transfers", 1.0, "1.00"),
        ("open_time_s", None, "–"),
    ],
)
def test_a_metric_has_the_unit_of_its_name(name: str, value: float | None, text: str) -> None:
    assert metric_text(name, value) == text


@pytest.mark.parametrize(
    ("bits_per_s", "text"),
    [(100_000_000, "100 Mbit/s"), (2_500_000_000, "2.5 Gbit/s"), (64_000, "64 kbit/s"), (300, "300 bit/s")],
)
def test_links_have_the_rates_that_they_are_sold_by(bits_per_s: int, text: str) -> None:
    assert bit_rate(bits_per_s) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (950, "950"), (1000, "1k"), (9_500, "9.5k"), (12_345, "12k"), (999_999, "1M"), (3 * 10**9, "3G")],
)
def test_counts_in_figures_are_short(value: int, text: str) -> None:
    assert compact_count(value) == text


def test_shares_are_percents_without_the_sign() -> None:
    assert (percent(0.123), percent(None)) == ("12.3", "–")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (12.0, "12 s"), (0.0069381, "6.938 ms"), (2.011e-4, "201.1 us"), (4.2e-8, "42 ns"), (0.0, "0 s")],
)
def test_times_in_files_are_ascii_with_four_digits(seconds: float | None, text: str) -> None:
    assert plain_time(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0009999, "1.00 ms"), (0.00099949, "999 µs"), (9.999e-7, "1.00 µs"), (0.9996, "1.00 s"), (2e-9, "2.00 ns")],
)
def test_a_time_is_in_the_unit_that_its_digits_ask_for(seconds: float, said: str) -> None:
    assert time(seconds) == said
