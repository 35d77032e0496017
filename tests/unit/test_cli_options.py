"""Options classes: a command's parameter of such a class becomes one option per field."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer.testing import CliRunner

from stressbench.cli.options.expansion import with_options


@dataclass(frozen=True, kw_only=True)
class RanksOptions:
    ranks: Annotated[int, typer.Option("-n", "--ranks", metavar="N")]
    seed: Annotated[int, typer.Option("--seed", min=0)] = 1


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    output: Annotated[Path | None, typer.Option("-o", "--output")] = None


def app_with(found: list[object]) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command()
    @with_options
    def command(
        file: Annotated[str, typer.Argument()],
        launch: RanksOptions,
        output: OutputOptions,
        as_json: Annotated[bool, typer.Option("--json")] = False,
    ) -> None:
        """What it does."""
        found.extend((file, launch, output, as_json))

    return app


def test_options_arrive_as_values_of_their_class() -> None:
    found: list[object] = []

    ended = CliRunner().invoke(app_with(found), ["x", "-n", "4", "-o", "out", "--json"])

    assert ended.exit_code == 0, ended.output
    assert found == ["x", RanksOptions(ranks=4, seed=1), OutputOptions(output=Path("out")), True]


def test_a_field_without_a_default_is_a_required_option() -> None:
    ended = CliRunner().invoke(app_with([]), ["x"])

    assert ended.exit_code == 2
    assert "-n" in ended.output


def test_help_lists_options_in_the_order_of_fields_and_parameters() -> None:
    text = CliRunner().invoke(app_with([]), ["--help"]).output

    places = [text.index(word) for word in ("-n, --ranks", "--seed", "-o, --output", "--json")]
    assert places == sorted(places)
    assert "What it does." in text
