"""Writes an OTF2 archive from the JSON lines of `stressbench.tracing.exports.otf2`, as a program of its own.

The bindings of OTF2 often belong to another Python than StressBench, so this file imports nothing of StressBench:
`python3 otf2_writer.py DIRECTORY < LINES`. Exit status 4: the lines end before ["end"].
"""

import importlib
import json
import sys
from collections.abc import Iterator
from typing import Any

_OPERATIONS = {
    "Barrier": "BARRIER", "Bcast": "BCAST", "Gather": "GATHER", "Gatherv": "GATHERV", "Scatter": "SCATTER",
    "Scatterv": "SCATTERV", "Allgather": "ALLGATHER", "Allgatherv": "ALLGATHERV", "Alltoall": "ALLTOALL",
    "Alltoallv": "ALLTOALLV", "Alltoallw": "ALLTOALLW", "Allreduce": "ALLREDUCE", "Reduce": "REDUCE",
    "Reduce_scatter": "REDUCE_SCATTER", "Reduce_scatter_block": "REDUCE_SCATTER_BLOCK", "Scan": "SCAN",
    "Exscan": "EXSCAN",
}  # fmt: skip


def write(directory: str, lines: Iterator[list[Any]]) -> bool:
    """Write the archive; whether the lines were complete."""
    otf2 = importlib.import_module("otf2")
    ticks, times, jobs, ranks, groups = next(lines)
    with otf2.writer.open(directory, archive_name="traces", timer_resolution=ticks) as archive:
        return _Archive(otf2, archive, times=times, jobs=jobs, ranks=ranks, groups=groups).fill(lines)


class _Archive:
    def __init__(self, otf2: Any, archive: Any, *, times: str, jobs: Any, ranks: Any, groups: Any) -> None:
        self._otf2 = otf2
        self._definitions = archive.definitions
        mpi = otf2.Paradigm.MPI
        machine = self._definitions.system_tree_node("machine")
        self._definitions.system_tree_node_property(machine, "stressbench::times", value=times)
        nodes = [self._definitions.system_tree_node(name, "job", parent=machine) for name in jobs]
        locations = {}
        self._writers = {}
        for rank, job in ranks:
            parent = machine if job < 0 else nodes[job]
            process = self._definitions.location_group(f"MPI Rank {rank}", system_tree_parent=parent)
            locations[rank] = self._definitions.location("Master thread", group=process)
            self._writers[rank] = archive.event_writer_from_location(locations[rank])
        self._definitions.group(
            "MPI", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=mpi,
            members=list(locations.values()),
        )  # fmt: skip
        self._comms = {}
        for number, name, members in groups:
            group = self._definitions.group(name, group_type=otf2.GroupType.COMM_GROUP, paradigm=mpi, members=members)
            self._comms[number] = self._definitions.comm(name, group=group)
        self._regions: dict[str, Any] = {}

    def fill(self, lines: Iterator[list[Any]]) -> bool:
        """Write the events up to the end; whether there is one."""
        for line in lines:
            if line == ["end"]:
                return True
            rank, time, kind, *rest = line
            getattr(self, f"_{kind}")(self._writers[rank], time, *rest)
        return False

    def _region(self, name: str) -> Any:
        if name not in self._regions:
            paradigm = self._otf2.Paradigm.MPI if name.startswith("MPI_") else self._otf2.Paradigm.USER
            self._regions[name] = self._definitions.region(name, paradigm=paradigm)
        return self._regions[name]

    def _enter(self, writer: Any, time: int, region: str) -> None:
        writer.enter(time, self._region(region))

    def _leave(self, writer: Any, time: int, region: str) -> None:
        writer.leave(time, self._region(region))

    def _send(self, writer: Any, time: int, message: Any) -> None:
        partner, comm, tag, size = message
        writer.mpi_send(time, partner, self._comms[comm], tag, size)

    def _recv(self, writer: Any, time: int, message: Any) -> None:
        partner, comm, tag, size = message
        writer.mpi_recv(time, partner, self._comms[comm], tag, size)

    def _isend(self, writer: Any, time: int, message: Any) -> None:
        partner, comm, tag, size, request = message
        writer.mpi_isend(time, partner, self._comms[comm], tag, size, request)

    def _irecv(self, writer: Any, time: int, message: Any) -> None:
        partner, comm, tag, size, request = message
        writer.mpi_irecv(time, partner, self._comms[comm], tag, size, request)

    def _isent(self, writer: Any, time: int, request: int) -> None:
        writer.mpi_isend_complete(time, request)

    def _post(self, writer: Any, time: int, request: int) -> None:
        writer.mpi_irecv_request(time, request)

    def _begin(self, writer: Any, time: int) -> None:
        writer.mpi_collective_begin(time)

    def _end(self, writer: Any, time: int, collective: Any) -> None:
        op, comm, root, sent, received = collective
        kinds = self._otf2.CollectiveOp
        kind = getattr(kinds, _OPERATIONS[op]) if op in _OPERATIONS else kinds.ALLTOALLV  # neighbourhood collectives
        no_root = 2**32 - 1  # OTF2_UNDEFINED_UINT32
        writer.mpi_collective_end(time, kind, self._comms[comm], no_root if root < 0 else root, sent, received)


if __name__ == "__main__":
    sys.exit(0 if write(sys.argv[1], map(json.loads, sys.stdin.buffer)) else 4)
