"""What somebody does to files while they are written: nothing measured is lost, nothing else is written to."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.programs import LIMIT_S, Engine, Outcome, Started, finished

WORKLOAD = "[JOB_NAME] only\n[NID_LIST] 0-1\n[REPEAT] 1\n[MOTIF] Compute -m 1ms --mode sleep\n"
ENDLESS = ("--ranks-per-node", "1", "--isolated", "1000000", "--contended", "0")  # ends when the loss is noticed
STATUS = 3


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    (tmp_path / "workload.sb").write_text(WORKLOAD)
    return tmp_path / "workload.sb"


def rounds(run: Path) -> list[int]:
    lines = run.read_text().split("\n")[:-1] if run.exists() else []
    return [record["round"] for record in map(json.loads, lines) if record["type"] == "round"]


def delete(run: Path) -> None:
    run.unlink()


def replace(run: Path) -> None:
    (run.parent / "other").write_text("other\n")
    (run.parent / "other").rename(run)


def replace_by_link(run: Path) -> None:
    (run.parent / "victim").write_text("other\n")
    run.unlink()
    run.symlink_to("victim")


def cut(run: Path) -> None:
    os.truncate(run, 100)


def lengthen(run: Path) -> None:
    with run.open("a") as file:
        file.write("other\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (delete, "was deleted"), (replace, "was replaced by another file"),
        (replace_by_link, "was replaced by another file"), (cut, "was truncated to "),
        (lengthen, "got lines that this run did not write"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)  # fmt: skip
def test_a_run_whose_file_is_taken_away_keeps_all_under_a_new_name_and_fails(
    any_engine, stressbench, workload, tmp_path, wait_for, change: Callable[[Path], None], said: str
) -> None:
    run, kept = tmp_path / "run.jsonl", tmp_path / "run.kept.jsonl"
    with any_engine.started("run", workload, *ENDLESS, "--output", run, ranks=2) as process:
        wait_for(lambda: len(rounds(run)) >= 3, "three rounds")
        change(run)
        _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == STATUS, errors
    assert f"the run file '{run}' {said}" in errors
    assert f"what was measured is in '{kept}'" in errors
    done = rounds(kept)
    assert len(done) >= 3
    assert done == list(range(1, len(done) + 1))
    shown = stressbench("show", kept)
    assert shown.status == 0, shown.text
    if (tmp_path / "victim").exists():
        assert (tmp_path / "victim").read_text() == "other\n"


def test_a_run_that_is_continued_keeps_the_rounds_of_before_too(any_engine, workload, tmp_path, wait_for) -> None:
    run, kept = tmp_path / "run.jsonl", tmp_path / "run.kept.jsonl"
    whole = any_engine.run("run", workload, *ENDLESS, "--time-limit", "100ms", "--output", run, ranks=2)
    assert whole.status == 0, whole.text
    before = rounds(run)
    kept.write_text("somebody else's")

    with any_engine.started("run", "--continue", run, ranks=2) as process:
        wait_for(lambda: len(rounds(run)) >= len(before) + 3, "three rounds more")
        cut(run)
        _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == STATUS, errors
    done = rounds(tmp_path / "run.kept-2.jsonl")
    assert done == list(range(1, len(done) + 1))
    assert kept.read_text() == "somebody else's"


def test_a_run_whose_folder_goes_keeps_all_in_the_folder_it_runs_in(any_engine, workload, tmp_path, wait_for) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    with any_engine.started(
        "run", workload, *ENDLESS, "--output", folder / "run.jsonl", ranks=2, cwd=tmp_path
    ) as process:
        wait_for(lambda: len(rounds(folder / "run.jsonl")) >= 1, "a round")
        folder.rename(tmp_path / "elsewhere")
        _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == STATUS, errors
    assert rounds(tmp_path / "run.kept.jsonl")[0] == 1


def test_the_command_says_how_to_go_on_with_what_was_kept(engine, workload, tmp_path, wait_for) -> None:
    run, kept = tmp_path / "run.jsonl", tmp_path / "run.kept.jsonl"
    words = ("run", "workload.sb", "-n", "2", *ENDLESS, "-o", "run.jsonl")
    environment = {"STRESSBENCH_MPI": str(engine.program)}
    with Started(
        [sys.executable, "-m", "stressbench", *words],
        cwd=tmp_path,
        environment=environment,
    ) as process:
        wait_for(lambda: len(rounds(run)) >= 2, "two rounds")
        run.unlink()
        _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == STATUS, errors
    many = len(rounds(kept))
    assert (
        f"{many} rounds are complete in run.kept.jsonl; `stressbench run --continue run.kept.jsonl` continues" in errors
    )
    assert "stressbench report run.kept.jsonl -o run.kept.html" in errors


@pytest.mark.parametrize("content", ["[JOB_NAME] only\n", '{"type":"study"}\n', "x"])
def test_overwrite_replaces_run_files_alone(engine, workload, tmp_path, content: str) -> None:
    (tmp_path / "there").write_text(content)
    once = ("run", workload, "--ranks-per-node", "1", "--isolated", "1", "--contended", "0", "--overwrite", "--output")

    refused = engine.run(*once, tmp_path / "there", ranks=2)

    assert refused.status == 2, refused.text
    assert "is not a run file; --overwrite replaces run files only: give another name" in refused.errors
    assert (tmp_path / "there").read_text() == content
    for _ in range(2):
        assert engine.run(*once, tmp_path / "run.jsonl", ranks=2).status == 0
    (tmp_path / "empty").touch()
    assert engine.run(*once, tmp_path / "empty", ranks=2).status == 0


def test_overwrite_does_not_wait_for_a_reader(engine, tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "one.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] barrier\n")
    arguments = engine.command("run", tmp_path / "one.sb", "--overwrite", "--output", tmp_path / "pipe")

    refused = finished(arguments, cwd=tmp_path)

    assert refused.status == 2, refused.text
    assert f"--output: '{tmp_path}/pipe' is a pipe without a reader" in refused.errors


@pytest.fixture
def unfinished(engine, workload, tmp_path) -> list[str]:
    """The lines of a run of four rounds, the last of which was not completed."""
    whole = engine.run("run", workload, "--ranks-per-node", "1", "--isolated", "4", "--contended", "0",
                       "--output", tmp_path / "whole.jsonl", ranks=2)  # fmt: skip
    assert whole.status == 0, whole.text
    lines = (tmp_path / "whole.jsonl").read_text().splitlines(keepends=True)
    committed = [number for number, line in enumerate(lines) if json.loads(line)["type"] == "round"]
    return lines[: committed[-1]]


EVENT = '{"type":"event","severity":"warning","kind":"lost","message":"m","round":4,"job":null}\n'
FAULT = '{"type":"fault","round":4,"job":0,"motif":null,"rank":1,"host":null,"cause":"c"}\n'
LATER = '{"type":"of_a_later_version","text":"t"}\n'


def samples(text: str, round_number: int) -> int:
    records = [json.loads(line) for line in text.splitlines()]
    return sum(record["type"] == "sample" and record["round"] == round_number for record in records)


def test_a_continued_run_keeps_what_is_no_sample_of_the_unfinished_round(engine, unfinished, tmp_path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text("".join([*unfinished[:-1], EVENT, unfinished[-1], FAULT, LATER, '{"type":"sam']))

    continued = engine.run("run", "--continue", run, ranks=2)

    assert continued.status == 0, continued.text
    text = run.read_text()
    assert EVENT + FAULT + LATER in text
    assert rounds(run) == [1, 2, 3, 4]
    assert samples(text, 4) == samples(text, 3)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_run_that_is_not_continued_keeps_every_byte(engine, unfinished, tmp_path, ranks: int) -> None:
    run = tmp_path / "run.jsonl"
    text = "".join([*unfinished, '{"type":"sam'])
    run.write_text(text)

    refused = engine.run("run", "--continue", run, ranks=ranks)

    assert refused.status == 2, refused.text
    assert run.read_text() == text


@pytest.mark.usefixtures("unfinished")
def test_a_complete_run_keeps_every_byte(engine, tmp_path) -> None:
    run = tmp_path / "whole.jsonl"
    text = run.read_text() + LATER
    run.write_text(text)

    refused = engine.run("run", "--continue", run, ranks=2)

    assert refused.status == 2, refused.text
    assert "is complete" in refused.errors
    assert run.read_text() == text


def test_a_run_with_the_longest_time_limit_can_be_continued(engine, workload, tmp_path) -> None:
    run = tmp_path / "run.jsonl"
    whole = engine.run("run", workload, "--ranks-per-node", "1", "--isolated", "2", "--contended", "0",
                       "--time-limit", "1000000000s", "--output", run, ranks=2)  # fmt: skip
    assert whole.status == 0, whole.text
    run.write_text("".join(line for line in run.read_text().splitlines(keepends=True) if '"type":"end"' not in line))

    assert engine.run("run", "--continue", run, ranks=2).status == 0


RESULTS = {
    "all_pairs": ("all_pairs", "--matrix"),
    "b_eff": ("b_eff", "--lmax", "8KiB", "--quick", "--protocol"),
    "b_eff_io": ("b_eff_io", "--file", "scratch", "--time", "1s", "--mpart", "1MiB", "--limit", "1MiB", "--protocol"),
}


def results_in(folder: Path, words: tuple[str, ...], file: str) -> Path:
    line = " ".join((*words, file))
    (folder / "results.sb").write_text(f"[JOB_NAME] only\n[NID_LIST] 0-1\n[REPEAT] 1\n[MOTIF] {line}\n")
    return folder / "results.sb"


def measured(
    engine: Engine, folder: Path, words: tuple[str, ...], *, file: str = "there", run: str = "run.jsonl"
) -> Outcome:
    plan = ("--ranks-per-node", "1", "--isolated", "2", "--contended", "0", "--warmup", "0", "--output", run)
    return engine.run("run", results_in(folder, words, file), *plan, ranks=2, cwd=folder)


@pytest.mark.parametrize("words", RESULTS.values(), ids=RESULTS)
def test_results_of_a_motif_go_to_a_file_of_this_run_alone(engine, tmp_path, words: tuple[str, ...]) -> None:
    first = measured(engine, tmp_path, words)
    assert first.status == 0, first.text
    written = (tmp_path / "there").read_bytes()

    second = measured(engine, tmp_path, words, run="second.jsonl")

    assert second.status == 2, second.text
    assert "'there' exists, and this run did not create it; remove it, or give another name" in second.errors
    assert (tmp_path / "there").read_bytes() == written


@pytest.mark.parametrize("words", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("kind", ["file", "link", "dangling", "folder", "fifo"])
def test_nothing_is_appended_to_what_was_there(engine, tmp_path, words: tuple[str, ...], kind: str) -> None:
    victim = tmp_path / ("there" if kind == "file" else "victim")
    victim.write_text("mine\n")
    if kind in ("link", "dangling"):
        (tmp_path / "there").symlink_to("victim" if kind == "link" else "missing")
    elif kind == "folder":
        (tmp_path / "there").mkdir()
    elif kind == "fifo":
        os.mkfifo(tmp_path / "there")

    refused = measured(engine, tmp_path, words)

    assert refused.status == 2, refused.text
    assert "'there' exists, and this run did not create it" in refused.errors
    assert victim.read_text() == "mine\n"
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("option", [("--file", "a.trace"), ("-f", "a.trace"), ("--file=a.trace",)], ids=" ".join)
@pytest.mark.parametrize("output", ["./a.trace", "/proc/self/cwd/a.trace"])
def test_the_result_of_a_motif_takes_the_place_of_nothing_that_it_reads(
    engine, checkout, tmp_path, option, output
) -> None:
    text = (checkout / "tests" / "corpus" / "trace" / "messages.trace").read_bytes()
    (tmp_path / "a.trace").write_bytes(text)

    refused = engine.run("motif", "replay", *option, "--output", output, ranks=2, cwd=tmp_path)

    assert refused.status == 2, refused.text
    assert f"--output: '{output}' is a file that this command reads; choose another name" in refused.errors
    assert (tmp_path / "a.trace").read_bytes() == text


def test_the_result_of_a_motif_may_be_named_like_a_value_that_is_no_file(engine, tmp_path) -> None:
    for _ in range(2):
        done = engine.run(
            "motif", "allreduce", "--op", "max", "--iterations", "1", "--json", "--output", "max", ranks=2, cwd=tmp_path
        )
        assert done.status == 0, done.text

    assert json.loads((tmp_path / "max").read_text())["motif"] == "allreduce"
