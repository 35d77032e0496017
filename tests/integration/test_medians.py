"""The engine's own table and `stressbench show` tell the same median of the same file."""

import json
import re
import shutil
from pathlib import Path

import numpy as np

ISOLATED_MS = ([1.0], [5.0] * 9, [9.0])
"""Repetitions of the isolated rounds, as many as differ: the rounds' medians are 1, 5 and 9, of all samples it is 5."""
CONTENDED_MS = ([2.0] * 9, [4.0], [8.0])
"""The median over rounds is 4; that of all repetitions would be 2."""


def with_times(run_file: Path) -> None:
    """The interrupted run of one job whose measured repetitions take these times; its end record is left out."""
    times = {"isolated": list(ISOLATED_MS), "contended": list(CONTENDED_MS)}
    kept, samples = [], []
    for line in run_file.read_text().splitlines():
        record = json.loads(line)
        if record["type"] == "sample" and record["step"] is None and record["phase"] == "measured":
            samples.append(record)
        elif record["type"] == "round":
            values = times[record["kind"]].pop(0)
            repeated = [dict(samples[0], repetition=at, time_max_s=ms * 1e-3) for at, ms in enumerate(values)]
            kept += [json.dumps(sample) for sample in repeated]
            record["jobs"][0]["measured"] = len(values)
            kept.append(json.dumps(record))
            samples = []
        elif record["type"] in ("header", "event"):
            kept.append(line)
    run_file.write_text("\n".join(kept) + "\n")


def test_the_engine_s_table_and_show_tell_the_same_median(engine, tmp_path):
    workload = tmp_path / "w.sb"
    workload.write_text("[JOB_NAME] solver\n[NID_LIST] 0\n[REPEAT] 1\n[MOTIF] compute -m 10us\n")
    run_file = tmp_path / "run.jsonl"
    counts = ("--isolated", "3", "--contended", "3")
    begun = engine.run("run", workload, "--ranks-per-node", "1", *counts, "-o", run_file, ranks=1, cwd=tmp_path)
    assert begun.status == 0, begun.text
    with_times(run_file)
    copy = shutil.copy(run_file, tmp_path / "copy.jsonl")

    # Every round is there, only the end is missing: the engine reads the file, runs nothing and prints its table.
    continued = engine.run("run", "--continue", run_file, ranks=1, cwd=tmp_path)
    shown = engine.stressbench("show", copy, "--jobs-only", cwd=tmp_path)
    reported = json.loads(engine.stressbench("show", copy, "--json", cwd=tmp_path).output)["jobs"][0]["timing"]

    assert continued.status == 0, continued.text
    row = re.search(r"^solver +1 +(\S+) ms +(\S+) ms ", continued.output, re.MULTILINE)
    assert row, continued.output
    columns = [line.split() for line in shown.output.splitlines() if re.search(r"\b(isolated|contended) +\d", line)]
    medians = [words[words.index(kind) + 3] for kind, words in zip(("isolated", "contended"), columns, strict=True)]
    assert [float(cell) for cell in row.groups()] == [float(cell) for cell in medians] == [5.0, 4.0]
    assert reported["isolated_s"]["median"] == 5e-3
    assert reported["contended_s"]["median"] == 4e-3
    assert np.median(np.concatenate(CONTENDED_MS)) == 2.0  # what it would be of all repetitions together
