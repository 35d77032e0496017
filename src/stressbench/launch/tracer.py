"""Finds libstressbench-trace.so and its salvage program beside the engine, installed or in a build tree."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_engine, library_of
from stressbench.launch.flavour import Recognised

LIBRARY = "libstressbench-trace.so"
LIBRARY_VARIABLE = "STRESSBENCH_TRACE_LIBRARY"
SALVAGE = "stressbench-trace-salvage"


@dataclass(frozen=True, kw_only=True)
class Tracer:
    """The library to preload, the program that recovers the data of dead ranks (None: not found), and the MPI of both.

    `mpi` is None where no engine was found that reports the MPI it was built with.
    """

    library: Path
    salvage: Path | None
    mpi: Recognised | None


def find_tracer(environment: Mapping[str, str], *, explicit_engine: Path | None = None) -> Tracer:
    """The tracer of $STRESSBENCH_TRACE_LIBRARY, or else the one beside the engine. Raises LaunchMistake without one.

    `explicit_engine`: the engine that the user named, None: the one that `find_engine` finds.
    """
    library_from_environment = environment.get(LIBRARY_VARIABLE)
    try:
        engine = find_engine(explicit=explicit_engine, environment=environment)
    except LaunchMistake:
        if not library_from_environment:
            raise
        engine = None
    library = _existing_file(Path(library_from_environment)) if library_from_environment else _library_beside(engine)
    if any(letter in str(library) for letter in ": "):
        raise LaunchMistake(f"{library}: LD_PRELOAD cannot hold a path with a colon or a blank; move it elsewhere")
    salvage = next((path for path in _salvage_places(library, engine) if path.is_file()), None)
    return Tracer(library=library, salvage=salvage, mpi=None if engine is None else _mpi(engine))


def _existing_file(path: Path) -> Path:
    if not path.is_file():
        raise LaunchMistake(f"{LIBRARY_VARIABLE}: {path} is not a file")
    return path.absolute()


def _library_beside(engine: Path | None) -> Path:
    assert engine is not None
    places = tuple(_library_places(engine.resolve()))
    for path in places:
        if path.is_file():
            return path
    raise LaunchMistake(
        f"{LIBRARY} was not found beside {engine} (looked at {', '.join(map(str, places))}); "
        f"{LIBRARY_VARIABLE}=PATH names it"
    )


def _library_places(engine: Path) -> Iterator[Path]:
    yield engine.parent.parent / "lib" / "stressbench" / LIBRARY  # PREFIX/bin/stressbench-mpi
    yield engine.parent.parent / "tracer" / LIBRARY  # BUILD/engine/stressbench-mpi


def _salvage_places(library: Path, engine: Path | None) -> Iterator[Path]:
    yield library.parent / SALVAGE
    yield library.parent.parent.parent / "bin" / SALVAGE
    if engine is not None:
        yield engine.resolve().parent / SALVAGE


def _mpi(engine: Path) -> Recognised | None:
    try:
        return library_of(engine)
    except LaunchMistake:
        return None
