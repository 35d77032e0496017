"""Synthetic b_eff_io protocols: every pattern of Table 2 with chosen times."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stressbench.formats.protocols.io_patterns import TABLE_2, Chunk

MIB = 2**20
CHUNKS = {
    Chunk.kib: 1024, Chunk.kib_8: 1032, Chunk.kib_32: 32 * 1024, Chunk.kib_32_8: 32 * 1024 + 8, Chunk.mib: MIB,
    Chunk.mib_8: MIB + 8, Chunk.part: 4 * MIB,
}  # fmt: skip
Times = Callable[[int, str, int], float]  # partition, access, type: seconds of its file


def first_ranks(ranks: int) -> dict[str, Any]:
    """The head of a partition of the first ranks, two on each node."""
    return {"name": str(ranks), "ranks": ranks, "nodes": (ranks + 1) // 2}


def version_1(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records as version 1 of the protocol has them."""
    head, *lines = records
    of_2 = ("random", "nodes", "node_memory_bytes", "pattern_hints")
    old = {name: value for name, value in head.items() if name not in of_2}
    old |= {"version": 1, "memory_bytes": 512 * MIB, "partitions": [one["ranks"] for one in head["partitions"]]}
    return [old, *({**line, "again": line.pop("exhausted")} if "exhausted" in line else line for line in lines)]


@dataclass(frozen=True, kw_only=True)
class MadeIO:
    """An execution: each pattern makes `calls` calls, and each file takes the time given in `times`."""

    head: dict[str, Any] = field(default_factory=dict)
    times: Times = lambda partition, access, pattern_type: 1.0 + pattern_type
    calls: int = 8
    end: dict[str, Any] | None = field(default_factory=dict)

    def records(self) -> list[dict[str, Any]]:
        head = {
            "type": "b_eff_io", "version": 2, "round": 0, "ranks": 4, "scheduled_s": 900, "release": 1,
            "shared_pointers": True, "random": False, "nodes": 2, "node_memory_bytes": 1024 * MIB,
            "mpart_bytes": 4 * MIB, "limit_bytes": None, "partitions": [first_ranks(4)], "types": [0, 1, 2, 3, 4],
            "hints": [], "pattern_hints": [], **self.head,
        }  # fmt: skip
        lines = [head, *self._measured(head)]
        if self.end is not None:
            lines.append({"type": "end", "b_eff_io_bytes_per_s": None, "elapsed_s": 870.5, **self.end})
        return lines

    def write(self, folder: Path, name: str = "io.jsonl") -> Path:
        return write_lines(folder / name, self.records())

    def _measured(self, head: dict[str, Any]) -> Iterable[dict[str, Any]]:
        release, partitions = head["release"], range(len(head["partitions"]))
        orders = (
            [(partition, access) for partition in partitions for access in ("write", "rewrite", "read")]
            if release == 1
            else [(partition, access) for access in ("write", "rewrite", "read") for partition in partitions]
        )
        for partition, access in orders:
            for pattern_type in head["types"]:
                if release == 2 and access == "rewrite" and pattern_type:
                    continue
                yield from self._file(partition, access, pattern_type)

    def _file(self, partition: int, access: str, pattern_type: int) -> Iterable[dict[str, Any]]:
        rows = [row for row in TABLE_2.values() if row.pattern_type == pattern_type]
        time_s, total = self.times(partition, access, pattern_type), 0
        where = {"partition": partition, "access": access, "pattern_type": pattern_type}
        for row in rows:
            calls = 0 if row.fills_segment else self.calls
            total += calls * CHUNKS[row.chunk]
            yield {
                "type": "pattern", **where, "number": row.number, "chunk_bytes": CHUNKS[row.chunk],
                "memory_chunk_bytes": CHUNKS[row.chunk], "units": row.units, "calls": calls,
                "bytes": calls * CHUNKS[row.chunk],
                "time_s": 0 if row.fills_segment else time_s / len(rows), "exhausted": False,
            }  # fmt: skip
        yield {"type": "file", **where, "bytes": total, "time_s": time_s}


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
