"""The source archive and the wheel without an engine, built as `python -m build` and pip build them."""

import importlib.util
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def built(hook: str, folder: Path, settings: str = "{}") -> Path:
    """The archive that a hook of the build backend writes to the folder."""
    if importlib.util.find_spec("scikit_build_core") is None:
        pytest.skip("NO BUILD BACKEND: `pip install scikit-build-core`; neither wheel nor source archive was built")
    program = f"from scikit_build_core.build import {hook}; print({hook}({str(folder)!r}, {settings}))"
    ended = subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder / ended.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel without an engine, unpacked, in a folder of that name."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = built("build_wheel", folder, '{"wheel.cmake": "false"}')
    target = folder / wheel.stem
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(unpacked: Path, *options: str, path: str) -> subprocess.CompletedProcess[str]:
    """`stressbench run` from the wheel with this PATH, by an interpreter beside which no engine is installed."""
    python = getattr(sys, "_base_executable", sys.executable)
    places = os.pathsep.join([str(unpacked), *(place for place in sys.path if place.endswith("site-packages"))])
    return subprocess.run(
        [python, "-m", "stressbench", "run", *options], capture_output=True, text=True, check=False,
        env={"PATH": path, "PYTHONPATH": places, "HOME": str(unpacked.parent)}, cwd=unpacked.parent,
    )  # fmt: skip


def test_the_wheel_without_an_engine_is_for_every_machine(unpacked: Path) -> None:
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}

    assert unpacked.name.endswith("-py3-none-any")
    assert {
        "stressbench/__init__.py",
        "stressbench/shipped/workloads/demo.sb",
        "stressbench/shipped/studies/small.toml",
    } <= names
    assert not {name for name in names if name.endswith(".so") or "stressbench-mpi" in name}


def test_without_an_engine_on_path_a_run_is_refused_with_the_remedy(unpacked: Path) -> None:
    ended = run(unpacked, str(unpacked / "stressbench/shipped/workloads/demo.sb"), "-n", "8", path="/nowhere")

    assert ended.returncode == 2
    assert "stressbench-mpi was not found next to this command or on PATH" in ended.stderr
    assert "STRESSBENCH_MPI=PATH" in ended.stderr


def test_the_source_archive_has_what_the_build_needs_and_no_more(tmp_path: Path) -> None:
    with tarfile.open(built("build_sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {
        "CMakeLists.txt",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "engine/main.cpp",
        "tracer/generate.py",
    } <= names
    assert {"src/stressbench/__init__.py", "workloads/demo.sb", "studies/small.toml", "schema/run.schema.json"} <= names
    assert not {name for name in names if name.startswith(("tests/", "docs/", "packaging/", "scripts/", "build/"))}
