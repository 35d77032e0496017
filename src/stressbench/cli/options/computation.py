"""Options for the computation that a workload takes from a program."""

from typing import Annotated

import typer

from stressbench.experiments.validation.workload import Computation

ComputationOfProgram = Annotated[
    Computation | None,
    typer.Option(
        "--computation",
        metavar="sequence|measured|mean|own",
        help="Computation of the workload: the program's call by call, drawn from its distribution, its means, or "
        "the workload's own; default: sequence, measured if an iteration has more than 262,144 calls, own for a "
        "recorded workload.",
        show_default=False,
    ),
]
CpuTime = Annotated[
    bool | None,
    typer.Option(
        "--cpu-time/--elapsed-time",
        help="Take the program's computation as processor time, without waiting for cores, or as elapsed time; "
        "default: processor time if there are more ranks than cores.",
        show_default=False,
    ),
]
