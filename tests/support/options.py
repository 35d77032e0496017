"""Options and arguments of both programs as values, independent of the format of help texts."""

import enum
import inspect
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

from stressbench.cli.console.app import build

_HEAD = re.compile(r"^  (?P<head>\S.*?)(?:\s{2,}.*)?$")
_TAKES = re.compile(r"^(?P<type>[A-Z]+)(?::(?P<accepted>[^=]*))?(?:=(?P<default>.*))?$")


def of_stressbench() -> dict[str, Any]:
    """By command, each parameter of it.

    Types and defaults are those of our own declarations, since what typer makes of them differs by its version.
    """
    app = build()
    return dict(sorted(_commands(app, typer.main.get_command(app), "stressbench")))


def _commands(app: typer.Typer, made: Any, path: str) -> Iterator[tuple[str, Any]]:
    if app.registered_callback is not None and app.registered_callback.callback is not None:
        yield path, _parameters(app.registered_callback.callback, made)
    for command in app.registered_commands:
        assert command.name is not None and command.callback is not None
        reported = _parameters(command.callback, made.commands[command.name])
        yield f"{path} {command.name}", {"hidden": True, "takes": reported} if command.hidden else reported
    for group in app.registered_groups:
        assert group.typer_instance is not None and isinstance(group.name, str)
        yield from _commands(group.typer_instance, made.commands[group.name], f"{path} {group.name}")


def _parameters(callback: Callable[..., Any], made: Any) -> list[dict[str, Any]]:
    hints = get_type_hints(callback, include_extras=True)
    spelled = {one.name: [*one.opts, *one.secondary_opts] for one in made.params}
    declared = inspect.signature(callback).parameters
    return [
        _parameter(declared[name], hint, spelled[name]) for name, hint in hints.items() if get_origin(hint) is Annotated
    ]


def _parameter(one: inspect.Parameter, hint: Any, spelled: list[str]) -> dict[str, Any]:
    of_type, info, *_ = get_args(hint)
    inner, may_be_none, several = _plain(of_type)
    reported: dict[str, Any] = {"options": spelled} if isinstance(info, OptionInfo) else {"argument": one.name}
    least, most = info.min, info.max
    reported["takes"] = (
        _type(inner) + (f" from {least}" if least is not None else "") + (f" to {most}" if most is not None else "")
    )
    reported |= {"metavar": info.metavar, "several": several, "hidden": info.hidden}
    has_default = one.default is not inspect.Parameter.empty
    reported |= {
        "default": _default(one.default) if has_default else None,
        "required": not has_default and not may_be_none,
    }
    return {key: value for key, value in reported.items() if value is not None and value is not False}


def _plain(hint: Any) -> tuple[Any, bool, bool]:
    """Type of a single value, whether None is allowed, and whether it may be repeated."""
    arguments = get_args(hint)
    if get_origin(hint) in (list, tuple):
        return arguments[0], False, True
    if type(None) in arguments:
        inner, _, several = _plain(next(one for one in arguments if one is not type(None)))
        return inner, True, several
    return hint, False, False


def _type(inner: Any) -> str:
    if isinstance(inner, type) and issubclass(inner, enum.Enum):
        return "one of " + ", ".join(str(one.value) for one in inner)
    return {bool: "flag", int: "integer", float: "number", str: "text", Path: "path"}[inner]


def _default(value: Any) -> Any:
    """The default as a user would type it."""
    if isinstance(value, enum.Enum):
        return value.value
    return str(value) if isinstance(value, Path) else value


def of_engine(engine: Path) -> dict[str, Any]:
    """Options and positional arguments in the help of each subcommand."""
    names = re.findall(r"^  ([a-z]+) ", _asked(engine, "--help").split("Subcommands:")[1], re.MULTILINE)
    return {"stressbench-mpi": _listed(_asked(engine, "--help").split("Subcommands:")[0])} | {
        f"stressbench-mpi {name}": _listed(_asked(engine, name, "--help")) for name in names
    }


def _listed(text: str) -> list[dict[str, Any]]:
    reported = []
    for part in re.split(r"^(?=Positionals:|Options:)", text, flags=re.MULTILINE)[1:]:
        for line in part.splitlines()[1:]:
            found = _HEAD.match(line)
            if found is None or (part.startswith("Options:") and not found["head"].startswith("-")):
                continue
            first, *words = found["head"].split(" ")
            if first != "-h,--help":
                reported.append({"name": first.split(",")} | _taken(words))
    return reported


def _taken(words: list[str]) -> dict[str, Any]:
    """Parse `INT:INT in [0 - 10]=3`, `TEXT ...` or `TEXT REQUIRED`."""
    reported: dict[str, Any] = {"required": True} if "REQUIRED" in words else {}
    if "..." in words:
        reported["several"] = True
    taken = _TAKES.match(" ".join(word for word in words if word not in ("REQUIRED", "...")))
    if taken is None:
        return {"takes": "flag"} | reported
    return {"takes": taken["type"]} | {key: taken[key] for key in ("accepted", "default") if taken[key]} | reported


def of_motifs(engine: Path) -> dict[str, Any]:
    """Options and quantities of each motif, without texts."""
    return {
        one["name"]: _motif(json.loads(_asked(engine, "describe", one["name"], "--json")))
        for one in json.loads(_asked(engine, "list", "--json"))
    }


def _motif(described: dict[str, Any]) -> dict[str, Any]:
    options = [
        {key: value for key, value in one.items() if key != "help" and value is not None}
        for one in described["options"]
    ]
    metrics = {one["name"]: one["better"] for one in described["metrics"]}
    return {"family": described["family"], "quantity": described["quantity"], "options": options, "metrics": metrics}


def _asked(engine: Path, *words: str) -> str:
    return subprocess.run([engine, *words], capture_output=True, text=True, timeout=300, check=True).stdout
