"""Many lines for `ip` or `tc` in one process."""

import subprocess
from collections.abc import Sequence

from stressbench.lab.tools import find_tool


class BatchFault(Exception):
    """A line was refused; the message names the line and gives the program's own words."""


def program_of(tool: str) -> str:
    """The path of `ip` or `tc`. Raises BatchFault where it is not installed."""
    program = find_tool(tool)
    if program is None:
        raise BatchFault(f"{tool} is not installed (it is part of iproute2)")
    return program


def run_batch(tool: str, lines: Sequence[str], *, forced: bool = False) -> None:
    """Say the lines to `ip` or `tc` in this process's network. `forced`: lines that fail are passed over.

    Raises BatchFault.
    """
    if not lines:
        return
    program = program_of(tool)
    done = subprocess.run(
        [program, *(("-force",) if forced else ()), "-batch", "-"],
        input="\n".join(lines) + "\n", capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0 and not forced:
        raise BatchFault(_blamed(tool, lines, done.stderr))


def _blamed(tool: str, lines: Sequence[str], errors: str) -> str:
    """`tc qdisc ...: Error: Specified qdisc kind is unknown`; the programs name the line's number."""
    told = [line for line in errors.splitlines() if line.strip()]
    number = next((line.rpartition(":")[2] for line in told if line.startswith("Command failed")), "")
    line = lines[int(number) - 1] if number.isdigit() and 0 < int(number) <= len(lines) else "a line"
    reason = " ".join(text for text in told if not text.startswith("Command failed")) or "no reason given"
    return f"{tool} {line}: {reason}"
