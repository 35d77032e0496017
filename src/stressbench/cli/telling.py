"""What reports of studies end in: a format by its name, and text to where it was asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from stressbench.console import echo
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.toml import unknown

Render = TypeVar("Render")


def format_of(kind: str, known: Mapping[str, Render]) -> Render:
    """The one that --format names. Raises StudyMistake."""
    if kind not in known:
        raise StudyMistake(f"--format: {unknown('format', kind, tuple(known))}")
    return known[kind]


def tell(text: str, output: Path | None) -> None:
    """On standard output, or into the file of --output, whose name is then printed. Raises StudyMistake."""
    if output is None:
        echo(text, nl=False)
        return
    try:
        write_output(output, text)
    except OSError as fault:
        raise StudyMistake(f"--output: {output}: {reason_of(fault)}") from fault
    echo(str(output))
