"""Time, memory and size of the HTML report: runs of 1,000,000 samples, and a run of 200 jobs on 1,024 nodes.

    .venv/bin/python benchmarks/pages.py [CASE ...] [--samples N] [--output pages.json]

The runs are synthetic, those of `tests/support/builders.py`: two jobs of one motif, in 30 rounds of 12,500 repetitions,
3,750 of 100 or 37,500 of 10, with histograms where a round has 100 repetitions or more; and 200 jobs on a torus of 16 x
16 switches with 1,024 hosts and 512 links between switches (`large`), with the counters of all links. For each,
`stressbench report` makes the page once. Printed are its processor time, the time by the clock, its largest memory, and
the sizes of run file and page.

Goals: 20 s and 10 MB for 1,000,000 samples, 10 s for 200 jobs. Exit status: 0 all cases meet them by the clock, 1 a
case does not, 2 invalid input, 3 a report failed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.builders import MadeJob, MadePlan, build_run, end
from support.networks import large_run, large_torus

CHECKOUT = Path(__file__).resolve().parent.parent
SAMPLES = 1_000_000
_JOBS = (MadeJob(name="TeaLeaf_CG", congestion=1.4, nodes="0"), MadeJob(name="Incast", nodes="1"))
_SAMPLES_PER_REPETITION = 2
"""Of a job with one motif: its own and that of the motif."""
_ROUNDS_PER_BLOCK, _JOBS_PER_BLOCK = 3, 4
_HISTOGRAMS_FROM = 100


@dataclass(frozen=True, kw_only=True)
class Case:
    """A run and the goals of its page: seconds by the clock, and bytes."""

    about: str
    write: Callable[[Path, int], Sequence[str]]
    goal_s: float
    goal_bytes: int = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a report took: times in seconds, sizes in bytes."""

    case: str
    run_bytes: int
    processor_s: float
    elapsed_s: float
    memory_bytes: int
    page_bytes: int
    meets_goals: bool


def long_run(repetitions: int) -> Callable[[Path, int], Sequence[str]]:
    """Writes a run of so many samples in rounds of `repetitions`, block by block; returns the words of its report."""

    def write(folder: Path, samples: int) -> Sequence[str]:
        blocks = max(1, round(samples / (_SAMPLES_PER_REPETITION * _JOBS_PER_BLOCK * repetitions)))
        path = folder / "run.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(one, separators=(",", ":")) + "\n" for one in _records(blocks, repetitions))
        return [str(path)]

    return write


def _records(blocks: int, repetitions: int) -> Iterator[dict[str, object]]:
    """Records of a run of many blocks, each of which is made as a run of its own."""
    whole = MadePlan(blocks=blocks, repetitions=repetitions, warmup=0, extra=0)
    one = MadePlan(blocks=1, repetitions=repetitions, warmup=0, extra=0)
    for block in range(blocks):
        made = build_run(
            jobs=_JOBS, plan=one, seed=block + 1, complete=False, histograms=repetitions >= _HISTOGRAMS_FROM
        )
        if block == 0:
            plan = {**made.header["plan"], "isolated": blocks, "contended": blocks}
            yield {**made.header, "plan": plan}
        for record in made.records[1:]:
            record["round"] += _ROUNDS_PER_BLOCK * block
            if record["type"] == "round":
                record["block"] = block
                record["started_s"] += _ROUNDS_PER_BLOCK * block
            yield record
    rounds = _ROUNDS_PER_BLOCK * whole.blocks
    yield end(rounds=rounds, elapsed_s=rounds + 1.0)


def write_large_run(folder: Path, _samples: int) -> Sequence[str]:
    """Writes the run of 200 jobs and the topology file of its network; returns the words of its report."""
    network = large_torus()
    switches = set(network.switches)
    hosts: dict[str, list[str]] = {name: [] for name in network.switches}
    trunks = []
    for link in network.links:
        if {link.a, link.b} <= switches:
            trunks.append(f'[[link]]\nbetween = ["{link.a}", "{link.b}"]\n')
        else:
            hosts[link.b].append(link.a)
    tables = [f'[[switch]]\nname = "{name}"\nhosts = {json.dumps(own)}\n' for name, own in hosts.items()]
    path = folder / "torus.toml"
    path.write_text("".join((*tables, *trunks)), encoding="utf-8")
    return [str(large_run(folder).path), "--topology", str(path)]


CASES = {
    "30x12500": Case(about="30 rounds of 12,500 repetitions", write=long_run(12_500), goal_s=20.0),
    "3750x100": Case(about="3,750 rounds of 100 repetitions", write=long_run(100), goal_s=20.0),
    "37500x10": Case(about="37,500 rounds of 10 repetitions", write=long_run(10), goal_s=20.0),
    "large": Case(about="200 jobs, 1,024 nodes, 512 links", write=write_large_run, goal_s=10.0),
}


def measure(name: str, case: Case, folder: Path, *, samples: int) -> Measured:
    """Make the report of the case once. Raises RuntimeError with its message if it fails."""
    words = case.write(folder, samples)
    page = folder / "page.html"
    command = [sys.executable, "-m", "stressbench", "report", *words, "-o", str(page)]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    begin = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        assert child.stderr is not None
        errors = child.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    elapsed_s = time.monotonic() - begin
    if child.returncode:
        raise RuntimeError(f"{name}: `{' '.join(command)}` ended with status {child.returncode}: {errors.strip()}")
    page_bytes = page.stat().st_size
    return Measured(
        case=name, run_bytes=Path(words[0]).stat().st_size, processor_s=usage.ru_utime + usage.ru_stime,
        elapsed_s=elapsed_s, memory_bytes=1024 * usage.ru_maxrss, page_bytes=page_bytes,
        meets_goals=elapsed_s <= case.goal_s and page_bytes <= case.goal_bytes,
    )  # fmt: skip


def row(one: Measured) -> str:
    """A row of the table in Markdown."""
    case = CASES[one.case]
    cells = (
        case.about, f"{one.run_bytes / 1e6:.0f} MB", f"{one.processor_s:.1f} s", f"{one.elapsed_s:.1f} s",
        f"{one.memory_bytes / 1e9:.2f} GB", f"{one.page_bytes / 1e6:.2f} MB", f"{case.goal_s:g} s",
        "yes" if one.meets_goals else "no",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| run | file | processor time | by the clock | memory | page | goal | met |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
)  # fmt: skip


def main(words: Sequence[str] | None = None) -> int:
    """Measure the cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(CASES)}; default: all")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="samples of the long runs [%(default)s]")
    parser.add_argument("--output", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args(words)
    if unknown := [name for name in arguments.cases if name not in CASES]:
        parser.error(f"CASE: '{unknown[0]}': expected {', '.join(CASES)}")
    if arguments.samples < 1:
        parser.error(f"--samples {arguments.samples}: expected at least 1")
    found: list[Measured] = []
    sys.stdout.write("\n".join(HEAD) + "\n")
    for name in arguments.cases or CASES:
        with tempfile.TemporaryDirectory(prefix="stressbench-pages-") as folder:
            try:
                found.append(measure(name, CASES[name], Path(folder), samples=arguments.samples))
            except RuntimeError as fault:
                sys.stderr.write(f"{fault}\n")
                return 3
        sys.stdout.write(row(found[-1]) + "\n")
        sys.stdout.flush()
    if arguments.output is not None:
        arguments.output.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n", encoding="utf-8")
    return 0 if all(one.meets_goals for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
