"""Commands that are modules: each of a package that has `register` is one by being there."""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import typer
from typer.core import TyperGroup


def add_commands(app: typer.Typer, package: ModuleType, *, asked: str | None = None) -> None:
    """Register the package's modules with `app`, in the order of their names.

    Where `asked` names one of them, it alone is imported and registered: importing all takes a second.
    """
    names = sorted(module.name for module in iter_modules(package.__path__))
    only = [register for name in names if _command(name) == asked and (register := _register_of(package, name))]
    for register in only or filter(None, (_register_of(package, name) for name in names)):
        register(app)


def _command(module: str) -> str:
    """The command that the module of this name registers: `beff-io` of `beff_io`, `exec` of `exec_`."""
    return module.rstrip("_").replace("_", "-")


def _register_of(package: ModuleType, name: str) -> Callable[[typer.Typer], object] | None:
    register: Callable[[typer.Typer], object] | None = getattr(
        import_module(f"{package.__name__}.{name}"), "register", None
    )
    return register


def add_group(
    app: typer.Typer, package: ModuleType, *, name: str, about: str, group: type[TyperGroup] = TyperGroup
) -> None:
    """Register the package's modules as subcommands of `name`; `group` says how its words are read."""
    named = typer.Typer(cls=group, add_completion=False, rich_markup_mode=None, help=about, no_args_is_help=True)
    add_commands(named, package)
    app.add_typer(named, name=name)
