"""`lab check` tells every stream that it measured, and its verdict is that of the median one."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.units import Rate, parse_rate_share
from stressbench.labs import link_control
from stressbench.labs.adaptive_routes import ports_of, ps_per_byte
from stressbench.labs.catalog import lab_file
from stressbench.labs.counters import EndCounters, LabCounters, LinkCounters
from stressbench.labs.file import read_lab
from stressbench.labs.lifecycle import RunningLab
from stressbench.labs.link_check import evaluate_streams
from stressbench.labs.link_control import apply_change, parse_change
from stressbench.labs.queues import TokenBucket
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


@pytest.mark.parametrize(
    ("changes", "rates"),
    [
        (("down", "up"), (0, 100)),
        (("rate=10Mbit", "down", "up"), (10, 0, 10)),
        (("down", "rate=10Mbit", "up"), (0, 10)),  # the rate of a link that is down does not bring its port up
    ],
)
def test_a_port_of_an_adaptive_switch_has_the_rate_of_its_link_and_none_while_that_is_down(
    monkeypatch: pytest.MonkeyPatch, changes: Sequence[str], rates: Sequence[int]
) -> None:
    """The link between two switches; `rates` in Mbit/s as the program of each of them gets, 0: down."""
    lab = read_lab(lab_file("isambard"))
    link = next(one for one in lab.links if one.rate == RATE and all(lab.node(end.node).is_switch for end in one.ends))
    present: dict[str, Any] = {"rate": link.rate, "is_up": True}
    port_rates: list[tuple[int, list[tuple[int, int]]]] = []

    def run(_running: object, _end: End, tool: str, lines: Sequence[str], **_: object) -> None:
        if tool == "ip":
            present["is_up"] = not any(line.endswith("down") for line in lines)
        else:
            (line,) = lines
            present["rate"] = Rate(int(line.partition(" rate ")[2].partition("bit")[0]))

    bucket = TokenBucket(rate=RATE, bytes=0, frames=0, drops=0, waiting_bytes=0)

    def counters(one: Link) -> LinkCounters:
        end = EndCounters(at_s=0, bucket=replace(bucket, rate=present["rate"]), is_up=present["is_up"])
        return LinkCounters(link=one, from_a=end, from_b=end)

    monkeypatch.setattr(link_control, "_run", run)
    monkeypatch.setattr(link_control, "read_counters", lambda _: LabCounters(links=tuple(map(counters, lab.links))))
    monkeypatch.setattr(
        link_control, "set_port_rates", lambda switch, _ports, rates, **_: port_rates.append((switch, list(rates)))
    )
    running = cast("RunningLab", SimpleNamespace(lab=lab, holder=lambda _: SimpleNamespace(pid=1)))

    for change in changes:
        apply_change(running, [link], parse_change(change))

    for end in link.ends:
        switch, port = lab.node(end.node).number, ports_of(lab, end.node).index(link)
        expected = [ps_per_byte(Rate(rate * 1_000_000)) if rate else 0 for rate in rates]
        assert [found for number, found in port_rates if number == switch] == [[(port, ps)] for ps in expected]
