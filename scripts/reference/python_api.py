"""Page of the Python interface, from the signatures and docstrings of what `stressbench` exports."""

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from reference.markdown import code, table

_INTRODUCTION = """\
# Python

Use StressBench without a shell: `import stressbench` offers what the commands do as functions. The table names the
function of each command; functions that measure return results with `report(...)`, and notebooks show them as tables.
"""
_QUOTED = re.compile(r"(: |-> )'([^']+)'")
_QUALIFIED = re.compile(r"\b(?:stressbench|pathlib|collections|os|typing)\.(?:\w+\.)*(?=[A-Z])")
_DEFAULT_OBJECT = re.compile(r"<[^<>]*>")
_MISSING = """\
This version exports no functions; the [commands](commands/run.md) with `--json` are the interface for programs.
"""


def pages(_root: Path) -> dict[str, str]:
    """One page: the functions, then the classes that they return."""
    exported = _exported()
    lines = [_INTRODUCTION]
    if not exported:
        lines.append(_MISSING)
    lines += _counterparts()
    for name, value in sorted(exported.items(), key=lambda item: inspect.isclass(item[1])):
        lines += _class(name, value) if inspect.isclass(value) else _function(f"stressbench.{name}", value, "##")
    return {"python": "\n".join(lines)}


def _counterparts() -> list[str]:
    """The table of commands and their functions."""
    table_of = importlib.import_module("stressbench.api.commands").COUNTERPARTS
    rows = [
        (code(f"stressbench {command}"), code(f"stressbench.{one.python}")) for command, one in table_of.items()
    ]  # fmt: skip
    return ["## Commands and functions\n", *table(("command", "function"), rows)]


def _exported() -> dict[str, Any]:
    """Public functions and classes that `stressbench` names in `__all__`."""
    package = importlib.import_module("stressbench")
    exported = {name: getattr(package, name) for name in getattr(package, "__all__", ()) if not name.startswith("_")}
    return {name: value for name, value in exported.items() if callable(value)}


def _function(name: str, function: Any, level: str) -> Iterator[str]:
    yield f"{level} {name}\n"
    yield from ("```text", f"{name}{_signature(function)}", "```\n")  # a signature, not a program
    yield (inspect.getdoc(function) or "") + "\n"


def _class(name: str, kind: Any) -> Iterator[str]:
    yield f"## stressbench.{name}\n"
    if is_dataclass(kind):
        yield from ("```text", f"stressbench.{name}{_signature(kind).removesuffix(' -> None')}", "```\n")
    yield (inspect.getdoc(kind) or "") + "\n"
    own = {member for one in kind.__mro__ if one.__module__.startswith("stressbench.api") for member in vars(one)}
    for member, value in inspect.getmembers(kind):
        if member.startswith("_") or member not in own:
            continue
        if isinstance(value, property):
            yield f"### {name}.{member}\n"
            yield (inspect.getdoc(value) or "") + "\n"
        elif callable(value):
            yield from _function(f"{name}.{member}", value, "###")


def _signature(function: Any) -> str:
    """The signature, with one parameter per line if a single line would be long."""
    signature = inspect.signature(function)
    if len(_unquoted(str(signature))) < 80:
        return _unquoted(str(signature))
    parameters = list(signature.parameters.values())
    lines = []
    for index, one in enumerate(parameters):
        first_keyword = one.kind is one.KEYWORD_ONLY and all(
            each.kind is not one.KEYWORD_ONLY for each in parameters[:index]
        )
        if first_keyword and all(each.kind is not one.VAR_POSITIONAL for each in parameters[:index]):
            lines.append("    *,")
        lines.append(f"    {_unquoted(str(one))},")
    returned = (
        ""
        if signature.return_annotation is inspect.Signature.empty
        else _unquoted(f" -> {inspect.formatannotation(signature.return_annotation)}")
    )
    return "\n".join(["(", *lines, f"){returned}"])


def _unquoted(text: str) -> str:
    """The text with names of types as they are imported from `stressbench`, and without quotes around them."""
    return _DEFAULT_OBJECT.sub("...", _QUALIFIED.sub("", _QUOTED.sub(r"\1\2", text)))
