"""Files of the command line: each registers a command, except options and console, is short, and repeats no option."""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = ROOT / "src" / "stressbench" / "cli"
MOST_LINES = 150
FILES = sorted(str(path.relative_to(CLI)) for path in CLI.rglob("*.py"))
DECLARATIONS = Counter({
    "--dry-run": 3, "--effect": 2, "--emit": 2, "--force": 2, "--format": 2, "--from": 2,
    "--interval": 5, "--json": 2, "--link": 2, "--machine": 3, "--motifs": 2, "--name": 2, "--nodes": 4,
    "--output": 2, "--pairs": 2, "--profile": 4, "--quick": 2, "--random": 2, "--repetitions": 2, "--rounds": 2,
    "--runs": 2, "--self": 2, "--size": 2, "--storage": 2, "--store": 2, "--telemetry": 2, "--time": 2, "--triple": 2,
    "--watch": 2, "--within": 2,
})  # fmt: skip
"""Options that mean different things to different commands: the number of their declarations. Others have one."""
COMMANDS = [name for name in FILES if name != "__init__.py" and Path(name).parts[0] not in ("options", "console")]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_file_registers_a_command(name: str) -> None:
    text = (CLI / name).read_text(encoding="utf-8")

    assert "\ndef register(app: typer.Typer) -> None:\n" in text
    assert "    app.command(" in text or "    add_group(app, " in text


@pytest.mark.parametrize("name", FILES)
def test_no_file_is_long(name: str) -> None:
    assert len((CLI / name).read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def options_of(tree: ast.AST) -> Iterator[str]:
    """The long names of all options that a module declares; without a name, that of the parameter or the field."""
    implicit = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            implicit |= {id(one): node.arg for one in ast.walk(node.annotation)}
        if isinstance(node, ast.AnnAssign):
            implicit |= {id(one): ast.unparse(node.target) for one in ast.walk(node.annotation)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "typer.Option":
            named = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if not named and id(node) in implicit:
                named = [f"--{implicit[id(node)].replace('_', '-')}"]
            yield from (name for name in named if name.startswith("--"))


def test_an_option_has_one_declaration() -> None:
    found = Counter(name for path in FILES for name in options_of(ast.parse((CLI / path).read_text(encoding="utf-8"))))

    assert {name: count for name, count in found.items() if count > 1} == DECLARATIONS


def test_the_entry_point_of_the_package_is_a_function() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]

    assert list(scripts) == ["stressbench"]
    assert callable(EntryPoint(name="stressbench", value=scripts["stressbench"], group="console_scripts").load())
