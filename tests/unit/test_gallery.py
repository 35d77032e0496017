"""scripts/gallery.py: docs/gallery.md has its entries, each kind of page has one, and commands may fail."""

import ast
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.programs import CHECKOUT, wait_until

REPORT = CHECKOUT / "src" / "stressbench" / "report"
MOST_BYTES = 2**20
"""Of all pictures: they are part of each clone and of the site."""
PROGRAM = """\
import os, pathlib, sys, time

words = sys.argv[1:]
with open({calls!r}, "a") as calls:
    calls.write(" ".join(words) + "\\n")
if {broken!r} and {broken!r} in words:
    sys.exit("broken: \\x1b[31mno route to host")
if {slow!r} and {slow!r} in words:
    time.sleep(600)
for option, name in zip(words, words[1:]):
    if option in ("-o", "--report"):
        page = pathlib.Path(name) if name.endswith(".html") else pathlib.Path(name, "report.html")
        page.parent.mkdir(exist_ok=True)
        page.write_text("<!doctype html><title>made</title>")
"""


@pytest.fixture(scope="module")
def gallery(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("gallery")


@pytest.fixture(scope="module")
def entries(script: Callable[[str], ModuleType]) -> Any:
    return script("gallery_entries")


@pytest.fixture(scope="module")
def document(script: Callable[[str], ModuleType]) -> Any:
    return script("gallery_page")


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., list[str]]:
    """A program in place of `stressbench` that writes the pages; it fails or hangs if one of its words is this one."""

    def made(*, broken: str = "", slow: str = "") -> list[str]:
        path = tmp_path / "program.py"
        path.write_text(PROGRAM.format(calls=str(tmp_path / "calls"), broken=broken, slow=slow), encoding="utf-8")
        return [sys.executable, str(path)]

    return made


def make(gallery: ModuleType, folder: Path, program: list[str], *names: str) -> int:
    words = [*names, "-o", str(folder / "made"), "--no-pictures", "--engine", sys.executable]
    status: int = gallery.main(words, stressbench=program)
    return status


def calls(folder: Path) -> list[str]:
    """The commands without the options of the entries."""
    return [" ".join(line.split()[:3]) for line in (folder / "calls").read_text().splitlines()]


def test_the_document_has_the_entries_and_their_commands(document: Any) -> None:
    text = document.DOCUMENT.read_text(encoding="utf-8")

    assert document.document_of(text) == text


def test_a_changed_command_is_noticed(gallery: ModuleType, document: Any, entries: Any) -> None:
    text = document.DOCUMENT.read_text(encoding="utf-8")
    first, *others = entries.ENTRIES

    assert document.document_of(text, [replace(first, commands=("stressbench doctor",)), *others]) != text
    assert document.document_of(text, others) != text


def test_a_document_out_of_date_is_reported_and_written(
    gallery: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gallery.md"
    path.write_text("# Gallery\n\n<!-- entries -->\nold\n<!-- end -->\n\nEnd.\n", encoding="utf-8")

    statuses = [gallery.write_document(path, check=check) for check in (True, False, True)]

    assert statuses == [1, 0, 0]
    assert "docs/gallery.md is out of date: .venv/bin/python scripts/gallery.py --write" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8").endswith("<!-- end -->\n\nEnd.\n")


def test_every_kind_of_page_has_an_entry(entries: Any) -> None:
    """Kinds are the functions `page` and `live_page` of stressbench.report; html_page.py makes those of its package."""
    defining = set()
    for path in REPORT.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name in ("page", "live_page") for node in tree.body):
            parts = path.relative_to(REPORT.parents[1]).with_suffix("").parts
            defining.add(".".join(parts).removesuffix(".__init__").removesuffix(".html_page"))

    assert {entry.made_by for entry in entries.ENTRIES} == defining


def test_an_entry_comes_after_those_that_it_needs(entries: Any) -> None:
    names = [entry.name for entry in entries.ENTRIES]

    assert len(set(names)) == len(names)
    for at, entry in enumerate(entries.ENTRIES):
        assert set(entry.needs) <= set(names[:at]), entry.name


def test_each_entry_has_a_small_picture(document: Any, entries: Any) -> None:
    pictures = {path.name: path.stat().st_size for path in document.PICTURES.glob("*")}

    assert set(pictures) == {entry.picture for entry in entries.ENTRIES}
    assert max(pictures.values()) <= 80 * 1024
    assert sum(pictures.values()) <= MOST_BYTES


def test_no_command_names_what_another_entry_writes(entries: Any) -> None:
    written: dict[str, str] = {}
    for entry in entries.ENTRIES:
        words = " ".join(entry.commands).split()
        outputs = [*entry.files, *(name for option, name in pairwise(words) if option == "-o")]
        for name in outputs:
            assert written.setdefault(name, entry.name) == entry.name


def test_entries_are_made_with_those_that_they_need_on_one_lab_at_a_time(
    gallery: ModuleType, program: Callable[..., list[str]], tmp_path: Path
) -> None:
    assert make(gallery, tmp_path, program(), "place", "study") == 0

    assert calls(tmp_path) == [
        "lab up tinis", "study run study.toml", "study report study", "lab down --all",
        "lab up tiny", "impact -n 4", "compress -n 4", "impact -n 4", "compress -n 4", "predict fft sweep",
        "predict place fft", "lab down --all",
    ]  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "made").glob("*.html")) == [
        "compress.html", "impact.html", "place.html", "predict.html", "study.html"
    ]  # fmt: skip
    assert not (tmp_path / "made" / "bin").exists()


def test_a_command_that_fails_is_named_and_the_other_entries_are_made(
    gallery: ModuleType, program: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(gallery, tmp_path, program(broken="compress"), "place", "beff") == 3

    said = capsys.readouterr().err
    assert re.search(r"compress: `stressbench compress .*` ended with status 1: broken: \\u001b\[31mno route", said)
    assert "predict: left out, since it needs compress" in said
    assert "2 of 5 pages were made; failed: compress, predict, place" in said
    assert (tmp_path / "made" / "beff.html").is_file()
    assert calls(tmp_path)[-1] == "lab down --all"


def test_a_lab_that_does_not_come_up_fails_the_entry(
    gallery: ModuleType, program: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(gallery, tmp_path, program(broken="dual-rail"), "rails", "beff") == 3

    assert "rails: `stressbench lab up dual-rail` ended with status 1" in capsys.readouterr().err
    assert (tmp_path / "made" / "beff.html").is_file()


def test_a_page_that_was_not_written_fails_the_entry(
    gallery: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(gallery, tmp_path, ["true"], "beff") == 3

    assert re.search(r"beff: `stressbench beff .*` wrote no beff.html", capsys.readouterr().err)


def test_a_request_to_end_takes_the_lab_down(program: Callable[..., list[str]], tmp_path: Path) -> None:
    words = ["beff", "-o", str(tmp_path / "made"), "--no-pictures", "--engine", sys.executable]
    code = f"import gallery, sys; sys.exit(gallery.main({words!r}, stressbench={program(slow='beff')!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=CHECKOUT / "scripts", stderr=subprocess.PIPE, text=True
    ) as process:
        wait_until(lambda: (tmp_path / "calls").exists() and "beff" in (tmp_path / "calls").read_text(), "it began")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)

    assert process.returncode == 130, errors
    assert "interrupted: the pages so far are in" in errors
    assert calls(tmp_path) == ["lab up tiny", "beff -n 4", "lab down --all"]
    assert not (tmp_path / "made" / "bin").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "-o DIR is missing: name a new directory for the pages"),
        (["nope", "-o", "x"], "NAME: 'nope' is no entry; entries: run, study, "),
        (["-o", "{full}"], "exists and is not an empty directory; name a new directory"),
        (["--list", "--check"], "--list and --check: expected one of them"),
        (["--write", "run"], "--write: expected alone; it makes no pages"),
        (["-o", "x", "--pictures", "--no-pictures"], "--pictures and --no-pictures: expected one of them"),
        (["-o", "x", "--engine", "{full}/file"], "is not a program; name stressbench-mpi by --engine PATH or"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_starts(
    words: list[str], complaint: str, gallery: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")

    with pytest.raises(SystemExit) as ended:
        gallery.main([word.format(full=tmp_path / "full") for word in words], stressbench=["false"])

    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_the_list_names_entries_labs_and_needs(gallery: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert gallery.main(["--list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"rails +dual-rail +Rails of hosts with two NICs", next(x for x in lines if "rails" in x))
    assert any(line.endswith("(needs impact, compress)") for line in lines)
