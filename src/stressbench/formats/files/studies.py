"""Names of the files that belong to a directory of measurements, so that no report overwrites them.

The directory of a study has a manifest; that of a program under `rails run` or `degrade run` has its launches.
"""

import re
from pathlib import Path

MANIFEST, LAUNCHES = "manifest.jsonl", "launches.jsonl"
RUNS, WORKLOADS, SCHEMA = "runs", "workloads", "schema"
ENVIRONMENT, LOCK, SUMS = "environment.json", ".lock", "SHA256SUMS"
SETUP_CLAIM = ".setup.claim"
STUDY_FILE = re.compile(r"study-(\d+)\.toml")

_BY_NAME = frozenset({MANIFEST, LAUNCHES, ENVIRONMENT, LOCK, SUMS})
_BY_PATTERN = re.compile(rf"{STUDY_FILE.pattern}|study-\d+\.json|\..*\.new")


def belongs_to_study(path: Path) -> bool:
    """Whether the absolute `path` is, or would be, such a file, by its name and the files in its parent folders."""
    return any(
        _is_study_file(path.relative_to(folder).parts)
        for folder in path.absolute().parents
        if (folder / MANIFEST).is_file() or (folder / LAUNCHES).is_file()
    )


def _is_study_file(parts: tuple[str, ...]) -> bool:
    first, *below = parts
    if not below:
        return first in _BY_NAME or _BY_PATTERN.fullmatch(first) is not None
    return first in (WORKLOADS, SCHEMA) or (first == RUNS and parts[-1].endswith(".jsonl"))
