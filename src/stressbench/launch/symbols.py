"""Resolves call sites to function and line with addr2line (binutils), and adds them to a trace."""

import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import orjson

from stressbench.formats.excerpts import excerpt
from stressbench.formats.files import atomic_output, limits, open_regular
from stressbench.formats.trace import Trace
from stressbench.formats.trace.line import with_checksum
from stressbench.formats.trace.records import site_name

_UNKNOWN = "??"
_TAIL_BYTES = 1 << 16
_PIECE_BYTES = 1 << 20
_ANSWER_WITHIN_S = 120
_LONGEST_FUNCTION = 1000
"""Characters. Names of instances of C++ templates, for example, may be of any length."""


def sites_of(trace: Trace) -> Mapping[str, Sequence[int]]:
    """Offsets of all call sites, by module."""
    offsets_by_module: dict[str, set[int]] = defaultdict(set)
    for rank in trace.ranks():
        for site in rank.sites:
            offsets_by_module[rank.module_of(site)].add(site.offset)
    return {module: sorted(offsets) for module, offsets in offsets_by_module.items()}


def resolve(sites: Mapping[str, Sequence[int]], *, paths: Mapping[str, str]) -> dict[str, str]:
    """Map `module+0xOFFSET` to `function (file:line)`, as far as modules have symbols. Empty without addr2line."""
    program = shutil.which("addr2line")
    if program is None:
        return {}
    symbols: dict[str, str] = {}
    for module, offsets in sites.items():
        if module in paths and Path(paths[module]).is_file():
            texts = _symbols_at(program, paths[module], offsets)
            symbols |= {site_name(module, offset): text for offset, text in zip(offsets, texts, strict=False) if text}
    return symbols


def _symbols_at(program: str, path: str, offsets: Sequence[int]) -> Iterable[str]:
    addresses = "".join(f"{offset:#x}\n" for offset in offsets)
    try:
        completed = subprocess.run(
            [program, "-f", "-C", "-e", path],
            input=addresses, capture_output=True, text=True, errors="replace", check=False, timeout=_ANSWER_WITHIN_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ()
    lines = completed.stdout.splitlines()
    return [_symbol(function, place) for function, place in zip(lines[::2], lines[1::2], strict=False)]


def _symbol(function: str, position: str) -> str:
    """Text such as `main (cg.c:12)`, the file without its folder. Empty where nothing is known."""
    file, _, line = position.split(" (discriminator")[0].rpartition(":")
    has_line = not file.startswith(_UNKNOWN) and line.isdigit() and line != "0"
    location = f"{Path(file).name}:{line}" if has_line else ""
    if function == _UNKNOWN:
        return location
    name = excerpt(function, longest=_LONGEST_FUNCTION)
    return f"{name} ({location})" if location else name


def add_symbols(path: Path, symbols: Mapping[str, str]) -> None:
    """Insert the line of symbols before the trace's last line, which marks the file as complete.

    The trace is replaced by a new file: whoever reads it meanwhile reads a whole one, and no link is followed.
    """
    line = with_checksum(orjson.dumps({"type": "symbols", "sites": symbols}))
    with open_regular(path, limit=limits.TRACE) as file, atomic_output(path) as replacement:
        start = max(0, file.seek(0, 2) - _TAIL_BYTES)
        file.seek(start)
        last = file.read().rstrip(b"\n").rpartition(b"\n")
        end = start + len(last[0]) + len(last[1])
        file.seek(0)
        for at in range(0, end, _PIECE_BYTES):
            replacement.write(file.read(min(_PIECE_BYTES, end - at)))
        replacement.write(line + last[2] + b"\n")
