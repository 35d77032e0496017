"""What commands tell of files that version 0.1.0 wrote: they stay readable, and the outputs that scripts read stay.

JSON is compared as values, CSV with its header, tables without blanks and rules (how wide they are is rich's).
"""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from support.commands import call
from support.golden import KEPT, Golden
from support.traces import ring

BESIDE_EACH_OTHER = ("cg.json", "fft.json")
JUDGED = ("predict", "evaluate", *BESIDE_EACH_OTHER, "--observed", "co-runs.jsonl")
JSON = {
    "show": ("show", "run.jsonl", "--json"),
    "compare": ("compare", "run.jsonl", "other.jsonl", "--json"),
    "report": ("report", "run.jsonl", "--format", "json"),
    "trace-diff": ("trace", "diff", "app.trace", "ring.trace", "--json"),
    "trace-export": ("trace", "export", "--profile", "app.trace"),
    "study-status": ("study", "status", "study", "--json"),
    "study-report": ("study", "report", "study", "--format", "json"),
    "study-plan": ("study", "plan", "study.toml", "--json"),
    "beff": ("beff", "--from", "beff.jsonl", "--rmax", "2.5", "--json"),
    "beff-io": ("beff-io", "--from", "beff-io.jsonl", "--cache", "1MiB", "--json"),
    "sensitivity": ("sensitivity", *BESIDE_EACH_OTHER, "--format", "json"),
    "predict": ("predict", *BESIDE_EACH_OTHER, "--all-models", "--json"),
    "predict-place": ("predict", "place", *BESIDE_EACH_OTHER, "--switches", "1", "--per-switch", "2", "--json"),
    "predict-evaluate": (*JUDGED, "--json"),
    "lab-list": ("lab", "list", "--json"),
    "study-list": ("study", "list", "--json"),
    "degrade-plan": ("degrade", "plan", "pair.sb", "-n", "4", "--on", "simgrid:tiny", "--json"),
    "rails-plan": ("rails", "plan", "pair.sb", "-n", "4", "--on", "local", "--nics", "a,b", "--json"),
    "degrade-report": ("degrade", "report", "degrade", "--format", "json"),
    "rails-report": ("rails", "report", "rails", "--profile", "profile.json", "--format", "json"),
}
CSV = {
    "report": ("report", "run.jsonl", "--format", "csv"),
    "study-report": ("study", "report", "study", "--format", "csv"),
    "sensitivity": ("sensitivity", *BESIDE_EACH_OTHER, "--format", "csv"),
    "predict-evaluate": (*JUDGED, "--csv"),
    "predict-evaluate-pairs": (*JUDGED, "--csv", "--pairs"),
    "degrade-report": ("degrade", "report", "degrade", "--format", "csv"),
    "rails-report": ("rails", "report", "rails", "--format", "csv"),
}
TEXT = {
    "show": ("show", "run.jsonl", "--tails", "--plan", "2%"),
    "compare": ("compare", "run.jsonl", "other.jsonl"),
    "trace-show": ("trace", "show", "app.trace"),
    "trace-show-profile": ("trace", "show", "app.trace", "--profile"),
    "study-verify": ("study", "verify", "study"),
    "study-verify-archive": ("study", "verify", "study.tar.gz"),
    "study-report": ("study", "report", "study"),
    "study-status": ("study", "status", "study"),
    "beff": ("beff", "--from", "beff.jsonl"),
    "beff-io": ("beff-io", "--from", "beff-io.jsonl"),
    "sensitivity": ("sensitivity", "cg.json"),
    "predict": ("predict", *BESIDE_EACH_OTHER),
    "lab-draw": ("lab", "draw", "lab.toml"),
    "degrade-report": ("degrade", "report", "degrade"),
    "rails-report": ("rails", "report", "rails"),
}
DIFFERENT = 1


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what is kept, to work in; and another trace."""
    monkeypatch.chdir(shutil.copytree(KEPT, tmp_path / "kept"))
    ring(2).write(Path.cwd(), "ring.trace")
    return Path.cwd()


def printed(*words: str) -> str:
    ended = call(*words)
    assert ended.exit_code in (0, DIFFERENT * (words[:2] == ("trace", "diff"))), ended.output
    return ended.stdout


@pytest.mark.parametrize("name", JSON)
def test_json(golden: Golden, files: Path, name: str) -> None:
    golden.json(f"json/{name}.json", json.loads(printed(*JSON[name]).replace(f"{files}/", "")))


@pytest.mark.parametrize("name", CSV)
def test_csv(golden: Golden, files: Path, name: str) -> None:
    rows = list(csv.reader(io.StringIO(printed(*CSV[name]))))

    golden.json(f"csv/{name}.json", [[number_or_text(cell) for cell in row] for row in rows])


@pytest.mark.parametrize("name", TEXT)
def test_tables(golden: Golden, files: Path, name: str) -> None:
    lines = (re.sub(r"\s+", " ", line).strip() for line in printed(*TEXT[name]).splitlines())

    golden.text(f"text/{name}.txt", "".join(f"{line}\n" for line in lines if line.strip("─━ ")))


def test_data_of_a_report(golden: Golden, files: Path) -> None:
    printed("report", "run.jsonl", "-o", "run.html", "--data", "numbers")

    paths = sorted(Path("numbers").rglob("*.csv"))
    headers = {path.name: next(csv.reader(path.read_text(encoding="utf-8").splitlines())) for path in paths}
    golden.json("csv/report-data-headers.json", headers)


def test_what_is_kept_names_no_machine() -> None:
    hosts = set()
    for path in KEPT.rglob("*.jsonl"):
        hosts |= set(re.findall(r'"(?:host|slowest_host)":"([^"]*)"', path.read_text(encoding="utf-8")))

    assert hosts == {"node0"}
    assert sum(path.stat().st_size for path in KEPT.rglob("*") if path.is_file()) < 1_000_000


def number_or_text(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell
