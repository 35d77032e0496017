"""scripts/check_layers.py and scripts/check_paths.py see what they are there for; scripts/count_tests.py never turns a
failure into a success."""

import subprocess
import sys

import pytest

PLANTED = {
    "core reaches up": ("core/a.hpp", '#include "motifs/motif.hpp"'),
    "workload reaches mpi": ("workload/a.cpp", '#include "mpi/group.hpp"'),
    "workload reaches motifs": ("workload/a.cpp", '#include "motifs/motif.hpp"'),
    "motifs reach the scheduler": ("motifs/collective/a.cpp", '#  include "scheduler/session.hpp"'),
    "io reaches motifs": ("io/a.hpp", '#include "motifs/motif.hpp"'),
    "the scheduler prints": ("scheduler/a.cpp", '#include "output/terminal.hpp"'),
    "MPI in core": ("core/a.cpp", "#include <mpi.h>"),
    "MPI in workload": ("workload/a.cpp", "#include <mpi.h>"),
    "the world named in a motif": ("motifs/storage/a.cpp", "MPI_Barrier(MPI_COMM_WORLD);"),
    "an unknown package": ("cellar/a.cpp", ""),
    "two enumerations of one name": ("motifs/z.cpp", "namespace stressbench {\nenum class Way { to, fro };\n}"),
}
ALLOWED = {
    "main.cpp": '#include "commands/command.hpp"\n#include "workload/model.hpp"\nauto world = MPI_COMM_WORLD;',
    "core/way.hpp": "namespace stressbench {\nenum class Way { left, right };\n}  // namespace stressbench",
    "motifs/own.cpp": "namespace {\nenum class Way { up, down };\n}",
    "scheduler/a.cpp": '#include "motifs/motif.hpp"\n#include "workload/model.hpp"\n#include "core/clock.hpp"',
    "motifs/a.cpp": '#include "io/a.hpp"\n#include "mpi/group.hpp"\n#include "neighbour.hpp"\n#include <mpi.h>',
    "mpi/b.cpp": 'auto rank = std::getenv("OMPI_COMM_WORLD_RANK");',
    "mpi/a.hpp": "// MPI_COMM_WORLD is only mentioned\n/* MPI_COMM_WORLD */\n#include <mpi.h>",
    "workload/a.cpp": '#include "workload/text.hpp"\n#include "core/error.hpp"\n// #include <mpi.h>',
}


def check(checkout, tree, files):
    for name, text in files.items():
        path = tree / "engine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    program = [sys.executable, str(checkout / "scripts" / "check_layers.py"), str(tree)]
    return subprocess.run(program, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("violation", PLANTED)
def test_a_planted_violation_of_the_layers_is_found(checkout, tmp_path, violation):
    name, text = PLANTED[violation]
    found = check(checkout, tmp_path, {**ALLOWED, name: text})
    assert found.returncode == 1
    (line,) = found.stdout.splitlines()
    assert line.startswith(f"engine/{name}:")


def test_what_is_allowed_passes(checkout, tmp_path):
    found = check(checkout, tmp_path, ALLOWED)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


SOUND = {
    "docs/lab.md": "# The lab\n## What `lab up` does, and how\n## Again\n## Again\n"
    "[up](#what-lab-up-does-and-how) [two](#again-1) [a](../engine/core/way.hpp)\n"
    "[b](https://example.org/docs/none.md) `[c](none.md)`\n```\n[d](none.md)\n```",
    "engine/core/way.hpp": '// docs/lab.md, engine/core/NAME.hpp, engine/*/way.hpp, way.hpp\n#include "docs/none.md"',
    "src/paths.py": '"""Of docs/lab.md and core/way.hpp; build/tests/none and ${HOME}/docs/none are elsewhere."""',
    "tests/test_lab.py": '"""Of docs/lab.md."""\nFOLDER = "docs/none.md"\n',
    "tests/lab_test.cpp": '// of docs/lab.md\nauto path = "docs/none.md";  // test_lab.py, too',
    "studies/lab.toml": 'workload = "../workloads/lab.sb"',
    "mkdocs.yml": "nav:\n  - Lab: lab.md\n  - Changes: changelog.md",
    "workloads/lab.sb": "# of none.sb, which a user writes\n[INCLUDE] parts/step.sb",
    "workloads/parts/step.sb": "[MOTIF] compute",
}
BROKEN = {
    "a link to no file": ("docs/a.md", "\n[lab](labs.md)", "2: the link labs.md leads nowhere"),
    "a link to no heading": ("docs/a.md", "[lab](lab.md#how)", "1: the link lab.md#how leads nowhere"),
    "a link to a heading that is there once": ("docs/a.md", "[lab](lab.md#the-lab-1)", "1: the link lab.md#the-lab-1"),
    "a link out of the repository": ("docs/a.md", "[x](../../x.md)", "1: the link ../../x.md leads out"),
    "a path in a document": ("docs/a.md", "as `docs/none.md` says", "1: there is no docs/none.md"),
    "a path in a command": ("docs/a.md", "```\nrun workloads/none.sb -n 8\n```", "2: there is no workloads/none.sb"),
    "a folder": ("README.md", "see tests/python/", "1: there is no tests/python/"),
    "a form that nothing has": ("README.md", "engine/io/NAME.cpp", "1: there is no engine/io/NAME.cpp"),
    "a comment in C++": ("engine/core/a.cpp", "// docs/none.md", "1: there is no docs/none.md"),
    "a string in C++": ("engine/core/a.cpp", 'auto text = "docs/none.md";', "1: there is no docs/none.md"),
    "a docstring": ("src/a.py", '"""As\nschema/none.schema.json."""', "2: there is no schema/none.schema.json"),
    "a test's docstring": ("tests/test_a.py", 'def f():\n    """docs/none.md"""', "2: there is no docs/none.md"),
    "a test's comment": ("tests/a_test.cpp", "int a;\n/*\n docs/none.md */", "3: there is no docs/none.md"),
    "a script": ("scripts/a.sh", "python scripts/none.py", "1: there is no scripts/none.py"),
    "a study's workload": (
        "studies/a.toml",
        'workload = "../workloads/none.sb"',
        "1: there is no ../workloads/none.sb",
    ),
    "a workload's part": ("workloads/a.sb", "[INCLUDE] parts/none.sb", "1: there is no parts/none.sb"),
    "a page of the site": ("mkdocs.yml", "nav:\n  - The lab: docs/lab.md", "2: there is no docs/docs/lab.md"),
    "the name of a test": (
        "docs/a.md",
        "proven by test_none.py",
        "1: no file of the repository is called test_none.py",
    ),
    "the end of a path": ("docs/a.md", "in `core/none.hpp`", "1: no file of the repository is called core/none.hpp"),
    "a paper that is elsewhere": ("docs/a.md", "as papers/001 has it", "1: papers/001 is not in this repository"),
    "a neighbour of the repository": ("docs/a.md", "in ../shared/x", "1: ../shared is not in this repository"),
}


def check_paths(checkout, tree, files):
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    subprocess.run(["git", "init", "--quiet", str(tree)], check=True)
    program = [sys.executable, str(checkout / "scripts" / "check_paths.py"), str(tree)]
    return subprocess.run(program, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("violation", BROKEN)
def test_a_path_that_leads_nowhere_is_found(checkout, tmp_path, violation):
    name, text, expected = BROKEN[violation]
    found = check_paths(checkout, tmp_path, {**SOUND, name: text})
    assert found.returncode == 1, found.stderr
    (line,) = found.stdout.splitlines()
    assert line.startswith(f"{name}:{expected}")


def test_paths_that_exist_and_words_that_are_no_paths_pass(checkout, tmp_path):
    found = check_paths(checkout, tmp_path, SOUND)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_a_file_that_git_ignores_does_not_count(checkout, tmp_path):
    found = check_paths(checkout, tmp_path, {".gitignore": "/docs", "docs/lab.md": "", "README.md": "docs/lab.md"})
    assert found.stdout == "README.md:1: there is no docs/lab.md\n"


JUNIT = """<testsuite><testcase name="a"/><testcase name="b" status="fail"><failure/></testcase>
<testcase name="c"><skipped/></testcase><testcase name="d" status="run"/></testsuite>"""
COUNTS = [
    ({"s.xml": JUNIT}, 1, "2 1 1"),
    ({"s.count": "5 0 1"}, 0, "5 0 1"),
    ({"s.count": "5 0 1", "s.xml": JUNIT}, 1, "7 1 2"),
    ({"s.count": "5 0 0"}, 1, "5 1 0"),  # it failed without a failed test: did not build, say
    ({}, 0, "0 1 0"),  # it tested nothing
    ({}, 2, "0 1 0"),
]


@pytest.mark.parametrize(("files", "status", "expected"), COUNTS)
def test_counting_never_hides_a_failure(checkout, tmp_path, files, status, expected):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    program = [sys.executable, str(checkout / "scripts" / "count_tests.py"), "--status", str(status)]
    paths = [str(tmp_path / name) for name in ("s.count", "s.xml")]
    counted = subprocess.run([*program, *paths], capture_output=True, text=True, check=True)
    assert counted.stdout.strip() == expected


def test_failed_tests_are_named_with_what_they_said(checkout, tmp_path):
    said = '<testsuite><testcase classname="t.a" name="x"><failure message="1 == 2&#10;more"/></testcase>%s</testsuite>'
    quiet = '<testcase classname="b" name="b" status="fail"/><testcase name="c"/><testcase name="d"><error/></testcase>'
    (tmp_path / "s.xml").write_text(said % quiet)
    program = [sys.executable, str(checkout / "scripts" / "count_tests.py"), "--failures"]
    paths = [str(tmp_path / name) for name in ("s.xml", "none.xml")]
    listed = subprocess.run([*program, *paths], capture_output=True, text=True, check=True)
    assert listed.stdout.splitlines() == ["t.a::x: 1 == 2", "b", "d"]


CTEST_LOG = """1/3 Testing: ranked_2
1/3 Test: ranked_2
[ RUN      ] Storage.Full
storage_test.cpp:7: Skipped
no small tmpfs
SKIPPED Storage.Full: no small tmpfs
two_test.cpp:7: Skipped
needs 4 ranks
2/3 Testing: Posix.Direct
2/3 Test: Posix.Direct
posix_test.cpp:9: Skipped
the file system of /tmp does not say what O_DIRECT takes
3/3 Testing: ranked_4
3/3 Test: ranked_4
SKIPPED Storage.Full: no small tmpfs
SKIPPED OfMotifs/Allocations.Stay/0: needs no sanitizer
SKIPPED OfMotifs/Allocations.Stay/1: needs no sanitizer
SKIPPED OfMotifs/Allocations.Stay/2: needs a sanitizer
"""


def test_tests_that_were_left_out_within_a_launch_are_named_with_the_reason(checkout, tmp_path):
    (tmp_path / "LastTest.log").write_text(CTEST_LOG)
    program = [sys.executable, str(checkout / "scripts" / "count_tests.py"), "--skips"]
    paths = [str(tmp_path / name) for name in ("LastTest.log", "none.log")]

    listed = subprocess.run([*program, *paths], capture_output=True, text=True, check=True)

    assert listed.stdout.splitlines() == [
        "SKIPPED Storage.Full: no small tmpfs",
        "SKIPPED Posix.Direct: the file system of /tmp does not say what O_DIRECT takes",
        "SKIPPED [2] OfMotifs/Allocations.Stay: needs no sanitizer",
        "SKIPPED OfMotifs/Allocations.Stay: needs a sanitizer",
    ]


def test_the_fingerprint_of_the_package_needs_no_folder_that_is_not_there(checkout):
    script = "set -euo pipefail; source scripts/install.sh; package_fingerprint"
    made = subprocess.run(["bash", "-c", script], cwd=checkout, capture_output=True, text=True, check=False)
    assert (made.returncode, len(made.stdout.strip()), made.stderr) == (0, 64, "")
