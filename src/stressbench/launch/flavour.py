"""The MPI of a launcher or an engine, from what they print about themselves. Nothing is started here."""

import re
from dataclasses import dataclass
from enum import Enum


class Flavour(Enum):
    """A family of launchers that share options and signals."""

    openmpi4 = "Open MPI 4"
    openmpi5 = "Open MPI 5"
    mpich = "MPICH"
    craympich = "Cray MPICH"
    intelmpi = "Intel MPI"
    simgrid = "SimGrid"
    unknown = "unknown MPI"

    @property
    def is_openmpi(self) -> bool:
        """Whether the launcher is ORTE or PRRTE."""
        return self in (Flavour.openmpi4, Flavour.openmpi5)

    @property
    def is_hydra(self) -> bool:
        """Whether the launcher is hydra, which MPICH and Intel MPI share."""
        return self in (Flavour.mpich, Flavour.intelmpi)

    def launches(self, other: "Flavour") -> bool:
        """Whether a launcher of this flavour can start a program that was built with `other`."""
        return self == other or Flavour.unknown in (self, other)


@dataclass(frozen=True, kw_only=True)
class Recognised:
    """A flavour and the version that was printed with it; `version` is None where none was found."""

    flavour: Flavour
    version: str | None

    def __str__(self) -> str:
        name = "Open MPI" if self.flavour.is_openmpi else self.flavour.value
        return f"{name} {self.version}" if self.version else name


_NOTHING = Recognised(flavour=Flavour.unknown, version=None)
# PRRTE counts its own versions: 3.0 comes with Open MPI 5.0.
_PRRTE = re.compile(r"\bprrte\b|\bprte(?:run)?\b", re.IGNORECASE)
_OPEN_MPI = re.compile(r"\bopen\s?rte\b|\bopen\s?mpi\b", re.IGNORECASE)
_INTEL = re.compile(r"intel(?:\(r\))?\s*mpi|\bimpi\b", re.IGNORECASE)
_CRAY = re.compile(r"cray\s+mpich", re.IGNORECASE)
_SIMGRID = re.compile(r"simgrid|\bsmpi\b", re.IGNORECASE)
# PALS ("mpiexec version 1.8.0 revision ...") and ALPS ("aprun (ALPS) 6.6.59") count their own versions.
_CRAY_LAUNCHER = re.compile(r"^mpiexec version \d|\(ALPS\)")
_INTEL_UPDATE = re.compile(r"\b(20[0-9]{2}) Update ([0-9]{1,3})\b")
_MPICH = re.compile(r"hydra|mpich|mvapich", re.IGNORECASE)
_VERSION = re.compile(r"([0-9]{1,18}\.\d+(?:\.\d+)?(?:[a-z]+\d+)?)")
_LABELLED_VERSION = re.compile(r"version:?\s*v?([0-9]{1,18}\.\d+(?:\.\d+)?\w*)", re.IGNORECASE)


def recognise(text: str) -> Recognised:
    """Recognise the output of `mpirun --version`, or the engine's `MPI library:` text, or else `Flavour.unknown`.

    Intel MPI is tested first, since its launcher also calls itself hydra.
    """
    version = _version_in(text)
    if _CRAY_LAUNCHER.search(text):
        return Recognised(flavour=Flavour.craympich, version=None)
    if _INTEL.search(text):
        return Recognised(flavour=Flavour.intelmpi, version=version)
    if _SIMGRID.search(text):
        return Recognised(flavour=Flavour.simgrid, version=version)
    if _PRRTE.search(text) and not _OPEN_MPI.search(text):
        return Recognised(flavour=Flavour.openmpi5, version=None)
    if _OPEN_MPI.search(text):
        old = version is None or int(version.split(".")[0]) < 5
        return Recognised(flavour=Flavour.openmpi4 if old else Flavour.openmpi5, version=version)
    if _CRAY.search(text):
        return Recognised(flavour=Flavour.craympich, version=version)
    if _MPICH.search(text):
        return Recognised(flavour=Flavour.mpich, version=version)
    return _NOTHING


def _version_in(text: str) -> str | None:
    if update := _INTEL_UPDATE.search(text):
        return f"{update[1]}.{update[2]}"
    found = _LABELLED_VERSION.search(text) or _VERSION.search(text)
    return found.group(1) if found else None
