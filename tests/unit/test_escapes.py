"""Names from files in what commands print: shown, and never sent to the terminal or into a page as markup."""

import json
import shutil
import tarfile
from pathlib import Path

import pytest
from support.commands import call
from support.golden import KEPT

from stressbench.console import escaped

HOSTILE = "a\x1b]0;title\x07\x9b31m\u202e"


def require_shown(text: str) -> None:
    assert "]0;title" in text.replace("\n", "")
    assert escaped(text) == text


def test_study_plan(tmp_path: Path) -> None:
    (tmp_path / "one.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] allreduce\n", encoding="utf-8")
    quoted = json.dumps(HOSTILE)
    (tmp_path / "study.toml").write_text(
        f'about = {quoted}\nrepetitions = 1\n[factors]\nworkload = "one.sb"\nranks = 1\n[set]\nx = [{quoted}, "b"]\n',
        encoding="utf-8",
    )

    require_shown(call("study", "plan", tmp_path / "study.toml").output)


def test_study_verify_of_a_directory(tmp_path: Path) -> None:
    shutil.copytree(KEPT / "study", tmp_path / HOSTILE)
    (run,) = list((tmp_path / HOSTILE / "runs").glob("*.jsonl"))[:1]
    run.write_text("changed", encoding="utf-8")

    require_shown(call("study", "verify", tmp_path / HOSTILE).output)


def test_study_verify_of_a_pack(tmp_path: Path) -> None:
    shutil.unpack_archive(KEPT / "study.tar.gz", tmp_path / "in", filter="data")
    (top,) = (tmp_path / "in").iterdir()
    (top / HOSTILE).touch()
    with tarfile.open(tmp_path / "out.tar.gz", "w:gz") as pack:
        pack.add(top, top.name)

    require_shown(call("study", "verify", tmp_path / "out.tar.gz").output)


@pytest.mark.parametrize("name", ["text", "md", "csv"])
@pytest.mark.parametrize("to_file", [False, True])
def test_degrade_report(tmp_path: Path, name: str, to_file: bool) -> None:
    folder = shutil.copytree(KEPT / "degrade", tmp_path / "degrade")
    text = (folder / "launches.jsonl").read_text(encoding="utf-8")
    figure = next(iter(json.loads(text.splitlines()[0])["figures"]))
    (folder / "launches.jsonl").write_text(text.replace(json.dumps(figure), json.dumps(HOSTILE)), encoding="utf-8")
    out = tmp_path / "out"

    done = call("degrade", "report", folder, "--format", name, *(("-o", out) if to_file else ()))

    require_shown(out.read_text(encoding="utf-8") if to_file else done.output)
