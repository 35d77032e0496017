"""`stressbench corun` of real programs, on a lab, and under a Slurm whose nodes are the hosts of that lab."""

import json
import signal
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.batch_jobs import (
    ALL_NODES,
    HOSTS,
    assert_clean,
    command,
    corun_command,
    corun_words,
    periods_in,
    stressbench,
)
from support.lab_bench import Bench
from support.programs import LIMIT_S, Started, send, wait_until
from support.real_programs import PAIRS, programs_of
from support.schemas import schema_faults
from support.slurm_lab import Slurm, start_slurm

LAB = """\
[hosts]
count = 4
[[rail]]
rate = "1Gbit"
[topology]
kind = "single"
"""
BLOCKS = 6  # the fewest with intervals
RANKS = 2


@pytest.fixture(scope="module")
def lab(lab_up) -> Bench:
    return lab_up("coruns", LAB)


@pytest.fixture(scope="module")
def slurm(lab) -> Slurm:
    return start_slurm(lab, HOSTS)


@pytest.fixture(params=PAIRS)
def programs(request, benchmark, lab) -> Mapping[str, tuple[str, ...]]:
    """Two programs by name."""
    return programs_of(request.param, benchmark=benchmark, folder=lab.folder, ranks=RANKS)


def result_in(lab: Bench, directory: str) -> Mapping[str, Any]:
    """What `corun report` says of a directory."""
    ended = lab.stressbench("corun", "report", directory, "--format", "json")
    assert ended.status == 0, ended.text
    found: dict[str, Any] = json.loads(ended.output)
    assert schema_faults("corun", found) == []
    return found


def assert_slowdowns_with_intervals(found: Mapping[str, Any], names: list[str]) -> None:
    assert found["complete"]
    assert [(one["program"], one["others"]) for one in found["slowdowns"]] == [
        (names[0], names[1:]),
        (names[1], names[:1]),
    ]
    for one in found["slowdowns"]:
        interval = one["slowdown"]
        assert one["blocks"] == BLOCKS
        assert 0 < interval["low"] <= interval["value"] <= interval["high"], one
        assert one["executions"] >= BLOCKS


def test_programs_on_a_lab_have_slowdowns_with_intervals(lab, programs) -> None:
    directory = f"lab-{'-'.join(programs)}"
    words = corun_words(directory, on=f"lab:{lab.name}", programs=programs, blocks=BLOCKS)

    ended = lab.stressbench(*words, timeout_s=1800)

    assert ended.status == 0, ended.text
    print(ended.output)
    assert_slowdowns_with_intervals(result_in(lab, directory), list(programs))


def test_programs_under_slurm_have_slowdowns_with_intervals(slurm, programs) -> None:
    directory = f"slurm-{'-'.join(programs)}"
    words = corun_words(directory, on="slurm", programs=programs, blocks=BLOCKS)

    number = slurm.submit(command(*words), *ALL_NODES, name=directory)
    ended = slurm.wait_for_state(number, "COMPLETED", "FAILED", within_s=1800)

    printed = (slurm.lab.folder / f"{directory}.out").read_text()
    assert ended["JobState"] == "COMPLETED", printed
    print(printed)
    assert_slowdowns_with_intervals(result_in(slurm.lab, directory), list(programs))


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
def test_a_corun_on_a_lab_that_is_killed_halfway_leaves_no_process_and_its_blocks(slurm, programs, how) -> None:
    directory = f"lab-{'-'.join(programs)}-{how}"
    words = corun_words(directory, on=f"lab:{slurm.lab.name}", programs=programs, blocks=100)

    with Started(stressbench(*words), cwd=slurm.lab.folder, environment=slurm.lab.environment) as run:
        wait_for_a_block(slurm, directory)
        run.send_signal(signal.Signals[how])
        run.communicate(timeout=LIMIT_S)

    assert_blocks_and_nothing_else(slurm, directory)


@pytest.mark.parametrize("how", ["scancel", "SIGTERM", "SIGKILL"])
def test_a_corun_under_slurm_that_is_killed_halfway_leaves_no_process_and_its_blocks(slurm, programs, how) -> None:
    directory = f"slurm-{'-'.join(programs)}-{how}"
    words = corun_words(directory, on="slurm", programs=programs, blocks=100)
    number = slurm.submit(command(*words), *ALL_NODES, "--no-requeue", name=directory)
    wait_for_a_block(slurm, directory)

    if how == "scancel":
        slurm.on("h0", "scancel", number)
    else:
        send(signal.Signals[how], [slurm.main_process(number).pid])

    assert_blocks_and_nothing_else(slurm, directory)


def wait_for_a_block(slurm: Slurm, directory: str) -> None:
    """Wait until a block is measured, and the next one has begun."""
    journal = slurm.lab.folder / directory / "launches.jsonl"
    wait_until(lambda: periods_in(journal) >= 4, "a block is measured", within_s=900, every_s=0.2)


def assert_blocks_and_nothing_else(slurm: Slurm, directory: str) -> None:
    slurm.wait_until_idle()
    found = result_in(slurm.lab, directory)
    assert not found["complete"]
    assert all(one["blocks"] >= 1 for one in found["slowdowns"])
    assert_clean(slurm)


@pytest.mark.parametrize("nodes", ["disjoint", "shared"])
def test_programs_get_nodes_of_their_own_or_all_nodes(slurm, nodes) -> None:
    folder: Path = slurm.lab.folder / nodes

    number = slurm.submit(corun_command(nodes, "--nodes", nodes, blocks=2), *ALL_NODES, name=f"corun-{nodes}")
    ended = slurm.wait_for_state(number, "COMPLETED", "FAILED")

    assert ended["JobState"] == "COMPLETED", (slurm.lab.folder / f"corun-{nodes}.out").read_text()
    plan, *periods = (json.loads(line) for line in (folder / "launches.jsonl").read_text().splitlines())
    assert plan["hosts"] == [[None, None] if nodes == "shared" else ["0-1", "2-3"]]
    assert Counter(len(one["programs"]) for one in periods) == {1: 4, 2: 2}
