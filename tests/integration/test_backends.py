"""Which storage backends an engine loads: those of its own installation or build tree, and no others."""

import shutil

from support.programs import finished


def names(listed: str) -> set[str]:
    return {line.split()[0] for line in listed.splitlines() if line.strip()}


def test_an_engine_outside_its_build_tree_loads_nothing_from_it(engine, tmp_path):
    """When a package was built below /tmp and the tree is gone, anybody can make a folder of its name."""
    moved = shutil.copy2(engine.program, tmp_path / "stressbench-mpi")
    backends = {path.stem.removeprefix("stressbench-") for path in (engine.build / "engine" / "backends").glob("*.so")}

    at_home = names(engine.run("list").output)
    elsewhere = names(finished([str(moved), "list"]).output)

    assert backends, "this build has no backends to load"
    assert at_home - elsewhere == backends
