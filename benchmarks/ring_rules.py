"""Effects of hpcc's timing rule and of its buffers on the ring exchange of b_eff (benchmarks/bare/ring_rules.c).

    .venv/bin/python benchmarks/ring_rules.py [--launches 7] [--ranks 4]

Complements benchmarks/against_hpcc.py, which compares the programs. Here everything else is equal, under Open MPI, and
rules and buffers alternate within a launch: each ratio is the part of the difference that one of them explains. hpcc
sends from memory that was never written to, which Linux maps to one page of zeros.

"""

import argparse
import sys

import compare
import mpi

RULES = {
    ("written", "barrier", "method"): "faster method of each rank, then the slowest rank",
    ("written", "none", "rank"): "no barrier",
    ("written", "none", "method"): "both, which is hpcc's rule",
    ("untouched", "barrier", "rank"): "hpcc's buffers",
    ("untouched", "none", "method"): "hpcc's rule and buffers",
}
B_EFF = ("written", "barrier", "rank")
KINDS = ("naturally ordered", "randomly ordered")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=7, help="[%(default)s]")
    parser.add_argument("--ranks", type=int, default=4, help="[%(default)s]")
    arguments = parser.parse_args()
    program = mpi.build_bare(mpi.OPEN_MPI, "ring_rules")
    rates_by_rule: dict[tuple[str, ...], list[tuple[float, ...]]] = {rule: [] for rule in (B_EFF, *RULES)}
    for launch in range(arguments.launches):
        text = mpi.run(mpi.OPEN_MPI, arguments.ranks, [str(program), str(launch + 1)])
        for line in text.splitlines():
            buffers, barrier, chosen, *rates = line.split()
            rates_by_rule.setdefault((buffers, barrier, chosen), []).append(tuple(map(float, rates)))
    rows = []
    for index, kind in enumerate(KINDS):
        ours = [1 / rates[index] for rates in rates_by_rule[B_EFF]]
        for rule, description in RULES.items():
            theirs = [1 / rates[index] for rates in rates_by_rule[rule]]
            ratio = compare.ratio(ours, theirs, seed=1)
            both = [f"{1 / time_s / 1e6:.0f} MB/s" for time_s in (ratio.ours_s, ratio.theirs_s)]
            rows.append([kind, description, *both, *compare.cells(ratio)])
    header = ["ring", "unlike b_eff", "by b_eff's rule", "by this", *compare.HEADER]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
