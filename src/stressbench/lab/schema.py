"""The JSON Schema of lab files, from the tables that read them: `python -m stressbench.lab.schema` prints it."""

import json
from typing import Any

from stressbench.formats.toml.schema import headed
from stressbench.lab.shapes import shapes
from stressbench.lab.tables import LabTable


def lab_schema() -> dict[str, Any]:
    """What a lab file may hold; rules that join several keys are only checked when a file is read."""
    schema = LabTable.model_json_schema()
    definitions = dict(schema.pop("$defs"))
    kinds = []
    for shape in shapes().values():
        spec = shape.spec.model_json_schema()
        definitions |= spec.pop("$defs", {})
        name = f"topology-{shape.kind}"
        definitions[name] = spec
        kinds.append({"$ref": f"#/$defs/{name}"})
    schema["properties"]["topology"] = {"oneOf": kinds}
    return headed(schema, definitions, kind="lab", page="docs/explanation/lab.md")


if __name__ == "__main__":
    print(json.dumps(lab_schema(), indent=2))
