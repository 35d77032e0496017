"""A study with real ranks, interrupted or killed again and again, has each of its runs once and whole."""

import json
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from support.programs import LIMIT_S, Engine, Started
from support.studies import REAL_PAIR

MANY_CELLS = """\
repetitions = 4
[factors]
workload = "pair.sb"
ranks = 2
ranks_per_node = 1
placement = ["linear", "interleaved"]
[set]
size = ["1KiB", "2KiB", "4KiB"]
[run]
isolated = 2
contended = 2
repetitions = 2
"""


def interrupted(engine: Engine, words: tuple[str, ...], folder: Path, after_s: float, how: signal.Signals) -> None:
    """Start the study, let it work for a while, and end it, its ranks too where it cannot do so itself."""
    command = [sys.executable, "-m", "stressbench", "study", *words]
    with Started(command, cwd=folder, environment={"STRESSBENCH_MPI": str(engine.program)}) as process:
        try:
            process.communicate(timeout=after_s)
        except subprocess.TimeoutExpired:
            process.send_signal(how)
            process.communicate(timeout=LIMIT_S)


def words_for(folder: Path) -> tuple[str, ...]:
    """The command that goes on with the study, or starts it where a moment came before there was one."""
    has_begun = (folder / "made" / "study-1.toml").exists()  # all that `resume` requires
    return ("resume", "made") if has_begun else ("run", "study.toml", "-o", "made")


def test_interrupted_at_random_moments_it_has_each_run_once(engine, tmp_path: Path, pytestconfig) -> None:
    """So many as --interruptions says; whatever a moment hits, the outcome must be the same."""
    (tmp_path / "pair.sb").write_text(REAL_PAIR)
    (tmp_path / "study.toml").write_text(MANY_CELLS)
    rng = random.Random(1)

    for _ in range(pytestconfig.getoption("--interruptions")):
        how = rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
        interrupted(engine, words_for(tmp_path), tmp_path, rng.uniform(0.5, 3), how)
    ended = engine.stressbench("study", *words_for(tmp_path), cwd=tmp_path)
    report = json.loads(engine.stressbench("study", "report", "made", "--format", "json", cwd=tmp_path).output)

    assert ended.status == 0, ended.errors
    assert [cell["done"] for cell in report["cells"]] == [4] * 6
    records = [json.loads(line) for line in (tmp_path / "made" / "manifest.jsonl").read_text().splitlines()]
    done = Counter(record["run"] for record in records if record["type"] == "finished")
    assert set(done.values()) == {1}
    assert set(done) == {record["run"] for record in records if record["type"] == "planned"}
    for path in (tmp_path / "made" / "runs").iterdir():
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        rounds = Counter((one["kind"], one["job"], one["block"]) for one in lines if one["type"] == "round")
        assert set(rounds.values()) == {1}, path
        assert len(rounds) == 2 * 2 + 2, path  # two jobs alone twice, together twice
