"""The motif of CONTRIBUTING.md, as printed there: it compiles, registers itself, runs and verifies."""

import json
import re
import shlex
import subprocess
import textwrap
from pathlib import Path

import pytest

EXAMPLE = re.compile(r"<!-- example: engine/motifs/\w+/(\w+)\.cpp -->\n *```cpp\n(.*?)\n *```\n", re.DOTALL)


def linked_objects(build: Path, program: str) -> list[str]:
    """What the build links the program from, itself included: objects of single files, and of several at once."""
    asked = subprocess.run(["ninja", "-C", build, "-t", "query", program], capture_output=True, text=True, check=True)
    inputs = asked.stdout.split("outputs:")[0].splitlines()
    return [str(build / line.strip()) for line in inputs if line.strip().endswith(".o") and "|" not in line]


def compiled(source: Path, build: Path, compiler: str) -> Path:
    """An engine with one more motif: compiled as its siblings are, linked with their objects."""
    commands = json.loads((build / "compile_commands.json").read_text())
    sibling = next(entry for entry in commands if "/engine/motifs/" in entry["file"])
    words = shlex.split(sibling["command"])
    example = source.with_suffix(".o")
    words = [{sibling["file"]: str(source)}.get(word, word) for word in words]
    words[words.index("-o") + 1] = str(example)
    subprocess.run(words, cwd=sibling["directory"], check=True)
    program = source.with_name("stressbench-mpi")
    objects = linked_objects(build, "engine/stressbench-mpi")
    subprocess.run([compiler, "-o", str(program), str(example), *objects, "-lfmt"], check=True)
    return program


@pytest.fixture(scope="module")
def ring(engine, checkout, tmp_path_factory):
    name, text = EXAMPLE.search((checkout / "CONTRIBUTING.md").read_text()).groups()
    source = tmp_path_factory.mktemp("example") / f"{name}.cpp"
    source.write_text(textwrap.dedent(text) + "\n")
    return type(engine)(engine.library, engine.compiler, compiled(source, engine.build, engine.compiler))


def test_the_example_is_listed(ring):
    assert "ring" in ring.run("list").output


def test_the_example_runs_and_its_bytes_arrive(ring):
    outcome = ring.run("motif", "ring", "--sizes", "8,64KiB", "--repetitions", "2", "--verify", "--json", ranks=4)
    assert outcome.status == 0, outcome.text
    assert [row["size_bytes"] for row in json.loads(outcome.output)["rows"]] == [8, 65536]


def test_the_example_refuses_one_rank(ring):
    outcome = ring.run("motif", "ring", ranks=1)
    assert outcome.status == 2
    assert "2 ranks or more" in outcome.text


def test_the_example_is_formatted_as_the_house_does_it(checkout, tmp_path):
    _, text = EXAMPLE.search((checkout / "CONTRIBUTING.md").read_text()).groups()
    (tmp_path / ".clang-format").write_bytes((checkout / ".clang-format").read_bytes())
    source = tmp_path / "ring.cpp"
    source.write_text(textwrap.dedent(text) + "\n")
    subprocess.run(["clang-format", "--dry-run", "--Werror", str(source)], check=True)
