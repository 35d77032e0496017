"""scripts/check_docs.py finds commands, options, blocks and links in the documentation that are wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def check_docs(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("check_docs")


@pytest.fixture(scope="module")
def known(check_docs: ModuleType) -> Any:
    return check_docs.Declarations(ROOT)


SOUND = {
    "a command in a block": "```\nstressbench run demo.sb -n 8 -o demo.jsonl   # and what it does\n```",
    "a command behind a prompt, and its output": "```\n$ stressbench show a.jsonl --json | jq .\nstressbench: no\n```",
    "a command over two lines": "```\nstressbench run demo.sb \\\n  -n 8\n```",
    "options of another program": "```\nstressbench profile -- mpirun -n 4 ./app --fast\n```",
    "options for mpirun": "```\nstressbench run demo.sb -n 8 -- --hostfile hosts\n```",
    "the subcommand that is meant where none is named": "```\nstressbench predict a.json b.json\n```",
    "a placeholder": "`stressbench COMMAND --help`, `stressbench study [OPTIONS]`",
    "a command of the engine": "`stressbench-mpi motif halo2d -x 400 --sizes 8`",
    "a workload": "```sb\n[JOB_NAME] a   # of two\n[MOTIF] AllToAll -s 8\n[MOTIF] ${pattern} -x 3\n```",
    "an import": "```python\nfrom stressbench import read\nfrom stressbench.formats.units import *\n```",
    "a study": '```toml\n[factors]\nworkload = "a.sb"\n```',
    "what a block of text prints": "```text\nstressbench none\n```",
}
BROKEN = {
    "a command that is not there": ("```\n\nstressbench sho a.jsonl\n```", 3, "stressbench has no command sho"),
    "a subcommand that is not there": ("```\nstressbench study go x\n```", 2, "stressbench study has no command go"),
    "an option that is not there": ("```\n$ stressbench show a.jsonl --jason\n```", 2, "stressbench show: "),
    "an option on a second line": ("```\nls\nstressbench run a.sb \\\n  --rank 8\n```", 3, "stressbench run: "),
    "an option within a sentence": ("as\n`stressbench report a.jsonl --fast` does", 2, "stressbench report: "),
    "too many arguments": ("```\nstressbench study status a b\n```", 2, "stressbench study status: too many arguments"),
    "an alias that is hidden": ("```\nstressbench degrade plan a.sb\n```", 2, "stressbench degrade plan is an alias"),
    "an option of the engine": ("`stressbench-mpi run a.sb --on lab:x`", 1, "stressbench-mpi run has no option --on"),
    "an option of a motif": (
        "`stressbench-mpi motif halo2d --cells 9`",
        1,
        "stressbench-mpi motif has no option --cells",
    ),
    "a motif": ("```sb\n[JOB_NAME] a\n[MOTIF] halo5d\n```", 3, "there is no motif halo5d"),
    "an option in a workload": ("```sb\n[MOTIF] halo2d --cells 9\n```", 2, "the motif halo2d has no option --cells"),
    "a line of a workload": ("```sb\n[MOTIF] halo2d\nhalo3d\n```", 3, "not a statement of a workload: halo3d"),
    "a block of TOML": ("```toml\na = \n```", 2, "the block is not toml"),
    "a block of JSON": ('```json\n{"a": }\n```', 2, "the block is not json"),
    "a block of Python": ("```python\nimport\n```", 2, "the block is not python"),
    "a module": ("```python\n\nfrom stressbench.cards import a\n```", 3, "there is no module stressbench.cards"),
    "a name of a module": ("```python\nfrom stressbench import walk\n```", 2, "stressbench has no walk"),
}


@pytest.mark.parametrize("case", SOUND)
def test_what_is_right_passes(check_docs: ModuleType, known: Any, case: str) -> None:
    assert [*check_docs.faults_in_blocks(SOUND[case], known), *check_docs.faults_in_commands(SOUND[case], known)] == []


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_found_with_its_line(check_docs: ModuleType, known: Any, case: str) -> None:
    markdown, line, words = BROKEN[case]

    found = [*check_docs.faults_in_blocks(markdown, known), *check_docs.faults_in_commands(markdown, known)]

    assert [(number, fault[: len(words)]) for number, fault in found] == [(line, words)]


WIDE = "word " * 30


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        (f"# Page\n\n{WIDE}\n- {WIDE}", [3, 4]),
        (f"# {WIDE}\n\n| {WIDE} |\n\n```\n{WIDE}\n```", []),
        (f"<!-- options a -->\n1. {WIDE}\n<!-- end -->\n{WIDE}", [4]),
        ("word " * 24 + "\nhttps://" + "a" * 120, []),
    ],
)
def test_prose_that_is_not_wrapped_is_found(check_docs: ModuleType, markdown: str, lines: list[int]) -> None:
    assert [line for line, _ in check_docs.faults_in_width(markdown)] == lines


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("[run](../reference/commands/run.md#options)", ""),
        ("[run](../../tests/reference/README.md)", ""),
        ("[run](../reference/commands/walk.md)", "the link ../reference/commands/walk.md leads nowhere"),
        ("[run](../reference/commands/run.md#more)", "the link ../reference/commands/run.md#more leads nowhere"),
    ],
)
def test_a_link_to_a_page_that_is_not_generated_is_found(check_docs: ModuleType, link: str, fault: str) -> None:
    generated = {"reference/commands/run.md": {"options"}}

    found = [text for _, text in check_docs.faults_in_links("docs/how-to/running.md", link, generated)]

    assert [text[: len(fault)] for text in found] == ([fault] if fault else [])


def test_a_notebook_becomes_a_page_with_its_code_as_blocks(check_docs: ModuleType, tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "Read it."]},
        {"cell_type": "code", "source": ["import a\n", "a.b()"], "outputs": []},
        {"cell_type": "markdown", "source": "See [the glossary](../design.md#words)."},
    ]
    (tmp_path / "docs/tutorials").mkdir(parents=True)
    (tmp_path / "docs/tutorials/a.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")

    ((path, notebook),) = check_docs.notebooks(tmp_path).items()

    assert path == "tutorials/a.md"
    assert check_docs.page_of(notebook) == (
        '# Title\n\nRead it.\n\n<a href="a.ipynb" download>Download this notebook.</a>\n\n'
        "```python\nimport a\na.b()\n```\n\nSee [the glossary](../design.md#words).\n"
    )


def test_notebooks_are_checked_like_pages(check_docs: ModuleType) -> None:
    assert "docs/tutorials/demo.md" in dict(check_docs.handwritten_pages(ROOT))


def test_pages_of_records_begin_with_what_the_reader_can_do(check_docs: ModuleType) -> None:
    made = check_docs.pages(ROOT)

    first = {path: text.split("\n\n")[1] for path, text in made.items() if path.startswith("reference/records/")}
    assert {text.split()[0] for text in first.values()} == {"Look"}


def test_every_command_and_motif_has_a_generated_section(check_docs: ModuleType) -> None:
    made = check_docs.pages(ROOT)

    assert "--until-interval" in made["reference/commands/run.md"]
    assert "## stressbench study matrix" in made["reference/commands/study.md"]
    assert "### halo2d" in made["reference/motifs.md"]
    assert "| `started_at` | string | yes |" in made["reference/records/run.md"]
