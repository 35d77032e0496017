"""What a person may type wrongly: always status 2, one clear message, never a crash."""

import re
from pathlib import Path

import pytest

WORKLOAD = """\
[JOB_NAME] one
[NID_LIST] 0
[MOTIF] AllReduce
[JOB_NAME] two
[NID_LIST] 1
[MOTIF] Compute -m 1us
"""
CRASH = re.compile(
    r"Segmentation|SIGSEGV|SIGABRT|Aborted|core dumped|terminate called|MPI_ABORT was invoked|MPI_Abort|Fatal error in"
    r"|what\(\):|An error occurred in MPI|exited on signal|Traceback"
)  # launchers add words of their own whenever a status is not 0: those are theirs
# What mpirun says stands between two lines like this one. It comes before, after or between what ranks say.
LAUNCHER = re.compile(r"^(-{20,}|={20,})[ ]*\n.*?^\1[ ]*$", re.MULTILINE | re.DOTALL)
PART_OF_A_MESSAGE = re.compile(r"^(?:\s|Run with --help|$)")  # the line itself, its underline, the hint

# Arguments (W stands for a good workload's path), and a word that the message must hold.
WITHOUT_LAUNCH = [
    ([], "subcommand"),
    (["bogus"], "bogus"),
    (["--bogus"], "--bogus"),
    (["run"], "FILE"),
    (["run", "W", "extra"], "extra"),
    (["run", "nowhere.sb"], "nowhere.sb"),
    (["run", "."], "."),
    (["run", "W", "--isolated", "-3"], "-3"),
    (["run", "W", "--isolated", "many"], "many"),
    (["run", "W", "--contended", "1.5"], "1.5"),
    (["run", "W", "--repetitions", "0"], "0"),
    (["run", "W", "--warmup", "-1"], "-1"),
    (["run", "W", "--seed", "x"], "x"),
    (["run", "W", "--isolated", "0x10"], "'0x10': must be a whole number of digits only"),
    (["run", "W", "--contended", " 8"], "' 8': must be a whole number of digits only"),
    (["run", "W", "--warmup", "+1"], "'+1': must be a whole number of digits only"),
    (["run", "W", "--ranks-per-node", "0b1"], "'0b1' must be a number of ranks, such as 16, or a list"),
    (["run", "W", "--seed=-1"], "'-1': must be a whole number of digits only"),
    (["run", "W", "--seed", "18446744073709551616"], "from 0 to 18446744073709551615"),
    (["run", "W", "--finish", "never"], "never"),
    (["run", "W", "--place", "sideways"], "sideways"),
    (["run", "W", "--place", "random:x"], "random:x"),
    (["run", "W", "--until-interval", "0%"], "0%"),
    (["run", "W", "--until-interval", "lots"], "lots"),
    (["run", "W", "--time-limit", "30"], "30"),
    (["run", "W", "--time-limit", "300000h"], "at most 1000000000s"),
    (["run", "W", "--ranks-per-node", "0"], "0"),
    (["run", "W", "--telemetry", "ehternet"], "did you mean 'ethernet'"),
    (["run", "W", "--telemetry", ""], "--telemetry: '' is not a source"),
    (["run", "W", "--telemetry-limit", "2"], "--telemetry-limit: '2'"),
    (["run", "W", "--telemetry-limit", "0s"], "must be greater than 0"),
    (["run", "W", "--telemetry-limit", "2min"], "must be at most 60s"),
    (["run", "W", "--run-id", "a/b"], "'a/b'"),
    (["run", "W", "--set", "novalue"], "novalue"),
    (["check", "W", "--set", "unused=1"], "unused"),
    (["run", "W", "--isolated"], "--isolated"),
    (["run", "--continue", "missing.jsonl"], "missing.jsonl"),
    (["run", "--continue", "W"], "workload.sb:1"),
    (["run", "W", "--continue", "missing.jsonl"], "--continue"),
    (["motif"], "name"),
    (["motif", "pingpongg"], "pingpong"),
    (["motif", "allreduce", "--count", "-1"], "-1"),
    (["motif", "allreduce", "--count"], "--count"),
    (["motif", "allreduce", "--bogus", "1"], "--bogus"),
    (["motif", "allreduce", "--sizes", "7"], "7"),
    (["motif", "allreduce", "--type", "quad"], "quad"),
    (["motif", "pingpong", "--sizes", "8,,16"], "8,,16"),
    (["motif", "compute", "--sizes", "8"], "compute"),
    (["describe"], "SUBJECT"),
    (["describe", "nosuchmotif"], "nosuchmotif"),
    (["check", "nowhere.sb"], "nowhere.sb"),
    (["check", "W", "--nodes", "0"], "0"),
    (["check", "W", "--nodes", "1"], "1"),
    (["check", "W", "--nodes", "0x2"], "'0x2': must be a whole number of digits only"),
    (["describe", "W", "--ranks", "0x2"], "'0x2': must be a whole number of digits only"),
    (["motif", "barrier", "--repetitions", "0x8"], "'0x8': must be a whole number of digits only"),
    (["motif", "barrier", "--warmup", "0x8"], "'0x8': must be a whole number of digits only"),
    (["motif", "barrier", "--seed=-1"], "'-1': must be a whole number of digits only"),
]
WITH_RANKS = [
    (1, ["run", "W", "--ranks-per-node", "1"], "1"),  # job two's node is missing
    (3, ["run", "W", "--ranks-per-node", "2"], "3"),  # 2 does not divide 3
    (2, ["run", "nowhere.sb"], "nowhere.sb"),
    (2, ["run", "W", "--ranks-per-node", "1", "--output", "missing-folder/run.jsonl"], "missing-folder"),
    (2, ["bench"], "not a command"),
    (2, ["motif", "nosuchmotif"], "nosuchmotif"),
    (1, ["motif", "pingpong"], "2 ranks"),
    (3, ["motif", "halo2d", "--grid", "2x2"], "3"),
    (2, ["motif", "incast", "--root", "7"], "7"),
    (2, ["motif", "mpiio", "-s", "8", "-m", "5", "-f", "file"], "5"),
]


def named(value: object) -> str:
    """The command line as a test's name."""
    return " ".join(value) if isinstance(value, list) else str(value)


def written(folder: Path, arguments: list[str]) -> list[str]:
    workload = folder / "workload.sb"
    workload.write_text(WORKLOAD)
    return [str(workload) if word == "W" else word for word in arguments]


def is_one_clear_message(outcome, word: str) -> None:
    assert outcome.status == 2, outcome.text
    assert not CRASH.search(outcome.text), outcome.text
    own_words = LAUNCHER.sub("", outcome.text)
    assert len([line for line in own_words.splitlines() if not PART_OF_A_MESSAGE.match(line)]) == 1, outcome.text
    assert word in own_words, outcome.text


@pytest.mark.parametrize(("arguments", "word"), WITHOUT_LAUNCH, ids=named)
def test_a_wrong_command_line_gives_one_message(engine, tmp_path, arguments, word):
    is_one_clear_message(engine.run(*written(tmp_path, arguments), cwd=tmp_path), word)


@pytest.mark.parametrize(("ranks", "arguments", "word"), WITH_RANKS, ids=named)
def test_what_does_not_fit_the_ranks_gives_one_message(any_engine, tmp_path, ranks, arguments, word):
    is_one_clear_message(any_engine.run(*written(tmp_path, arguments), ranks=ranks, cwd=tmp_path), word)


def test_a_leading_zero_makes_no_octal_number(engine, tmp_path):
    outcome = engine.run("motif", "barrier", "-i", "1", "--repetitions", "010", "--json", cwd=tmp_path)
    assert '"repetitions": 10' in outcome.output, outcome.text


def test_an_existing_run_file_is_not_overwritten(engine, tmp_path):
    workload = tmp_path / "workload.sb"
    workload.write_text(WORKLOAD)
    taken = tmp_path / "run.jsonl"
    taken.write_text("precious\n")

    outcome = engine.run("run", workload, "--ranks-per-node", "1", "--output", taken, ranks=2)

    is_one_clear_message(outcome, "--overwrite")
    assert taken.read_text() == "precious\n"


@pytest.mark.parametrize(
    "text", ["", "\n# nothing\n", "[JOB_NAME]\n", "[MOTIF] allreduce\n", "\0\1\2", "[JOB_NAME] a\n[NID_LIST] 0\n"]
)
def test_an_odd_workload_file_gives_a_message(engine, tmp_path, text):
    file = tmp_path / "odd.sb"
    file.write_text(text)
    outcome = engine.run("check", file)
    assert outcome.status == 2, outcome.text
    assert "odd.sb" in outcome.text
    assert not CRASH.search(outcome.text)
