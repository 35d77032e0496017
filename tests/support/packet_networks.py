"""stressbench-ns3 on small networks: schedules in, times out."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from stressbench.labs.catalog import lab_file
from stressbench.labs.file import read_lab
from stressbench.labs.packet_network import network_of, settings_of

CHECKOUT = Path(__file__).resolve().parents[2]
RATE = 100e6 * 1448 / 1514  # payload, bits per second, of the links of `tiny`


@dataclass(frozen=True)
class Answer:
    status: int
    errors: str
    records: list[dict]

    def times_s(self, rank: int) -> list[float]:
        """Times of the repetitions of a rank of the first job."""
        return [
            (one["end_ns"] - one["start_ns"]) * 1e-9
            for one in self.records
            if one["type"] == "repetition" and one["job"] == 0 and one["rank"] == rank
        ]

    @property
    def links(self) -> dict[tuple[str, str], dict]:
        return {(one["source"], one["target"]): one for one in self.records[-1]["links"]}


@dataclass(frozen=True)
class Simulator:
    program: Path
    folder: Path

    def network(self, lab: str = "tiny", *, queue: str = "", **changed: int) -> Path:
        path = lab_file(lab)
        if queue:
            path = self.folder / "lab.toml"
            path.write_text(f'queue = "{queue}"\n' + lab_file(lab).read_text(encoding="utf-8"), encoding="utf-8")
        shape = read_lab(path)
        file = self.folder / "network.txt"
        file.write_text(network_of(shape, {**settings_of(shape), **changed}), encoding="utf-8")
        return file

    def simulate(self, network: Path, *jobs: str, **schedules: str) -> Answer:
        """`jobs`: lines of the round file after `job`; `schedules`: text of NAME.goal."""
        for name, text in schedules.items():
            (self.folder / f"{name}.goal").write_text(text, encoding="utf-8")
        lines = ["stressbench-round 1", *(f"job {line}" for line in jobs)]
        (self.folder / "round.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        output = self.folder / "output.jsonl"
        output.unlink(missing_ok=True)
        ended = subprocess.run(
            [self.program, network, self.folder / "round.txt", "--output", output],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        records = [orjson.loads(line) for line in output.read_bytes().splitlines()] if ended.returncode == 0 else []
        return Answer(ended.returncode, ended.stderr, records)


def simulator_program() -> Path:
    """The simulator of this checkout, or skips the test."""
    built = CHECKOUT / "build" / "ns3" / "engine" / "packet" / "stressbench-ns3"
    named = os.environ.get("STRESSBENCH_NS3") or (built if built.exists() else shutil.which("stressbench-ns3"))
    if named is None:
        pytest.skip("stressbench-ns3 is not built: `cmake --preset ns3 && cmake --build --preset ns3` (libns3-dev)")
    return Path(named)


def schedule(*ranks: tuple[str, ...]) -> str:
    """A GOAL file; operations are labelled l0, l1, ... for each rank."""
    text = f"num_ranks {len(ranks)}\n"
    for rank, operations in enumerate(ranks):
        text += f"rank {rank} {{\n" + "".join(f"{line}\n" for line in operations) + "}\n"
    return text


def incast(senders: int, size: int) -> str:
    receives = tuple(f"l{rank}: recv {size}b from {rank} tag 1" for rank in range(1, senders + 1))
    return schedule(receives, *((f"l0: send {size}b to 0 tag 1",) for _ in range(senders)))
