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
    written = {
        "ratesPlan": RATES.plan, "rateLaunch": RATES.launch, "railsPlan": RAILS.plan, "railsLaunch": RAILS.launch,
    }  # fmt: skip
    mode: Literal["serialization"] = "serialization"
    inputs = [(name, mode, TypeAdapter(record)) for name, record in written.items()]
    by_name, shared = TypeAdapter.json_schemas(inputs)
    for record in shared["$defs"].values():
        if "type" in record["properties"]:
            record["required"] = sorted(
                {*record["required"], "type", *({"schema_version"} & set(record["properties"]))}
            )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:stressbench:launches:{SCHEMA_VERSION}",
        "title": "A line of the launches of a program",
        "description": (
            "docs/degrade.md and docs/rails.md: the plan, then a line a launch; of `stressbench degrade run -- CMD` "
            "(rates) and of `stressbench rails run -- CMD` (policies)."
        ),
        "oneOf": [by_name[name, mode] for name in written],
        **shared,
    }


if __name__ == "__main__":
    print(json.dumps(launches_schema(), indent=2))
