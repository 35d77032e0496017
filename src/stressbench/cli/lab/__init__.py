"""`stressbench lab`: its subcommands are the modules of this package that have `register`."""

from importlib import import_module
from pkgutil import iter_modules

import typer

_HELP = """\
A small cluster inside this machine: hosts and switches are namespaces, links carry what they are said to carry.

\b
    stressbench lab up tiny
    stressbench run workloads/demo.sb --on lab:tiny
    stressbench lab stats --watch
    stressbench lab down tiny

Nothing of the machine's own network is touched, nothing leaves it, and nothing is left when a lab goes down.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    group = typer.Typer(add_completion=False, rich_markup_mode=None, help=_HELP, no_args_is_help=True)
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        add = getattr(import_module(f"{__name__}.{module.name}"), "register", None)
        if add is not None:
            add(group)
    app.add_typer(group, name="lab")
