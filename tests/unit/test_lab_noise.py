"""Background traffic of labs."""

import pytest

from stressbench.labs import noise, system
from stressbench.labs.plan import NoisePlan


def test_flows_to_the_same_host_share_a_sink(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, str, int]] = []
    monkeypatch.setattr(system, "fork_child", lambda work: work())
    monkeypatch.setattr(noise, "_sink", lambda address, pid: started.append(("sink", address, pid)))
    monkeypatch.setattr(noise, "_send", lambda flow, pid: started.append(("sender", flow.address, pid)))
    flows = [
        NoisePlan(source=source, target=target, address=f"10.0.0.{target[1]}", frames_per_s=1.0, max_burst=8)
        for source, target in (("h0", "h1"), ("h2", "h1"), ("h1", "h2"))
    ]

    noise.start_noise(flows, {"h0": 100, "h1": 101, "h2": 102})

    assert started == [
        ("sink", "10.0.0.1", 101),
        ("sink", "10.0.0.2", 102),
        ("sender", "10.0.0.1", 100),
        ("sender", "10.0.0.1", 102),
        ("sender", "10.0.0.2", 101),
    ]
