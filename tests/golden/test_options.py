"""Commands, options, motifs: the names that users type, what they take, and what is taken where nothing is typed."""

from pathlib import Path

import pytest
from support.golden import Golden
from support.options import of_engine, of_motifs, of_stressbench

OPTIONAL = frozenset({"hdf5", "pnetcdf"})
"""Motifs over libraries that an engine may be built without."""


def test_options_of_stressbench(golden: Golden) -> None:
    golden.json("options/stressbench.json", of_stressbench())


@pytest.mark.mpi
def test_options_of_the_engine(golden: Golden, engine_program: Path) -> None:
    golden.json("options/stressbench-mpi.json", of_engine(engine_program))


@pytest.mark.mpi
def test_motifs_and_their_options(golden: Golden, engine_program: Path) -> None:
    found = of_motifs(engine_program)

    for name in OPTIONAL & found.keys():
        golden.json(f"options/{name}.json", found[name])
    golden.json("options/motifs.json", {name: one for name, one in found.items() if name not in OPTIONAL})
