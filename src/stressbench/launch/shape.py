"""The run file and the number of ranks of a run, as typed or from a continued run file."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stressbench.formats.errors import file_fault, reason_of
from stressbench.formats.excerpts import excerpt
from stressbench.formats.files import require_output
from stressbench.formats.ranges import MAX_NUMBERS
from stressbench.formats.run import Header, RunFileError, read_run
from stressbench.formats.run.records import NODE_SIZES
from stressbench.launch.engine import RunFile
from stressbench.launch.errors import LaunchMistake


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Number of ranks to start, and of ranks per node (None: ranks that share memory form a node).

    The ranks of all nodes are a text such as `16(x3),8` where they differ.
    """

    ranks: int
    ranks_per_node: int | str | None


def shape_of(
    *, ranks: int | None, ranks_per_node: int | str | None, run_file: RunFile, default: int | None = None
) -> Shape:
    """Numbers of ranks and ranks per node: as typed, from the continued file, or the `default` of a launch target.

    Raises LaunchMistake.
    """
    if isinstance(ranks_per_node, str):
        ranks_per_node = _sizes(ranks_per_node)
    for option, value in (("-n", ranks), ("--ranks-per-node", ranks_per_node)):
        if isinstance(value, int) and value < 1:
            raise LaunchMistake(f"{option}: {value} is not at least 1")
        if isinstance(value, int) and value > MAX_NUMBERS:
            raise LaunchMistake(f"{option}: {value} is not at most {MAX_NUMBERS}")
    if run_file.continues:
        header = _header(run_file.path)
        return Shape(ranks=ranks or header.ranks, ranks_per_node=ranks_per_node or header.ranks_per_node)
    if ranks is None:
        ranks = default
    if ranks is None:
        raise LaunchMistake("-n is missing, for example -n 8")
    return Shape(ranks=ranks, ranks_per_node=ranks_per_node)


def _sizes(text: str) -> int | str:
    """The ranks of every node, or the list of all nodes, which the engine checks. Raises LaunchMistake."""
    if re.fullmatch("-?[0-9]{1,18}", text):
        return int(text)
    if re.fullmatch(NODE_SIZES, text):
        return text
    raise LaunchMistake(
        f"--ranks-per-node: '{excerpt(text)}' must be a number of ranks, such as 16, or a list with the ranks of all "
        "nodes, such as 16(x3),8"
    )


def require_same_time(run_file: RunFile, *, simulated: bool) -> None:
    """Raise LaunchMistake where a continued file would mix simulated and real times."""
    if not run_file.continues:
        return
    simulation = _header(run_file.path).simulation
    if simulation is not None and not simulated:
        name = "NAME" if simulation.platform is None else simulation.platform.name
        raise LaunchMistake(
            f"--continue {run_file.path}: its times are simulated; continue it with --on simgrid:{name}"
        )
    if simulation is None and simulated:
        raise LaunchMistake(f"--continue {run_file.path}: its times are of real hosts; leave --on simgrid out")


def _header(path: Path) -> Header:
    try:
        return read_run(path).header
    except RunFileError as fault:
        raise LaunchMistake(f"--continue: {fault}") from fault


def run_file_of(*, output: Path | None, continue_from: Path | None, workload: Path | None) -> RunFile:
    """The run file to write, which must not exist unless it is continued. Raises LaunchMistake."""
    if continue_from is not None:
        return _continued(continue_from, output=output, workload=workload)
    if workload is None:
        raise LaunchMistake("FILE is missing, for example workloads/demo.sb")
    if wrong := file_fault(workload):
        raise LaunchMistake(wrong)
    path = output or Path(f"{workload.stem}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.jsonl")
    run_file = RunFile(path=path)
    require_new(run_file)
    if not path.absolute().parent.is_dir():
        raise LaunchMistake(f"--output: {path.absolute().parent} is not a directory")
    try:
        require_output(path)
    except OSError as fault:
        raise LaunchMistake(f"--output: {path}: {reason_of(fault)}") from fault
    return run_file


def require_new(run_file: RunFile) -> None:
    """Raise LaunchMistake for a file that exists and is not continued."""
    if run_file.path.exists() and not run_file.continues:
        raise LaunchMistake(f"--output: {run_file.path} already exists; choose another name, or --continue it")


def _continued(path: Path, *, output: Path | None, workload: Path | None) -> RunFile:
    if output is not None and output != path:
        raise LaunchMistake(f"--output {output}: --continue {path} already says which file to write")
    if workload is not None:
        raise LaunchMistake(f"{workload}: --continue {path} uses the workload that this file holds; leave it out")
    if not path.is_file():
        raise LaunchMistake(f"--continue: {path} is not a file")
    return RunFile(path=path, continues=True)
