#!/usr/bin/env python3
"""Compile the eBPF programs of labs: src/stressbench/labs/programs/NAME.c becomes NAME.json beside it.

    scripts/make_programs.py            # compile (needs clang)
    scripts/make_programs.py --check    # exit status 1 if a program is not that of its source

The JSON file has the instructions, the maps, the instructions that name a map, and a checksum of the source.
"""

import argparse
import hashlib
import json
import platform
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parent.parent / "src" / "stressbench" / "labs" / "programs"
CODE, MAPS = "classifier", "maps"
MAP_KEYS = ("type", "key_bytes", "value_bytes", "entries", "flags")
INSTRUCTION_BYTES = 8
HEX_DIGITS = 96
SECTION_HEADER, SYMBOL, RELOCATION = "<IIQQQQIIQQ", "<IBBHQQ", "<QQ"  # ELF-64 (System V gABI, chapter 4)


def checksum(source: Path) -> str:
    """SHA-256 of a source."""
    return hashlib.sha256(source.read_bytes()).hexdigest()


def compiled(source: Path) -> dict[str, Any]:
    """The program of a source, as written to its JSON file."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "program.o")
        headers = f"/usr/include/{platform.machine()}-linux-gnu"
        options = ["-O2", "-Wall", "-Werror", "-target", "bpfel", "-mcpu=v3", "-I", headers]
        subprocess.run(["clang", *options, "-c", str(source), "-o", str(target)], check=True)
        sections = dict(sections_of(target.read_bytes()))
    code = sections[CODE].hex()
    names = list(symbols_of(sections))
    return {
        "source_sha256": checksum(source),
        "maps": {
            name: dict(zip(MAP_KEYS, struct.unpack_from("<5I", sections[MAPS], at), strict=True))
            for name, at in names
            if name in map_names(sections, names)
        },
        "map_instructions": [
            [at // INSTRUCTION_BYTES, names[symbol >> 32][0]]
            for at, symbol in struct.iter_unpack(RELOCATION, sections[f".rel{CODE}"])
        ],
        "instructions": [code[at : at + HEX_DIGITS] for at in range(0, len(code), HEX_DIGITS)],
    }


def sections_of(elf: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and content of each section."""
    (start,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from(SECTION_HEADER, elf, start + number * size) for number in range(count)]
    texts = elf[headers[names][4] : headers[names][4] + headers[names][5]]
    for name, _, _, _, offset, length, *_ in headers:
        yield text_at(texts, name), elf[offset : offset + length]


def symbols_of(sections: dict[str, bytes]) -> Iterator[tuple[str, int]]:
    """Name and offset of each symbol, in order."""
    for name, _, _, _, value, _ in struct.iter_unpack(SYMBOL, sections[".symtab"]):
        yield text_at(sections[".strtab"], name), value


def map_names(sections: dict[str, bytes], symbols: list[tuple[str, int]]) -> set[str]:
    """Symbols that instructions refer to, all of which are maps."""
    return {symbols[symbol >> 32][0] for _, symbol in struct.iter_unpack(RELOCATION, sections[f".rel{CODE}"])}


def text_at(texts: bytes, at: int) -> str:
    """The text that begins at an offset."""
    return texts[at : texts.index(b"\0", at)].decode()


def main() -> int:
    """Compile or check all programs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; compare checksums of sources")
    check = parser.parse_args().check
    status = 0
    for source in sorted(PROGRAMS.glob("*.c")):
        target = source.with_suffix(".json")
        if not check:
            target.write_text(json.dumps(compiled(source), indent=1) + "\n", encoding="utf-8")
        elif not target.exists() or json.loads(target.read_text(encoding="utf-8"))["source_sha256"] != checksum(source):
            print(f"{target.name} is not made from {source.name}: scripts/make_programs.py", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
