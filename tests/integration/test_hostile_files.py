"""Files that are no files, have no end or hold commands for a terminal: status 2, one message, bounded memory."""

import os
import re
from pathlib import Path

import pytest
from support.programs import Engine, Outcome, finished

MEMORY_BYTES = 1 << 30
CPU_S = 10
MOTIFS = {
    "replay --file": "replay -f {}",
    "compute --gaps-from": "compute --gaps-from {}",
    "tealeaf --gaps-from": "tealeaf --gaps-from {}",
    "amg --levels": "amg --levels {}",
    "posix --sizes-from": "posix -f out --sizes-from {}",
}
SOURCES = ("zero", "memory", "pipe", "directory", "sparse", "missing")


def source(folder: Path, kind: str) -> Path:
    """What stands where a file should."""
    path = folder / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "sparse":
        path.write_bytes(b"{")
        os.truncate(path, 1 << 40)
    elif kind in ("zero", "memory"):
        path.symlink_to({"zero": "/dev/zero", "memory": "/proc/self/mem"}[kind])
    return path


def bounded(engine: Engine, *arguments: str | Path, cwd: Path) -> Outcome:
    """The engine without ranks, within the memory and processor time that a check may take."""
    limits = ["prlimit", f"--as={MEMORY_BYTES}", f"--cpu={CPU_S}", "--core=0"]
    return finished([*limits, *engine.command(*arguments)], cwd=cwd)


def is_refused(outcome: Outcome, name: Path) -> None:
    assert outcome.status == 2, outcome.text
    assert f"cannot read '{name}'" in outcome.errors
    assert outcome.text.count("cannot read") == 1


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("motif", MOTIFS)
def test_check_refuses_what_an_option_names(engine, tmp_path, motif, kind):
    hostile = source(tmp_path, kind)
    workload = tmp_path / "w.sb"
    workload.write_text(f"[JOB_NAME] a\n[NODES] 1\n[MOTIF] {MOTIFS[motif].format(hostile)}\n")

    outcome = bounded(engine, "check", workload, "--nodes", "1", "--ranks-per-node", "2", cwd=tmp_path)

    is_refused(outcome, hostile)
    assert f"{workload}:3:" in outcome.errors


@pytest.mark.parametrize("kind", SOURCES)
def test_check_refuses_what_an_include_names(engine, tmp_path, kind):
    hostile = source(tmp_path, kind)
    workload = tmp_path / "w.sb"
    workload.write_text(f"[INCLUDE] {hostile}\n")

    outcome = bounded(engine, "check", workload, cwd=tmp_path)

    is_refused(outcome, hostile)
    assert f"{workload}:1:11" in outcome.errors


@pytest.mark.parametrize("kind", SOURCES)
def test_check_refuses_it_as_the_workload(engine, tmp_path, kind):
    hostile = source(tmp_path, kind)
    is_refused(bounded(engine, "check", hostile, cwd=tmp_path), hostile)


@pytest.mark.parametrize("kind", SOURCES)
def test_run_refuses_to_continue_it(engine, tmp_path, kind):
    hostile = source(tmp_path, kind)

    outcome = engine.run("run", "--continue", hostile, ranks=2, cwd=tmp_path)

    is_refused(outcome, hostile)


def test_a_message_shows_control_characters_and_does_not_send_them(engine, tmp_path):
    name = "w\x1b[31m\x9b.sb"
    outcome = engine.run("check", tmp_path / name, cwd=tmp_path)

    assert outcome.status == 2
    assert "\x1b" not in outcome.text
    assert "\x9b" not in outcome.text
    assert "w\\u001b[31m\\u009b.sb" in outcome.errors


def test_a_trace_s_names_reach_the_terminal_as_text(engine, tmp_path, checkout):
    trace = tmp_path / "damaged.trace"
    text = (checkout / "tests" / "corpus" / "trace" / "messages.trace").read_text()
    trace.write_text(text.replace('"c', '"\x1b[2Jc', 1))
    outcome = engine.run("motif", "replay", "-f", trace, ranks=2, cwd=tmp_path)

    assert outcome.status == 2
    assert "\x1b" not in outcome.text


def test_the_engine_writes_to_the_terminal_in_one_place(checkout):
    writes = re.compile(r"fmt::print|std::(cout|cerr|puts|fputs|fwrite|printf|fprintf)\b|\bf?printf\(|[^:]exit\(end\)")
    sources = [path for suffix in ("cpp", "hpp") for path in (checkout / "engine").rglob(f"*.{suffix}")]
    found = {path.name for path in sources if writes.search(path.read_text(encoding="utf-8"))}

    assert found == {"console.cpp"}


def test_the_tracer_writes_to_the_terminal_in_one_place(checkout):
    writes = re.compile(r"std::(cout|cerr|puts|fputs|fwrite|perror)\b|\bf?printf\(|\bperror\(")
    sources = [path for suffix in ("cpp", "hpp") for path in (checkout / "tracer").rglob(f"*.{suffix}")]
    found = {path.name for path in sources if writes.search(path.read_text(encoding="utf-8"))}

    assert found == {"message.cpp"}


def test_the_tracer_opens_files_in_one_place(checkout):
    """Names of users may stand for a FIFO or a link; `lifetime.cpp` opens the new list of modules and the new trace."""
    opens = re.compile(r"\bopen\(|fopen\(|[io]fstream\W|std::fstream\W")
    sources = [path for suffix in ("cpp", "hpp") for path in (checkout / "tracer").rglob(f"*.{suffix}")]
    found = {path.name for path in sources if opens.search(path.read_text(encoding="utf-8"))}

    assert found == {
        "files.cpp",
        "lifetime.cpp",
        "pool.cpp",
        "salvage.cpp",
        "working_set.cpp",
    }  # the last three: pools, checked after opening, and the kernel's own files


def test_the_engine_opens_files_to_read_in_one_place(checkout):
    """A stream of the standard library would read whatever a name stands for. The kernel's own files may be."""
    streams = re.compile(r"ifstream\W|std::fstream\W")
    sources = [path for suffix in ("cpp", "hpp") for path in (checkout / "engine").rglob(f"*.{suffix}")]
    found = {str(path.relative_to(checkout)) for path in sources if streams.search(path.read_text(encoding="utf-8"))}

    assert found == {"engine/core/host.cpp", "engine/core/process.cpp", "engine/suites/memory_share.cpp"}  # of /proc
