"""One line of a trace file and its checksum. Pure."""

import re
import zlib

_SEAL = re.compile(rb',"crc32":"([0-9a-f]{8})"\}\Z')


def is_sealed(line: bytes) -> bool:
    """Whether the line, given without newline, ends in a checksum as lines of a trace do. It is not verified."""
    return _SEAL.search(line[-32:]) is not None


def checksum_fault(line: bytes) -> str | None:
    """The error in the checksum of a line that passed `is_sealed`, as a sentence; None if the checksum is right."""
    found = _SEAL.search(line[-32:])
    assert found is not None
    stated = int(found[1], 16)
    actual = zlib.crc32(line[: len(line) - len(found[0])])
    if actual == stated:
        return None
    return f"the checksum is wrong: the line says {stated:08x}, its bytes give {actual:08x}"


def sealed(body: bytes) -> bytes:
    """The JSON object `body` with its checksum as the last key, and a newline."""
    start = body.rstrip().removesuffix(b"}")
    return start + f',"crc32":"{zlib.crc32(start):08x}"}}\n'.encode()
