"""One line of a trace file and its checksum. Pure."""

import re
import zlib

_CHECKSUM = re.compile(rb',"crc32":"([0-9a-f]{8})"\}\Z')


def has_checksum(line: bytes) -> bool:
    """Whether the line, given without newline, ends in a checksum as lines of a trace do. It is not verified."""
    return _CHECKSUM.search(line[-32:]) is not None


def checksum_fault(line: bytes) -> str | None:
    """The error in the checksum of a line that passed `has_checksum`, as a sentence; None if the checksum is right."""
    match = _CHECKSUM.search(line[-32:])
    assert match is not None
    recorded = int(match[1], 16)
    actual = zlib.crc32(line[: len(line) - len(match[0])])
    if actual == recorded:
        return None
    return f"the checksum is wrong: the line says {recorded:08x}, its bytes give {actual:08x}"


def with_checksum(body: bytes) -> bytes:
    """The JSON object `body` with its checksum as the last key, and a newline."""
    content = body.rstrip().removesuffix(b"}")
    return content + f',"crc32":"{zlib.crc32(content):08x}"}}\n'.encode()
