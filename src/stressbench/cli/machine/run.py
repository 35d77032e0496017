"""`stressbench machine run`: measure a machine with the suite."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.machines import measure_and_exit
from stressbench.cli.options.common import Engine, TargetName, ranks_per_node_option, seed_option
from stressbench.cli.options.documents import output_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.machine import EXIT_STATUS
from stressbench.cli.options.study import SequentialStudyOptions
from stressbench.cli.options.study_creation import OneRankCount
from stressbench.experiments.machine.running import begin_machine
from stressbench.experiments.machine.settings import suite_settings
from stressbench.formats.machines import Part

_HELP = f"""\
Measure a machine with a fixed suite, and write its result, DIR/machine.json.

A survey finds nodes and ranks, and a calibration of seconds determines iterations and sizes. Then each workload of the
suite runs in three launches, in random order. All run files stay in DIR: raw data for every figure. Nothing names hosts
in the result, unless --host-names is given.

\b
Examples:
    stressbench machine run --on lab:tiny -o tiny --label "lab tiny"
    stressbench machine run -n 64 --on slurm --storage /scratch/me -o cluster
    stressbench machine run -n 4 --ranks-per-node 1 --only latency,noise --quick -o short

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("run", help=_HELP)(run)


@with_options
def run(
    *,
    output: Annotated[Path, output_option("DIR", "New directory of the measurements and the result.")],
    ranks: OneRankCount = None,
    ranks_per_node: Annotated[
        int | None, ranks_per_node_option("Treat every K consecutive ranks as one node; default: those on one host.")
    ] = None,
    on: TargetName = "local",
    storage: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Directory of files, as ranks see it; without it, storage is left out."),
    ] = None,
    only: Annotated[str | None, typer.Option(metavar="PART,...", help=f"Only these of {', '.join(Part)}.")] = None,
    seed: Annotated[int, seed_option("Random seed of the order of runs, of each run, and of placement.")] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="One launch of each workload and short rounds; wider intervals.")
    ] = False,
    label: Annotated[str | None, typer.Option(metavar="TEXT", help="Name of the machine in its result.")] = None,
    host_names: Annotated[bool, typer.Option("--host-names", help="Name the hosts in the result.")] = False,
    study_options: SequentialStudyOptions,
    engine: Engine = None,
) -> None:
    """Measure the machine into the new directory `output`."""
    settings = suite_settings(
        on=on, ranks=ranks, ranks_per_node=ranks_per_node, storage=storage, only=only, seed=seed, quick=quick,
        label=label, host_names=host_names, engine=engine,
    )  # fmt: skip
    options = study_options.value()
    measure_and_exit(begin_machine(output, settings), options)
