"""`lab check` tells every stream that it measured, and its verdict is that of the median one."""

from typing import cast

import pytest

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.units import Rate, parse_rate_share
from stressbench.labs.catalog import lab_file
from stressbench.labs.file import read_lab
from stressbench.labs.lifecycle import RunningLab
from stressbench.labs.link_check import evaluate_streams
from stressbench.labs.link_control import apply_change, parse_change
from stressbench.labs.shaping import PAYLOAD_SHARE
from stressbench.labs.status import LinkCheck
from stressbench.labs.subset import with_rate_share
from stressbench.labs.topology import End, Link

RATE = Rate(100_000_000)
BEST = RATE.scaled(PAYLOAD_SHARE)
LINK = Link(
    name="h0-s0", rail=0, a=End(node="h0", device="eth0", mac="02:00:00:00:00:01"),
    b=End(node="s0", device="p0", mac="02:00:00:00:00:02"), rate=RATE,
)  # fmt: skip


def finding(*shares: float, round_trip_s: float = 5e-5) -> LinkCheck:
    """Of a link of 100 Mbit/s whose streams brought these shares of its best."""
    payloads = [BEST.scaled(share) for share in shares]
    return evaluate_streams(LINK, LINK.a, LINK.b, RATE, payloads=payloads, round_trip_s=round_trip_s, tolerance=0.03)


def test_every_stream_is_told_in_order_and_the_median_is_the_share() -> None:
    found = finding(1.0, 0.4, 0.99)

    assert found.shares == pytest.approx((1.0, 0.4, 0.99), rel=1e-6)
    assert found.share == pytest.approx(0.99, rel=1e-6)
    assert found.payload_bits_per_s == pytest.approx(0.99 * BEST.bits_per_s, rel=1e-6)
    assert found.off is None


def test_a_link_is_off_where_its_median_stream_is_even_if_one_is_right() -> None:
    """A best of several would pass this one."""
    found = finding(0.8, 1.0, 0.8)

    assert found.off == "a stream reaches 80.0% of the expected rate"


@pytest.mark.parametrize("text", [f"rate={'9' * 300}/1", f"rate={'9' * 300}%", f"rate=1/{'9' * 300}", "rate=0.001%"])
def test_a_share_that_leaves_no_rate_that_can_be_set_is_refused_before_any_link_is_changed(text: str) -> None:
    with pytest.raises(LabMistake, match=r"link h0-s0 would have .*; expected (at least 8kbit|less than 2.63 bit/s)"):
        apply_change(cast("RunningLab", None), [LINK], parse_change(text))
    with pytest.raises(LabMistake, match="lab tiny's link"):
        with_rate_share(read_lab(lab_file("tiny")), float(parse_rate_share(text.removeprefix("rate="))))


def test_one_stream_decides_by_itself() -> None:
    assert finding(0.8).off is not None
    assert finding(1.0).off is None
    assert finding(1.0, round_trip_s=0.1).off == "a round trip of one byte takes 100.0 ms"
