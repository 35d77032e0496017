"""The JSON Schema of profiles, from the records that read them: `python -m stressbench.interference.schema`."""

import json
from typing import Any

from stressbench.interference.profile import ADAPTER, SCHEMA_VERSION


def profile_schema() -> dict[str, Any]:
    """What a profile may hold; that there are as many times as latencies is only checked when a file is read."""
    schema = ADAPTER.json_schema()
    definitions = dict(schema.pop("$defs"))
    schema["required"] = sorted({*schema["required"], "type", "schema_version"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:stressbench:sensitivity:{SCHEMA_VERSION}",
        **schema,
        "if": {"properties": {"levels": {"minItems": 1}}},
        "then": {"properties": {"alone_s": {"minItems": 1}}},
        "title": "A StressBench sensitivity profile",
        "description": (
            "docs/explanation/sensitivity.md: what one application does to others on one machine, and they to it."
        ),
        "$defs": dict(sorted(definitions.items())),
    }


if __name__ == "__main__":
    print(json.dumps(profile_schema(), indent=2))
