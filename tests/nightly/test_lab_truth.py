"""Congestion impacts that arithmetic tells beforehand are what a study finds, on links of known rates."""

import json
from collections.abc import Mapping

import pytest
from support.lab_bench import Bench
from support.measured import around, at_least, reported_ratio, share_of

TREE = """
[hosts]
count = 8
[[rail]]
rate = "50Mbit"
[topology]
kind = "fat-tree"
hosts_per_leaf = 4
taper = "{taper}:1"
"""
STREAMS = "".join(
    f"[JOB_NAME] stream{host}\n[NID_LIST] {host},{host + 4}\n[MOTIF] bandwidth -s 128KiB -w 4\n" for host in range(4)
)
STUDY = """\
[factors]
workload = "streams.sb"
on = {places}
[run]
isolated = {blocks}
contended = {blocks}
repetitions = 3
"""
TRUTHS = (1.0, 1.5, 2.0, 4.0)
WITHIN = 0.05


@pytest.fixture(scope="module")
def trees(lab_up) -> Bench:
    """A tree for each truth: four streams through one uplink, which carries what 4 / truth hosts can send."""
    bench: Bench = lab_up("tree-1.0", TREE.format(taper=1.0))
    for truth in TRUTHS[1:]:
        file = bench.folder / f"tree-{truth}.toml"
        file.write_text(TREE.format(taper=truth), encoding="utf-8")
        bench.lab("up", str(file))
    (bench.folder / "streams.sb").write_text(STREAMS, encoding="utf-8")
    return bench


def impacts(bench: Bench, samples: int) -> Mapping[float, list[Mapping[str, float]]]:
    """What a study over all trees finds: each job's impact, with its interval."""
    places = json.dumps([f"lab:tree-{truth}" for truth in TRUTHS])
    (bench.folder / "study.toml").write_text(STUDY.format(places=places, blocks=samples), encoding="utf-8")
    ended = bench.stressbench("study", "run", "study.toml", "-o", "study", timeout_s=1800)
    assert ended.status == 0, ended.text
    report = json.loads(bench.stressbench("study", "report", "study", "--format", "json").output)
    return {
        float(cell["values"]["on"].removeprefix("lab:tree-")): [job["impact"] for job in cell["jobs"]]
        for cell in report["cells"]
    }


def test_known_impacts_are_recovered(trees: Bench, measured, samples) -> None:
    """Each job's within 5 %: headers, acknowledgements, and four streams that hardly divide a link evenly.

    Nineteen intervals of twenty hold the truth; a hundredth is arithmetic's own error. Twelve of sixteen leave room for
    jobs of one study that depend on each other.
    """
    found = impacts(trees, samples)

    reported = [(truth, number, job) for truth in TRUTHS for number, job in enumerate(found[truth])]
    assert len(reported) == 4 * len(TRUTHS)
    holding = [job["low"] <= 1.01 * truth and job["high"] >= 0.99 * truth for truth, _, job in reported]
    measured.judge(
        [
            *(
                reported_ratio(f"impact of stream{number}, {truth:g}", job, samples, around(truth, within=WITHIN))
                for truth, number, job in reported
            ),
            share_of("intervals that hold the truth", sum(holding), len(holding), at_least(0.95)),
        ]
    )
    assert sum(holding) >= 12, found
