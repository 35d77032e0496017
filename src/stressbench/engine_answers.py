"""Answers of the engine to commands that start no ranks, such as `describe` and `calls`."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from stressbench.errors import StressBenchError, UserError
from stressbench.exit_status import ExitStatus


class EngineFailed(StressBenchError):
    """The engine ended with a fault."""


def engine_answer(engine: Path, words: Sequence[str]) -> bytes:
    """What the engine prints. Raises UserError with what it refuses, a line each, and EngineFailed."""
    completed = subprocess.run([str(engine), *words], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    why = completed.stderr.decode(errors="replace").strip()
    if completed.returncode == ExitStatus.bad_input:
        raise UserError(*why.removeprefix(f"{words[0]}: ").splitlines())
    if completed.returncode != ExitStatus.ok:
        raise EngineFailed(f"{engine} {words[0]} ended with status {completed.returncode}: {why}")
    return completed.stdout
