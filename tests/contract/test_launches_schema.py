"""schema/launches.schema.json says what launches of a program leave behind, and their readers take."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support import coruns

from stressbench.formats.launches.coruns import JOURNAL as CORUNS
from stressbench.formats.launches.rails import JOURNAL as RAILS
from stressbench.formats.launches.rails import LaunchRecord, MpiUse, NicBytes, PlanRecord
from stressbench.formats.launches.rates import JOURNAL as RATES
from stressbench.formats.launches.rates import RateLaunch, RatesPlan
from stressbench.formats.launches.validation import JOURNAL as VALIDATION
from stressbench.formats.launches.validation import ComparedSide, ValidationLaunch, ValidationPlan
from stressbench.formats.schemas import launches_schema
from stressbench.formats.study.errors import StudyMistake

SCHEMA = Draft202012Validator(launches_schema())
AT = datetime(2026, 1, 2, tzinfo=UTC)
PLAN: dict[str, Any] = {
    "at": AT, "version": "0.1.0", "command": ("app", "-x"), "on": "lab:tiny", "runs": 2, "seed": 1,
    "figures": {"GF": "GF: ([0-9.]+)"},
}  # fmt: skip
LAUNCH: dict[str, Any] = {"at": AT, "repetition": 0, "status": 0, "wall_s": 1.5, "figures": {"GF": 3.5, "other": None}}
RECORDS = {
    "rates": (
        RATES,
        RatesPlan(
            **PLAN, rates=("1", "1/2"), ranks=(2, 4), lower=(), figures_from=None, rate_command=None, hpcc_n=None
        ),
        RateLaunch(**LAUNCH, rate="1/2", ranks=4),
    ),
    "rails": (
        RAILS,
        PlanRecord(**PLAN, ranks=4, policies=("default", "nic0"), nics=("eth0", "eth1"), transport=None),
        LaunchRecord(**LAUNCH, policy="nic0", carried=(NicBytes(nic="eth0", sent=1, received=2),)),
    ),
    "profiled rails": (
        RAILS,
        PlanRecord(**PLAN, ranks=4, policies=("default", "nic0"), nics=("eth0", "eth1"), transport=None, profile=True),
        LaunchRecord(
            **LAUNCH,
            policy="nic0",
            carried=None,
            mpi=MpiUse(
                elapsed_s=1.25,
                mpi_s=0.5,
                p2p_s=0.25,
                collective_s=0.125,
                mean_message_bytes=8.0,
                mean_collective_bytes=None,
            ),
        ),
    ),
    "validation": (
        VALIDATION,
        ValidationPlan(
            **PLAN,
            workload=("tealeaf", "-x", "100"),
            ranks=2,
            computation="measured",
            first=None,
            last="Bcast",
            tolerance=0.05,
        ),
        ValidationLaunch(**LAUNCH, side=ComparedSide.program, iterations=9, time_s=0.5, slowest_s=0.6, mpi_s=0.125),
    ),
    "coruns": (CORUNS, coruns.plan("cg", "ft"), coruns.blocks()[2]),
}


def lines_of(kind: str, folder: Path) -> list[dict[str, Any]]:
    journal, plan, launch = RECORDS[kind]
    path = folder / f"{kind}.jsonl"
    path.unlink(missing_ok=True)
    journal.append(path, plan)
    journal.append(path, launch)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("kind", RECORDS)
def test_what_is_written_fits_it(kind: str, tmp_path: Path) -> None:
    for record in lines_of(kind, tmp_path):
        SCHEMA.validate(record)


@pytest.mark.parametrize("kind", RECORDS)
def test_a_key_that_is_missing_or_of_another_kind_is_refused_by_both(kind: str, tmp_path: Path) -> None:
    plan, launch = lines_of(kind, tmp_path)
    for key in launch:
        for broken in ({name: value for name, value in launch.items() if name != key}, {**launch, key: {"a": []}}):
            if not SCHEMA.is_valid(broken):
                assert key == "type" or not accepted(kind, plan, broken, tmp_path), broken
            else:
                assert accepted(kind, plan, broken, tmp_path), broken
    for key in plan:
        broken = {**plan, key: {"a": []}}
        assert not SCHEMA.is_valid(broken)
        with pytest.raises(StudyMistake, match="no plan"):
            accepted(kind, broken, launch, tmp_path)


def accepted(kind: str, plan: dict[str, Any], launch: dict[str, Any], folder: Path) -> bool:
    path = folder / "again.jsonl"
    path.write_text(json.dumps(plan) + "\n" + json.dumps(launch) + "\n", encoding="utf-8")
    journal, _, _ = RECORDS[kind]
    return len(journal.read(path).done) == 1
