"""A pack holds what the study's workloads read, as it lay."""

import tarfile
from pathlib import Path

from stressbench.study.directory import take_up
from stressbench.study.file import parse_study
from stressbench.study.packing import pack, verify

STUDY = '[factors]\nworkload = ["../a/same.sb", "../b/same.sb"]\nranks = 2\n'
WORKLOAD = "[INCLUDE] parts/{}.sb\n[JOB_NAME] one\n[NODES] 1\n[MOTIF] allreduce\n"


def packed(folder: Path) -> set[str]:
    """Names in the pack of a study of two workloads of one name, each with an include of its own."""
    for name in ("a", "b"):
        (folder / name / "parts").mkdir(parents=True)
        (folder / name / "same.sb").write_text(WORKLOAD.format(name))
        (folder / name / "parts" / f"{name}.sb").write_text("[SET] x=1\n")
    (folder / "studies").mkdir()
    study = parse_study(STUDY, source="study.toml")
    directory = take_up(folder / "done", study=study, text=STUDY, folder=folder / "studies")
    pack(directory, folder / "p.tar.gz")
    with tarfile.open(folder / "p.tar.gz") as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_workloads_of_one_name_and_their_includes_are_all_there(tmp_path: Path) -> None:
    names = packed(tmp_path)

    wanted = {"a/same.sb", "b/same.sb", "a/parts/a.sb", "b/parts/b.sb"}
    assert {name.removeprefix("workloads/") for name in names if name.startswith("workloads/")} == wanted
    assert not verify(tmp_path / "p.tar.gz").complaints


def test_a_workload_that_is_gone_is_left_out(tmp_path: Path) -> None:
    packed(tmp_path)
    (tmp_path / "p.tar.gz").unlink()
    (tmp_path / "a" / "same.sb").unlink()
    directory = take_up(
        tmp_path / "done", study=parse_study(STUDY, source="study.toml"), text=STUDY, folder=tmp_path / "studies"
    )

    pack(directory, tmp_path / "p.tar.gz")

    assert not verify(tmp_path / "p.tar.gz").complaints
