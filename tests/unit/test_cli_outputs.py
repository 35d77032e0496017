"""No command writes its output over what it reads, or over the files of a study."""

from pathlib import Path

import pytest
from support.builders import MadeJob, build_run
from support.commands import call
from support.example_files import TWO_HOSTS
from support.sensitivities import victim, write_profile
from support.studies import FakeLaunches, carry_out, study_in
from support.traces import cg

OVER_INPUT = [
    ("compare", "a.jsonl", "b.jsonl", "--junit", "a.jsonl"),
    ("compare", "a.jsonl", "b.jsonl", "--junit", "b.jsonl"),
    ("report", "a.jsonl", "b.jsonl", "-o", "./b.jsonl"),
    ("report", "a.jsonl", "-o", "link.html"),
    ("report", "hard.jsonl", "-o", "a.jsonl"),
    ("report", "run.html"),
    ("trace", "export", "--profile", "c.trace", "-o", "c.trace"),
    ("sensitivity", "v.json", "--format", "html", "-o", "v.json"),
    ("sensitivity", "v.json", "w.json", "--format", "csv", "-o", "w.json"),
    ("lab", "draw", "t.toml", "-o", "t.toml"),
    ("predict", "v.html", "w.json", "--report", "v.html"),
]
OVER_STUDY = [
    ("study", "report", "made", "-o", "made/manifest.jsonl"),
    ("study", "report", "made", "-o", "made/study-1.toml"),
    ("study", "report", "made", "-o", "made/study-2.toml"),
    ("study", "report", "made", "-o", "made/environment.json"),
    ("study", "report", "made", "-o", "made/runs/{run}"),
    ("study", "report", "made", "-o", "two.sb"),
    ("compare", "a.jsonl", "b.jsonl", "--junit", "made/runs/{run}"),
    ("report", "a.jsonl", "-o", "made/manifest.jsonl"),
    ("lab", "draw", "t.toml", "-o", "made/study-1.json"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    jobs = (MadeJob(name="CG", congestion=1.5),)
    for name in ("a.jsonl", "b.jsonl"):
        build_run(jobs=jobs).write(tmp_path, name)
    Path("link.html").symlink_to("a.jsonl")
    Path("hard.jsonl").hardlink_to("a.jsonl")
    Path("run.html").write_bytes(Path("a.jsonl").read_bytes())
    cg().write(tmp_path, "c.trace")
    for name in ("v", "w"):
        write_profile(tmp_path, victim({0.2: 1.1, 0.5: 1.5}, name=name))
    Path("v.html").write_bytes(Path("v.json").read_bytes())
    Path("t.toml").write_text(TWO_HOSTS, encoding="utf-8")
    carry_out(study_in(tmp_path), FakeLaunches())
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("words", [*OVER_INPUT, *OVER_STUDY], ids=" ".join)
def test_a_command_refuses_to_write_over_inputs_and_files_of_a_study(folder: Path, words: tuple[str, ...]) -> None:
    run = min(path.name for path in (folder / "made" / "runs").iterdir())
    typed = [word.format(run=run) for word in words]
    before = contents(folder)

    ended = call(*typed)

    assert ended.exit_code == 2, ended.output
    assert "choose another name" in ended.stderr
    assert contents(folder) == before


def test_what_a_command_wrote_it_may_write_again(folder: Path) -> None:
    writes: list[tuple[str, ...]] = [
        ("compare", "a.jsonl", "b.jsonl", "--junit", "out.xml"),
        ("report", "a.jsonl", "-o", "made/out.html"),
        ("trace", "export", "--profile", "c.trace", "-o", "out.json"),
        ("sensitivity", "v.json", "--format", "csv", "-o", "out.csv"),
        ("lab", "draw", "t.toml", "-o", "out.svg"),
        ("study", "report", "made", "-o", "made/report.md"),
        ("study", "report", "made", "--data", "numbers"),
        ("report", "a.jsonl", "--data", "numbers", "-o", "out.html"),
    ]

    for words in writes * 2:
        assert call(*words).exit_code == 0, words
