"""Names that are not UTF-8, which file systems allow: they are escaped in whatever is written."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from support.commands import call
from support.golden import KEPT

from stressbench.formats.json_text import json_text

NAME = os.fsdecode(b"a\xff")
SHOWN = r"a\udcff"


def kept_run(folder: Path) -> Path:
    return Path(shutil.copy(KEPT / "run.jsonl", folder / f"{NAME}.jsonl"))


def test_show_json(tmp_path: Path) -> None:
    done = call("show", kept_run(tmp_path), "--json")

    assert done.exit_code == 0
    assert f"{SHOWN}.jsonl" in json.dumps(json.loads(done.stdout)).replace(r"\\", "\\")


def test_report_json(tmp_path: Path) -> None:
    done = call("report", kept_run(tmp_path), "--format", "json", "-o", tmp_path / "out.json")

    assert done.exit_code == 0
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))


def test_compare_json(tmp_path: Path) -> None:
    done = call("compare", kept_run(tmp_path), KEPT / "run.jsonl", "--json")

    assert done.exit_code == 0
    assert json.loads(done.stdout)


def test_study_status_json(tmp_path: Path) -> None:
    text = (KEPT / "study" / "manifest.jsonl").read_text(encoding="utf-8")
    folder = shutil.copytree(KEPT / "study", tmp_path / NAME)
    (folder / "manifest.jsonl").write_text(text + "broken\n", encoding="utf-8")
    done = call("study", "status", folder, "--json")

    assert done.exit_code == 0
    assert SHOWN in json.loads(done.stdout)["complaints"][0]


def test_a_drawing_of_a_lab(tmp_path: Path) -> None:
    lab = shutil.copy(KEPT / "lab.toml", tmp_path / f"{NAME}.toml")
    done = call("lab", "draw", lab, "-o", tmp_path / "lab.svg")

    assert done.exit_code == 0
    assert SHOWN in (tmp_path / "lab.svg").read_text(encoding="utf-8")


def test_clean_json(tmp_path: Path) -> None:
    (tmp_path / f"vader_segment.{NAME}.0.deadbeef.0").touch()
    done = call("clean", "--in", tmp_path, "--dry-run", "--json")

    assert done.exit_code == 0
    assert SHOWN in json.loads(done.stdout)[0]["path"]


def test_only_the_name_is_written_differently() -> None:
    def value(name: str) -> dict[str, Any]:
        return {"path": Path(name), "names": (name,), name: float("nan"), "number": 1.5}

    assert json_text(value(NAME), dict[str, Any]) == json_text(value("a?"), dict[str, Any]).replace("a?", r"a\\udcff")
