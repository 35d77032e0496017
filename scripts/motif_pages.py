"""Generates parts of the motifs' pages: tables of options from the declarations, and drawings from captures.

    .venv/bin/python scripts/motif_pages.py [--check] [--engine build/openmpi/engine/stressbench-mpi] [NAME...]

docs/motifs/README.md lists all motifs; docs/motifs/storage.md has a table of combinations that storage motifs do not
support. In a page, the lines between `<!-- options NAME -->` and `<!-- end -->` are replaced by NAME's options and its
drawing, docs/images/motifs/NAME.svg: the messages of one iteration as recorded by the tracer. They are appended to a
page without these lines. A page of several motifs can list the options that all of them have once, between
`<!-- common options -->` and `<!-- end -->`. --check writes nothing and ends with status 1 if something is out of date
(drawings must exist, but are not compared).

"""

import argparse
import html
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
PAGES = CHECKOUT / "docs" / "motifs"
DRAWINGS = CHECKOUT / "docs" / "images" / "motifs"
RANKS = 8
FAMILIES = {
    "point_to_point": "Point to point", "collective": "Collective", "application": "Applications",
    "storage": "Storage", "machine_learning": "Machine learning", "probe": "Probes", "suite": "Suites",
}  # fmt: skip
# Mark of a motif's options; a page can have those of several motifs.
OPTIONS_MARK = re.compile(r"<!-- options (\w+) -->")
COMMON_MARK = "<!-- common options -->"
# Options for drawings where an iteration with the defaults is long or needs more ranks or a file; None: not drawn.
DRAWING_OPTIONS = {
    "posix": None, "mpiio": "-f {scratch}/file", "hdf5": None, "pnetcdf": None, "memory": None, "metadata": None,
    "b_eff_io": None, "b_eff": "--rings 2 --polygons 1 --sizes 1KiB --loops 1 --best-of 1",
    "replay": None, "data_parallel": "--parameters 1000000 --blocking",
    "fsdp": "--parameters 100000", "tensor_parallel": "--tokens 64 --layers 2", "pipeline_parallel": "--tokens 64",
    "moe": "--tokens 64 --layers 1", "parameter_server": "--parameters 100000 --servers 2",
}  # fmt: skip

Entry = dict[str, Any]


def engine_json(engine: Path, *arguments: str) -> Any:
    """JSON output of an engine command."""
    return json.loads(subprocess.run([engine, *arguments, "--json"], capture_output=True, text=True, check=True).stdout)


def page_of(name: str) -> Path | None:
    """The page that contains the motif's options or has its name; None if there is none."""
    for page in sorted(PAGES.glob("*.md")):
        if name in OPTIONS_MARK.findall(page.read_text()):
            return page
    page_of_name = PAGES / f"{name}.md"
    return page_of_name if page_of_name.exists() else None


def cell(text: str) -> str:
    """Text escaped for a table cell."""
    return text.replace("|", "\\|")


def table(title: str, options: list[Entry]) -> Iterator[str]:
    """Lines of a table of options."""
    yield f"| {title} | takes | default | |"
    yield "| --- | --- | --- | --- |"
    for option in options:
        short = f"`-{option['short']}`, " if option["short"] else ""
        accepted = f"; {option['accepted']}" if option["accepted"] else ""
        yield (
            f"| {short}`--{option['name']}` | {option['takes']} | {cell(option['default'])} "
            f"| {cell(option['help'] + accepted)} |"
        )


def options_of(entry: Entry, common: list[Entry]) -> Iterator[str]:
    """The generated lines between a motif's two marks: its options but the common ones."""
    drawing = DRAWINGS / f"{entry['name']}.svg"
    if drawing.exists():
        yield f"![communication pattern of one iteration of {entry['name']}](../images/motifs/{drawing.name})"
        yield ""
    yield from table(f"option of `{entry['name']}`", [option for option in entry["options"] if option not in common])


def with_part(page: str, mark: str, lines: Iterator[str]) -> str:
    """The page with these lines after the mark; at its end if it lacks the mark."""
    generated = "\n".join([mark, *lines, "<!-- end -->"])
    marked_part = re.compile(rf"{mark}.*?<!-- end -->", re.DOTALL)
    if marked_part.search(page):
        return marked_part.sub(lambda _: generated, page)
    return page.rstrip("\n") + "\n\n" + generated + "\n"


def with_options(page: str, entries: list[Entry]) -> str:
    """The page with up-to-date tables of the options of its motifs."""
    common: list[Entry] = []
    if COMMON_MARK in page:
        first, *others = (entry["options"] for entry in entries)
        common = [option for option in first if all(option in options for options in others)]
        page = with_part(page, COMMON_MARK, table("option of all", common))
    for entry in entries:
        page = with_part(page, f"<!-- options {entry['name']} -->", options_of(entry, common))
    return page


def index(entries: list[Entry]) -> str:
    """Text of docs/motifs/README.md."""
    lines = [
        "# Motifs", "",
        "Choose a motif for a workload, and look up what it sends, how it is timed and which options it has.",
        "`stressbench-mpi list` and `stressbench-mpi describe NAME` print the same declarations, from which",
        "scripts/motif_pages.py makes this page and the tables of options.", "",
        "Motifs of applications and of machine learning can compute between their calls for as long as the program",
        "did in a capture ([computation from a capture](compute.md#computation-from-a-capture)).", "",
    ]  # fmt: skip
    for family, title in FAMILIES.items():
        members = [entry for entry in entries if entry["family"] == family]
        if not members:
            continue
        lines += [f"## {title}", "", "| motif | pattern | modelled on |", "| --- | --- | --- |"]
        for entry in members:
            page = page_of(entry["name"])
            name = f"[{entry['name']}]({page.name})" if page else entry["name"]
            lines.append(f"| {name} | {cell(entry['summary'])} | {cell(entry['source'])} |")
        lines.append("")
    return "\n".join(lines)


# Calls of the storage backends, and the options that each is combined with.
STORAGE_CALLS = {
    "posix": ("call", ("pwrite", "write", "mmap")),
    "mpiio": ("call", tuple(f"MPI_File_{name}" for name in (
        "write", "write_at", "write_all", "write_at_all", "write_shared", "write_ordered",
        "iwrite", "iwrite_at", "iwrite_all", "iwrite_at_all",
    ))),
    "hdf5": ("transfer-mode", ("independent", "collective")),
    "pnetcdf": ("transfer-mode", ("independent", "collective")),
    "memory": (None, ("",)),
}  # fmt: skip
STORAGE_OPTIONS = (
    "--do append", "--do mixed", "--random", "--for 1s", "--do read --shift 1", "--do read --existing",
)  # fmt: skip


def refusal(engine: Path, motif: str, options: str) -> str:
    """The engine's error for a step without its location; empty if the engine accepts the step."""
    with tempfile.TemporaryDirectory() as folder:
        workload = Path(folder) / "storage.sb"
        workload.write_text(f"[JOB_NAME] a\n[NODES] 4\n[MOTIF] {motif} {options}\n")
        completed = subprocess.run(
            [engine, "check", workload, "--nodes", "4", "--ranks-per-node", "1"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if completed.returncode == 0:
        return ""
    return completed.stderr.splitlines()[0].split("error: ", 1)[-1]


def combinations(engine: Path, motifs: set[str]) -> str:
    """The table of unsupported combinations of storage motifs, followed by the reasons."""
    lines = ["| | " + " | ".join(f"`{combined_options}`" for combined_options in STORAGE_OPTIONS) + " |"]
    lines.append("| --- |" + " --- |" * len(STORAGE_OPTIONS))
    reasons: list[str] = []
    for motif, (option, values) in STORAGE_CALLS.items():
        for value in values if motif in motifs else ():
            call_option = f"--{option} {value}" if option else ""
            cells = []
            for combined_options in STORAGE_OPTIONS:
                reason = refusal(engine, motif, f"{call_option} {combined_options}").removeprefix(
                    f"--{option}: {value}: "
                )
                if reason and reason not in reasons:
                    reasons.append(reason)
                cells.append(f"no ({reasons.index(reason) + 1})" if reason else "yes")
            lines.append(f"| `{f'{motif} {value}'.strip()}` | " + " | ".join(cells) + " |")
    lines.append("")
    lines += [f"{number}. {reason}" for number, reason in enumerate(reasons, 1)]
    return "\n".join(lines)


def with_combinations(page: str, table: str) -> str:
    """The page with an up-to-date table between its marks."""
    begin, end = "<!-- combinations -->", "<!-- end combinations -->"
    marked_part = re.compile(f"{begin}.*?{end}", re.DOTALL)
    return marked_part.sub(lambda _: f"{begin}\n{table}\n{end}", page)


def stressbench(engine: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The `stressbench` command with this engine's tracer, which is inactive until the program enables it."""
    return subprocess.run(
        [sys.executable, "-m", "stressbench", *arguments], capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "STRESSBENCH_MPI": str(engine), "STRESSBENCH_TRACE_PAUSED": "1"},
    )  # fmt: skip


def capture(engine: Path, name: str, arguments: str) -> Any | None:
    """Profile of one iteration; None if the motif cannot be run with these arguments."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "motif.trace"
        completed = stressbench(
            engine, "capture", "-o", trace, "--", CHECKOUT / "scripts" / "mpirun.sh", "mpicxx.openmpi", str(RANKS),
            engine, "motif", name, *arguments.format(scratch=folder).split(),
            "--repetitions", "1", "--warmup", "0", "--pcontrol",
        )  # fmt: skip
        if completed.returncode != 0:
            sys.stderr.write(f"{name}: not drawn: {completed.stderr.strip().splitlines()[:1]}\n")
            return None
        exported = stressbench(engine, "trace", "export", "--profile", trace)
        exported.check_returncode()
        return json.loads(exported.stdout)


def drawing(name: str, arguments: str, profile: Any) -> str:
    """SVG with ranks on a circle, an arrow per pair (width by the logarithm of its bytes), and collectives as text."""
    radius, middle_x, middle_y = 110, 150, 150

    def place(rank: int, distance: float = radius) -> tuple[float, float]:
        angle = 2 * math.pi * rank / RANKS - math.pi / 2
        return middle_x + distance * math.cos(angle), middle_y + distance * math.sin(angle)

    pairs = [row for row in profile["p2p_matrix"] if row[0] != row[1]]
    max_bytes = max((row[3] for row in pairs), default=1)
    shapes = []
    for source, target, _, size in pairs:
        (x1, y1), (x2, y2) = place(source, radius - 14), place(target, radius - 14)
        bend_x, bend_y = (x1 + x2) / 2 + (y2 - y1) * 0.12, (y1 + y2) / 2 - (x2 - x1) * 0.12
        width = 0.8 + 2.2 * math.log1p(size) / math.log1p(max(max_bytes, 1))
        shapes.append(
            f'<path d="M{x1:.1f} {y1:.1f}Q{bend_x:.1f} {bend_y:.1f} {x2:.1f} {y2:.1f}" stroke-width="{width:.1f}" '
            'fill="none" stroke="#4477aa" stroke-opacity="0.75" marker-end="url(#arrow)"/>'
        )
    for rank in range(RANKS):
        x, y = place(rank)
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="12" fill="#fff" stroke="#333"/>')
        shapes.append(f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{rank}</text>')
    caption = [f"{name} {arguments}".strip(), f"{RANKS} ranks, one iteration"]
    totals = profile["p2p_totals"]
    if totals["messages"]:
        caption.append(f"{totals['messages']:,} messages, {totals['bytes']:,} bytes")
        low, high = totals["per_rank_sends_min_max"]
        caption.append(f"{low:,} to {high:,} sent by a rank")
    for operation, reduction, size, ranks, _, _, calls, _ in profile["collectives"][:6]:
        caption.append(f"{calls:,} x {operation}{f' {reduction}' if reduction else ''} of {size:,} B on {ranks}")
    calls = profile["mpi_calls_all_ranks"]
    caption.append("calls: " + ", ".join(f"{count:,} {call}" for call, count in sorted(calls.items())[:3]))
    if len(calls) > 3:
        caption.append("  " + ", ".join(f"{count:,} {call}" for call, count in sorted(calls.items())[3:7]))
    for line, line_text in enumerate(caption):
        weight = ' font-weight="bold"' if line == 0 else ""
        shapes.append(f'<text x="300" y="{70 + 22 * line}"{weight}>{html.escape(line_text, quote=False)}</text>')
    body = "\n".join(shapes)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 300" font-family="sans-serif" font-size="13">\n'
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#4477aa"/></marker></defs>\n'
        f'<rect width="760" height="300" fill="#fff"/>\n{body}\n</svg>\n'
    )


def draw(engine: Path, entry: Entry) -> None:
    """Write the motif's drawing if it communicates."""
    name = entry["name"]
    arguments = DRAWING_OPTIONS.get(name, "")
    if arguments is None:
        return
    if any(option["name"] == "compute" and "off" in (option["accepted"] or "") for option in entry["options"]):
        arguments = f"{arguments} --compute off".strip()
    profile = capture(engine, name, arguments)
    if profile is None or not (profile["p2p_matrix"] or profile["collectives"]):
        return
    DRAWINGS.mkdir(parents=True, exist_ok=True)
    (DRAWINGS / f"{name}.svg").write_text(drawing(name, arguments.replace("--compute off", "").strip(), profile))


def main() -> int:
    """Update or check the pages. Exit status 1 if a motif has no page or --check found one out of date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="motifs to draw; default: all")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--engine", type=Path, default=CHECKOUT / "build" / "openmpi" / "engine" / "stressbench-mpi")
    arguments = parser.parse_args()
    entries = engine_json(arguments.engine, "list")
    entry_by_name = {entry["name"]: engine_json(arguments.engine, "describe", entry["name"]) for entry in entries}
    if not arguments.check:
        for name in arguments.names or entry_by_name:
            draw(arguments.engine, entry_by_name[name])
    motifs_of: dict[Path, list[str]] = {}
    without_page = []
    for name in entry_by_name:
        page = page_of(name)
        if page is None:
            without_page.append(name)
        else:
            motifs_of.setdefault(page, []).append(name)
    new_texts: dict[Path, str] = {}
    for page, names in motifs_of.items():
        text = page.read_text()
        if set(OPTIONS_MARK.findall(text)) <= set(names):  # an engine without HDF5 or PnetCDF lacks some of them
            new_texts[page] = with_options(text, [entry_by_name[name] for name in names])
    if set(STORAGE_CALLS) <= set(entry_by_name):
        new_texts[PAGES / "README.md"] = index(entries)
        storage = PAGES / "storage.md"
        new_texts[storage] = with_combinations(new_texts[storage], combinations(arguments.engine, set(entry_by_name)))
    outdated = [page for page, text in new_texts.items() if not page.exists() or page.read_text() != text]
    for name in without_page:
        sys.stderr.write(f"{name} has no page: docs/motifs/{name}.md\n")
    if arguments.check:
        for page in outdated:
            sys.stderr.write(f"docs/motifs/{page.name} is out of date: .venv/bin/python scripts/motif_pages.py\n")
        return 1 if outdated or without_page else 0
    for page in outdated:
        page.write_text(new_texts[page])
    return 1 if without_page else 0


if __name__ == "__main__":
    sys.exit(main())
