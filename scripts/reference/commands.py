"""Pages of the `stressbench` commands, from the declarations of their options."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from reference.markdown import cell, code, table
from stressbench.cli.console.app import build

_INTRODUCTION = """\
# Commands

Look up a command's arguments, options and exit statuses. `stressbench COMMAND --help` prints the same text.
The engine has its own command, `stressbench-mpi`, whose `--help` lists its options; the [motifs](../motifs.md) have a
page of their own.
"""


def tree() -> Any:
    """The command `stressbench` that typer builds from the declarations."""
    return typer.main.get_command(build())


def pages(_root: Path) -> dict[str, str]:
    """A page for each command; the subcommands of a group share a page."""
    root = tree()
    shown = {name: one for name, one in sorted(root.commands.items()) if not one.hidden}
    rows = [(f"[{code(f'stressbench {name}')}]({name}.md)", cell(_summary(one))) for name, one in shown.items()]
    overview = "\n".join([_INTRODUCTION, *table(["command", "purpose"], rows)])
    return {"commands/index": overview} | {
        f"commands/{name}": "\n".join(_page(f"stressbench {name}", one)) for name, one in shown.items()
    }


def _summary(command: Any) -> str:
    return inspect.cleandoc(command.help or "").split("\n\n")[0]


def _page(path: str, command: Any) -> Iterator[str]:
    yield f"# {path}\n"
    yield from _body(path, command)
    for name, one in sorted(getattr(command, "commands", {}).items()):
        if not one.hidden:
            yield f"## {path} {name}\n"
            yield from _body(f"{path} {name}", one)


def _body(path: str, command: Any) -> Iterator[str]:
    yield from _prose(inspect.cleandoc(command.help or ""))
    context = command.make_context(path, [], resilient_parsing=True)
    yield from ("```usage", " ".join([path, *command.collect_usage_pieces(context)]), "```\n")
    for kind in ("argument", "option"):
        rows = [
            (code(spelled), cell(meaning))
            for one in command.params
            if one.param_type_name == kind and not getattr(one, "hidden", False)
            for spelled, meaning in filter(None, [one.get_help_record(context)])
        ]
        yield from table([kind, "meaning"], rows)


def _prose(text: str) -> Iterator[str]:
    r"""Paragraphs of a help text; one that starts with `\b`, or is indented, is a block of code."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line for line in paragraph.splitlines() if line.strip() != "\b"]
        if len(lines) < len(paragraph.splitlines()) or all(line.startswith("  ") for line in lines):
            yield "\n".join(["```", inspect.cleandoc("\n".join(["", *lines])), "```\n"])
        else:
            yield " ".join(lines).replace("<", "&lt;") + "\n"
