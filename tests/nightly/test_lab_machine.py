"""`stressbench machine` on a lab whose link rates are known, at the full rate and at half of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.lab_bench import RATE

import stressbench

BYTES_PER_S = RATE / 8
SAMPLES = 12  # rounds of a quick launch


@pytest.fixture(scope="module")
def machines(lab_up) -> Iterator[tuple[Path, Path]]:
    """The directories of two measurements of bandwidth: full rate, half rate."""
    tiny = lab_up("tiny")
    made = tiny.folder / "full", tiny.folder / "half"
    for folder, rate in zip(made, ("full", "half"), strict=True):
        tiny.set("hosts", f"rate={rate}")
        try:
            words = ("--on", "lab:tiny", "--quick", "--only", "bandwidth", "--host-names", "-o", folder)
            done = tiny.stressbench("machine", "run", *words)
        finally:
            tiny.set("hosts", "rate=full")
        assert done.status == 0, done.text
    yield made


def figure(folder: Path, name: str) -> dict[str, Any]:
    made = json.loads((folder / "machine.json").read_text())
    found: dict[str, Any] = next(one for one in made["figures"] if one["name"] == name)
    return found


def test_the_bandwidth_is_what_the_link_carries(machines: tuple[Path, Path], measured) -> None:
    """5 %: as of a stream."""
    for folder, rate, share in zip(machines, ("full", "half"), (1.0, 0.5), strict=True):
        values = figure(folder, "bandwidth.network.one-way")["values"]

        assert len(values) == SAMPLES
        measured.median(f"machine: 1 MiB one way, {rate} rate", values, expected=share * BYTES_PER_S, within=0.05)


def test_half_the_rate_is_worse(machines: tuple[Path, Path]) -> None:
    comparison = stressbench.compare_machines(*machines)

    found = {one.name: one for one in comparison.data.figures}
    assert comparison.worse
    assert found["bandwidth.network.one-way"].verdict == "worse"
    assert "hosts" not in {text.partition(":")[0] for text in comparison.data.differences}


def test_the_whole_suite_runs_on_a_lab(lab_up, tmp_path: Path) -> None:
    """Placements, noise and b_eff: each figure has a value for each round, or for each block of two rounds."""
    done = lab_up("tiny").stressbench("machine", "run", "--on", "lab:tiny", "--quick", "-o", tmp_path / "made")
    assert done.status == 0, done.text

    made = json.loads((tmp_path / "made" / "machine.json").read_text())

    assert made["complete"] is True
    counts = {one["name"]: one["n"] for one in made["figures"]}
    assert len(counts) == 20
    per_block = {name for name in counts if name.startswith("impact.") or name.endswith(".difference")}
    assert len(per_block) == 8
    assert all(count == (6 if name in per_block else 12) for name, count in counts.items())
    assert {one["workload"] or one["part"] for one in made["skipped"]} == {"latency-node", "bandwidth-node", "storage"}


def test_hosts_are_named_where_that_was_asked_for(machines: tuple[Path, Path]) -> None:
    made = json.loads((machines[0] / "machine.json").read_text())["provenance"]

    assert (made["hosts"], len(made["host_names"]), made["ranks_per_node"]) == (4, 4, [1, 1])
