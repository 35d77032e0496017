"""Synthetic trace files in the format of libstressbench-trace.so.

    made = MadeTrace([MadeRank([send(1), allreduce()], rules=[[[0, 3], [1, 1]]]), ...])
    path = made.write(tmp_path)

Totals, sizes and peers follow from the calls, so that a synthetic trace is consistent.

"""

import json
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stressbench.formats.trace import Trace, read_trace

Record = dict[str, Any]
WORLD, SELF = 0, 1
_SENDS = ("Send", "Isend", "Ssend", "Issend", "Sendrecv")
_WAITS = ("Wait", "Test", "Probe")


def call(op: str, **keys: Any) -> Record:
    """A distinct call; `each_s` is the time per call."""
    return {"op": op, "each_s": keys.pop("each_s", 1e-6), **keys}


def isend(to: int, *, size: int = 8, tag: int = 0, request: int = 0, comm: int = WORLD, **keys: Any) -> Record:
    return call("Isend", comm=comm, peer=to, tag=tag, bytes=size, unit=8, request=request, **keys)


def irecv(origin: int, *, size: int = 8, tag: int = 0, request: int = 0, comm: int = WORLD, **keys: Any) -> Record:
    return call("Irecv", comm=comm, peer=origin, tag=tag, bytes=size, unit=8, request=request, **keys)


def send(to: int, *, size: int = 8, tag: int = 0, comm: int = WORLD, **keys: Any) -> Record:
    return call("Send", comm=comm, peer=to, tag=tag, bytes=size, unit=8, **keys)


def receive(origin: int, *, size: int = 8, tag: int = 0, comm: int = WORLD, **keys: Any) -> Record:
    return call("Recv", comm=comm, peer=origin, tag=tag, bytes=size, unit=8, **keys)


def waitall(*requests: int, **keys: Any) -> Record:
    return call("Waitall", requests=list(requests), **keys)


def allreduce(*, size: int = 8, comm: int = WORLD, **keys: Any) -> Record:
    keys = {"reduction": "SUM", "type": "DOUBLE", "unit": 8, **keys}
    return call("Allreduce", comm=comm, bytes=size, **keys)


@dataclass
class MadeRank:
    """One rank: its distinct calls, and rules with their sequence (mode capture) or numbers `n` in the calls."""

    calls: Sequence[Record]
    rules: list[list[list[int]]] | None = None
    wall_s: float = 1.0
    node: int | None = 0
    extra: Record = field(default_factory=dict)


@dataclass
class MadeTrace:
    """A trace as records in the order of the file; tests may alter what `records` returns before they write it."""

    ranks: Sequence[MadeRank]
    header: Record = field(default_factory=dict)
    symbols: dict[str, str] | None = None
    complete: bool = True

    def records(self) -> list[Record]:
        hosts = len({rank.node for rank in self.ranks})
        capture = any(rank.rules is not None for rank in self.ranks)
        header = {
            "type": "header", "format": "stressbench-trace", "version": 1, "mode": "capture" if capture else "profile",
            "ranks": len(self.ranks), "program": "cg", "library": "Open MPI v4.1.4, package: made",
            "started": "2026-01-02T03:04:05Z", "clock_s": 2e-8, "hosts": hosts, **self.header,
        }  # fmt: skip
        lines = [_rank_line(number, rank, len(self.ranks)) for number, rank in enumerate(self.ranks)]
        symbols = [] if self.symbols is None else [{"type": "symbols", "sites": self.symbols}]
        return [header, *lines, *symbols, {"type": "end", "ranks": len(lines), "complete": self.complete}]

    def write(self, folder: Path, name: str = "made.trace") -> Path:
        return write_lines(folder / name, self.records())


def write_lines(path: Path, records: Sequence[Record]) -> Path:
    path.write_bytes(b"".join(line_of(record) for record in records))
    return path


def line_of(record: Record) -> bytes:
    """The record as a line with its checksum."""
    body = json.dumps(record, separators=(",", ":")).encode().removesuffix(b"}")
    return body + b',"crc32":"%08x"}\n' % zlib.crc32(body)


def counts_of(rules: list[list[list[int]]], calls: int) -> list[int]:
    """Number of occurrences of each call, by expansion."""
    counted = [0] * calls

    def expand(number: int, times: int) -> None:
        for symbol, repeats in rules[number]:
            if symbol >= 0:
                counted[symbol] += times * repeats
            else:
                expand(-symbol, times * repeats)

    expand(0, 1)
    return counted


def _rank_line(number: int, rank: MadeRank, ranks: int) -> Record:
    counts = [made.get("n", 1) for made in rank.calls]
    if rank.rules is not None:
        counts = counts_of(rank.rules, len(rank.calls))
    calls = []
    for made, n in zip(rank.calls, counts, strict=True):
        each = made["each_s"]
        keys = {key: value for key, value in made.items() if key not in ("each_s", "n", "op")}
        calls.append({"op": made["op"], "n": n, "time_s": n * each, "min_s": each, "max_s": each, **keys})
    return {
        "type": "rank", "rank": number, "node": rank.node, "ended": "finalize", "wall_s": rank.wall_s, "threads": 1,
        "totals": _totals(calls), "sizes": _sizes(calls), "peers": _peers(calls), "timeline": _timeline(calls),
        "comms": [
            {"slot": 0, "size": ranks, "rank": number, "members": [[0, 1, ranks]], "inter": False},
            {"slot": 1, "size": 1, "rank": 0, "members": [[number, 1, 1]], "inter": False},
        ],
        "modules": ["cg"], "sites": [[0, 4096]], "calls": [{"site": 0, **made} for made in calls],
        "gaps": None if rank.rules is None else _gaps(calls), "rules": rank.rules,
        "sequence_calls": None if rank.rules is None else sum(counts), "lost": None, **rank.extra,
    }  # fmt: skip


def _totals(calls: Sequence[Record]) -> list[Record]:
    totals: dict[str, Record] = {}
    for made in calls:
        total = totals.setdefault(
            made["op"], {"op": made["op"], "calls": 0, "time_s": 0.0, "bytes": 0, "max_s": 0.0, "empty": 0}
        )
        total["calls"] += made["n"]
        total["time_s"] += made["time_s"]
        total["bytes"] += made["n"] * made.get("bytes", 0)
        total["max_s"] = max(total["max_s"], made["max_s"])
    return list(totals.values())


def _class(op: str) -> str:
    if op.startswith("File_"):
        return "io"
    if op.startswith(_WAITS):
        return "wait"
    return "p2p" if op in (*_SENDS, "Recv", "Irecv", "Start", "Startall", "Send_init", "Recv_init") else "coll"


def _sizes(calls: Sequence[Record]) -> Record:
    sizes: dict[str, list[int]] = {"p2p": [], "coll": [], "io": []}
    for made in calls:
        kind = _class(made["op"])
        if kind in sizes and "bytes" in made and (kind != "p2p" or made["op"] in _SENDS):
            place = made["bytes"].bit_length()
            sizes[kind] += [0] * (place + 1 - len(sizes[kind]))
            sizes[kind][place] += made["n"]
    return sizes


def _peers(calls: Sequence[Record]) -> list[list[int]]:
    sent: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for made in calls:
        if made["op"] in _SENDS:
            sent[made["peer"]][0] += made["n"]
            sent[made["peer"]][1] += made["n"] * made["bytes"]
    return [[peer, *both] for peer, both in sorted(sent.items())]


def _timeline(calls: Sequence[Record]) -> Record:
    line: Record = {"width_s": 0.25, **{kind: [0.0] * 4 for kind in ("p2p", "coll", "wait", "io", "other")}}
    for made in calls:
        line[_class(made["op"])] = [value + made["time_s"] / 4 for value in line[_class(made["op"])]]
    return line


def _gaps(calls: Sequence[Record]) -> list[list[Any]]:
    """Every call follows the preceding one after 1 ms."""
    return [
        [place - 1, place, made["n"], made["n"] * 1e-3, 1e-3, 1e-3, made["n"] * 1e-6, [[28, made["n"]]]]
        for place, made in enumerate(calls)
    ]


def trace_of(folder: Path, sequences: Sequence[Sequence[Record]], *, name: str, **extra: object) -> Trace:
    """A trace in which each rank makes these calls in order."""
    return read_trace(MadeTrace([rank_of(calls, **extra) for calls in sequences]).write(folder, f"{name}.trace"))


def rank_of(calls: Sequence[Record], **extra: object) -> MadeRank:
    """A rank that makes these calls in order."""
    distinct: list[Record] = []
    rule = []
    for one in calls:
        if one not in distinct:
            distinct.append(one)
        rule.append([distinct.index(one), 1])
    return MadeRank(distinct, rules=[rule], **extra)  # type: ignore[arg-type]


def ring(ranks: int, *, slow: int = -1, nodes: int = 1) -> MadeTrace:
    """Each rank sends 1000 B to the next ten times, then all reduce 8 B; rank `slow` is mostly outside MPI."""
    made = []
    for r in range(ranks):
        calls = [
            irecv((r - 1) % ranks, size=1000, n=10, each_s=1e-3),
            isend((r + 1) % ranks, size=1000, request=1, n=10, each_s=2e-3),
            waitall(0, 1, n=10, each_s=3e-3),
            allreduce(n=10, each_s=4e-3 if r != slow else 0.0),
            call("File_write", bytes=64, file=0, n=1, each_s=0.05),
        ]
        made.append(MadeRank(calls, node=r // max(1, ranks // nodes) * max(1, ranks // nodes), wall_s=0.5))
    return MadeTrace(made, symbols={"cg+0x1000": "exchange (cg.c:12)"})


RULES = [[[5, 1], [-1, 10], [4, 1]], [[0, 1], [1, 1], [2, 1], [6, 1], [3, 1]]]


def cg(ranks: int = 3, rules: Any = RULES) -> MadeTrace:
    """Setup, ten passes of a ring exchange with a test and a reduction, and a barrier."""
    return MadeTrace(
        [
            MadeRank(
                [
                    irecv((r - 1) % ranks, size=100, tag=1),
                    isend((r + 1) % ranks, size=100, tag=1, request=1),
                    waitall(0, 1),
                    allreduce(),
                    call("Barrier", comm=0, bytes=0, unit=1),
                    call("Bcast", comm=0, bytes=16, unit=4, root=1),
                    call("Test", requests=[0]),
                ],
                rules,
            )
            for r in range(ranks)
        ]
    )
