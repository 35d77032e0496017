"""The `stressbench` command: every module of `stressbench.cli` that defines `register` becomes a subcommand."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import stressbench.cli
from stressbench import __version__
from stressbench.cli.console.errors import end_with_status, report_errors
from stressbench.cli.options.numbers import require_plain_numbers
from stressbench.console import echo, install_escaping_streams, set_quiet
from stressbench.formats.files import clear_protected_files
from stressbench.memory_limit import require_memory, single_threaded_blas

_DESCRIPTION = """\
What congestion does to real applications.

StressBench runs the communication and storage patterns of several applications, each isolated and all at the same time,
and reports how much they slow each other down.

Example, three jobs on 8 ranks of this machine:

\b
    stressbench run workloads/demo.sb -n 8 --ranks-per-node 1 -o demo.jsonl
    stressbench show demo.jsonl
    stressbench report demo.jsonl -o demo.html
"""


def _show_version(requested: bool) -> None:
    if requested:
        echo(f"stressbench {__version__}")
        raise typer.Exit


class _Group(TyperGroup):
    """Runs every command inside `report_errors`. Numbers in options are as `numbers` accepts."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        require_plain_numbers(self)

    def invoke(self, ctx: Any) -> Any:
        with report_errors():
            return super().invoke(ctx)


class _App(typer.Typer):
    """A command. `requested`: the words of the command line that name its subcommand, and one of this, if they do."""

    def __init__(self, *, requested: Sequence[str], **attributes: Any) -> None:
        super().__init__(add_completion=False, rich_markup_mode=None, **attributes)
        self.requested = tuple(requested)


def build(*, requested: Sequence[str] = (), has_commands: bool = True) -> typer.Typer:
    """The command with all its subcommands, or only with the one that `requested` names, if there is one of this name.

    The second word of `requested` likewise names a subcommand of a group. Without `has_commands`, there are none.
    """
    app = _App(requested=requested, cls=_Group, pretty_exceptions_enable=False)

    @app.callback(help=_DESCRIPTION, no_args_is_help=True)
    def common(
        quiet: Annotated[
            bool, typer.Option("--quiet", help="Print errors and warnings only, no notes and no progress.")
        ] = False,
        _version: Annotated[
            bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
        ] = False,
    ) -> None:
        set_quiet(quiet=quiet)
        clear_protected_files()

    if has_commands:
        _add_commands(app, stressbench.cli)
    return app


def _add_commands(app: _App, package: ModuleType) -> None:
    """Register the package's modules with `app`, in the order of their names.

    If the first requested word names one of them, only that one is imported: importing all takes a second.
    """
    names = sorted(module.name for module in iter_modules(package.__path__))
    requested_commands = [
        register for name in names if _command(name) in app.requested[:1] and (register := _register_of(package, name))
    ]
    for register in requested_commands or filter(None, (_register_of(package, name) for name in names)):
        register(app)


def _command(module: str) -> str:
    """Name of the command that a module registers: `beff-io` for `beff_io`, `exec` for `exec_`."""
    return module.rstrip("_").replace("_", "-")


def _register_of(package: ModuleType, name: str) -> Callable[[typer.Typer], object] | None:
    module = import_module(f"{package.__name__}.{name}")
    register: Callable[[typer.Typer], object] | None = getattr(module, "register", None)
    return register


def add_group(
    app: typer.Typer, package: ModuleType, *, name: str, about: str, group: type[TyperGroup] = TyperGroup
) -> None:
    """Register the package's modules as subcommands of `name`; `group` is the class that parses its arguments."""
    requested = app.requested[1:] if isinstance(app, _App) else ()
    group_app = _App(requested=requested, cls=group, help=about, no_args_is_help=True)
    _add_commands(group_app, package)
    app.add_typer(group_app, name=name)


def requested_in(arguments: Sequence[str]) -> tuple[str, ...]:
    """The subcommand that a command line names, and the word after it, which may name one of a group."""
    first = next((number for number, word in enumerate(arguments) if not word.startswith("-")), len(arguments))
    return tuple(arguments[first : first + 2])


def defaulting_to(name: str) -> type[TyperGroup]:
    """The class of a group that passes arguments which do not begin with a subcommand to the subcommand `name`."""

    class WithDefault(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Insert the name of the default subcommand where none is given."""
            is_named = not args or args[0] in (*self.commands, *ctx.help_option_names)
            return super().parse_args(ctx, args if is_named else [name, *args])

    return WithDefault


def main() -> None:
    """Entry point of `stressbench`."""
    install_escaping_streams()
    with end_with_status():
        require_memory()
        arguments = sys.argv[1:]
        requested = requested_in(arguments)
        with single_threaded_blas():
            app = build(requested=requested, has_commands=bool(requested) or "--version" not in arguments)
        try:
            app(prog_name="stressbench")
        finally:
            sys.stdout.flush()
