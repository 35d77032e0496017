"""Settings of b_eff_io: what is refused before anything starts, and where its files are by default."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stressbench.errors import UserError
from stressbench.experiments.io_settings import (
    default_file,
    partition_sizes,
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
    ],
)
def test_an_invalid_setting_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        require_io_settings(**{"release": "1", **settings})


def test_valid_settings_pass() -> None:
    require_io_settings(release="1")
    require_io_settings(release="2", time="30min", memory="1GiB", limit="8GiB", hints=["striping_factor=4"])


def test_types_and_partitions_are_distinct_and_within_range() -> None:
    assert (pattern_types(None), pattern_types("0,4")) == ((), (0, 4))
    assert (partition_sizes(None, ranks=8), partition_sizes("1,8", ranks=8)) == ((), (1, 8))
    for text in ("5", "0,0", "", "x"):
        with pytest.raises(UserError, match=r"--types: '.*' must be types from 0 to 4"):
            pattern_types(text)
    for text in ("0", "9", "2,2"):
        with pytest.raises(UserError, match=r"--partitions: '.*' must be numbers of ranks from 1 to 8"):
            partition_sizes(text, ranks=8)


def test_files_are_in_the_file_system_of_a_lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    assert default_file(target(), on="local") == str(tmp_path / "b_eff_io")
    assert default_file(target(SCRATCH="/scratch"), on="lab:tiny-io") == "${SCRATCH}/b_eff_io"
    with pytest.raises(UserError, match="--on lab:tiny-io: its I/O nodes serve no files"):
        default_file(target(SCRATCH=""), on="lab:tiny-io")
