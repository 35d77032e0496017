"""Check the layers of engine/: every #include goes downwards, MPI is used only where it is allowed, and no two
enumerations have the same name (such a program links, but misreads options).

    python scripts/check_layers.py [CHECKOUT]

Prints one line per violation and exits with status 1 if there is any.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# A package may include itself and the listed packages, and whatever these may include.
DEPENDENCIES: dict[str, tuple[str, ...]] = {
    "core": (),
    "workload": ("core",),
    "telemetry": ("core",),
    "mpi": ("core",),
    "trace": ("core",),
    "calls": ("mpi",),
    "io": ("mpi",),
    "motifs": ("calls", "io", "trace"),
    "suites": ("motifs",),
    "replay": ("motifs",),
    "scheduler": ("motifs", "workload", "telemetry"),
    "output": ("scheduler",),
    "commands": ("output",),
    "packet": ("core",),
    "platform": ("core",),
    "main.cpp": ("commands",),
}
WITHOUT_MPI = ("core", "workload", "telemetry", "trace")
COMM_WORLD_FILE = "main.cpp"

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
WORLD = re.compile(r"\bMPI_COMM_WORLD\b")  # not OMPI_COMM_WORLD_RANK, which is a variable of the launcher
COMMENT = re.compile(r"//.*?$|/\*.*?\*/", re.DOTALL | re.MULTILINE)


def may_include(package: str) -> set[str]:
    """The package itself and everything that it may include, directly or not."""
    reachable = {package}
    for dependency in DEPENDENCIES[package]:
        reachable |= may_include(dependency)
    return reachable


def without_comments(source: str) -> str:
    """The source with comments blanked out; line numbers do not change."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def violations_in(name: str, source: str) -> Iterator[str]:
    """Violations in one file; `name` is its path below engine/, with forward slashes."""
    package = name.split("/")[0]
    if package not in DEPENDENCIES:
        yield f"engine/{name}: '{package}' is not a package; packages are {', '.join(DEPENDENCIES)}"
        return
    allowed = may_include(package)
    for number, line in enumerate(without_comments(source).splitlines(), start=1):
        place = f"engine/{name}:{number}"
        if WORLD.search(line) and name != COMM_WORLD_FILE:
            yield f"{place}: MPI_COMM_WORLD is named only in {COMM_WORLD_FILE}; use the group that was handed in"
        match = INCLUDE.match(line)
        if match is None:
            continue
        quoted, system = match.groups()
        if "mpi.h" in (quoted, system) and package in WITHOUT_MPI:
            yield f"{place}: {package}/ is free of MPI"
        other = quoted.split("/")[0] if quoted and "/" in quoted else package
        if other not in allowed:
            permitted = ", ".join(sorted(allowed - {package})) or "nothing"
            yield f"{place}: {package} may not include {other}/; it may include {permitted}"


def enumerations_in(source: str) -> Iterator[tuple[str, int]]:
    """Qualified name and line of each enumeration, except those in unnamed namespaces, which cannot clash."""
    open_namespaces: list[str] = []
    for number, line in enumerate(source.splitlines(), start=1):
        if match := re.match(r"namespace\s*([\w:]*)\s*\{", line):
            open_namespaces.append(match.group(1))
        elif re.match(r"\}\s*// namespace", line) and open_namespaces:
            open_namespaces.pop()
        elif (match := re.match(r"enum class (\w+)[^;]*$|enum class (\w+).*\}", line)) and "" not in open_namespaces:
            yield "::".join([*open_namespaces, match.group(1) or match.group(2)]), number


def violations(checkout: Path) -> Iterator[str]:
    """One line of text per violation, in order of files and lines."""
    engine = checkout / "engine"
    enumerations: dict[str, str] = {}
    for path in sorted(engine.rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".c", ".h"):
            continue
        name, source = path.relative_to(engine).as_posix(), path.read_text(encoding="utf-8")
        yield from violations_in(name, source)
        for enumeration, number in enumerations_in(source):
            place = f"engine/{name}:{number}"
            first = enumerations.setdefault(enumeration, place)
            if first != place:
                yield f"{place}: {enumeration} is an enumeration in {first}, too; rename one"


def main() -> int:
    """Print all violations. Exit status 1 if there is any."""
    checkout = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    lines = list(violations(checkout))
    for line in lines:
        sys.stdout.write(line + "\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
