"""`stressbench trace`: its subcommands are the modules of this package that have `register`."""

from importlib import import_module
from pkgutil import iter_modules

import typer

_HELP = """\
Look into trace files: what `stressbench capture`, `record` and `profile -o FILE.trace` wrote.

\b
    stressbench trace show cg.trace --rank 0
    stressbench trace diff cg.trace replayed.trace
    stressbench trace export --profile cg.trace -o cg.json
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    group = typer.Typer(add_completion=False, rich_markup_mode=None, help=_HELP, no_args_is_help=True)
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        import_module(f"{__name__}.{module.name}").register(group)
    app.add_typer(group, name="trace")
