"""scripts/check_layers.py sees what it is there for; scripts/count_tests.py never turns a failure into a success."""

import subprocess
import sys

import pytest

PLANTED = {
    "core reaches up": ("core/a.hpp", '#include "motifs/motif.hpp"'),
    "workload reaches MPI's room": ("workload/a.cpp", '#include "mpi/group.hpp"'),
    "workload reaches motifs": ("workload/a.cpp", '#include "motifs/motif.hpp"'),
    "motifs reach the scheduler": ("motifs/collective/a.cpp", '#  include "schedule/session.hpp"'),
    "storage reaches motifs": ("storage/a.hpp", '#include "motifs/message.hpp"'),
    "the scheduler prints": ("schedule/a.cpp", '#include "output/terminal.hpp"'),
    "MPI in core": ("core/a.cpp", "#include <mpi.h>"),
    "MPI in workload": ("workload/a.cpp", "#include <mpi.h>"),
    "the world named in a motif": ("motifs/storage/a.cpp", "MPI_Barrier(MPI_COMM_WORLD);"),
    "an unknown room": ("cellar/a.cpp", ""),
    "two enumerations of one name": ("motifs/z.cpp", "namespace stressbench {\nenum class Way { to, fro };\n}"),
}
ALLOWED = {
    "main.cpp": '#include "command/command.hpp"\n#include "workload/model.hpp"\nauto world = MPI_COMM_WORLD;',
    "core/way.hpp": "namespace stressbench {\nenum class Way { left, right };\n}  // namespace stressbench",
    "motifs/own.cpp": "namespace {\nenum class Way { up, down };\n}",
    "schedule/a.cpp": '#include "motifs/motif.hpp"\n#include "workload/model.hpp"\n#include "core/clock.hpp"',
    "motifs/a.cpp": '#include "storage/a.hpp"\n#include "mpi/group.hpp"\n#include "neighbour.hpp"\n#include <mpi.h>',
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
    assert (found.returncode, found.stdout) == (0, "")


def test_this_checkout_keeps_its_layers(checkout):
    program = [sys.executable, str(checkout / "scripts" / "check_layers.py")]
    assert subprocess.run(program, capture_output=True, text=True, check=False).stdout == ""


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


def test_the_fingerprint_of_the_package_needs_no_folder_that_is_not_there(checkout):
    script = "set -euo pipefail; source scripts/install.sh; package_fingerprint"
    made = subprocess.run(["bash", "-c", script], cwd=checkout, capture_output=True, text=True, check=False)
    assert (made.returncode, len(made.stdout.strip()), made.stderr) == (0, 64, "")
