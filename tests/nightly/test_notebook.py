"""The notebook of the tutorials runs from start to end with the real engine, and has no stored output."""

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from stressbench.formats.run import read_run

LONGEST_CELL_S = 1200


@pytest.fixture
def notebook(checkout: Path) -> Path:
    return checkout / "docs" / "tutorials" / "demo.ipynb"


def test_the_notebook_stores_no_output(notebook: Path) -> None:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]

    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"] is not None] == []


def test_the_notebook_runs_and_shows_the_impact_of_each_job(
    engine, checkout: Path, notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRESSBENCH_MPI", str(engine.program))
    (tmp_path / "workloads").mkdir()
    shutil.copy(checkout / "workloads" / "demo.sb", tmp_path / "workloads")
    found: Any = nbformat.read(notebook, as_version=4)

    NotebookClient(
        found, timeout=LONGEST_CELL_S, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()

    assert read_run(tmp_path / "demo.jsonl").complete
    assert (tmp_path / "demo.html").is_file()
    shown = "".join(
        str(output.get("data", {}).get("text/html", ""))
        for cell in found.cells if cell.cell_type == "code" for output in cell.outputs
    )  # fmt: skip
    for job in ("TeaLeaf_CG", "Transpose", "Incast"):
        assert f'<th scope="row">{job}</th>' in shown
