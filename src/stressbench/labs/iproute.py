"""Batches of `ip` and `tc` commands, each run by one process."""

import subprocess
from collections.abc import Sequence

from stressbench.formats.units import parse_digits
from stressbench.labs.tools import find_tool


class IprouteFault(Exception):
    """A command failed; the message has the command and the error message of `ip` or `tc`."""


def tool_path(tool: str) -> str:
    """The path of `ip` or `tc`. Raises IprouteFault if it is not installed."""
    program = find_tool(tool)
    if program is None:
        raise IprouteFault(f"{tool} is not installed (it is part of iproute2)")
    return program


def run_iproute(tool: str, lines: Sequence[str], *, ignore_errors: bool = False) -> None:
    """Run `ip` or `tc` commands in the network namespace of this process.

    Raises IprouteFault at the first command that fails; with `ignore_errors`, failed commands are skipped.
    """
    if not lines:
        return
    program = tool_path(tool)
    completed = subprocess.run(
        [program, *(("-force",) if ignore_errors else ()), "-batch", "-"],
        input="\n".join(lines) + "\n", capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if completed.returncode != 0 and not ignore_errors:
        raise IprouteFault(_error_text(tool, lines, completed.stderr))


def _error_text(tool: str, lines: Sequence[str], errors: str) -> str:
    """The failed command and its error, such as `tc qdisc ...: Error: Specified qdisc kind is unknown`."""
    messages = [line for line in errors.splitlines() if line.strip()]
    number = parse_digits(next((line.rpartition(":")[2] for line in messages if line.startswith("Command failed")), ""))
    line = lines[number - 1] if number is not None and 0 < number <= len(lines) else "a line"
    reason = " ".join(text for text in messages if not text.startswith("Command failed")) or "no reason given"
    return f"{tool} {line}: {reason}"
