"""The JSON Schema of a co-run, a line of a file, from the record that reads it:
`python -m stressbench.interference.coruns_schema`.
"""

import json
from typing import Any

from stressbench.interference.coruns import ADAPTER, SCHEMA_VERSION


def corun_schema() -> dict[str, Any]:
    """What a line may hold; that an interval holds its slow-down is only checked when a file is read."""
    schema = ADAPTER.json_schema()
    schema["required"] = sorted({*schema["required"], "type", "schema_version"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:stressbench:observation:{SCHEMA_VERSION}",
        **schema,
        "title": "A co-run that was measured",
        "description": (
            "docs/how-to/predict.md: how slow one application was beside others; a line of a JSON Lines file."
        ),
    }


if __name__ == "__main__":
    print(json.dumps(corun_schema(), indent=2))
