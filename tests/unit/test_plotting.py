"""Figures are drawn with our settings: no file of the working directory or of the user takes part."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stressbench

PACKAGE = Path(stressbench.__file__).parent
DRAW = "from stressbench.report.plotting import mpl; print(mpl.rcParams['text.usetex'], mpl.rcParams['font.size'])"


@pytest.mark.parametrize("where", ["working directory", "MATPLOTLIBRC"])
def test_settings_of_others_are_not_read(tmp_path: Path, where: str) -> None:
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfont.size: 77\nno.such.key: 1\n", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    here = where == "working directory"

    ended = subprocess.run(
        [sys.executable, "-c", DRAW], capture_output=True, text=True, check=True, timeout=300,
        cwd=tmp_path if here else tmp_path / "elsewhere",
        env={**os.environ, "MPLBACKEND": "nonsense"} | ({} if here else {"MATPLOTLIBRC": str(tmp_path)}),
    )  # fmt: skip

    assert ended.stdout == "False 10.0\n"
    assert ended.stderr == ""


def test_fonts_that_are_looked_for_anew_because_no_cache_can_be_kept_are_no_message(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    places = {name: str(tmp_path / "file") for name in ("HOME", "MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}

    ended = subprocess.run(
        [sys.executable, "-c", DRAW], capture_output=True, text=True, check=True, timeout=300, cwd=tmp_path,
        env={**os.environ, **places, "TMPDIR": str(tmp_path)},
    )  # fmt: skip

    assert ended.stderr == ""


def test_importing_leaves_directory_environment_and_logging_as_they_were(tmp_path: Path) -> None:
    say = f"{DRAW}; import os; print(os.getcwd(), os.environ['MPLBACKEND'])"
    say += "; import logging; print(logging.getLogger('matplotlib').level)"

    ended = subprocess.run(
        [sys.executable, "-c", say], capture_output=True, text=True, check=True, timeout=300, cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "nonsense"},
    )  # fmt: skip

    assert ended.stdout.splitlines()[1:] == [f"{tmp_path} nonsense", "0"]


def test_matplotlib_is_imported_in_one_place() -> None:
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("matplotlib"))
        or (isinstance(node, ast.Import) and any(alias.name.startswith("matplotlib") for alias in node.names))
    ]

    assert set(found) == {"report/plotting.py"}
