"""Numbers as people write them: ASCII digits, without underscores, and no more than there is room for."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest
from support.commands import call, invoke
from support.golden import KEPT
from support.options import of_stressbench

from stressbench.errors import UserError
from stressbench.experiments.lab import link_use
from stressbench.experiments.linpack import rmax_from_text
from stressbench.experiments.sweep import option_values
from stressbench.formats.study.file import read_study
from stressbench.formats.study.rail_policies import parse_policy
from stressbench.formats.trace.records import TraceMode
from stressbench.formats.units import (
    UnitError,
    parse_bytes,
    parse_duration,
    parse_frequency,
    parse_percent,
    parse_rate,
    parse_rate_share,
    parse_seconds,
    parse_share,
    parse_size,
)
from stressbench.labs.lifecycle import RunningLab
from stressbench.labs.link_check import check_links
from stressbench.launch.batch import flux, slurm
from stressbench.launch.diagnosis import diagnose
from stressbench.launch.execute import Outcome
from stressbench.launch.flavour import recognise
from stressbench.launch.processes import LaunchMark, marked_processes
from stressbench.launch.tracing import POOL_VARIABLE, Tracing

MANY = "9" * 5000
FULL_WIDTH = "\uff11"
"""The digit 1, which Python takes for a 1 and the engine does not."""

OPTIONS = {
    "run": f"run {KEPT / 'pair.sb'} --dry-run --ranks",
    "degrade": "degrade run --dry-run --rate-command true --fom a=(1) --rates 1,1/2 --runs",
    "trace": f"trace show {KEPT / 'app.trace'} --lines",
    "study": "study matrix a.sb b.sb --isolated",
}


NO_NUMBERS = ("", "1_000", "\u0661\u0662", "0x10", "nan", "inf", "-inf", "1e400", "1e308", MANY)
NO_INTEGERS = (*NO_NUMBERS, "1.5", str(2**63), str(-(2**63)), str(10**30), "1e3")


def numeric_options() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each command, one of its options for a number, and what the option refuses at least."""
    for command, found in of_stressbench().items():
        for option in found["takes"] if isinstance(found, dict) else found:
            kind = option["takes"].split()[0]
            if kind in ("integer", "number"):
                yield command, option["options"][0], NO_INTEGERS if kind == "integer" else (*NO_NUMBERS, "1e-200")


@pytest.mark.parametrize(("command", "option", "refused"), tuple(numeric_options()))
def test_no_option_takes_what_is_no_finite_number_of_64_bits(
    command: str, option: str, refused: tuple[str, ...]
) -> None:
    for text in refused:
        done = invoke([*command.split()[1:], option, text])
        said = " ".join(done.stderr.split())

        assert (text, done.exit_code, done.exception) == (text, 2, None)
        assert said.count("Invalid value for ") == 1
        assert f"{option}'" in said
        assert f": '{text[:60]}" in said


@pytest.mark.parametrize("interval_s", [math.nan, math.inf, 0.0, -1.0, 1e5, 1e308])
def test_intervals_of_labs(interval_s: float) -> None:
    with pytest.raises(UserError, match=r"--interval: .*: expected more than 0 s and at most 86400 s"):
        next(link_use("none", interval_s=interval_s))


@pytest.mark.parametrize("tolerance", [math.nan, math.inf, -0.1])
def test_tolerances_of_links(tolerance: float) -> None:
    with pytest.raises(UserError, match=r"--tolerance: .*: expected 0 or more"):
        next(check_links(cast("RunningLab", None), tolerance=tolerance, streams=1))


@pytest.mark.parametrize("text", ["1_0", FULL_WIDTH])
@pytest.mark.parametrize("command", OPTIONS)
def test_options_take_plain_digits_only(command: str, text: str) -> None:
    done = invoke(f"{OPTIONS[command]} {text}")

    assert (done.exit_code, done.exception) == (2, None)
    assert f"Invalid value for {OPTIONS[command].split()[-1]}" in done.stderr.replace("'-n' / ", "").replace("'", "")


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_seconds, f"{FULL_WIDTH}h"), (parse_seconds, f"{MANY[:400]}h"), (parse_seconds, "876001h"),
        (parse_seconds, "0.5ns"), (parse_seconds, f"0.{'0' * 330}1s"), (parse_size, str(2**63)),
        (parse_size, f"{MANY[:300]}TiB"), (parse_frequency, "0.5Hz"), (parse_frequency, "1e13"),
        (parse_size, f"{FULL_WIDTH}KiB"), (parse_rate, f"{FULL_WIDTH}00Mbit"), (parse_rate, "100\nMbit"),
        (parse_rate, "100Mbit\n"), (parse_duration, f"{FULL_WIDTH}us"), (parse_bytes, f"{FULL_WIDTH}KiB"),
        (parse_frequency, f"{FULL_WIDTH}GHz"), (parse_frequency, "1e400"), (parse_frequency, "1e308GHz"),
        (parse_rate_share, f"1/{MANY}"), (parse_rate_share, f"{MANY}%"), (parse_rate_share, f"{FULL_WIDTH}/2"),
        (parse_percent, f"{FULL_WIDTH}%"), (parse_percent, f"{MANY}%"),
        (lambda text: parse_share(text, zero=True), "0.0_1"),
    ],
)  # fmt: skip
def test_units(parse: Callable[[str], object], text: str) -> None:
    with pytest.raises(UnitError):
        parse(text)


@pytest.mark.parametrize("text", [MANY, FULL_WIDTH, "1_0", "\u00b2", ""])
def test_lists_and_single_numbers_of_options(text: str) -> None:
    for parse in (option_values.rank_counts, option_values.one_rank_count, rmax_from_text):
        if (parse, text) != (rmax_from_text, MANY):
            with pytest.raises(UserError):
                parse(text)


@pytest.mark.parametrize("text", ["1e308", "1e-200", "nan", "inf", "-1"])
def test_rmax_whose_balance_would_be_no_number(text: str) -> None:
    with pytest.raises(UserError, match=f"--rmax: '{text}' must be"):
        rmax_from_text(text)


@pytest.mark.parametrize("option", ["levels", "partners", "messages", "bubbles"])
@pytest.mark.parametrize("text", [MANY, FULL_WIDTH])
def test_the_ring(option: str, text: str) -> None:
    done = call("compress", f"--{option}", text, "-n", "4", "--", "true")

    assert (done.exit_code, done.exception) == (2, None)
    assert f"--{option}" in done.stderr


def test_what_batch_systems_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, says in (("srun", "pmix"), ("flux", "\u00b2")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {says}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    says = {"SLURM_JOB_ID": "1", "SLURM_NTASKS": "\u00b2", "SLURM_JOB_NUM_NODES": MANY}

    found = slurm.current_target(says)

    assert (found.ranks, found.nodes) == (None, None)
    assert slurm.fewest_cpus("16(x3),8") == 8
    assert flux.current_target({"FLUX_URI": "local"}).nodes is None


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("factors", f'placement = "random:{FULL_WIDTH}"'), ("factors", f'placement = "random:{10**23}"'),
        ("factors", f'rate = "1/{MANY}"'), ("run", f'time_limit = "{FULL_WIDTH}h"'),
        ("", f"seed = {2**63}"),
    ],
)  # fmt: skip
def test_study_files(tmp_path: Path, table: str, text: str) -> None:
    (tmp_path / "one.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] allreduce\n", encoding="utf-8")
    tables = {
        "": "repetitions = 1",
        "factors": '[factors]\nworkload = "one.sb"\nranks = 1\non = "local"',
        "run": "[run]",
    }
    written = "\n".join(f"{lines}\n{text}" if name == table else lines for name, lines in tables.items())
    (tmp_path / "study.toml").write_text(written, encoding="utf-8")

    with pytest.raises(UserError, match=text.split()[0]) as refused:
        read_study(tmp_path / "study.toml")

    assert "set_int_max_str_digits" not in str(refused.value)


@pytest.mark.parametrize("text", [f"nic{FULL_WIDTH}", f"jobs:a={FULL_WIDTH}"])
def test_rail_policies(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_policy(text)


@pytest.mark.parametrize("digits", [MANY, "\u00b2"])
def test_what_launchers_and_tools_print(digits: str, tmp_path: Path) -> None:
    died = f"mpirun noticed that process rank {digits} with PID 0 on node nid7 exited on signal {digits} (Killed).\n"
    hydra = f"=   RANK {digits} PID {digits} RUNNING AT nid7\n=   KILLED BY SIGNAL: {digits}\n"
    srun = f"srun: error: nid7: task {digits}: Killed\n"
    for text in (died, hydra, srun):
        assert diagnose(Outcome(status=137, stop_requests=0, output="", errors=text, rank_of=())) is None
    assert recognise(f"mpirun (Open MPI) {digits}.1").version in (None, "9" * 18 + ".1")
    tracing = Tracing(key="k", mode=TraceMode.profile, output=tmp_path / "t", library=tmp_path, names=False)
    (tmp_path / "stressbench-trace-k-\u00b2.pool").touch()
    (tmp_path / "stressbench-trace-k-7.pool").touch()
    assert [rank for rank, _ in tracing.pools({POOL_VARIABLE: str(tmp_path)})] == [7]


@pytest.mark.parametrize("digits", [MANY, "\u00b2"])
def test_ranks_in_environments_of_processes(digits: str, tmp_path: Path) -> None:
    mark = LaunchMark(proc=tmp_path)
    variables = {**mark.environment(), "PMI_RANK": digits}
    (tmp_path / "42").mkdir()
    (tmp_path / "42/environ").write_bytes(b"".join(f"{name}={value}\0".encode() for name, value in variables.items()))

    assert [(one.pid, one.rank) for one in marked_processes(mark)] == [(42, None)]


def test_nics_in_lab_files(tmp_path: Path) -> None:
    for digits in ("\u00b2", MANY):
        text = f"""
            [hosts]
            count = 2
            [topology]
            kind = "links"
            switches = ["s"]
            [[link]]
            between = ["h0:eth{digits}", "s"]
            rate = "1Gbit"
            """
        (tmp_path / "lab.toml").write_text(text, encoding="utf-8")

        done = call("lab", "draw", str(tmp_path / "lab.toml"))

        assert (done.exit_code, done.exception) == (2, None)
        assert "expected a NIC such as h0:eth0" in done.stderr


@pytest.mark.parametrize("text", [f"{MANY[:400]}h", f"{FULL_WIDTH}h"])
def test_walltime(text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "srun").write_text("#!/bin/sh\necho pmix\n", encoding="utf-8")
    (tmp_path / "srun").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    done = call("run", KEPT / "pair.sb", "-n", "4", "--on", "slurm", "--emit", "--walltime", text)

    assert (done.exit_code, done.exception) == (2, None)
    assert "--walltime" in done.stderr
