"""What pydantic says of a file that a program wrote, as the end of a sentence. Pure."""

from pydantic import ValidationError


def first_of(fault: ValidationError) -> str:
    """`wall_s: input should be a finite number`: the first thing that is wrong, and its key where it has one."""
    first = fault.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    reason = first["msg"][:1].lower() + first["msg"][1:]
    return f"{place}: {reason}" if place else reason
