"""Many lines for `ip` or `tc` in one process."""

import subprocess
from collections.abc import Sequence

from stressbench.lab.tools import find_tool


class IprouteFault(Exception):
    """A line was refused; the message names the line and gives the program's own words."""


def tool_path(tool: str) -> str:
    """The path of `ip` or `tc`. Raises IprouteFault where it is not installed."""
    program = find_tool(tool)
    if program is None:
        raise IprouteFault(f"{tool} is not installed (it is part of iproute2)")
    return program


def run_iproute(tool: str, lines: Sequence[str], *, ignore_errors: bool = False) -> None:
    """Say the lines to `ip` or `tc` in this process's network. `ignore_errors`: lines that fail are passed over.

    Raises IprouteFault.
    """
    if not lines:
        return
    program = tool_path(tool)
    done = subprocess.run(
        [program, *(("-force",) if ignore_errors else ()), "-batch", "-"],
        input="\n".join(lines) + "\n", capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0 and not ignore_errors:
        raise IprouteFault(_error_text(tool, lines, done.stderr))


def _error_text(tool: str, lines: Sequence[str], errors: str) -> str:
    """`tc qdisc ...: Error: Specified qdisc kind is unknown`; the programs name the line's number."""
    told = [line for line in errors.splitlines() if line.strip()]
    number = next((line.rpartition(":")[2] for line in told if line.startswith("Command failed")), "")
    line = lines[int(number) - 1] if number.isdigit() and 0 < int(number) <= len(lines) else "a line"
    reason = " ".join(text for text in told if not text.startswith("Command failed")) or "no reason given"
    return f"{tool} {line}: {reason}"
