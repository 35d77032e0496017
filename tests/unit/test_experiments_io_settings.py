"""Settings of b_eff_io: what is refused before anything starts, and where its files are by default."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stressbench.errors import UserError
from stressbench.experiments.io_settings import (
    default_file,
    partition_names,
    pattern_types,
    require_io_settings,
)


def target(**environment: str) -> Any:
    """A launch target of which only the environment is needed."""
    return SimpleNamespace(environment=tuple(environment.items()))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"release": "3"}, "--release: '3' must be 1 or 2"),
        ({"time": "soon"}, "-T: 'soon' must be"),
        ({"memory": "much"}, "--memory: 'much' must be"),
        ({"mpart": "much"}, "--mpart: 'much' must be"),
        ({"limit": "much"}, "--limit: 'much' must be"),
        ({"memory": "1GiB", "mpart": "8MiB"}, "--mpart 8MiB: follows from --memory 1GiB"),
        ({"hints": ["a=1", "b"]}, "--hint: 'b' must be KEY=VALUE"),
        ({"hints": ["a=1,2"]}, "--hint: 'a=1,2' must be KEY=VALUE"),
        ({"pattern_hints": ["a=1"]}, "--pattern-hint: 'a=1' must be NUMBER:KEY=VALUE"),
        (
            {"pattern_hints": ["43:a=1"]},
            "--pattern-hint: '43:a=1' must be NUMBER:KEY=VALUE with a pattern from 0 to 42",
        ),
    ],
)
def test_an_invalid_setting_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        require_io_settings(**{"release": "1", **settings})


def test_valid_settings_pass() -> None:
    require_io_settings(release="1")
    require_io_settings(release="2", time="30min", memory="1GiB", limit="8GiB", hints=["striping_factor=4"])
    require_io_settings(release="1", pattern_hints=["0:a=1", "42:b=2"])


def test_types_and_partitions_are_distinct_and_within_range() -> None:
    assert (pattern_types(None), pattern_types("0,4")) == ((), (0, 4))
    for text in ("5", "0,0", "", "x"):
        with pytest.raises(UserError, match=r"--types: '.*' must be types from 0 to 4"):
            pattern_types(text)


def test_partitions_are_ranks_or_nodes_that_the_job_can_have() -> None:
    assert partition_names(None, ranks=8) == ()
    assert partition_names("1,8,2x4,r0-3+7,r5", ranks=8) == ("1", "8", "2x4", "r0-3+7", "r5")
    for text, name in (
        ("0", "0"),
        ("1,", ""),
        ("2x", "2x"),
        ("0x2", "0x2"),
        ("r", "r"),
        ("r3-2", "r3-2"),
        ("r0+", "r0+"),
    ):
        with pytest.raises(UserError, match=re.escape(f"--partitions: '{name}' must be a number of ranks such as 4")):
            partition_names(text, ranks=8)
    for text in ("9", "3x3", "r0+8"):
        with pytest.raises(UserError, match=re.escape(f"--partitions: '{text}' needs more than the 8 ranks")):
            partition_names(text, ranks=8)
    with pytest.raises(UserError, match="--partitions: '2,2' must name each partition once"):
        partition_names("2,2", ranks=8)


def test_files_are_in_the_file_system_of_a_lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    assert default_file(target(), on="local") == str(tmp_path / "b_eff_io")
    assert default_file(target(SCRATCH="/scratch"), on="lab:tiny-io") == "${SCRATCH}/b_eff_io"
    with pytest.raises(UserError, match="--on lab:tiny-io: its I/O nodes serve no files"):
        default_file(target(SCRATCH=""), on="lab:tiny-io")
