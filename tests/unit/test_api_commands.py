"""Each command has a function in the Python interface, and both call the same function."""

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

import stressbench
from stressbench.api.commands import COUNTERPARTS
from stressbench.cli.console.app import build


def commands(command: Any, *words: str) -> Iterator[tuple[str, Any]]:
    """All commands that are no groups, by their words, without aliases that help does not show."""
    if not hasattr(command, "commands"):
        if not command.hidden:
            yield " ".join(words), command
        return
    for name, one in command.commands.items():
        yield from commands(one, *words, name)


REGISTERED = dict(commands(get_command(build())))


def function_of(name: str) -> Any:
    found: Any = stressbench
    for part in name.split("."):
        found = getattr(found, part)
    return found


def names_in(module: str) -> set[str]:
    """Names in a module, and in those modules of its own package from which it takes functions and options."""
    imported = importlib.import_module(module)
    package = module.split(".")[1]
    helpers = {
        value.__module__ for value in vars(imported).values()
        if getattr(value, "__module__", "").startswith(f"stressbench.{package}.")
    }  # fmt: skip
    return {name for one in {module, *helpers} for name in vars(importlib.import_module(one))} | {
        name for one in {module, *helpers} for name in _attributes(one)
    }


def _attributes(module: str) -> set[str]:
    """Names of functions in other modules that a module calls as `MODULE.NAME`."""
    source = inspect.getsource(importlib.import_module(module))
    return {word.rpartition(".")[2] for word in source.replace("(", " ").split() if "." in word}


def test_each_command_has_a_counterpart_and_each_counterpart_a_command() -> None:
    assert COUNTERPARTS.keys() == REGISTERED.keys()


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_the_counterpart_is_public_and_documented(command: str) -> None:
    name = COUNTERPARTS[command].python

    assert name.partition(".")[0] in stressbench.__all__
    assert inspect.getdoc(function_of(name))


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_command_and_counterpart_call_the_same_function(command: str) -> None:
    counterpart = COUNTERPARTS[command]
    callback = inspect.unwrap(REGISTERED[command].callback)
    module = getattr(function_of(counterpart.python), "__module__", "")

    assert counterpart.shared in names_in(callback.__module__), "the command does not call it"
    assert counterpart.shared in names_in(module), "the function does not call it"


def test_every_public_name_is_there_and_has_a_docstring() -> None:
    for name in stressbench.__all__:
        assert name == "__version__" or inspect.getdoc(getattr(stressbench, name)), name
