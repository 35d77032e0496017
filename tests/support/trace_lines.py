"""Results of a traced launch: its status and the lines of its trace file."""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Traced:
    """Exit status of a traced launch and the lines of its file."""

    status: int
    text: str
    lines: list[dict[str, Any]]

    @property
    def ranks(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["type"] == "rank"]

    def total(self, op: str, key: str = "calls") -> int:
        return sum(t[key] for rank in self.ranks for t in rank["totals"] if t["op"] == op)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """All lines with verified checksums."""
    found = []
    for line in path.read_bytes().splitlines() if path.exists() else []:
        record = json.loads(line)
        checked = line[: line.rindex(b',"crc32":')]
        assert f"{zlib.crc32(checked):08x}" == record["crc32"]
        found.append(record)
    return found
