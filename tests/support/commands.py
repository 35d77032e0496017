"""Runs the `stressbench` command in this process."""

import functools
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from stressbench.cli.console.app import build, requested_in


@functools.cache
def _command(requested: tuple[str, ...]) -> Any:
    """The command as `main` builds it for this subcommand: to look at all signatures takes longer than most of them."""
    return get_command(build(requested=requested))


@dataclass(frozen=True, kw_only=True)
class CommandResult:
    """Result of a command. `exception` is what it raised, except SystemExit, which gives `exit_code`."""

    exit_code: int
    stdout: str
    stderr: str
    output: str
    exception: Exception | None


def call(*arguments: object) -> CommandResult:
    """Run a command with one string per argument."""
    return invoke([str(argument) for argument in arguments], columns="40")


def invoke(words: str | Sequence[str], *, columns: str | None = None) -> CommandResult:
    """Run a command given as arguments or as a shell line. `columns` is the width of the terminal."""
    arguments = shlex.split(words) if isinstance(words, str) else list(words)
    status, exception = 0, None
    with CliRunner().isolation(env={"COLUMNS": columns} if columns else {}) as (stdout, stderr, output):
        try:
            _command(requested_in(arguments)[:1]).main(args=arguments, prog_name="stressbench")
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except Exception as raised:  # noqa: BLE001  whatever it is: tests look at it
            status, exception = 1, raised
        sys.stdout.flush()
        sys.stderr.flush()
        texts = [stream.getvalue().decode(errors="replace") for stream in (stdout, stderr, output)]
    return CommandResult(exit_code=status, stdout=texts[0], stderr=texts[1], output=texts[2], exception=exception)
