"""`stressbench profile` and `capture` around commands that write a made-up trace, as a traced MPI program would."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support.commands import invoke
from support.fake_tracer import COPY, environment, folder, stressbench
from support.traces import ring, write_lines

from stressbench.formats.trace import read_trace

__all__ = ["folder"]  # a fixture
ROOT = Path(__file__).parents[2]


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_streams_and_status_of_the_command_pass_through_and_the_table_follows(folder: Path) -> None:
    ended = stressbench(folder, "profile", "sh", "-c", f"{COPY}; cat; echo; echo out; echo err >&2; exit 5")

    assert ended.returncode == 5
    assert ended.stdout.startswith("what stands on standard input\nout\ncg: 2 ranks on 1 host, 500 ms\n")
    assert "Allreduce" in ended.stdout
    assert ended.stderr == "err\n"
    assert [path.name for path in folder.glob(".stressbench*")] == []


def test_options_behind_the_command_are_the_command_s(folder: Path) -> None:
    ended = stressbench(folder, "profile", "echo", "-n", "--json", "--", "-o")

    assert ended.stdout == "--json -- -o"


def test_the_library_is_told_what_to_do_and_joins_others(folder: Path) -> None:
    shown = 'env | grep -E "^(LD_PRELOAD|STRESSBENCH_TRACE_)" | sort'
    other = str(folder / "lib" / "libstressbench-trace.so")

    ended = stressbench(folder, "capture", "-o", "a.trace", "--with-names", "--", "sh", "-c", shown, LD_PRELOAD=other)

    found = dict(line.split("=", 1) for line in ended.stdout.splitlines())
    assert found["LD_PRELOAD"] == f"{other}:{other}"
    assert found["STRESSBENCH_TRACE_MODE"] == "capture"
    assert found["STRESSBENCH_TRACE_OUTPUT"] == str(folder / "a.trace")
    assert found["STRESSBENCH_TRACE_NAMES"] == "1"
    assert found["STRESSBENCH_TRACE_ONCE"] == "1"
    assert re.fullmatch(r"[0-9a-f]{16}", found["STRESSBENCH_TRACE_ID"])


def test_open_mpi_is_asked_to_hand_the_variables_to_other_hosts(folder: Path) -> None:
    mpirun = program(
        folder, "mpirun", '[ "$1" = --version ] && echo "mpirun (Open MPI) 4.1.4" && exit; echo "$@" >words; ' + COPY
    )

    stressbench(folder, "profile", str(mpirun), "-np", "2", "app")

    names = ["LD_PRELOAD", *(f"STRESSBENCH_TRACE_{name}" for name in ("MODE", "OUTPUT", "ID", "ONCE", "POOL"))]
    assert (folder / "words").read_text() == " ".join(f"-x {name}" for name in names) + " -np 2 app\n"


def test_other_launchers_are_left_alone(folder: Path) -> None:
    mpirun = program(folder, "mpirun", '[ "$1" = --version ] && echo "HYDRA build details" && exit; echo "$@" >words')

    stressbench(folder, "profile", str(mpirun), "-np", "2", "app")

    assert (folder / "words").read_text() == "-np 2 app\n"


def test_json_holds_every_number_and_keeps_to_its_schema(folder: Path) -> None:
    ended = stressbench(folder, "profile", "-o", "p.json", "sh", "-c", COPY)

    found = json.loads((folder / "p.json").read_text())
    schema = json.loads((ROOT / "schema/profile.schema.json").read_text())
    assert [fault.message for fault in Draft202012Validator(schema).iter_errors(found)] == []
    assert found["columns"]["mean_send_bytes"] == 1000
    assert (ended.stdout, ended.stderr) == ("", "stressbench: wrote p.json\n")


def test_json_follows_the_command_s_own_output(folder: Path) -> None:
    ended = stressbench(folder, "profile", "--json", "sh", "-c", f"{COPY}; echo out")

    assert json.loads(ended.stdout.removeprefix("out\n"))["facts"]["program"] == "cg"


def test_a_page_and_a_trace_can_be_written_instead(folder: Path) -> None:
    assert stressbench(folder, "profile", "-o", "p.html", "sh", "-c", COPY).returncode == 0
    assert stressbench(folder, "profile", "-o", "p.trace", "sh", "-c", COPY).returncode == 0

    assert (folder / "p.html").read_text().startswith("<!doctype html>")
    assert read_trace(folder / "p.trace").header.ranks == 2


def test_call_sites_get_function_and_line_without_folders(folder: Path) -> None:
    bin_ = folder / "bin"
    bin_.mkdir()
    program(
        bin_,
        "addr2line",
        'echo "$@" >asked; while read a; do echo "f$a"; echo "/home/me/cg.c:12 (discriminator 3)"; done',
    )
    modules = f'{COPY}; echo "{{\\"cg\\": \\"$PWD/made.trace\\"}}" >"$STRESSBENCH_TRACE_OUTPUT.modules"'

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", modules, PATH=f"{bin_}:{os.environ['PATH']}")

    assert ended.returncode == 0, ended.stderr
    trace = read_trace(folder / "a.trace")
    assert trace.symbols == {"cg+0x1000": "f0x1000 (cg.c:12)"}
    trace.require_complete()
    assert (folder / "asked").read_text() == f"-f -C -e {folder}/made.trace\n"
    assert not (folder / "a.trace.modules").exists()


def test_names_of_call_sites_go_into_a_new_file_that_replaces_the_trace(folder: Path) -> None:
    """Where another user puts a link in its place, the file behind it stays as it is."""
    bin_ = folder / "bin"
    bin_.mkdir()
    program(bin_, "addr2line", 'while read a; do echo "f$a"; echo "cg.c:12"; done')
    link = 'ln -s "$PWD/made.trace" "$STRESSBENCH_TRACE_OUTPUT"'
    modules = f'{link}; echo "{{\\"cg\\": \\"$PWD/made.trace\\"}}" >"$STRESSBENCH_TRACE_OUTPUT.modules"'
    before = (folder / "made.trace").read_bytes()

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", modules, PATH=f"{bin_}:{os.environ['PATH']}")

    assert ended.returncode == 0, ended.stderr
    assert read_trace(folder / "a.trace").symbols == {"cg+0x1000": "f0x1000 (cg.c:12)"}
    assert (folder / "made.trace").read_bytes() == before


def test_a_link_to_no_file_is_not_a_new_name(folder: Path) -> None:
    (folder / "a.trace").symlink_to(folder / "elsewhere.trace")

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", COPY)

    assert ended.returncode == 2
    assert "a.trace already exists; choose another name" in ended.stderr
    assert not (folder / "elsewhere.trace").exists()


def test_without_an_mpi_program_it_says_why_that_may_be(folder: Path) -> None:
    ended = stressbench(folder, "capture", "-o", "a.trace", "true")

    assert ended.returncode == 3
    assert "no rank wrote a.trace" in ended.stderr
    assert "linked statically, or built with another MPI (the tracer's is Open MPI 4.1.4)" in ended.stderr


def test_a_command_that_fails_keeps_its_status_without_a_trace(folder: Path) -> None:
    ended = stressbench(folder, "profile", "sh", "-c", "exit 9")

    assert ended.returncode == 9
    assert "sh ended with status 9 and no rank wrote" in ended.stderr


def test_a_signal_s_death_is_128_and_its_number(folder: Path) -> None:
    assert stressbench(folder, "profile", "sh", "-c", "kill -KILL $$").returncode == 128 + signal.SIGKILL


LEAVE = 'for r in 1 10 10.1; do : >"$STRESSBENCH_TRACE_POOL/stressbench-trace-$STRESSBENCH_TRACE_ID-$r.pool"; done'


def test_what_dead_ranks_left_is_saved_and_swept_up(folder: Path) -> None:
    program(folder / "lib", "stressbench-trace-salvage", 'cp made.trace "$1"; shift; echo "$@" >saved')
    (folder / "pools" / "stressbench-trace-ffff-3.pool").touch()

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", f"{LEAVE}; exit 1")

    assert ended.returncode == 1
    assert "ranks 1,10 did not reach MPI_Finalize; their calls up to the last one were saved" in ended.stderr
    assert sorted(set(re.findall(r"-(\d+)(?:\.1)?\.pool", (folder / "saved").read_text()))) == ["1", "10"]
    assert [path.name for path in (folder / "pools").iterdir()] == ["stressbench-trace-ffff-3.pool"]
    assert read_trace(folder / "a.trace").header.ranks == 2


def test_what_is_saved_replaces_the_incomplete_trace_and_is_not_written_through_links(folder: Path) -> None:
    program(folder / "lib", "stressbench-trace-salvage", 'set -C; cat made.trace >"$1"')  # a new file, or none
    (folder / "precious").write_text("mine")
    link = 'ln -s "$PWD/precious" "$STRESSBENCH_TRACE_OUTPUT"'

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", f"{LEAVE}; {link}; exit 1")

    assert "their calls up to the last one were saved" in ended.stderr
    assert (folder / "precious").read_text() == "mine"
    assert read_trace(folder / "a.trace").header.ranks == 2


FOREIGN = {"link": 'ln -s "$PWD/victim" "$pool"', "user": 'echo x >"$pool"; chown 64999 "$pool"'}


@pytest.mark.parametrize(
    "make",
    [FOREIGN["link"], pytest.param(FOREIGN["user"], marks=pytest.mark.skipif(os.geteuid() != 0, reason="needs root"))],
    ids=FOREIGN,
)
def test_leftovers_that_somebody_else_made_are_neither_read_nor_removed(folder: Path, make: str) -> None:
    program(folder / "lib", "stressbench-trace-salvage", 'cp made.trace "$1"; shift; echo "$@" >saved')
    (folder / "victim").write_text("mine")
    plant = f'pool="$STRESSBENCH_TRACE_POOL/stressbench-trace-$STRESSBENCH_TRACE_ID-7.pool"; {make}'

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", f"{LEAVE}; {plant}; exit 1")

    assert "ranks 1,10 did not reach MPI_Finalize" in ended.stderr
    assert "-7.pool" not in (folder / "saved").read_text()
    assert [path.name.rpartition("-")[2] for path in (folder / "pools").iterdir()] == ["7.pool"]
    assert (folder / "victim").read_text() == "mine"


@pytest.mark.parametrize(
    "make",
    ['ln -s "$PWD/planted" "$modules"',
     pytest.param('cp planted "$modules"; chown 64999 "$modules"',
                  marks=pytest.mark.skipif(os.geteuid() != 0, reason="needs root"))],
    ids=["link", "user"],
)  # fmt: skip
def test_modules_that_somebody_else_wrote_down_are_not_looked_at(folder: Path, make: str) -> None:
    bin_ = folder / "bin"
    bin_.mkdir()
    program(bin_, "addr2line", 'echo "$@" >asked')
    (folder / "planted").write_text(f'{{"cg": "{folder}/made.trace"}}')
    script = f'{COPY}; modules="$STRESSBENCH_TRACE_OUTPUT.modules"; {make}'

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", script, PATH=f"{bin_}:{os.environ['PATH']}")

    assert ended.returncode == 0, ended.stderr
    assert not (folder / "asked").exists()
    assert (folder / "planted").exists()


def test_leftovers_that_cannot_be_saved_stay_and_are_named(folder: Path) -> None:
    program(folder / "lib", "stressbench-trace-salvage", "echo 'disk full' >&2; exit 3")

    part = 'head -n 2 made.trace >"$STRESSBENCH_TRACE_OUTPUT"'
    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", f"{part}; {LEAVE}", TMPDIR=str(folder))

    assert ended.returncode == 3
    assert "a.trace could not be written: stressbench-trace-salvage failed (disk full), and their data" in ended.stderr
    assert len(list((folder / "pools").iterdir())) == 3
    assert all(str(path) in ended.stderr for path in (folder / "pools").iterdir())
    assert not (folder / "a.trace").exists()  # a part of it was there
    assert list(folder.glob("stressbench-*")) == []


def test_a_complete_trace_is_not_replaced_by_what_ranks_left_behind(folder: Path) -> None:
    program(folder / "lib", "stressbench-trace-salvage", ": >asked")

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", f"{COPY}; {LEAVE}; exit 1")

    assert ended.returncode == 1
    assert (folder / "a.trace").read_bytes() == (folder / "made.trace").read_bytes()
    assert not (folder / "asked").exists()
    pools = sorted((folder / "pools").iterdir())
    assert len(pools) == 3
    assert f"a.trace is complete; shared memory remains in {', '.join(map(str, pools))}: `stressbench" in ended.stderr


def test_a_trace_that_was_begun_and_never_written_is_none(folder: Path) -> None:
    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", ': >"$STRESSBENCH_TRACE_OUTPUT"')

    assert ended.returncode == 3
    assert "no rank wrote a.trace" in ended.stderr
    assert not (folder / "a.trace").exists()


def test_a_trace_that_its_place_has_no_room_for_is_written_elsewhere(folder: Path) -> None:
    (folder / "spare").mkdir()
    full = f'case "$1" in {folder}/a.trace) echo "disk full" >&2; exit 3;; esac; cp made.trace "$1"'
    program(folder / "lib", "stressbench-trace-salvage", full)

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", LEAVE, TMPDIR=str(folder / "spare"))

    (kept,) = (folder / "spare").rglob("*.trace")
    assert ended.returncode == 3
    assert f"a.trace could not be written: stressbench-trace-salvage failed (disk full); the trace is {kept}" in (
        ended.stderr
    )
    assert read_trace(kept).header.ranks == 2
    assert list((folder / "pools").iterdir()) == []


def test_a_broken_trace_is_told_with_file_and_line(folder: Path) -> None:
    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", 'echo nonsense >"$STRESSBENCH_TRACE_OUTPUT"')

    assert ended.returncode == 3
    assert "a.trace:1: not a trace" in ended.stderr


def test_capture_says_what_it_holds_and_what_was_lost(folder: Path) -> None:
    records = ring(2).records()
    records[2]["lost"] = [{"what": "sequence", "after_calls": 5000, "why": "no room"}]
    write_lines(folder / "made.trace", records)

    ended = stressbench(folder, "capture", "-o", "a.trace", "sh", "-c", COPY)

    assert "a.trace: 2 ranks, 0 calls in order, 10 of them distinct" in ended.stderr
    assert "rank 1: the order of calls did not repeat; only statistics were recorded after 5,000" in ended.stderr


def test_a_request_to_stop_goes_on_to_the_command_and_what_was_collected_is_shown(folder: Path) -> None:
    waits = f"trap '{COPY}; exit 7' INT; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        [sys.executable, "-c", "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
         "from stressbench.cli.console.app import main; main()", "profile", "sh", "-c", waits],
        cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "ready\n"

    process.send_signal(signal.SIGINT)

    output, errors = process.communicate(timeout=300)
    assert process.returncode == 7, errors
    assert "Allreduce" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("capture -o a.trace gone-program", "gone-program: no such file or directory"),
        ("capture -o a.txt true", "--output: a.txt should end in .trace"),
        ("capture -o made.trace true", "--output: made.trace already exists; choose another name"),
        ("capture -o gone/a.trace true", "gone is not a directory"),
        ("profile -o a.txt true", "--output: a.txt should end in .html or .json or .trace"),
        ("profile -o made.trace true", "made.trace already exists"),
        (
            "profile --json -o a.html true",
            "--json: -o a.html is not a .json file; name a .json file, or omit one of them",
        ),
    ],
)
def test_a_mistake_gives_one_message_and_status_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)

    ended = invoke(words)

    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())


def test_a_library_that_is_not_there_is_named(folder: Path) -> None:
    ended = stressbench(folder, "profile", "true", STRESSBENCH_TRACE_LIBRARY="gone.so")

    assert (ended.returncode, ended.stderr) == (2, "stressbench: STRESSBENCH_TRACE_LIBRARY: gone.so is not a file\n")


@pytest.mark.parametrize(
    ("engine", "library"),
    [
        ("prefix/bin/stressbench-mpi", "prefix/lib/stressbench/libstressbench-trace.so"),
        ("build/engine/stressbench-mpi", "build/tracer/libstressbench-trace.so"),
    ],
)
def test_the_library_is_found_installed_and_in_a_build_tree(folder: Path, engine: str, library: str) -> None:
    for path in (folder / engine, folder / library):
        path.parent.mkdir(parents=True)
    (folder / engine).symlink_to(Path(__file__).parents[1] / "support" / "fake_engine.py")
    (folder / library).symlink_to((folder / "lib" / "libstressbench-trace.so").resolve())
    # A link to the fake engine would be resolved to where it lies: a copy is not.
    text = (folder / engine).read_text()
    (folder / engine).unlink()
    (folder / engine).write_text(text)
    (folder / engine).chmod(0o755)

    ended = stressbench(
        folder, "profile", "sh", "-c", "echo $LD_PRELOAD",
        STRESSBENCH_MPI=str(folder / engine), STRESSBENCH_TRACE_LIBRARY="",
    )  # fmt: skip

    assert ended.stdout == f"{folder / library}\n"


def test_help_teaches_by_example() -> None:
    for name in ("profile", "capture"):
        assert "mpirun -n 4 ./" in invoke([name, "--help"]).stdout


@pytest.mark.parametrize("words", ["capture -o a.trace true", "record -o a.sb true"])
def test_a_file_that_has_the_name_of_the_list_of_modules_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(folder)
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)
    (folder / "a.trace.modules").write_text("my notes", encoding="utf-8")

    ended = invoke(words)

    assert ended.exit_code == 2
    assert "a.trace.modules already exists and would be replaced" in " ".join(ended.stderr.split())
    assert (folder / "a.trace.modules").read_text(encoding="utf-8") == "my notes"
