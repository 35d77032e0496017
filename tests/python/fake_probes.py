"""Stands in for stressbench-mpi that sends probes: rounds of a twentieth of a second, forty ping-pongs a pair, in real
time, until it is asked to stop. No MPI inside.

One way takes 100 us give or take 10; 150 while the file `busy` lies in the current folder, as long as a program keeps
it there. `FAKE_HOSTS` names hosts, else all ranks are on one. `FAKE_PROBES`: `refuse` ends before the first round with
status 3, `die` after ten rounds beside a program with status 3. A workload that is not of probes takes a second.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from builders import MadeJob, MadeMachine, MadeStep, end, header

WHAT = os.environ.get("FAKE_PROBES", "")
HOSTS = tuple(os.environ.get("FAKE_HOSTS", "h0").split(","))
ROUND_S, EACH = 0.05, 40
SLEEP_S = ROUND_S / EACH
asked: list[int] = []


def records_of(number: int, pairs: int, started_s: float, source: random.Random) -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    busy = Path("busy").exists()
    for job in range(pairs):
        for repetition in range(EACH):
            one_way_s = (150e-6 if busy else 100e-6) + source.uniform(-10e-6, 10e-6)
            times = {None: SLEEP_S, 0: SLEEP_S - 2 * one_way_s, 1: 2 * one_way_s}
            for step, took_s in times.items():
                records.append(
                    {"type": "sample", "round": number, "job": job, "step": step, "repetition": repetition,
                     "phase": "measured", "iterations": 1, "time_min_s": took_s, "time_mean_s": took_s,
                     "time_max_s": took_s, "slowest_rank": 0, "slowest_host": HOSTS[0], "metrics": {}}
                )  # fmt: skip
    records.append(
        {"type": "round", "round": number, "block": number - 1, "kind": "contended", "job": None,
         "started_s": started_s, "duration_s": ROUND_S, "load_average": 0.1,
         "jobs": [{"job": job, "measured": EACH, "extra": 0, "warmup": 0} for job in range(pairs)], "links": None}
    )  # fmt: skip
    return records


def probe(output: Path, *, pairs: int, rounds: int) -> int:
    for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: asked.append(number))
    if WHAT == "refuse":
        print("no room for probes", file=sys.stderr)
        return 3
    steps = (MadeStep(motif="compute"), MadeStep(motif="pingpong", quantity="one-way latency", quantity_scale=0.5))
    made = tuple(
        MadeJob(name=f"pair{pair}", ranks=2, nodes=f"{2 * pair}-{2 * pair + 1}" if len(HOSTS) > 1 else "0", steps=steps)
        for pair in range(pairs)
    )
    source = random.Random(rounds)
    beside = rounds > 1000
    started = time.monotonic()
    with output.open("w") as file:

        def tell(record: dict[str, object]) -> None:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
            file.flush()

        tell(header(jobs=made, machine=MadeMachine(hosts=HOSTS)))
        done = 0
        while done < rounds and not asked:
            done += 1
            begin_s = time.monotonic() - started
            time.sleep(ROUND_S)
            for record in records_of(done, pairs, begin_s, source):
                tell(record)
            if beside and WHAT == "die" and done == 10:
                return 3
        tell(end(rounds=done, complete=done == rounds, reason="done" if done == rounds else "interrupted"))
    return 130 if asked else 0


def main() -> int:
    match sys.argv[1:]:
        case ["--version", *_]:
            print("stressbench-mpi 0.1.0\nMPI library: Open MPI v4.1.4, package: fake")
            return 0
        case ["check", file, *_]:
            if "bad" in Path(file).name:
                print(f"{file}:1:1: error: 'AlReduce' is not a motif", file=sys.stderr)
                return 2
            return 0
        case ["run", file, *rest]:
            text = Path(file).read_text()
            if "pingpong --size" in text:
                rounds = int(rest[rest.index("--contended") + 1])
                return probe(Path(rest[rest.index("--output") + 1]), pairs=text.count("[JOB_NAME]"), rounds=rounds)
            print(f"workload {file} {rest[rest.index('--contended') + 1]} rounds", flush=True)
            time.sleep(1)
            return 0
    return 2


sys.exit(main())
