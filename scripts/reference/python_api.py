"""Page of the Python interface, from the signatures and docstrings of what `stressbench` exports."""

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_INTRODUCTION = """\
# Python

Use StressBench without a shell: `import stressbench` offers what the commands do as functions.
"""
_MISSING = """\
This version exports no functions; the [commands](commands/run.md) with `--json` are the interface for programs.
"""


def pages(_root: Path) -> dict[str, str]:
    """One page: the functions, then the classes that they return."""
    exported = _exported()
    lines = [_INTRODUCTION]
    if not exported:
        lines.append(_MISSING)
    for name, value in sorted(exported.items(), key=lambda item: inspect.isclass(item[1])):
        lines += _class(name, value) if inspect.isclass(value) else _function(f"stressbench.{name}", value, "##")
    return {"python": "\n".join(lines)}


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
    yield (inspect.getdoc(kind) or "") + "\n"
    for member, value in inspect.getmembers(kind):
        if member.startswith("_") or member not in vars(kind):
            continue
        if isinstance(value, property):
            yield f"### {name}.{member}\n"
            yield (inspect.getdoc(value) or "") + "\n"
        elif callable(value):
            yield from _function(f"{name}.{member}", value, "###")


def _signature(function: Any) -> str:
    """The signature, with one parameter per line if a single line would be long."""
    signature = inspect.signature(function)
    if len(str(signature)) < 80:
        return str(signature)
    parameters = list(signature.parameters.values())
    lines = []
    for index, one in enumerate(parameters):
        first_keyword = one.kind is one.KEYWORD_ONLY and all(
            each.kind is not one.KEYWORD_ONLY for each in parameters[:index]
        )
        if first_keyword and all(each.kind is not one.VAR_POSITIONAL for each in parameters[:index]):
            lines.append("    *,")
        lines.append(f"    {one},")
    returned = (
        ""
        if signature.return_annotation is inspect.Signature.empty
        else f" -> {inspect.formatannotation(signature.return_annotation)}"
    )
    return "\n".join(["(", *lines, f"){returned}"])
