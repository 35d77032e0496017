"""Captures that are lists of calls of the engine, and what `stressbench recognise` finds in them."""

import json
import shlex
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

KEYS = ("totals", "peers", "calls", "sequence_calls")
"""Of the line of a rank, what does not depend on how loops are written."""


@pytest.fixture
def listed(engine, tmp_path) -> Callable[..., Path]:
    """The calls of a motif or workload as a trace file."""

    def listed(words: str, ranks: int) -> Path:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.trace"
        done = engine.run("calls", *shlex.split(words), "--ranks", str(ranks), "--output", path, cwd=tmp_path)
        assert done.status == 0, done.text
        return path

    return listed


@pytest.fixture
def recognised(engine, tmp_path) -> Callable[..., Any]:
    """What `stressbench recognise --json` prints."""

    def recognised(*words: str | Path, status: int = 0) -> Any:
        done = engine.stressbench("recognise", "--json", *words, cwd=tmp_path)
        assert done.status == status, done.text
        return json.loads(done.output)

    return recognised


def words_of(motif: Any) -> str:
    candidate = motif["candidate"]
    options = [part for name, value in candidate["options"] for part in (f"--{name}", value) if part]
    return " ".join([candidate["motif"], *options])


def gaps_of(rank: Any, before_call_s: float) -> list[Any]:
    """As much computation before each call of a rank."""
    pairs = Counter(pairwise([-1, *_expanded(rank["rules"], 0)]))
    return [
        [before, call, n, n * before_call_s, before_call_s, before_call_s, n * before_call_s**2, [[20, n]]]
        for (before, call), n in pairs.items()
    ]


def _expanded(rules: Any, number: int) -> list[int]:
    return [
        call
        for symbol, times in rules[number]
        for call in times * ([symbol] if symbol >= 0 else _expanded(rules, -symbol))
    ]
