"""Files that keep to their schema and whose numbers are as far apart as it lets them be: every command tells them.

Between 0 and 1e-100 there is no number, and none is above 1e100 (docs/limits.md): ratios and products are numbers, too.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import call
from support.golden import KEPT

COMMANDS: dict[str, tuple[str, ...]] = {
    "show": ("show", "A", "--tails", "--plan", "2%"),
    "show json": ("show", "A", "--json"),
    "show extra": ("show", "A", "--include-extra", "--interval", "bootstrap"),
    "compare": ("compare", "A", "B"),
    "compare back": ("compare", "B", "A", "--effect", "0%"),
    "compare json": ("compare", "A", "A", "--json"),
    "junit": ("compare", "A", "B", "--junit", "OUT"),
    "md": ("report", "A", "--format", "md"),
    "csv": ("report", "A", "B", "--format", "csv"),
    "latex": ("report", "A", "--format", "latex"),
    "json": ("report", "A", "--format", "json"),
    "html": ("report", "A", "-o", "OUT"),
}  # fmt: skip
EXTREME = (0.0, 1e-100, 1e-50, 1e-9, 1.0, 1e9, 1e50, 1e100)


def always(value: float) -> Callable[[random.Random], float]:
    return lambda _: value


def any_of(*values: float) -> Callable[[random.Random], float]:
    return lambda drawn: drawn.choice(values)


TIMES = {
    "zero": always(0.0), "least": always(1e-100), "most": always(1e100), "zero or most": any_of(0.0, 1e100),
    "least or most": any_of(1e-100, 1e100), "zero or least": any_of(0.0, 1e-100), "any": any_of(*EXTREME),
}  # fmt: skip


def extreme(drawn: random.Random, time: Callable[[random.Random], float]) -> str:
    """The kept run with other times; the least of a sample stays the least, and the same clock counts rounds."""
    rounds = 0.0
    lines = []
    for line in (KEPT / "run.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["type"] == "sample":
            _spread(record, [time(drawn) for _ in range(16)])
        elif record["type"] == "round":
            record["duration_s"] = time(drawn)
            record["started_s"] = rounds = max(rounds, time(drawn))
        elif record["type"] == "end":
            record["elapsed_s"] = time(drawn)
        lines.append(json.dumps(record))
    return "\n".join(lines) + "\n"


def _spread(record: dict[str, Any], times: list[float]) -> None:
    """Put times in order, so that a least is at most a mean, and that at most a largest."""
    low, *_, high = sorted(times)
    middle = sorted(times)[len(times) // 2]
    for key, value in record.items():
        if isinstance(value, float) and key.endswith("_s"):
            record[key] = low if "min" in key else high if "max" in key else middle
        elif isinstance(value, dict):
            _spread(value, times)


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.filterwarnings("error")
def test_a_run_of_extreme_times_is_told(tmp_path: Path, command: str, times: str) -> None:
    drawn = random.Random(f"{times}")  # the same files for every command
    for name in ("A", "B"):
        (tmp_path / f"{name}.jsonl").write_text(extreme(drawn, TIMES[times]), encoding="utf-8")
    places = {"A": tmp_path / "A.jsonl", "B": tmp_path / "B.jsonl", "OUT": tmp_path / "out"}

    done = call(*(places.get(word, word) for word in COMMANDS[command]))

    assert done.exit_code == 0, (done.stderr, done.exception)
