"""Finds the file to which the engine moved a run whose run file was deleted, replaced or cut during the run."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import orjson

_MOST_NAMES = 100  # as in engine/output/written_file.cpp
_LONGEST_HEADER_BYTES = 1 << 24


def new_run_id() -> str:
    """An id in the form of the engine's own, such as `20260102T030405Z-0123456789ab`."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(6)}"


def run_id_in(run_file: Path) -> str | None:
    """The run id in the first header of a run file. None: there is none, as in files of early versions."""
    try:
        with run_file.open("rb") as file:
            header = orjson.loads(file.readline(_LONGEST_HEADER_BYTES))
    except (OSError, orjson.JSONDecodeError):
        return None
    run_id = header.get("run_id") if isinstance(header, dict) else None
    return run_id if isinstance(run_id, str) else None


class KeptFile:
    """Where the engine puts the records of a run that no longer is in its run file. Created before the launch.

    The engine takes the first free name of `run.kept.jsonl`, `run.kept-2.jsonl` and so on for `run.jsonl`, in the
    folder of the run file, the working directory, or the folder for `temporary` files of the target.
    """

    def __init__(self, run_file: Path, *, temporary: Path, run_id: str | None) -> None:
        self._run_file = run_file
        self._folders = (run_file.parent, Path(), temporary)
        self._run_id = run_id
        self._before = frozenset(self._existing())

    def path(self) -> Path | None:
        """The new run file, None where the run is still in its run file or was lost."""
        new = (path for path in self._existing() if path not in self._before)
        return next((path for path in new if run_id_in(path) == self._run_id), None)

    def _existing(self) -> Iterator[Path]:
        for folder in dict.fromkeys(self._folders):
            for number in range(1, _MOST_NAMES + 1):
                count = "" if number == 1 else f"-{number}"
                path = folder / f"{self._run_file.stem}.kept{count}{self._run_file.suffix}"
                if not path.is_file():
                    break
                yield path
