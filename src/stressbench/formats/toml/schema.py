"""The head that JSON Schemas of TOML files share."""

from collections.abc import Mapping
from typing import Any


def headed(schema: Mapping[str, Any], definitions: Mapping[str, Any], *, kind: str, page: str) -> dict[str, Any]:
    """`schema` as that of a `kind` file, which `page` tells to people."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:stressbench:{kind}:1",
        **schema,
        "title": f"A StressBench {kind} file (TOML)",
        "description": f"{page} in machine-readable form.",
        "$defs": dict(sorted(definitions.items())),
    }
