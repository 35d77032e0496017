"""Which MPI a launcher or an engine belongs to, from what it prints."""

import pytest

from stressbench.launch.flavour import Flavour, recognise

LAUNCHERS = {
    "mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n": (
        Flavour.openmpi4,
        "4.1.4",
    ),
    "mpirun (Open MPI) 5.0.3\n\nReport bugs to https://www.open-mpi.org/community/help/\n": (Flavour.openmpi5, "5.0.3"),
    "prterun (PRRTE) 3.0.5\n": (Flavour.openmpi5, None),
    "HYDRA build details:\n    Version:                                 4.0.2\n    CC: gcc\n": (Flavour.mpich, "4.0.2"),
    "Intel(R) MPI Library for Linux* OS, Version 2021.11 Build 20231005 (id: 74c4a23)\nCopyright 2003-2023, Intel.\n": (
        Flavour.intelmpi,
        "2021.11",
    ),
    "Intel(R) MPI Library for Linux* OS, Version 2019 Update 7 Build 20200312 (id: 5dc2dd3e9)\n": (
        Flavour.intelmpi,
        "2019.7",
    ),
    "mpiexec version 1.8.0 revision 0\n": (Flavour.craympich, None),
    "aprun (ALPS) 6.6.59\n": (Flavour.craympich, None),
    "SimGrid version 3.32\n": (Flavour.simgrid, "3.32"),
    "srun: slurm 22.05.8": (Flavour.unknown, None),
    "": (Flavour.unknown, None),
}
"""Recorded by others: Intel MPI 2019 in TACC/tacc-containers#8; how the lines of PALS and ALPS begin is documented by
programs that parse them."""
LIBRARIES = {
    "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022": (
        Flavour.openmpi4,
        "4.1.4",
    ),
    "Open MPI v5.0.3rc1, package: Open MPI, ident: 5.0.3rc1": (Flavour.openmpi5, "5.0.3rc1"),
    "MPICH Version:      4.0.2 MPICH Release date: Thu Apr  7 12:34:45 CDT 2022 MPICH Device:    ch4:ucx": (
        Flavour.mpich,
        "4.0.2",
    ),
    "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2) MPI BUILD INFO : Sun Feb 26 15:15 2023": (
        Flavour.craympich,
        "8.1.25",
    ),
    "Intel(R) MPI Library 2021.11 for Linux* OS": (Flavour.intelmpi, "2021.11"),
    "SMPI Version 3.32. Copyright The SimGrid Team 2007-2022 (flavour: other)": (Flavour.simgrid, "3.32"),
}


@pytest.mark.parametrize("text", [*LAUNCHERS, *LIBRARIES])
def test_a_version_text_names_its_flavour_and_version(text: str) -> None:
    found = recognise(text)

    assert (found.flavour, found.version) == (LAUNCHERS | LIBRARIES)[text]


def test_a_launcher_starts_only_programs_of_its_own_flavour() -> None:
    assert Flavour.mpich.launches(Flavour.mpich)
    assert not Flavour.mpich.launches(Flavour.openmpi4)
    assert not Flavour.openmpi4.launches(Flavour.openmpi5)


def test_what_nobody_knows_is_given_the_benefit_of_the_doubt() -> None:
    assert Flavour.mpich.launches(Flavour.unknown)
    assert Flavour.unknown.launches(Flavour.openmpi4)


def test_a_recognised_launcher_reads_well_in_a_message() -> None:
    assert str(recognise("mpirun.openmpi (OpenRTE) 4.1.4")) == "Open MPI 4.1.4"
    assert str(recognise("what?")) == "unknown MPI"
