"""Errors that no command expects, in `main`: names that no file can have, and a working directory that is gone."""

import sys
from pathlib import Path

import pytest
from support.golden import KEPT

from stressbench.cli.console.app import main

LONG = "x" * 300
NAMES = {
    "run": ("run", LONG, "-n", "2"),
    "run output": ("run", str(KEPT / "pair.sb"), "-n", "2", "-o", f"{LONG}.jsonl"),
    "capture": ("capture", "-o", f"{LONG}.trace", "true"),
    "study status": ("study", "status", LONG),
    "lab draw": ("lab", "draw", f"{LONG}.toml"),
    "predict": ("predict", f"{LONG}.json"),
    "degrade report": ("degrade", "report", LONG),
}  # fmt: skip


def ended(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command that ends with status 2 says on standard error."""
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}", getattr(sys, stream))  # main replaces them
    monkeypatch.setattr("sys.argv", ["stressbench", *words])
    with pytest.raises(SystemExit) as status:
        main()
    assert status.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("command", NAMES)
def test_a_name_that_is_too_long_is_a_message(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert "file name too long" in ended(NAMES[command], monkeypatch, capsys)


@pytest.mark.parametrize("words", [("run", str(KEPT / "pair.sb"), "-n", "2"), ("profile", "true")], ids=" ".join)
def test_a_working_directory_that_is_gone_is_a_message(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert "the working directory was removed" in ended(words, monkeypatch, capsys)
