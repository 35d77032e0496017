"""A watcher beside a run on a lab: congestion impacts with and without it do not differ (an A/A comparison)."""

import re
import sys
import threading
import urllib.request
from itertools import chain
from pathlib import Path

import numpy as np
from support.lab_bench import STREAM, TAPERED, Bench, impacts, job
from support.programs import Started

from stressbench.formats.run import read_run
from stressbench.stats import RunSummary, summarise
from stressbench.stats.intervals import paired_interval

BLOCKS = 8
POLL_S = 0.5
"""Much more often than a page asks by default."""
WORKLOAD = job("a", "0,2", STREAM) + job("b", "1,3", STREAM)
"""Two streams that share the uplinks of two switches: each gets half of the rate."""


def measured_run(lab: Bench, target: Path, *, watched: bool) -> tuple[RunSummary, int]:
    """A run, and how often its page was fetched."""
    (lab.folder / "w.sb").write_text(WORKLOAD, encoding="utf-8")
    rounds = ("--isolated", str(BLOCKS), "--contended", str(BLOCKS), "--repetitions", "3")
    command = [
        sys.executable,
        "-m",
        "stressbench",
        "run",
        "w.sb",
        "--on",
        f"lab:{lab.name}",
        "-o",
        str(target),
        *rounds,
    ]
    ended, fetched = threading.Event(), []
    with Started([*command, *(["--watch"] if watched else [])], cwd=lab.folder, environment=lab.environment) as process:
        assert process.stderr is not None
        url = next(filter(None, map(address_in, process.stderr)), "") if watched else ""

        def poll() -> None:
            while not ended.wait(POLL_S):
                try:
                    with urllib.request.urlopen(url, timeout=60) as answer:
                        fetched.append(len(answer.read()))
                except OSError:
                    return

        poller = threading.Thread(target=poll) if watched else None
        if poller is not None:
            poller.start()
        _, errors = process.communicate(timeout=900)
        ended.set()
        if poller is not None:
            poller.join()
    assert process.returncode == 0, errors
    return summarise(read_run(target)), len(fetched)


def address_in(line: str) -> str:
    found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
    return "" if found is None else found[0]


def test_impacts_with_a_watcher_are_those_without(lab_up, measured, few_samples) -> None:
    """Pairs of runs in turn, of which the first is watched in every other pair; one ratio of impacts for each pair."""
    lab = lab_up("watch", TAPERED)
    found: dict[bool, list[list[float]]] = {False: [], True: []}
    for pair in range(few_samples):
        for watched in (pair % 2 == 0, pair % 2 == 1):
            summary, fetched = measured_run(lab, lab.folder / f"{pair}-{watched}.jsonl", watched=watched)
            assert (fetched > 3) is watched
            found[watched].append(impacts(summary))

    medians = {watched: [sorted(one)[len(one) // 2] for one in runs] for watched, runs in found.items()}
    ratios = [with_it / without for with_it, without in zip(medians[True], medians[False], strict=True)]
    measured.median("impact with a watcher over that without", ratios, expected=1, within=0.05)
    assert overlap(*(interval(list(chain(*runs))) for runs in found.values()))


def interval(ratios: list[float]) -> tuple[float, float]:
    """The 95 % interval of the median impact over all blocks, on a log scale."""
    found = paired_interval(np.log(np.array(ratios)))
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
