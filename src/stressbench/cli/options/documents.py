"""Options of commands that print results or write them to files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

DataFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Also write the data of the figures into this directory."),
]
WithMotifs: TypeAlias = Annotated[bool, typer.Option("--motifs", help="Also report each motif of a job.")]


def json_option(text: str) -> Any:
    """The option `--json` with this help."""
    return typer.Option("--json", help=text)


def output_option(metavar: str, text: str = "Output file; default: standard output.") -> Any:
    """The option `-o/--output`; without `text` it is that of a command that prints its result by default."""
    return typer.Option("-o", "--output", metavar=metavar, help=text, show_default=False)


def format_option(formats: Iterable[str]) -> Any:
    """The option `--format` of a command that has these formats."""
    return typer.Option("--format", metavar="|".join(formats), help="Output format.")


OutputFile: TypeAlias = Annotated[Path | None, output_option("FILE")]


def junit_option(subject: str) -> Any:
    """The option `--junit` of a command that makes a test of each `subject`."""
    return typer.Option("--junit", metavar="FILE", help=f"Also write JUnit XML, with one test for each {subject}.")


AsJson: TypeAlias = Annotated[bool, json_option("JSON output; times in seconds, unknown is null.")]
JunitFile: TypeAlias = Annotated[Path | None, junit_option("job and quantity")]


def exit_code_option(text: str) -> Any:
    """The option `--exit-code` with this help."""
    return typer.Option("--exit-code", help=text)
