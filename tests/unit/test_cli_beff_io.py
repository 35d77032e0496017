"""`stressbench beff-io` as a person meets it: what reaches the motif, what is refused, and how it ends."""

import json
import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.commands import CommandResult, invoke
from support.fake_lab import FakeLab, lab_hosts
from support.fake_launcher import FAKE_ENGINE, put_mpirun
from support.io_protocols import MIB, MadeIO, first_ranks, write_lines

from stressbench.formats.units import UnitError, parse_size
from stressbench.launch import session
from stressbench.launch.lab import LabTarget
from stressbench.launch.targets import registered

COMPLETE = MadeIO(head={"partitions": [first_ranks(2), first_ranks(4)]})


@dataclass(frozen=True)
class RecordedLaunch:
    """What was asked of a launch: the workload without its --protocol, and the rest."""

    workload: str
    request: session.LaunchRequest

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(shlex.split(self.workload.splitlines()[-1]))[2:]


Measured = Callable[..., list[RecordedLaunch]]


def stressbench(*words: str) -> CommandResult:
    return invoke(["beff-io", *words])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Measured:
    """Puts these records into the protocol in place of a run, and gives what was asked for."""

    def replace(made: MadeIO | None = COMPLETE, *, status: int = 0, lines: int | None = None) -> list[RecordedLaunch]:
        recorded: list[RecordedLaunch] = []

        def prepare(request: session.LaunchRequest, *, environment: Mapping[str, str]) -> int:
            workload, protocol = request.workload.read_text().rstrip("\n").split(" --protocol ")
            recorded.append(RecordedLaunch(workload + "\n", request))
            if made is not None:
                write_lines(Path(protocol.strip('"')), made.records()[:lines])
            return status

        monkeypatch.setattr(session, "prepare", prepare)
        return recorded

    return replace


def test_results_are_written_for_the_readers_of_other_programs(here: Path) -> None:
    path = MadeIO().write(here)

    ended = stressbench("--from", str(path), "--summary", "disk.sum", "--skampi", "disk.sko", "--json")

    assert ended.exit_code == 0, ended.output
    assert (here / "disk.sum").read_text().startswith("Summary of b_eff_io on 4 processes")
    assert (here / "disk.sko").read_text().startswith("# b_eff_io, release 1.x, 4 ranks")


@pytest.mark.parametrize(("option", "endings"), [("--summary", ".sum or .txt"), ("--skampi", ".sko or .txt")])
def test_a_file_of_another_program_has_its_ending(here: Path, option: str, endings: str) -> None:
    path = MadeIO().write(here)

    refused = stressbench("--from", str(path), option, "disk.html")

    assert refused.exit_code == 2
    assert f"{option}: disk.html should end in {endings}" in refused.stderr


def test_options_reach_the_motif_as_they_were_typed(measured: Measured, here: Path) -> None:
    recorded = measured()

    ended = stressbench(
        *[
            "-n",
            "4",
            "-T",
            "60s",
            "--partitions",
            "2,2x2,r0-1+3",
            "--release",
            "2",
            "--file",
            "/a/io",
            "--memory",
            "2GiB",
            "--limit",
            "1GiB",
            "--hint",
            "a=1",
            "--hint",
            "b=x",
            "--pattern-hint",
            "5:c=1",
            "--random",
        ],
        *["--no-shared", "--types", "0,1,4", "--keep", "--overwrite", "--verify", "--seed", "7"],
    )

    (launch,) = recorded
    assert ended.exit_code == 0, ended.output
    assert launch.workload == (
        "[JOB_NAME] b_eff_io\n[NODES] 4\n[MOTIF] b_eff_io --time 60s --file /a/io --partitions 2,2x2,r0-1+3 "
        "--release 2 --memory 2GiB --limit 1GiB --hint a=1,b=x --pattern-hint 5:c=1 --types 0,1,4 --random --no-shared "
        "--keep --overwrite\n"
    )
    assert (launch.request.options.verify, launch.request.options.seed, launch.request.ranks_per_node) == (True, "7", 1)


@pytest.mark.parametrize(("release", "scheduled"), [("1", "15min"), ("2", "30min")])
def test_what_is_not_said_is_left_to_the_motif(measured: Measured, here: Path, release: str, scheduled: str) -> None:
    (recorded,) = (measured(),)

    assert stressbench("-n", "4", "--release", release).exit_code == 0
    assert recorded[0].options == ("--time", scheduled, "--file", f"{here}/b_eff_io", "--release", release)


def test_names_with_blanks_and_quotes_stay_one_word(measured: Measured) -> None:
    recorded = measured()

    assert stressbench("-n", "4", "--file", '${SCRATCH}/my "own" run').exit_code == 0
    assert '--file "${SCRATCH}/my \\"own\\" run" --release' in recorded[0].workload


def lab(**scratch: str) -> LabTarget:
    return LabTarget(name="io", hosts=lab_hosts(4), enter=(), environment=tuple(scratch.items()))


def test_a_lab_s_files_go_to_its_scratch(measured: Measured, here: Path) -> None:
    recorded = measured()

    for place in (lab(SCRATCH="/run/lab/io"), lab()):
        with registered(lab=FakeLab(here=place)):
            assert stressbench("--on", "lab:io").exit_code == 0

    assert [one.options[3] for one in recorded] == ["${SCRATCH}/b_eff_io", f"{here}/b_eff_io"]
    assert recorded[0].request.ranks == 4


def test_a_lab_that_serves_no_files_is_refused(measured: Measured) -> None:
    recorded = measured()

    with registered(lab=FakeLab(here=lab(SCRATCH=""))):
        refused = stressbench("--on", "lab:io")

    assert (refused.exit_code, recorded) == (2, [])
    assert "--on lab:io: its I/O nodes serve no files" in refused.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "-n is missing, for example -n"),
        ("-n 0", "-n: 0 is not at least 1"),
        ("-n 4 -T 60", "-T: '60' must be a time with its unit"),
        ("-n 4 -T 0s", "-T: '0s' must be a time with its unit"),
        ("-n 4 --on cray", "--on: 'cray': expected local"),
        ("-n 4 --partitions 2;4", "--partitions: '2;4' must be a number of ranks such as 4, nodes and"),
        ("-n 4 --partitions 8", "--partitions: '8' needs more than the 4 ranks that there are"),
        ("-n 4 --partitions 0", "--partitions: '0' must be a number of ranks such as 4, nodes and"),
        ("-n 4 --partitions 2,2", "--partitions: '2,2' must name each partition once"),
        ("-n 4 --release 3", "--release: '3' must be 1 or 2"),
        ("-n 4 --memory 2GiBs", "--memory: '2GiBs' must be a size above 0, such as 4096, 32KiB"),
        ("-n 4 --mpart 0", "--mpart: '0' must be a size above 0"),
        ("-n 4 --limit 1.5", "--limit: '1.5' must be a size above 0"),
        ("-n 4 --memory 1GiB --mpart 1MiB", "--mpart 1MiB: follows from --memory 1GiB; omit one of them"),
        ("-n 4 --hint striping", "--hint: 'striping' must be KEY=VALUE, such as striping_factor=4"),
        ("-n 4 --types 5", "--types: '5' must be types from 0 to 4, such as 0,1, each once"),
        ("-n 4 --types 1,1", "--types: '1,1' must be types from 0 to 4, such as 0,1, each once"),
        ("-n 4 --cache big", "--cache: 'big' must be a size above 0"),
        ("-n 4 -o there.jsonl", "-o there.jsonl: already exists; name a new file, or remove it"),
        ("-n 4 -o gone/io.jsonl", "is not a directory"),
        ("-n 4 --report io.pdf", "--report: io.pdf should end in .html"),
        ("-n 4 --report gone/io.html", "gone is not a directory"),
        ("-n 4 --file", "requires an argument"),
        ("-n 4 --from none.jsonl", "none.jsonl: no such file"),
        ("--from there.jsonl", "there.jsonl:1: "),
    ],
)  # fmt: skip
def test_a_mistake_gives_one_message_and_status_2_and_starts_nothing(
    measured: Measured, here: Path, words: str, message: str
) -> None:
    recorded = measured()
    (here / "there.jsonl").write_text("{}\n")

    refused = stressbench(*words.split())

    assert (refused.exit_code, recorded) == (2, [])
    assert message in refused.output


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4096", 4096), ("1B", 1), ("32KiB", 32768), ("1.5MiB", 3 * MIB // 2), ("4MB", 4_000_000), ("2kB", 2000),
        ("1TiB", 2**40),
    ],
)  # fmt: skip
def test_sizes_are_read_as_the_engine_reads_them(text: str, expected: int) -> None:
    assert parse_size(text) == expected


@pytest.mark.parametrize("text", ["0.5B", "0", "", "-1", "1 MB", "1Mb", "1KB"])
def test_sizes_that_the_engine_refuses_are_refused(text: str) -> None:
    with pytest.raises(UnitError, match="expected a size above 0, such as 4096"):
        parse_size(text)


@pytest.mark.parametrize(("status", "lines"), [(130, 60), (3, 60), (130, 1), (3, None)])
def test_a_run_that_does_not_end_well_shows_what_it_has_and_claims_nothing(
    measured: Measured, here: Path, status: int, lines: int | None
) -> None:
    """The last of these wrote its end, and failed all the same."""
    measured(status=status, lines=lines)

    ended = stressbench("-n", "4", "-o", "kept.jsonl", "--report", "kept.html")

    assert ended.exit_code == status
    assert "INCOMPLETE, no number: the benchmark was not completed" in ended.output
    assert "b_eff_io:" not in ended.output
    assert (here / "kept.jsonl").exists()
    assert "no number" in (here / "kept.html").read_text(encoding="utf-8")


def test_the_json_of_such_a_run_says_so(measured: Measured) -> None:
    measured(status=130, lines=60)

    ended = invoke(["beff-io", "-n", "4", "--json"])
    reported = json.loads(ended.stdout)

    assert (reported["complete"], reported["b_eff_io"], reported["claimed"]) == (False, None, None)
    assert "INCOMPLETE" in ended.stderr


@pytest.mark.parametrize("status", [2, 3, 130])
def test_a_run_that_wrote_nothing_only_passes_its_status_on(measured: Measured, status: int) -> None:
    measured(None, status=status)

    ended = stressbench("-n", "4")

    assert (ended.exit_code, ended.stdout) == (status, "")


def test_a_protocol_is_evaluated_without_mpi(here: Path) -> None:
    path = MadeIO(head={"partitions": [first_ranks(2), first_ranks(4)], "scheduled_s": 60, "hints": ["a=1"]}).write(
        here
    )

    shown = stressbench("--from", str(path), "--cache", "1GiB", "--published")
    reported = json.loads(stressbench("--from", str(path), "--json").output)

    assert shown.exit_code == 0
    assert (
        "4 ranks, release 1.x, T 60 s per partition, M_PART 4 MiB, memory 1 GiB on each of 2 nodes, hints a=1"
        in shown.output
    )
    assert "not comparable with published numbers: T is 60 s per partition instead of 900 s or more" in shown.output
    assert "CAUTION: 2 ranks wrote 0.284 times the cache instead of 20" in shown.output
    assert "725% of the 2 min scheduled" in shown.output
    assert "Published, not measured here: Rabenseifner and Koniges" in shown.output
    assert reported["b_eff_io"] == max(one["value"] for one in reported["partitions"])
    assert reported["balance"]["write_s"] == pytest.approx(2048 * MIB / reported["balance"]["write"])


def test_a_protocol_without_an_end_is_shown_with_status_3(here: Path) -> None:
    path = write_lines(here / "cut.jsonl", MadeIO().records()[:40])

    shown = stressbench("--from", str(path))

    assert shown.exit_code == 3
    assert "67.6" in shown.output
    assert "INCOMPLETE" in shown.output


def test_the_run_itself(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launcher and an engine that are made up, and everything of ours between them."""
    put_mpirun(here / "bin")
    monkeypatch.setenv("PATH", f"{here / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("STRESSBENCH_MPI", str(FAKE_ENGINE))
    monkeypatch.setenv("FAKE_PROTOCOL", str(COMPLETE.write(here, "made.jsonl")))
    (here / "a b$").mkdir()

    ended = stressbench("-n", "4", "-o", "a b$/kept.jsonl")

    assert ended.exit_code == 0, ended.output
    assert "b_eff_io: " in ended.output
    assert shutil.which("mpirun.openmpi") == str(here / "bin" / "mpirun.openmpi")
