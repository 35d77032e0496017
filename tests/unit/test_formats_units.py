"""Sizes, times, rates and shares: what people may write, what is refused, and how they are shown."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from stressbench.formats import units
from stressbench.formats.units import UnitError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("30s", 30.0), ("55min", 3300.0), ("2h", 7200.0), ("1.5us", 1.5e-6), ("1ns", 1e-9)],
)
def test_times_are_read_as_the_engine_reads_them(text: str, seconds: float) -> None:
    assert units.parse_seconds(text) == seconds


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("full", 1),
        ("half", Fraction(1, 2)),
        ("eighth", Fraction(1, 8)),
        ("2/6", Fraction(1, 3)),
        ("12.5%", Fraction(1, 8)),
    ],
)
def test_shares_of_a_rate_are_exact(text: str, share: Fraction) -> None:
    assert units.parse_rate_share(text) == share


def test_a_plain_1_is_a_share_of_a_rate_only_where_the_caller_says_so() -> None:
    assert units.parse_rate_share("1", allow_one=True) == 1
    with pytest.raises(UnitError):
        units.parse_rate_share("1")


@pytest.mark.parametrize(("text", "share"), [("2%", 0.02), ("0.02", 0.02), ("0", 0.0)])
def test_a_share_is_a_number_or_percent(text: str, share: float) -> None:
    assert units.parse_share(text, zero=True) == share


@pytest.mark.parametrize(("text", "hertz"), [("2.6GHz", 2.6e9), ("2.6G", 2.6e9), ("1e9", 1e9), ("100kHz", 1e5)])
def test_frequencies(text: str, hertz: float) -> None:
    assert units.parse_frequency(text) == hertz


@pytest.mark.parametrize(
    ("parse", "text", "sentence"),
    [
        (units.parse_seconds, "60", "expected a time with its unit, such as 500ms, 30s, 10min or 2h"),
        (units.parse_seconds, "0s", "expected a time with its unit, such as 500ms, 30s, 10min or 2h"),
        (units.parse_seconds, "1 s", "expected a time with its unit, such as 500ms, 30s, 10min or 2h"),
        (units.parse_size, "9" * 5000, "expected a size above 0, such as 4096, 32KiB, 1.5MiB or 4MB"),
        (units.parse_rate, "fast", "expected a rate in bits per second, such as 100Mbit or 1Gbit"),
        (units.parse_rate, "1bit", "expected at least 8kbit"),
        (units.parse_duration, "1min", "expected a time, such as 10us or 1ms"),
        (units.parse_bytes, "4096", "expected a size, such as 256KiB or 1MB"),
        (units.parse_bytes, f"{2**63}B", "is too large; expected less than 2^63 bits per second, bytes or nanoseconds"),
        (units.parse_byte_rate, "500MB", "expected a rate in bytes per second, such as 500MB/s or 2GB/s"),
        (units.parse_byte_rate, "0MB/s", "expected more than 0 bytes per second"),
        (units.parse_frequency, "0Hz", "expected a frequency from 1Hz to 1000GHz, such as 2.6GHz"),
        (units.parse_rate_share, "third", "expected full, half, quarter, eighth, 1/5 or 20%"),
        (units.parse_rate_share, "1/0", "expected full, half, quarter, eighth, 1/5 or 20%"),
        (units.parse_percent, "0%", "expected a share above 0, such as 5%"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_sentence_about_what_was_expected(
    parse: Callable[[str], object], text: str, sentence: str
) -> None:
    with pytest.raises(UnitError) as refused:
        parse(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("text", ["100%", "1", "-0.1", "nan"])
def test_a_share_of_1_or_more_or_below_0_is_refused(text: str) -> None:
    with pytest.raises(UnitError, match="expected at least 0% and less than 100%"):
        units.parse_share(text, zero=True)


def test_a_share_of_0_is_refused_unless_the_caller_allows_it() -> None:
    with pytest.raises(UnitError, match="expected more than 0% and less than 100%"):
        units.parse_share("0%", zero=False)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "unknown"), (40.0, "40 s"), (119.0, "119 s"), (720.0, "12 min"), (3900.0, "1 h 05 min")],
)
def test_estimates_are_rounded_to_what_one_plans_by(seconds: float | None, text: str) -> None:
    assert units.duration_text(seconds) == text


@pytest.mark.parametrize(("seconds", "text"), [(60.0, "60 s"), (900.0, "15 min"), (1.5, "1.5 s")])
def test_chosen_times_keep_three_digits(seconds: float, text: str) -> None:
    assert units.minutes_text(seconds) == text


@pytest.mark.parametrize(("size", "text"), [(16 << 20, "16 MiB"), (3 << 30, "3 GiB"), (1000, "1000 bytes")])
def test_limits_are_shown_in_the_largest_unit_that_divides_them(size: int, text: str) -> None:
    assert units.exact_size_text(size) == text


def test_values_are_written_as_lab_files_spell_them() -> None:
    assert str(units.parse_rate("1.5 Gbit/s")) == "1.5Gbit"
    assert str(units.parse_duration("10 us")) == "10us"
    assert str(units.parse_bytes("256KiB")) == "256KiB"
    assert units.parse_byte_rate("1.5 GB/s").count == 1_500_000_000
