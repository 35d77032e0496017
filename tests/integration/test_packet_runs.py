"""`stressbench run --on ns3:LAB`: the run file, what is refused, and what interruptions leave."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.packet_networks import RATE, simulator_program
from support.programs import Engine, Outcome, Started, finished, ranks_of, wait_for_rounds, wait_until

from stressbench.formats.run import read_run
from stressbench.launch.leftovers import find

SIZE = 2**19
LAB = """about = "Six hosts on a switch."

[hosts]
count = 6

[[rail]]
rate = "100Mbit"

[topology]
kind = "single"
"""
INCAST = """[JOB_NAME] a
[NID_LIST] 0-3
[REPEAT] 3
[MOTIF] incast -s 512KiB

[JOB_NAME] b
[NID_LIST] 4,5
[MOTIF] pingpong -s 8
"""


@dataclass(frozen=True)
class Packets:
    """A simulator with a path of its own, in a folder with a workload `w.sb`."""

    folder: Path
    program: Path
    engine: Engine
    messages: list[str] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "STRESSBENCH_NS3": str(self.program), "STRESSBENCH_MPI": str(self.engine.program),
            "TMPDIR": str(self.temporary), "XDG_CACHE_HOME": str(self.folder / "cache"),
        }  # fmt: skip

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def output(self) -> Path:
        return self.folder / "w.jsonl"

    def command(self, *options: str) -> list[str]:
        return [
            sys.executable, "-m", "stressbench", "run", "w.sb", "--on", "ns3:six.toml", "-n", "6", "-o",
            str(self.output),
            *options,
        ]  # fmt: skip

    def run(self, workload: str, *options: str) -> Outcome:
        (self.folder / "w.sb").write_text(workload, encoding="utf-8")
        return finished(self.command(*options), cwd=self.folder, environment=self.environment)

    @contextmanager
    def in_second_round(self) -> Iterator[int]:
        """The id of a `stressbench run` that simulates for hours, after a round that took a moment."""
        (self.folder / "w.sb").write_text(INCAST.replace("[REPEAT] 3", "[REPEAT] 1000000"), encoding="utf-8")
        options = ("--isolated", "1", "--contended", "1", "--repetitions", "1", "--seed", "3")
        with Started(self.command(*options), cwd=self.folder, environment=self.environment) as process:
            wait_for_rounds(self.output)
            wait_until(lambda: len(ranks_of(self.program)) == 1, "the simulator of the second round runs")
            yield process.pid
            self.messages.append(process.communicate(timeout=60)[1])

    def wait_for_end(self) -> None:
        wait_until(lambda: not ranks_of(self.program), "the simulator has ended", within_s=60)

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.output.read_bytes().splitlines()]

    def directories(self) -> list[Path]:
        return list(self.temporary.iterdir())


@pytest.fixture
def packets(engine, tmp_path) -> Packets:
    program = tmp_path / "stressbench-ns3"
    program.write_bytes(simulator_program().read_bytes())
    program.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    (tmp_path / "six.toml").write_text(LAB, encoding="utf-8")
    return Packets(tmp_path, program, engine)


def test_a_run_file_has_the_repetitions_of_the_workload_and_of_the_command(packets):
    ended = packets.run(INCAST, "--isolated", "2", "--contended", "1", "--repetitions", "5", "--warmup", "2")

    assert ended.status == 0, ended.text
    header, *records = packets.records()
    assert header["simulation"]["simulator"] == finished([str(packets.program), "--version"]).output.strip()
    assert [job["repeat"] for job in header["jobs"]] == [3, None]
    isolated = {one["round"]: one["job"] for one in records if one["type"] == "round" and one["kind"] == "isolated"}
    samples = [one for one in records if one["type"] == "sample" and one["round"] in isolated]
    assert sorted(isolated.values()) == [0, 0, 1, 1]
    for number, job in isolated.items():
        phases = [one["phase"] for one in samples if one["round"] == number and one["step"] is None]
        assert phases == ["warmup"] * 2 + ["measured"] * (3, 5)[job]
    times = [one["time_max_s"] for one in samples if one["job"] == 0 and one["step"] == 0]
    assert times == pytest.approx([3 * SIZE * 8 / RATE] * len(times), rel=0.05)
    assert len(read_run(packets.output).rounds) == 5
    assert packets.directories() == []


@pytest.mark.parametrize(
    ("motif", "bytes_each_way"), [("bandwidth -s 512KiB -w 4", 4 * SIZE), ("pingping -s 512KiB", SIZE)]
)
def test_messages_of_pairs_take_the_time_of_their_bytes(packets, motif, bytes_each_way):
    ended = packets.run(f"[JOB_NAME] a\n[NID_LIST] 0,1\n[MOTIF] {motif}\n", "--isolated", "1", "--contended", "0")

    assert ended.status == 0, ended.text
    times = [one["time_max_s"] for one in packets.records() if one["type"] == "sample" and one["step"] == 0]
    assert times == pytest.approx([bytes_each_way * 8 / RATE] * len(times), rel=0.05)
    assert len(times) > 1


def test_a_trace_is_simulated_as_the_motif_whose_calls_it_has(packets):
    trace = packets.folder / "incast.trace"
    listed = packets.engine.run("calls", "incast", "-s", "512KiB", "-i", "2", "--ranks", "3", "--output", trace)
    assert listed.status == 0, listed.text
    jobs = ("[JOB_NAME] motif\n[NID_LIST] 0-2\n[MOTIF] incast -s 512KiB -i 2\n"
            "[JOB_NAME] trace\n[NID_LIST] 3-5\n[MOTIF] replay -f incast.trace\n")  # fmt: skip

    ended = packets.run(jobs, "--isolated", "1", "--contended", "0", "--repetitions", "2")

    assert ended.status == 0, ended.text
    samples = [one for one in packets.records() if one["type"] == "sample" and one["step"] is None]
    motif, replay = ([one["time_max_s"] for one in samples if one["job"] == job] for job in (0, 1))
    assert replay == pytest.approx(motif, rel=0.02)
    assert replay == pytest.approx([2 * 2 * SIZE * 8 / RATE] * 3, rel=0.05)


def test_a_trace_with_other_computation_than_it_has_is_refused(packets):
    listed = packets.engine.run("calls", "barrier", "--ranks", "2", "--output", packets.folder / "a.trace")
    assert listed.status == 0, listed.text

    ended = packets.run("[JOB_NAME] a\n[NID_LIST] 0,1\n[MOTIF] replay -f a.trace --scale 2\n")

    assert ended.status == 2
    assert "w.sb:1: a: replay: --scale 2: expected 1, as captured" in ended.errors


@pytest.mark.parametrize("statement", ["[MIN_TIME] 1s", "[LOAD] 0.5", "[RATE] 1MB"])
def test_what_only_a_launch_obeys_is_refused_with_its_line(packets, statement):
    ended = packets.run(
        f"# [REPEAT] [MIN_TIME] [LOAD] [RATE]\n[JOB_NAME] a\n{statement}\n[NID_LIST] 0,1\n[MOTIF] barrier\n"
    )

    assert ended.status == 2, ended.text
    assert f"w.sb:3: {statement.split()[0]}: a packet-level simulation has none" in ended.errors
    assert not packets.output.exists()


def test_a_motif_without_known_calls_is_refused_with_its_line(packets):
    ended = packets.run("\n\n[JOB_NAME] writer\n[NID_LIST] 0,1\n[MOTIF] posix -s 1KiB\n")

    assert ended.status == 2, ended.text
    assert "w.sb:5: posix: its calls are not known without a launch" in ended.errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_its_rounds_and_leaves_nothing(packets, number):
    with packets.in_second_round() as pid:
        os.kill(pid, number)

    packets.wait_for_end()
    last = packets.records()[-1]
    assert (last["type"], last.get("reason"), last.get("rounds")) == ("end", "interrupted", 1)
    assert len(read_run(packets.output).rounds) == 1
    assert f"round 1 is complete in {packets.output}\n" in packets.messages[-1]
    assert "--continue" not in packets.messages[-1]  # which a simulation does not take
    assert packets.directories() == []


def test_nothing_is_left_of_a_run_whose_command_is_killed(packets):
    with packets.in_second_round() as pid:
        os.kill(pid, signal.SIGKILL)

    packets.wait_for_end()
    wait_until(lambda: packets.directories() == [], "the temporary directory is removed", within_s=60)
    assert len(read_run(packets.output).rounds) == 1


def test_clean_finds_the_directory_of_a_killed_simulation_and_no_simulator_runs_on(packets, monkeypatch):
    with packets.in_second_round():
        (simulator,) = ranks_of(packets.program)
        parent = int(Path(f"/proc/{simulator}/stat").read_text().rsplit(")", 1)[1].split()[1])
        (directory,) = packets.directories()
        alive = find([packets.temporary], user=os.geteuid())
        os.kill(parent, signal.SIGKILL)

    packets.wait_for_end()
    monkeypatch.setattr("stressbench.launch.leftovers.search._MIN_AGE_S", 0)
    assert alive == ()
    assert [one.path for one in find([packets.temporary], user=os.geteuid())] == [directory]
