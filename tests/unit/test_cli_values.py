"""Values that are no number, or no number of any use, for every option whose value is parsed after the command line.

`test_numbers_written` has the options that typer parses. No launch starts: the fake launcher would leave a trace.
"""

import os
from pathlib import Path

import pytest
from support.beff_protocols import put_beff_machine
from support.commands import invoke
from support.example_files import put_example_files

VALUES = (
    "0", "-1", "nan", "inf", "1e308", str(2**63), str(2**63 - 1), str(10**30), "", "\u0661", "1_000", "+8", "0x10",
    f"0.{'0' * 290}1", "9" * 5000,
)  # fmt: skip
UNITS = ("", "s", "KiB", "%", "Mbit")
ON_LOCAL = "-n 2 --pairs 1"
RATES = "degrade run two.sb -n 2 --on local --rate-command true --dry-run"
OPTIONS = (
    "show a.jsonl --plan {}", "show a.jsonl --links {}", "show a.jsonl --motifs {}",
    "compare a.jsonl a.jsonl --effect {}", "trace show c.trace --rank {}", "predict place v.json v.json --switches {}",
    "predict place v.json v.json --switches 2 --per-switch {}",
    "run two.sb --dry-run -n {}", "run two.sb --dry-run -n 2 --ranks-per-node {}",
    "run two.sb --dry-run -n 2 --grace {}", "run two.sb --dry-run -n 2 --time-limit {}",
    "run two.sb -n 2 --on slurm --emit --walltime {}",
    "run two.sb -n 2 --on slurm --emit --nodes {}",
    f"{RATES} --runs {{}}", f"{RATES} --repetitions {{}}", f"{RATES} --isolated {{}}", f"{RATES} --contended {{}}",
    f"{RATES} --seed {{}}", f"{RATES} --ranks-per-node {{}}", f"{RATES} --min-time {{}}", f"{RATES} --rates 1,{{}}",
    f"{RATES} --place random:{{}}", f"{RATES} --compete --link {{}}",
    "degrade run two.sb --on local --rate-command true --dry-run -n {}",
    "degrade report made --at-most {}", "degrade report made --gflops-per-node {}",
    "degrade report made --injection {}",
    "rails run two.sb -n 2 --on local --nics a,b --policies default,nic{} --dry-run",
    "rails run two.sb --on local --nics a,b --dry-run -n {}",
    "rails run two.sb -n 2 --on local --nics a,b --dry-run --runs {}",
    "study resume made --retries {}", "study resume made --jobs {}", "study resume made --time-limit {}",
    "beff --from gone --rmax {}", "beff -n 2 -o a.jsonl --rmax {}", "beff -n {} -o a.jsonl",
    "beff-io -n 2 -o a.jsonl --cache {}", "beff-io -n 2 -o a.jsonl --memory {}", "beff-io -n 2 -o a.jsonl --mpart {}",
    "beff-io -n 2 -o a.jsonl --limit {}", "beff-io -n 2 -o a.jsonl -T {}", "beff-io -n 2 -o a.jsonl --partitions {}",
    "beff-io -n 2 -o a.jsonl --types {}", "beff-io -n 2 -o a.jsonl --release {}",
    *(
        f"{command} -o a.txt {options} -- true"
        for command in ("impact", "compress")
        for options in (
            "-n {} --pairs 1", "-n 2 --pairs {}", f"{ON_LOCAL} --every {{}}", f"{ON_LOCAL} --idle {{}}",
            f"{ON_LOCAL} --time-limit {{}}", f"{ON_LOCAL} --size {{}}", f"{ON_LOCAL} --packet {{}} --link 1Gbit",
            f"{ON_LOCAL} --link {{}} --packet 1KiB", f"{ON_LOCAL} --seed {{}}", f"{ON_LOCAL} --place random:{{}}",
        )
    ),
    f"impact -o a.txt {ON_LOCAL} --effect {{}} -- true", f"impact -o a.txt {ON_LOCAL} --rounds {{}} two.sb",
    f"impact -o a.txt {ON_LOCAL} --ranks-per-node {{}} two.sb",
    *(
        f"compress -o a.txt {ON_LOCAL} {option} {{}} -- true"
        for option in (
            "--runs", "--levels", "--partners", "--bubbles", "--clock", "--messages", "--message-size", "--nodes"
        )
    ),
    "validate --emit a.txt ring -n {} -- true", "validate -n 2 --emit a.txt --within {} ring -- true",
    "validate -n 2 --emit a.txt --launches {} ring -- true", "validate -n 2 --emit a.txt --iterations {} ring -- true",
)  # fmt: skip
"""Each with a mistake that is found after the value, an output that exists or ends in .txt, unless it only reads."""


def test_more_congestion_levels_than_can_be_tried_are_refused_before_they_are_combined(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_beff_machine(tmp_path, monkeypatch)
    monkeypatch.chdir(folder)
    numbers, pauses = (",".join(f"{number}{unit}" for number in range(1, 201)) for unit in ("", "us"))

    ended = invoke(f"compress {ON_LOCAL} --bubbles {pauses} --messages {numbers} -o a.txt -- true")

    assert (ended.exit_code, ended.exception) == (2, None)
    assert "--messages: 40000 combinations: expected at most 10000" in ended.stderr


TOO_MANY_RANKS = ("2097153", "999999999999999999")


@pytest.mark.parametrize(
    "command",
    [
        "run two.sb --dry-run -n {}", "beff -n {} -o new/p.jsonl", "beff-io -n {} -o new/p.jsonl",
        "impact --pairs 1 -n {} -- true", "impact --pairs {} -n 2 -- true", "compress --pairs 1 -n {} -- true",
        "compress --pairs 1 -n 2 --nodes {} -- true", "validate -n {} ring -- true",
        "degrade run --on local --rate-command true -o new -n {} -- true",
        "rails run --on local --nics a,b -o new -n {} -- true",
        "degrade run two.sb --on local --rate-command true -o new -n {}",
        "study matrix one.sb other.sb -o new -n {}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("ranks", TOO_MANY_RANKS)
def test_more_ranks_than_a_run_file_can_have_are_not_started(
    folder: Path, command: str, ranks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_beff_machine(tmp_path, monkeypatch)
    (tmp_path / "libstressbench-trace.so").touch()
    monkeypatch.setenv("STRESSBENCH_TRACE_LIBRARY", str(tmp_path / "libstressbench-trace.so"))
    monkeypatch.chdir(folder)

    ended = invoke(command.replace("{}", ranks))

    assert (ended.exit_code, ended.exception) == (2, None), ended.stderr
    assert ended.stderr.count("stressbench: ") == 1
    assert ranks[:-1] in ended.stderr
    assert not (Path(os.environ["FAKE_LAUNCHES"])).exists()
    assert not Path("new").exists()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("values")
    put_example_files(made)
    for name in ("one", "other"):
        (made / f"{name}.sb").write_text(f"[JOB_NAME] {name}\n[NODES] 1\n[MOTIF] allreduce\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("command", OPTIONS)
def test_a_value_is_accepted_or_refused_in_one_message(
    folder: Path, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_beff_machine(tmp_path, monkeypatch)
    monkeypatch.chdir(folder)
    for value in (text + unit for text in VALUES for unit in UNITS):
        ended = invoke([word.replace("{}", value) for word in command.split()])
        said = (value, ended.exit_code, ended.exception, ended.stderr[:2000])

        assert ended.exception is None, said
        assert ended.exit_code in (0, 2), said
        if ended.exit_code == 2:
            assert ended.stderr.count("stressbench: ") + ended.stderr.count("Invalid value for ") == 1, said
    assert not (Path(os.environ["FAKE_LAUNCHES"])).exists()
