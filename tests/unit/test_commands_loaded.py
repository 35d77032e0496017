"""A command loads itself and nothing else: to load all of them takes longer than most of them."""

import subprocess
import sys

import pytest
from typer.main import get_command

from stressbench.cli.console.app import build

NAMES = sorted(get_command(build()).commands)  # type: ignore[attr-defined]
ONE = """\
import sys
from stressbench.cli.console.app import build
build(requested=sys.argv[1])
print(*sorted(sys.modules))
"""


def loaded_by(name: str) -> list[str]:
    """The modules that are loaded once the command of this name is registered."""
    return subprocess.run([sys.executable, "-c", ONE, name], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("name", NAMES)
def test_a_command_that_is_asked_for_is_there_alone(name: str) -> None:
    assert list(get_command(build(requested=name)).commands) == [name]  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", ["nonsense", "--help", "errands", "", None])
def test_all_commands_are_there_where_none_is_asked_for(word: str | None) -> None:
    assert sorted(get_command(build(requested=word)).commands) == NAMES  # type: ignore[attr-defined]


def test_other_commands_and_scipy_are_not_loaded() -> None:
    loaded = loaded_by("run")

    assert "stressbench.cli.run" in loaded
    assert {"scipy", "matplotlib", "stressbench.cli.compress", "stressbench.cli.study"}.isdisjoint(loaded)


@pytest.mark.parametrize("name", ["show", "compare", "report"])
def test_commands_that_only_read_do_not_load_what_starts_ranks(name: str) -> None:
    loaded = loaded_by(name)

    assert f"stressbench.cli.{name}" in loaded
    assert {"stressbench.launch", "stressbench.labs"}.isdisjoint(loaded)
