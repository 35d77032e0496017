"""Commands that are modules: each of a package that has `register` is one by being there."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import typer
from typer.core import TyperGroup


def add_commands(app: typer.Typer, package: ModuleType) -> None:
    """Register the package's modules with `app`, in the order of their names."""
    for module in sorted(iter_modules(package.__path__), key=lambda module: module.name):
        register = getattr(import_module(f"{package.__name__}.{module.name}"), "register", None)
        if register is not None:
            register(app)


def add_group(
    app: typer.Typer, package: ModuleType, *, name: str, about: str, group: type[TyperGroup] = TyperGroup
) -> None:
    """Register the package's modules as subcommands of `name`; `group` says how its words are read."""
    named = typer.Typer(cls=group, add_completion=False, rich_markup_mode=None, help=about, no_args_is_help=True)
    add_commands(named, package)
    app.add_typer(named, name=name)
