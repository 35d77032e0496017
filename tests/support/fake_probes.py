"""Stands in for stressbench-mpi that sends probes: rounds of a twentieth of a second, forty ping-pongs a pair, in real
time, until it is asked to stop. No MPI inside.

One way takes 100 us give or take 10; 150 while the file `busy` lies in the current folder, as long as a program keeps
it there. `FAKE_HOSTS` names hosts, else all ranks are on one. `FAKE_PROBES`: `refuse` ends before the first round with
status 3, `die` after ten rounds beside a program with status 3, `old` knows no compression; to `last` every request to
stop comes in the last round. A workload that is not of probes takes a second, and its repetitions a millisecond each.

With a ring, one way takes longer, the shorter its bubbles. While it runs, the file `ring` says how long something
takes beside it that takes 0.4 s alone, and the workload is slowed likewise.
"""

import json
import os
import random
import re
import signal
import sys
import time
from pathlib import Path

from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run, end, header

WHAT = os.environ.get("FAKE_PROBES", "")
HOSTS = tuple(os.environ.get("FAKE_HOSTS", "h0").split(","))
ROUND_S, EACH = 0.05, 40
asked: list[int] = []
RING, ALONE_S = Path("ring"), 0.4


def ring_load(text: str) -> float:
    """Utilisation, 0 without a ring: 0.8 by bubbles of 10 us or less, 0.2 less with each factor of ten."""
    pause = re.search(r"compression .*--pause (\d+)ns", text)
    return 0.0 if pause is None else max(0.1, 0.8 - 0.2 * max(0, len(pause[1]) - 5))


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
                records.append(
                    {"type": "sample", "round": number, "job": job, "step": step, "repetition": repetition,
                     "phase": "measured", "iterations": 1, "time_min_s": took_s, "time_mean_s": took_s,
                     "time_max_s": took_s, "slowest_rank": 0, "slowest_host": HOSTS[0], "metrics": {}}
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
        MadeStep(motif="compute"), MadeStep(motif="pingpong", quantity="one-way latency", quantity_scale=0.5),
    ) * pauses  # fmt: skip
    made = tuple(
        MadeJob(name=f"pair{pair}", ranks=2, nodes=f"{2 * pair}-{2 * pair + 1}" if len(HOSTS) > 1 else "0", steps=steps)
        for pair in range(pairs)
    )
    if load:
        made = (*made, MadeJob(name="ring", ranks=2, nodes="0", role="background"))
        RING.write_text(f"{ALONE_S * (1 + load)}")
    source = random.Random(rounds)
    beside = rounds > 1000
    started = time.monotonic()
    with output.open("w") as file:

        def tell(record: dict[str, object]) -> None:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
            file.flush()

        tell(header(jobs=made, machine=MadeMachine(hosts=HOSTS)))
        done = 0
        while done < rounds and (WHAT == "last" or not asked):
            done += 1
            begin_s = time.monotonic() - started
            time.sleep(ROUND_S)
            for record in records_of(done, pairs, pauses, begin_s, source, load):
                tell(record)
            if done == 1:
                note_launch()
            if beside and WHAT == "die" and done == 10:
                return 3
        tell(end(rounds=done, complete=done == rounds, reason="done" if done == rounds else "interrupted"))
    RING.unlink(missing_ok=True)
    return 130 if asked and done < rounds else 0


def note_launch() -> None:
    """One line for each launch of probes that has told a round: it hears requests, and what it does is under way."""
    with Path(os.environ.get("FAKE_BEGUN", os.devnull)).open("a") as file:
        file.write("begun\n")


def work(output: Path, *, rounds: int) -> int:
    time.sleep(1)
    slowed = float(RING.read_text()) / ALONE_S if RING.exists() else 1.0
    made = build_run(
        jobs=(MadeJob(name="CG", congestion=slowed),), plan=MadePlan(blocks=rounds, isolated=0),
        machine=MadeMachine(noise=0.001, round_noise=0.001), seed=round(1000 * slowed), histograms=False,
    )  # fmt: skip
    made.write(output.parent, output.name)
    return 0


def main() -> int:
    match sys.argv[1:]:
        case ["--version", *_]:
            print("stressbench-mpi 0.1.0\nMPI library: Open MPI v4.1.4, package: fake")
            return 0
        case ["check", file, *_]:
            if "bad" in Path(file).name:
                print(f"{file}:1:1: error: 'AlReduce' is not a motif", file=sys.stderr)
                return 2
            if WHAT == "old" and "compression" in Path(file).read_text():
                print(f"{file}: error: 'compression' is not a motif", file=sys.stderr)
                return 2
            return 0
        case ["run", file, *rest]:
            text, rounds = Path(file).read_text(), int(rest[rest.index("--contended") + 1])
            output = Path(rest[rest.index("--output") + 1])
            if "pingpong --size" in text:
                pairs = text.count("[JOB_NAME] pair")
                pauses = text.count("pingpong --size") // pairs
                return probe(output, pairs=pairs, pauses=pauses, rounds=rounds, load=ring_load(text))
            print(f"workload {file} {rounds} rounds", flush=True)
            return work(output, rounds=rounds)
    return 2


sys.exit(main())
