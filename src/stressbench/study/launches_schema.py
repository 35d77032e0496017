"""The JSON Schema of a line of DIR/launches.jsonl, from the records that write it:
`python -m stressbench.study.launches_schema`.
"""

import json
from typing import Any, Literal

from pydantic import TypeAdapter

from stressbench.study.degradation.launches import JOURNAL as RATES
from stressbench.study.programs.journal import SCHEMA_VERSION
from stressbench.study.rails.launches import JOURNAL as RAILS


def launches_schema() -> dict[str, Any]:
    """The first line is a plan, each other one a launch under what that plan varies."""
    mode: Literal["serialization"] = "serialization"
    records = (RATES.plan, RATES.launch, RAILS.plan, RAILS.launch)
    told, shared = TypeAdapter.json_schemas([(one.__name__, mode, TypeAdapter(one)) for one in records])
    for record in shared["$defs"].values():
        record["required"] = sorted({*record["required"], *({"type", "schema_version"} & record["properties"].keys())})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:stressbench:launches:{SCHEMA_VERSION}",
        "title": "A line of the launches of a program",
        "description": (
            "docs/how-to/degrade.md and docs/how-to/rails.md: the plan, then a line a launch; of `stressbench degrade "
            "run -- CMD` (rates) and of `stressbench rails run -- CMD` (policies)."
        ),
        "oneOf": [told[one.__name__, mode] for one in records],
        **shared,
    }


if __name__ == "__main__":
    print(json.dumps(launches_schema(), indent=2))
