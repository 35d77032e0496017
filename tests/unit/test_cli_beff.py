"""`stressbench beff`: Rmax as typed or by hpcc, the page, and what is refused."""

import json
import os
import re
from pathlib import Path

import pytest
from support.beff_protocols import put_beff_machine
from support.commands import CommandResult, invoke
from support.fake_launcher import put

from stressbench.formats.protocols.beff import read_protocols
from stressbench.suites.beff import b_eff_of
from stressbench.suites.hpcc import hpcc_input, parse_linpack, problem_size

SUMMARY = "Begin of Summary section.\nVersionMajor=1\nSuccess={success}\nCommWorldProcs={ranks}\nHPL_Tflops={tflops}\n"
GOOD = SUMMARY.format(success=1, ranks=4, tflops=0.0125)
HPCC = """\
#!/bin/sh
[ -e hpccoutf.txt ] && exit 9
cp hpccinf.txt "{folder}/seen.txt"
printf '%s' '{output}' >hpccoutf.txt
exit {status}
"""


def stressbench(*words: str) -> CommandResult:
    return invoke(["beff", *words])


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a launcher and an engine that are made up; its `bin` is first on PATH."""
    put_beff_machine(tmp_path, monkeypatch)
    return tmp_path


def put_hpcc(folder: Path, *, output: str = GOOD, status: int = 0) -> None:
    put(folder / "bin" / "hpcc", HPCC.format(folder=folder, output=output, status=status))


def test_hpcc_runs_on_the_same_ranks_and_gives_the_balance(machine: Path) -> None:
    put_hpcc(machine)

    ended = stressbench("-n", "4", "--rmax", "hpcc", "-o", "kept.jsonl")

    found = b_eff_of(read_protocols(machine / "kept.jsonl")[-1])
    launches = (machine / "launches").read_text().splitlines()
    assert ended.exit_code == 0, ended.output
    assert found is not None
    assert f"balance: {found.b_eff / 12.5e9:.3f} bytes per floating-point operation" in ended.output
    assert "Rmax 12.5 GFlop/s, hpcc, N = " in ended.output
    assert [re.findall(r"-n (\d+)", line)[0] for line in launches] == ["4", "4"]
    assert launches[1].endswith(" hpcc")
    assert (machine / "seen.txt").read_text() == hpcc_input(n=3600, ranks=4)  # a fifth of 512 MiB
    assert f"{machine}/.stressbench-beff-{os.uname().nodename}-{os.getpid()}-" in launches[0]  # known to `clean`
    assert not list(machine.glob(".stressbench-*"))


@pytest.mark.parametrize(
    ("output", "status", "said"),
    [
        (GOOD, 3, "--rmax hpcc: it ended with status 3"),
        ("", 0, "--rmax hpcc: hpccoutf.txt has no summary: hpcc did not complete"),
        (SUMMARY.format(success=1, ranks=1, tflops=1), 0, "hpcc ran on 1 of 4 ranks; is it built with the engine"),
        (SUMMARY.format(success=0, ranks=4, tflops=1), 0, "hpcc reports that one of its tests failed (Success=0)"),
        (SUMMARY.format(success=1, ranks=4, tflops=0), 0, "hpccoutf.txt holds no HPL_Tflops above 0"),
        (SUMMARY.format(success=1, ranks=4, tflops="nan"), 0, "hpccoutf.txt holds no HPL_Tflops above 0"),
    ],
)
def test_an_hpcc_that_fails_takes_nothing_from_b_eff(machine: Path, output: str, status: int, said: str) -> None:
    put_hpcc(machine, output=output, status=status)

    ended = stressbench("-n", "4", "--rmax", "hpcc")

    assert ended.exit_code == 3
    assert said in ended.output
    assert "b_eff    " in ended.output
    assert "balance" not in ended.output


def test_without_hpcc_nothing_starts(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(machine / "bin"))

    refused = stressbench("-n", "4", "--rmax", "hpcc")

    assert refused.exit_code == 2
    assert "--rmax hpcc: there is no hpcc on PATH (Debian's package hpcc)" in refused.output
    assert not (machine / "launches").exists()


def test_simulated_ranks_compute_nothing(machine: Path) -> None:
    put_hpcc(machine)

    refused = stressbench("-n", "4", "--rmax", "hpcc", "--on", "simgrid:tiny")

    assert refused.exit_code == 2
    assert "--on simgrid:tiny simulates ranks, which compute nothing" in refused.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-n 4 --rmax 0", "--rmax: '0' must be Linpack's Rmax in GFlop/s, above 0, or hpcc"),
        ("-n 4 --rmax inf", "--rmax: 'inf' must be Linpack's Rmax in GFlop/s"),
        ("-n 4 --rmax HPL", "--rmax: 'HPL' must be Linpack's Rmax in GFlop/s"),
        ("--from made.jsonl --rmax hpcc", "--rmax hpcc: needs a measurement; with --from give Rmax in GFlop/s"),
        ("-n 4 --report x.pdf", "--report: x.pdf should end in .html"),
        ("-n 4 -o made.jsonl", "-o made.jsonl: already exists"),
        ("", "-n is missing"),
    ],
)
def test_mistakes_are_told_before_anything_starts(machine: Path, words: str, message: str) -> None:
    refused = stressbench(*words.split())

    assert refused.exit_code == 2
    assert message in refused.output
    assert not (machine / "launches").exists()


def test_rmax_as_typed_is_in_the_json(machine: Path) -> None:
    reported = json.loads(stressbench("--from", "made.jsonl", "--rmax", "2.5", "--json").output)

    assert reported["rmax_flops_per_s"] == 2.5e9
    assert reported["balance_bytes_per_flop"] == pytest.approx(reported["b_eff"] / 2.5e9)


def test_a_report_is_written(machine: Path) -> None:
    ended = stressbench("--from", "made.jsonl", "--report", "made.html", "--rmax", "12.5")

    assert ended.exit_code == 0
    assert "Rmax 12.5 GFlop/s, as given" in (machine / "made.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("ranks", "grid"), [(1, (1, 1)), (2, (1, 2)), (4, (2, 2)), (6, (2, 3)), (7, (1, 7)), (12, (3, 4)), (64, (8, 8))]
)
def test_the_grid_holds_all_ranks_as_square_as_it_can(ranks: int, grid: tuple[int, int]) -> None:
    lines = hpcc_input(n=400, ranks=ranks).splitlines()

    assert tuple(int(lines[at].split()[0]) for at in (10, 11)) == grid
    assert [line.split()[0] for line in (lines[5], lines[7])] == ["400", "80"]
    assert len(lines) == 36


@pytest.mark.parametrize(("memory_bytes", "n"), [(2**40, 8000), (512 * 2**20, 3600), (1000, 80)])
def test_the_system_of_equations_takes_a_fifth_of_memory_at_most(memory_bytes: int, n: int) -> None:
    assert problem_size(memory_bytes) == n
    assert n == 80 or 8 * n**2 <= memory_bytes / 5


def test_the_last_summary_counts() -> None:
    older = SUMMARY.format(success=1, ranks=4, tflops=9)

    assert parse_linpack(older + GOOD, ranks=4, n=400).flops_per_s == pytest.approx(12.5e9)
    with pytest.raises(ValueError, match="holds no HPL_Tflops"):
        parse_linpack(older + GOOD.partition("HPL_Tflops")[0], ranks=4, n=400)


def test_a_file_that_has_the_name_of_the_motif_s_note_stays(machine: Path) -> None:
    (machine / "p.jsonl.stressbench").write_text("my notes", encoding="utf-8")

    refused = stressbench("-n", "4", "-o", "p.jsonl")

    assert refused.exit_code == 2
    assert "-o p.jsonl: p.jsonl.stressbench already exists; name a new file, or remove it" in refused.output
    assert (machine / "p.jsonl.stressbench").read_text(encoding="utf-8") == "my notes"
