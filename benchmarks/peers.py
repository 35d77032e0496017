"""The engine compared with public benchmarks and tools: OSU, IMB, IOR, mdtest, mpiP, Darshan, GPCNeT, hpcc and b_eff.

    .venv/bin/python benchmarks/peers.py --list
    .venv/bin/python benchmarks/peers.py osu ior [--launches 11] [--on lab:NAME]

Each comparison starts the peer and the engine in turns, in random order, with the same calls and numbers of iterations
(the docstrings of benchmarks/peers_*.py state what each side does), and prints the ratios of their times with 95 %
intervals, and the average and largest difference. Exit status 1 if a figure misses its goal, 2 if a program cannot be
fetched, built or started there, or fails. Ctrl-C prints the tables of the launches that are complete; status 130.

Peers are fetched and built once, below --cache; benchmarks/peers has a definition of each (benchmarks/sources.py and
benchmarks/peer.py describe its keys). --sources DIR takes their repositories from a directory instead (DIR/OWNER/NAME,
DIR/OWNER+NAME or DIR/NAME).

"""

import argparse
import dataclasses
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import compare
import mpi
import peers_darshan
import peers_gpcnet
import peers_imb
import peers_ior
import peers_mdtest
import peers_mpip
import peers_osu
import peers_rings
import sources
from peer import Built, Comparison, Peer, Setting, Sizes
from place import LaunchTarget
from sweep import Table

from stressbench.formats.units import UnitError, parse_size

DEFINITIONS = Path(__file__).resolve().parent / "peers"
COMPARISONS = {
    "osu": Comparison(
        definition="osu",
        about="latency, bandwidth, allreduce, alltoall, put, get",
        measure=peers_osu.tables,
        launches=11,
    ),
    "imb": Comparison(
        definition="imb",
        about="point-to-point, streams, collectives, put, get",
        measure=peers_imb.tables,
        launches=11,
    ),
    "ior": Comparison(
        definition="ior",
        about="bandwidth of POSIX, MPI-IO and HDF5, N-1 and N-N",
        measure=peers_ior.tables,
        launches=7,
        in_labs=False,
    ),
    "mdtest": Comparison(
        definition="ior",
        about="create, stat, read and remove files",
        measure=peers_mdtest.tables,
        launches=7,
        in_labs=False,
    ),
    "mpip": Comparison(
        definition="mpip",
        about="overhead per call, next to the tracer's",
        measure=peers_mpip.tables,
        launches=9,
        in_labs=False,
    ),
    "darshan": Comparison(
        definition="darshan",
        about="write time of MPI-IO",
        measure=peers_darshan.tables,
        launches=6,
        in_labs=False,
    ),
    "gpcnet": Comparison(
        definition="gpcnet",
        about="congestion impact on a lab",
        measure=peers_gpcnet.tables,
        launches=6,
        local=False,
    ),
    "hpcc": Comparison(definition="hpcc", about="rings of b_eff", measure=peers_rings.hpcc_tables, launches=7),
    "b_eff": Comparison(definition="b_eff", about="effective bandwidth", measure=peers_rings.b_eff_tables, launches=6),
}


def sizes_of(text: str) -> Sizes:
    """Sizes from text such as `0:4MiB`, for argparse."""
    low, colon, high = text.partition(":")
    try:
        sizes = Sizes(bytes_of(low), bytes_of(high if colon else low))
    except UnitError as fault:
        raise argparse.ArgumentTypeError(f"{text}: {fault}") from None
    if sizes.low & (sizes.low - 1) or sizes.high < sizes.low:
        raise argparse.ArgumentTypeError(f"{text}: expected MIN:MAX, where MIN is 0 or a power of two and at most MAX")
    return sizes


def bytes_of(text: str) -> int:
    """A number of bytes from text such as 0, 8 or 4MiB."""
    return 0 if text == "0" else parse_size(text)


def parser() -> argparse.ArgumentParser:
    """Parser of the command's options."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("names", nargs="*", metavar="NAME", help="comparisons, as listed by --list [all]")
    found.add_argument("--list", action="store_true", help="list the comparisons and where their programs come from")
    found.add_argument(
        "--sources", type=Path, metavar="DIR", help="directory with repositories that are used instead of fetching them"
    )
    found.add_argument(
        "--cache",
        type=Path,
        default=sources.DEFAULT_CACHE,
        metavar="DIR",
        help="where programs are built [%(default)s]",
    )
    found.add_argument("--engine", type=Path, metavar="FILE", help="the engine to compare [built for Open MPI]")
    found.add_argument("--build-only", action="store_true", help="build the programs and measure nothing")
    found.add_argument(
        "--launches",
        type=int,
        metavar="N",
        help="of each side, 6 or more for 95 %% intervals [depends on the comparison]",
    )
    found.add_argument(
        "--iterations", type=float, default=1.0, metavar="FACTOR", help="factor on the iterations of both sides [1]"
    )
    found.add_argument("--sizes", type=sizes_of, default=Sizes(0, 4 << 20), metavar="MIN:MAX", help="[0:4MiB]")
    found.add_argument("--on", default="local", help="local or lab:NAME, one rank on each of its hosts [%(default)s]")
    found.add_argument("--folder", type=Path, metavar="DIR", help="folder for files of storage [a temporary one]")
    found.add_argument(
        "--first-open", action="store_true", help="ior: also measure what the first open of a process adds"
    )
    found.add_argument("--seed", type=int, default=1, help="seed of the launch order and the intervals [%(default)s]")
    found.add_argument("--json", action="store_true", help="print JSON, with the figures of each launch")
    found.add_argument("-o", "--output", type=Path, metavar="DIR", help="also write NAME.txt and NAME.json there")
    return found


def read_peer(definition: str) -> Peer:
    """A peer as its file defines it. Raises SourceMistake."""
    return sources.read_definition(DEFINITIONS / f"{definition}.toml", Peer)


def listing() -> str:
    """The table of --list."""
    rows = [
        (name, one.about, one.places, peer.name, peer.words)
        for name, one in COMPARISONS.items()
        for peer in [read_peer(one.definition)]
    ]
    return compare.table(("name", "compares", "runs on", "peer", "source"), rows)


def check(names: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raise SourceMistake for a name that is unknown or a comparison that does not run on `--on`."""
    for name in names:
        if name not in COMPARISONS:
            raise sources.SourceMistake(f"{name}: not a comparison; expected {', '.join(COMPARISONS)}")
        if not (arguments.build_only or COMPARISONS[name].runs_on(arguments.on)):
            raise sources.SourceMistake(f"{name}: --on {arguments.on}; it runs on: {COMPARISONS[name].places}")
    if arguments.launches is not None and arguments.launches < 1:
        raise sources.SourceMistake(f"--launches {arguments.launches}: expected 1 or more")


def chosen(arguments: argparse.Namespace) -> list[str]:
    """The comparisons that were named, or else all that run on `--on` or are only built."""
    if arguments.names:
        return list(arguments.names)
    return [name for name, one in COMPARISONS.items() if arguments.build_only or one.runs_on(arguments.on)]


def built(names: Sequence[str], arguments: argparse.Namespace) -> dict[str, Built]:
    """The programs of all comparisons, before the first is measured. Raises SourceMistake."""
    found = {}
    for name in names:
        peer = read_peer(COMPARISONS[name].definition)
        folder = sources.Programs(cache=arguments.cache.absolute(), sources=arguments.sources).built(peer)
        programs = Built(peer, folder)
        for program in peer.programs:
            programs.path(program)
        found[name] = programs
    return found


def measured(
    name: str, programs: Built, engine: Path, arguments: argparse.Namespace, interruption: compare.Interruption
) -> Iterator[Table]:
    """The tables of a comparison."""
    comparison = COMPARISONS[name]
    beside = None if arguments.folder is None else arguments.folder.absolute()  # ranks run in folders of their own
    with tempfile.TemporaryDirectory(dir=beside) as folder:
        yield from comparison.measure(
            Setting(
                programs=programs,
                place=LaunchTarget(arguments.on, engine),
                engine=engine,
                launches=arguments.launches or comparison.launches,
                seed=arguments.seed,
                sizes=arguments.sizes,
                folder=Path(folder),
                iterations=arguments.iterations,
                first_open=arguments.first_open,
                interruption=interruption,
            )
        )


def keep(folder: Path, name: str, tables: Sequence[Table]) -> None:
    """Write the results of a comparison to files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text("\n\n".join(map(str, tables)) + "\n")
    (folder / f"{name}.json").write_text(json.dumps([dataclasses.asdict(table) for table in tables], indent=1) + "\n")


def run(arguments: argparse.Namespace) -> int:
    """Build and measure; the exit status, 130 after Ctrl-C. Raises SourceMistake."""
    names = chosen(arguments)
    check(names, arguments)
    programs = built(names, arguments)
    if arguments.build_only:
        return 0
    engine = (arguments.engine or mpi.build_engine(mpi.OPEN_MPI)).resolve()
    results: dict[str, list[Table]] = {}
    interruption = compare.Interruption()
    for name in interruption.before(names):
        tables = results[name] = []
        try:
            for table in measured(name, programs[name], engine, arguments, interruption):
                tables.append(table)
                if not arguments.json:
                    sys.stdout.write(f"{table}\n\n")
                    sys.stdout.flush()
        except KeyboardInterrupt:
            interruption.happened = True
        if arguments.output and tables:
            keep(arguments.output, name, tables)
    if arguments.json:
        content = {name: [dataclasses.asdict(table) for table in tables] for name, tables in results.items()}
        sys.stdout.write(json.dumps(content, indent=1) + "\n")
    if interruption.happened:
        sys.stderr.write("peers: interrupted; the tables have the launches that were complete\n")
        return 130
    return 1 if any(table.missed for tables in results.values() for table in tables) else 0


def main() -> int:
    """Print the tables. Exit status 1 if a figure misses its goal, 2 for mistakes and programs that fail."""
    arguments = parser().parse_args()
    if arguments.list:
        sys.stdout.write(listing() + "\n")
        return 0
    try:
        return run(arguments)
    except (sources.SourceMistake, mpi.Unavailable) as mistake:
        sys.stderr.write(f"peers: {mistake}\n")
    except (subprocess.SubprocessError, SystemExit, OSError, ValueError) as fault:
        sys.stderr.write(f"peers: a program failed, or its output cannot be read: {fault}\n")
    return 2


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
