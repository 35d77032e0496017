"""`stressbench doctor` on a lab: what carries messages between its hosts, and a link that is down."""

import json
from typing import Any

from support.lab_bench import Bench


def doctor(bench: Bench, *words: str) -> tuple[int, dict[str, list[tuple[str, str]]]]:
    """The exit status, and levels and sentences by check."""
    done = bench.stressbench("doctor", "--on", f"lab:{bench.name}", "--json", *words)
    findings: dict[str, list[tuple[str, str]]] = {}
    one: dict[str, Any]
    for one in json.loads(done.output)["findings"]:
        findings.setdefault(one["check"], []).append((one["level"], one["found"]))
    return done.status, findings


def test_messages_between_hosts_go_over_the_links_of_the_lab(lab_up) -> None:
    status, findings = doctor(lab_up("tiny"), "-n", "4")

    assert status == 0, findings
    assert findings["messages between hosts"] == [("ok", "TCP over eth0, by the bytes received")]
    assert findings["hosts"] == [("ok", "ranks of each host: h0: 1, h1: 1, h2: 1, h3: 1")]
    assert findings["links"] == [("ok", "4 links of lab tiny are up")]


def test_a_link_that_is_down_is_named_and_the_launch_is_ended(lab_up) -> None:
    tiny = lab_up("tiny")
    tiny.set("h3-s0", "down")
    try:
        status, findings = doctor(tiny, "-n", "4", "--time-limit", "20s")
    finally:
        tiny.set("h3-s0", "up")

    assert status == 1
    assert findings["links"] == [("error", "h3-s0 of lab tiny is down")]
    assert [level for level, _ in findings["launch"]] == ["error"]
