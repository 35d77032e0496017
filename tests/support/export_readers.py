"""What the tools of each export format read from it: messages by sender, receiver and bytes, with their number."""

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from stressbench.errors import UserError
from stressbench.experiments.exporting.otf2_archive import otf2_python
from stressbench.tracing.schedules.collectives import rounds_of
from stressbench.tracing.schedules.sources import Source
from stressbench.tracing.schedules.survey import survey

Messages: TypeAlias = Counter[tuple[int, int, int]]

_LOGGOPSIM = "of https://github.com/spcl/LogGOPSim (make in its directory LogGOPSim), on PATH or in $LOGGOPSIM"
_HTSIM = "of https://github.com/spcl/atlahs, both in $HTSIM: make in sim/htsim-backend/sim, txt2bin from sim/LogGOPSim"
_TREE = """Nodes 16
Tiers 2
Podsize 16
Tier 0
Downlink_speed_Gbps 200
Radix_Down 4
Radix_Up 4
Downlink_Latency_ns 1
Tier 1
Downlink_speed_Gbps 200
Radix_Down 4
Downlink_Latency_ns 1
"""
_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h" suffix="" radical="0-{last}" speed="1Gf" bw="10GBps" lat="1us"/>
</platform>
"""


def program(name: str, *, package: str, folder: str | None = None) -> str:
    """A program of PATH or of a directory that an environment variable names; skips the test without it."""
    found = shutil.which(name, path=os.environ.get(folder) if folder and os.environ.get(folder) else None)
    if found is None:
        pytest.skip(f"{name} is not installed: {package}")
    return found


def output_of(command: Sequence[str | Path], *, cwd: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def read_by_loggopsim(goal: Path) -> tuple[Messages, Messages]:
    """Messages that LogGOPSim sends and receives while it simulates, and fails if one stays unmatched."""
    convert, simulate = (program(name, package=_LOGGOPSIM, folder="LOGGOPSIM") for name in ("txt2bin", "LogGOPSim"))
    binary = goal.with_suffix(".bin")
    output_of([convert, "-i", goal, "-o", binary])
    printed = output_of([simulate, "-f", binary, "--verbose"])
    assert "tag: " in printed
    assert "waiting" not in printed.lower()
    found: tuple[Messages, Messages] = (Counter(), Counter())
    pattern = r"(?:init )?(\d+) \(\d+,\d+\) (send to|recvs from): (\d+), tag: \d+, size: (\d+).*"
    for line in printed.splitlines():
        if begun := re.fullmatch(pattern, line):
            rank, partner, size = int(begun[1]), int(begun[3]), int(begun[4])
            if begun[2] == "send to":
                found[0][rank, partner, size] += 1
            else:
                found[1][partner, rank, size] += 1
    return found


def sizes_read_by_htsim(goal: Path) -> Counter[int]:
    """Bytes of the messages that HTSIM simulates packet by packet, with ATLAHS's scheduler of GOAL, to the end."""
    convert, simulate = (program(name, package=_HTSIM, folder="HTSIM") for name in ("txt2bin", "htsim_uec"))
    binary, tree = goal.with_suffix(".bin"), goal.with_suffix(".topo")
    tree.write_text(_TREE)
    output_of([convert, "-i", goal, "-o", binary])
    network = ("-topo", tree, "-nodes", "16", "-linkspeed", "200000", "-strat", "ecmp_host", "-paths", "128")
    printed = output_of(
        [simulate, *network, "-mtu", "4096", "-q", "1000000", "-goal", binary, "-lgs_flow_stats"], cwd=goal.parent
    )
    assert "Finished all" in printed
    return Counter(int(size) for size in re.findall(r"^F \d+ - .* - S (\d+) - N ", printed, re.MULTILINE))


def read_by_smpirun(folder: Path, *, ranks: int, scratch: Path) -> tuple[Messages, Messages]:
    """Messages in the time-independent trace that SMPI writes of its replay."""
    run = program("smpirun", package="Debian package libsimgrid-dev")
    (scratch / "platform.xml").write_text(_PLATFORM.format(last=ranks - 1))
    (scratch / "hosts").write_text("".join(f"h{rank}\n" for rank in range(ranks)))
    replayed = scratch / "replayed"
    output_of(
        [run, "-np", str(ranks), "-hostfile", scratch / "hosts", "-platform", scratch / "platform.xml", "-trace-ti",
         "-trace-file", replayed, "-replay", "ranks.txt"],
        cwd=folder,
    )  # fmt: skip
    found: tuple[Messages, Messages] = (Counter(), Counter())
    for name in replayed.read_text().split():
        for line in Path(name).read_text().splitlines():
            rank, action, *words = line.split()
            if action in ("send", "isend"):
                found[0][int(rank), int(words[0]), int(words[2])] += 1
            elif action in ("recv", "irecv"):
                found[1][int(words[0]), int(rank), int(words[2])] += 1
    return found


def require_otf2() -> None:
    """Skip the test without OTF2's tools, or without its Python bindings, which write archives."""
    program("otf2-print", package="Debian package otf2-tools")
    try:
        otf2_python()
    except UserError as fault:
        pytest.skip(str(fault))


def read_by_otf2_print(folder: Path) -> tuple[Messages, Messages, int]:
    """Point-to-point messages sent and received, and the number of calls of collectives."""
    reader = program("otf2-print", package="Debian package otf2-tools")
    printed = output_of([reader, folder / "traces.otf2"])
    found: tuple[Messages, Messages] = (Counter(), Counter())
    collectives = 0
    for line in printed.splitlines():
        if line.startswith("MPI_COLLECTIVE_END"):
            collectives += 1
        if not re.match(r"MPI_(SEND|ISEND|RECV|IRECV) ", line):
            continue
        location = int(line.split()[1])
        size = int(re.search(r"Length: (\d+)", line)[1])  # type: ignore[index]
        partner = int(re.search(r"(?:Receiver|Sender): \d+ \([^<]*<(\d+)>\)", line)[1])  # type: ignore[index]
        if "SEND" in line.split()[0]:
            found[0][location, partner, size] += 1
        else:
            found[1][partner, location, size] += 1
    return (*found, collectives)


def slices_and_arrows(path: Path) -> tuple[list[dict[str, object]], dict[str, list[dict[str, object]]]]:
    """Complete events of a trace-event file, and the two ends of each flow by its id.

    The rules are those of the Trace Event Format, which the reader of Perfetto follows: the process of a flow's end
    has a slice at its time.
    """
    content = json.loads(path.read_text())
    arrows: dict[str, list[dict[str, object]]] = {}
    for event in content["traceEvents"]:
        if event["ph"] in "sf":
            arrows.setdefault(event["id"], []).append(event)
    return [event for event in content["traceEvents"] if event["ph"] == "X"], arrows


def messages_of(slices: Sequence[dict[str, object]], way: str) -> Messages:
    """Messages in the arguments `to` or `from` of slices."""
    return Counter(_messages(slices, way))


def _messages(slices: Sequence[dict[str, object]], way: str) -> Iterator[tuple[int, int, int]]:
    for event in slices:
        arguments = event.get("args", {})
        assert isinstance(arguments, dict)
        rank = int(str(event["tid"])) - 1
        for partner, _, size in arguments.get(way, ()):
            yield (rank, partner, size) if way == "to" else (partner, rank, size)


def messages_in(source: Source, *, collectives: bool) -> Messages:
    """The messages of the calls; with `collectives`, also those of their algorithms, and 1 byte instead of none."""
    found: Messages = Counter()
    surveyed = survey(source)
    for rank in source.of_jobs():
        for event in surveyed.events(rank):
            for transfer in event.transfers:
                size = max(transfer.bytes, 1) if collectives else transfer.bytes
                found[rank.number, transfer.partner, size] += transfer.sends
            if collectives and event.collective is not None:
                members = event.collective.group.members
                for part in rounds_of(event.collective, event.call):
                    for message in part.sends:
                        found[rank.number, members[message.partner], max(message.bytes, 1)] += 1
    return +found
