"""Every file of the command line registers a command, except options and console, and is short."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = ROOT / "src" / "stressbench" / "cli"
MOST_LINES = 150
FILES = sorted(str(path.relative_to(CLI)) for path in CLI.rglob("*.py"))
COMMANDS = [name for name in FILES if name != "__init__.py" and Path(name).parts[0] not in ("options", "console")]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_file_registers_a_command(name: str) -> None:
    text = (CLI / name).read_text(encoding="utf-8")

    assert "\ndef register(app: typer.Typer) -> None:\n" in text
    assert "    app.command(" in text or "    add_group(app, " in text


@pytest.mark.parametrize("name", FILES)
def test_no_file_is_long(name: str) -> None:
    assert len((CLI / name).read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_the_entry_point_of_the_package_is_a_function() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]

    assert list(scripts) == ["stressbench"]
    assert callable(EntryPoint(name="stressbench", value=scripts["stressbench"], group="console_scripts").load())
