"""`stressbench machine`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.console.app import add_group

_HELP = """\
Measure a machine with a fixed suite, and compare machines. The result is one page: latency, bandwidth, allreduce,
storage, b_eff, congestion impact by placement, and noise, each figure with a 95 % interval, and a checksum of it all.

\b
    stressbench machine run --on lab:tiny -o tiny                # 5 to 10 minutes
    stressbench machine resume tiny                              # after Ctrl-C, a crash, the end of an allocation
    stressbench machine report tiny --format html -o tiny.html   # one page
    stressbench machine compare tiny other/machine.json          # better, worse, same, undecided
    stressbench machine check tiny criteria.toml                 # acceptance criteria: met, missed, undecided
    stressbench machine verify tiny                              # nothing has changed

docs/how-to/machine.md describes the suite; schema/machine.schema.json is the JSON Schema of a result.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="machine", about=_HELP)
