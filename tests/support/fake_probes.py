"""Fake of stressbench-mpi that sends probes: rounds of 0.05 s with forty ping-pongs per pair, until asked to stop.

There is no MPI inside, and time is that of support.fake_clock: next to a program it makes its first round, and then as
many as fit into the time that the program lets pass. A ring next to a program completes no round, as rounds would take
ten minutes.

One way takes 100 us +- 10 us, and 150 us while a program keeps the file `busy` in the current folder. `FAKE_HOSTS`
names hosts; by default all ranks are on one. `FAKE_PROBES`: `refuse` ends before the first round, and `die` half a
second after the first round next to a program, both with status 3; `wait N` makes one round in the N-th launch without
a program, touches ../here and waits to be asked to stop, and `last N` does so in the last round of that launch. A
workload without probes takes one second, and each of its repetitions a millisecond.

With a ring, one way takes longer the shorter its bubbles are. While it runs, the file `ring` has the time (ms) that a
program of 400 ms takes next to it, and the workload is slowed down likewise.

"""

import json
import os
import random
import re
import signal
import sys
import time
from pathlib import Path
from typing import TextIO

from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run, end, header
from support.fake_clock import FakeClock

WHAT, _, AT = os.environ.get("FAKE_PROBES", "").partition(" ")
HOSTS = tuple(os.environ.get("FAKE_HOSTS", "h0").split(","))
ROUND_MS, EACH = 50, 40
ROUND_S = ROUND_MS * 1e-3
asked: list[int] = []
RING, ISOLATED_MS = Path("ring"), 400
CLOCK = FakeClock.here()
_MOST_ISOLATED, _LOOK_EVERY_S, _DIES_AFTER_MS = 1000, 0.005, 500


def ring_load(text: str) -> float:
    """Utilisation by the ring: 0 without a ring, 0.8 for bubbles of at most 10 us, 0.2 less per factor of ten."""
    pause = re.search(r"compression .*--pause (\d+)ns", text)
    return 0.0 if pause is None else max(0.1, 0.8 - 0.2 * max(0, len(pause[1]) - 5))


def delays(round_trip_s: float) -> dict[str, object]:
    """Both directions, on clocks of which the second is an hour ahead."""
    ways = {"forward_delay_s": round_trip_s / 2 + 3600, "backward_delay_s": round_trip_s / 2 - 3600}
    return {name: {"min": way, "mean": way, "max": way, "slowest_rank": 0} for name, way in ways.items()}


def records_of(
    number: int, pairs: int, pauses: int, started_s: float, source: random.Random, load: float
) -> list[dict[str, object]]:  # fmt: skip
    records: list[dict[str, object]] = []
    busy = Path("busy").exists()
    repetitions = max(1, EACH // pauses)
    sleep_s = ROUND_S / (repetitions * pauses)
    for job in range(pairs):
        for repetition in range(repetitions):
            times: dict[int | None, float] = {None: pauses * sleep_s}
            for pause in range(pauses):
                one_way_s = (150e-6 if busy else 100e-6) + 50e-6 * load / (1 - load) + source.uniform(-10e-6, 10e-6)
                times |= {2 * pause: sleep_s - 2 * one_way_s, 2 * pause + 1: 2 * one_way_s}
            for step, took_s in times.items():
                metrics = delays(took_s) if step is not None and step % 2 else {}
                records.append(
                    {"type": "sample", "round": number, "job": job, "step": step, "repetition": repetition,
                     "phase": "measured", "iterations": 1, "time_min_s": took_s, "time_mean_s": took_s,
                     "time_max_s": took_s, "slowest_rank": 0, "slowest_host": HOSTS[0], "metrics": metrics}
                )  # fmt: skip
    if load:
        records.append(
            {"type": "sample", "round": number, "job": pairs, "step": None, "repetition": 0, "phase": "measured",
             "iterations": 1, "time_min_s": ROUND_S, "time_mean_s": ROUND_S, "time_max_s": ROUND_S, "slowest_rank": 0,
             "slowest_host": HOSTS[0], "metrics": {}}
        )  # fmt: skip
    counts = [repetitions] * pairs + [1] * bool(load)
    records.append(
        {"type": "round", "round": number, "block": number - 1, "kind": "contended", "job": None,
         "started_s": started_s, "duration_s": ROUND_S, "load_average": 0.1,
         "jobs": [{"job": job, "measured": many, "extra": 0, "warmup": 0} for job, many in enumerate(counts)],
         "links": None}
    )  # fmt: skip
    return records


def probe(output: Path, *, pairs: int, pauses: int, rounds: int, load: float) -> int:
    for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: asked.append(number))
    if WHAT == "refuse":
        print("no room for probes", file=sys.stderr)
        return 3
    steps = (
        MadeStep(motif="compute"), MadeStep(motif="one_way_delay", quantity="one-way latency", quantity_scale=0.5),
    ) * pauses  # fmt: skip
    made = tuple(
        MadeJob(name=f"pair{pair}", ranks=2, nodes=f"{2 * pair}-{2 * pair + 1}" if len(HOSTS) > 1 else "0", steps=steps)
        for pair in range(pairs)
    )
    if load:
        made = (*made, MadeJob(name="ring", ranks=2, nodes="0", role="background"))
        RING.write_text(str(round(ISOLATED_MS * (1 + load))))
    with output.open("w") as file:
        rounds_of = Rounds(file, pairs=pairs, pauses=pauses, load=load, source=random.Random(rounds))
        next_to_program = rounds > _MOST_ISOLATED
        if next_to_program:
            CLOCK.hold()
        rounds_of.write(header(jobs=made, machine=MadeMachine(hosts=HOSTS)))  # a program may start from here on
        done = contended(rounds_of, are_complete=not load) if next_to_program else isolated(rounds_of, rounds)
        if done is None:
            return 3
        rounds_of.write(end(rounds=done, complete=done == rounds, reason="done" if done == rounds else "interrupted"))
    RING.unlink(missing_ok=True)
    return 130 if done < rounds else 0


class Rounds:
    """Records of a launch, round by round."""

    def __init__(self, file: TextIO, *, pairs: int, pauses: int, load: float, source: random.Random) -> None:
        self._file, self._pairs, self._pauses, self._load, self._source = file, pairs, pauses, load, source
        self._began_s = CLOCK.now_s()
        self.done = 0

    def write(self, record: dict[str, object]) -> None:
        self._file.write(json.dumps(record, separators=(",", ":")) + "\n")
        self._file.flush()

    def make(self) -> None:
        self.done += 1
        begin_s = CLOCK.now_s() - self._began_s
        CLOCK.pass_ms(ROUND_MS)
        for record in records_of(self.done, self._pairs, self._pauses, begin_s, self._source, self._load):
            self.write(record)


def isolated(rounds_of: Rounds, rounds: int) -> int:
    """Number of rounds that were made without a program."""
    chosen = str(next_launch()) == AT
    while rounds_of.done < rounds and not asked:
        if chosen and rounds_of.done == (1 if WHAT == "wait" else rounds - 1):
            wait_to_be_asked()
        if not asked or WHAT == "last":
            rounds_of.make()
    return rounds_of.done


def wait_to_be_asked() -> None:
    Path("../here").touch()
    while not asked:
        time.sleep(_LOOK_EVERY_S)


def next_launch() -> int:
    """Number of this launch of probes without a program, from 1."""
    with Path("../launches-alone").open("a+") as file:
        file.write("one\n")
        file.seek(0)
        return len(file.readlines())


def contended(rounds_of: Rounds, *, are_complete: bool) -> int | None:
    """Number of rounds that were completed next to a program until it ended; None if the fake is to die."""
    try:
        if are_complete:
            rounds_of.make()
        began_ms = CLOCK.now_ms()
        while not asked:
            request_ms = CLOCK.request_ms()
            if request_ms is None:
                time.sleep(_LOOK_EVERY_S)
                continue
            for took_ms in periods(request_ms):
                if are_complete and took_ms == ROUND_MS:
                    rounds_of.make()
                else:
                    CLOCK.pass_ms(took_ms)
                if WHAT == "die" and CLOCK.now_ms() - began_ms >= _DIES_AFTER_MS:
                    return None
            CLOCK.granted()
    finally:
        CLOCK.release()
    return rounds_of.done


def periods(milliseconds: int) -> list[int]:
    """The time as that of rounds and a remainder."""
    rounds, rest = divmod(milliseconds, ROUND_MS)
    return [ROUND_MS] * rounds + [rest]


def work(output: Path, *, rounds: int) -> int:
    CLOCK.elapse(1000)
    slowed = int(RING.read_text()) / ISOLATED_MS if RING.exists() else 1.0
    made = build_run(
        jobs=(MadeJob(name="CG", congestion=slowed),), plan=MadePlan(blocks=rounds, isolated=0),
        machine=MadeMachine(noise=0.001, round_noise=0.001), seed=round(1000 * slowed), histograms=False,
    )  # fmt: skip
    made.write(output.parent, output.name)
    return 0


def main() -> int:
    match sys.argv[1:]:
        case ["run", file, *rest]:
            text, rounds = Path(file).read_text(), int(rest[rest.index("--contended") + 1])
            output = Path(rest[rest.index("--output") + 1])
            if "one_way_delay --size" in text:
                pairs = text.count("[JOB_NAME] pair")
                pauses = text.count("one_way_delay --size") // pairs
                return probe(output, pairs=pairs, pauses=pauses, rounds=rounds, load=ring_load(text))
            print(f"workload {file} {rounds} rounds", flush=True)
            return work(output, rounds=rounds)
    return 2


sys.exit(main())
