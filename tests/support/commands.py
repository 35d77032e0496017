"""The `stressbench` command called in this process."""

from typer.testing import CliRunner, Result

from stressbench.cli.app import build


def call(*arguments: object) -> Result:
    return CliRunner().invoke(build(), [str(argument) for argument in arguments], env={"COLUMNS": "40"})
