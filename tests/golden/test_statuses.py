"""Exit statuses that scripts act on, of each command: done, not so, a mistake, a fault, interrupted."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import call
from support.fake_launcher import FAKE_ENGINE, put, put_mpirun
from support.golden import KEPT
from support.multigrid import MadeLevel, VCycle
from support.mutations import CORPUS
from support.options import of_stressbench
from support.programs import hear_requests_to_stop
from support.traces import ring

DONE, NOT_SO, MISTAKE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
ONE_RANK = "-n 1 --on local"
STATUSES = [
    (DONE, "--version"),
    (DONE, "show run.jsonl"),
    (MISTAKE, "show gone.jsonl"),
    (MISTAKE, "show run.jsonl --no-such-option"),
    (DONE, "compare run.jsonl other.jsonl"),
    (NOT_SO, "compare run.jsonl slower.jsonl --exit-code"),
    (DONE, "compare run.jsonl slower.jsonl"),
    (MISTAKE, "compare run.jsonl gone.jsonl"),
    (DONE, "report run.jsonl --format csv"),
    (MISTAKE, "report run.jsonl --format pdf"),
    (DONE, "trace show app.trace"),
    (MISTAKE, "trace show gone.trace"),
    (DONE, "trace diff app.trace app.trace"),
    (NOT_SO, "trace diff app.trace ring.trace"),
    (MISTAKE, "trace diff app.trace gone.trace"),
    (DONE, "trace export --profile app.trace"),
    (MISTAKE, "trace export --profile gone.trace"),
    (DONE, "trace levels cycles.trace"),
    (MISTAKE, "trace levels app.trace"),
    (DONE, "study list"),
    (DONE, "study plan study.toml"),
    (MISTAKE, "study plan gone.toml"),
    (DONE, "study status study"),
    (MISTAKE, "study status empty"),
    (DONE, "study watch study --once"),
    (MISTAKE, "study watch empty --once"),
    (DONE, "study report study"),
    (MISTAKE, "study report empty"),
    (DONE, "study verify study"),
    (DONE, "study verify study.tar.gz"),
    (FAULT, "study verify damaged"),
    (MISTAKE, "study verify empty"),
    (DONE, "study pack study -o packed.tar.gz"),
    (MISTAKE, "study pack empty -o packed.tar.gz"),
    (DONE, "study run one.toml -o made"),
    (MISTAKE, "study run gone.toml -o made"),
    (FAULT, "study run one.toml -o made --retries 0 # fault"),
    (MISTAKE, "study resume empty"),
    (DONE, "study resume study"),
    (DONE, "beff --from beff.jsonl"),
    (MISTAKE, "beff --from gone.jsonl"),
    (FAULT, "beff -n 2 # fault"),
    (DONE, "beff-io --from beff-io.jsonl"),
    (FAULT, "beff-io --from cut-io.jsonl"),
    (MISTAKE, "beff-io -n 4 --release 3"),
    (FAULT, "beff-io -n 2 # fault"),
    (DONE, "sensitivity cg.json"),
    (MISTAKE, "sensitivity gone.json"),
    (DONE, "predict cg.json fft.json"),
    (MISTAKE, "predict cg.json gone.json"),
    (DONE, "predict place cg.json fft.json --switches 1 --per-switch 2"),
    (MISTAKE, "predict place cg.json fft.json --switches 0"),
    (DONE, "predict evaluate cg.json fft.json --observed co-runs.jsonl"),
    (MISTAKE, "predict evaluate cg.json fft.json --observed strangers.jsonl"),
    (MISTAKE, "predict evaluate cg.json fft.json --observed gone.jsonl"),
    (DONE, "lab list"),
    (DONE, "lab status"),
    (MISTAKE, "lab status gone"),
    (DONE, "lab draw lab.toml"),
    (MISTAKE, "lab draw gone.toml"),
    (MISTAKE, "lab check --lab gone"),
    (MISTAKE, "lab stats --lab gone"),
    (MISTAKE, "lab set all rate=half --lab gone"),
    (MISTAKE, "lab exec --lab gone -- true"),
    (DONE, "lab down --all"),
    (DONE, "clean --dry-run --in empty"),
    (MISTAKE, "clean --no-such-option"),
    (MISTAKE, "lab up gone"),
    (DONE, "degrade plan pair.sb -n 4 --on simgrid:tiny"),
    (MISTAKE, "degrade plan gone.sb"),
    (DONE, f"degrade run -o d {ONE_RANK} --rate-command ./set-rate --rates 1,1/2 --runs 1 -- ./app"),
    (MISTAKE, f"degrade run -o d {ONE_RANK} -- ./app"),
    (FAULT, f"degrade run -o d {ONE_RANK} --rate-command ./set-rate --rates 1,1/2 --runs 1 -- ./fails"),
    (DONE, "degrade report degrade"),
    (MISTAKE, "degrade report empty"),
    (DONE, "rails plan pair.sb -n 4 --on local --nics a,b"),
    (MISTAKE, "rails plan gone.sb"),
    (DONE, f"rails run -o d {ONE_RANK} --nics a,b --policies default,nic0 --runs 1 -- ./app"),
    (MISTAKE, f"rails run -o d {ONE_RANK} -- ./app"),
    (FAULT, f"rails run -o d {ONE_RANK} --nics a,b --policies default,nic0 --runs 1 -- ./fails"),
    (DONE, "rails report rails"),
    (MISTAKE, "rails report empty"),
    (DONE, "corun report corun"),
    (MISTAKE, "corun report empty"),
    (MISTAKE, "corun resume empty"),
    (MISTAKE, "corun run -n 1 --on local -- ./app"),
    (MISTAKE, "corun matrix -n 1 --on local -- ./app"),
    (MISTAKE, "doctor --on nowhere"),
    (MISTAKE, "machine run --on nowhere -o made"),
    (MISTAKE, "machine resume empty"),
    (MISTAKE, "machine report gone"),
    (MISTAKE, "machine compare gone gone"),
    (MISTAKE, "machine check gone gone"),
    (MISTAKE, "machine verify empty"),
    (DONE, "run pair.sb -n 2"),
    (MISTAKE, "run bad.sb -n 2"),
    (MISTAKE, "run gone.sb -n 2"),
    (MISTAKE, "run pair.sb -n 2 # mistake"),
    (FAULT, "run pair.sb -n 2 # fault"),
    (MISTAKE, "impact -n 1 --on nowhere true"),
    (MISTAKE, "compress -n 1 --on nowhere true"),
    (MISTAKE, "profile -o p.pdf true"),
    (MISTAKE, "capture -o p.pdf true"),
    (MISTAKE, "record -o p.pdf true"),
    (MISTAKE, "recognise app.trace --size 0"),
    (MISTAKE, "recognise ring.trace"),
    (MISTAKE, "recognise gone.trace"),
    (MISTAKE, "validate -n 2 tealeaf"),
    (MISTAKE, "validate -n 2 w.sb -x 3 -- ./app"),
]
"""What is typed, and the status; `# WHAT` is how the stand-in for the engine ends (support/fake_engine.py)."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of version 0.1.0, some of them altered, and stand-ins for MPI, the engine, and a site's programs."""
    folder = shutil.copytree(KEPT, tmp_path / "kept")
    monkeypatch.chdir(folder)
    ring(2).write(folder, "ring.trace")
    level = MadeLevel(matrix={(0, 1): 8, (1, 0): 8}, interpolation={(0, 1): 8})
    VCycle(ranks=2, levels=[level]).trace().write(folder, "cycles.trace")
    shutil.copytree("study", "damaged")
    with next(Path("damaged/runs").iterdir()).open("a", encoding="utf-8") as run:
        run.write("{}\n")
    shutil.copytree(CORPUS / "corun", "corun")
    Path("empty").mkdir()
    Path("bad.sb").write_text("[MOTIF] AlReduce\n")
    Path("one.toml").write_text('[factors]\nworkload = "pair.sb"\nranks = 2\n')
    Path("cut-io.jsonl").write_text("".join(Path("beff-io.jsonl").read_text().splitlines(keepends=True)[:40]))
    Path("strangers.jsonl").write_text(Path("co-runs.jsonl").read_text().replace('"cg"', '"milc"'))
    Path("slower.jsonl").write_text(slower(Path("run.jsonl").read_text()))
    for name, script in {"app": "exit 0", "fails": "exit 7", "set-rate": "exit 0"}.items():
        put(folder / name, f"#!/bin/sh\n{script}\n")
    put_mpirun(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STRESSBENCH_MPI", str(FAKE_ENGINE))
    monkeypatch.setenv("STRESSBENCH_LABS", str(tmp_path / "labs"))
    monkeypatch.setenv("FAKE_RUN", str(KEPT / "run.jsonl"))
    return folder


def slower(text: str) -> str:
    """The run, all of whose times are a hundred times as long."""
    records = [json.loads(line) for line in text.splitlines()]
    for record in records:
        for key in ("time_min_s", "time_mean_s", "time_max_s"):
            if key in record:
                record[key] *= 100
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(("status", "typed"), STATUSES, ids=lambda one: str(one))
def test_status(site: Path, monkeypatch: pytest.MonkeyPatch, status: int, typed: str) -> None:
    words, _, ending = typed.partition(" # ")
    if ending:
        monkeypatch.setenv("FAKE_ENGINE", ending)

    ended = call(*words.split())

    assert ended.exit_code == status, (
        f"stressbench {typed}: exit status {ended.exit_code} in place of {status}, on which users' scripts rely; "
        f"a change is told in CHANGELOG.md and in the command's help\n{ended.output}"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_status_of_a_run_that_is_interrupted(site: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "stressbench", "run", "pair.sb", "-n", "2"],
        env={**os.environ, "FAKE_ENGINE": "wait"}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        preexec_fn=hear_requests_to_stop,
    )  # fmt: skip
    assert process.stdout is not None
    while "ready in process" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(number)
    process.communicate(timeout=300)

    assert process.returncode == INTERRUPTED


def test_every_command_has_a_status_here() -> None:
    typed = [f"stressbench {words}" for _, words in STATUSES]
    without = {"stressbench lab shell", "stressbench lab probe", "stressbench lab setup", "stressbench study matrix"}

    assert [
        name
        for name in of_stressbench().keys() - without
        if not any(f"{one} ".startswith(f"{name.replace(' slowdowns', '')} ") for one in typed)
    ] == []
