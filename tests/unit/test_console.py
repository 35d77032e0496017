"""What comes from a file cannot steer the terminal."""

import json
import sys

import pytest
from rich.table import Table

from stressbench.console import Console, echo, escaped

STEERING = [
    "\x1b[31m", "\x07", "\r", "\x7f", "\x9b31m", "\u202e", "\u2066", "\u2028", "\udcff",
]  # fmt: skip


@pytest.mark.parametrize("text", STEERING, ids=ascii)
def test_control_characters_become_visible(text: str) -> None:
    assert escaped(f"a{text}b") == f"a\\u{ord(text[0]):04x}{text[1:]}b"


def test_texts_of_all_languages_tabs_and_lines_stay() -> None:
    text = "Käse — ✓ 10 µs\N{NARROW NO-BREAK SPACE}מהירות\t|\n"

    assert escaped(text) == text


def test_json_keeps_its_value() -> None:
    value = {"name\u202e": "\x1b[31m\x9b\x7f\u2066"}

    assert json.loads(escaped(json.dumps(value, ensure_ascii=False))) == value


@pytest.mark.parametrize("err", [False, True])
def test_echo_escapes(err: bool, capsys: pytest.CaptureFixture[str]) -> None:
    echo("a\x1b[31mb", err=err)
    echo(b"\x1b", nl=False, err=err)

    said = capsys.readouterr()
    assert (said.err if err else said.out) == "a\\u001b[31mb\n\\u001b"


def test_a_console_escapes_texts_and_cells_but_not_its_own_colours(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(file=sys.stdout, force_terminal=True, color_system="standard")
    table = Table("head\x1b[31m")
    table.add_row("cell\u202e", style="bold")
    console.print("text\x9b", style="red", markup=False)
    console.print(table)

    said = capsys.readouterr().out
    assert "\x1b[31mtext\\u009b\x1b[0m" in said
    assert "head\\u001b[31m" in said
    assert "cell\\u202e" in said
