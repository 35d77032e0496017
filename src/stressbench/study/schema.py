"""The JSON Schema of study files, from the tables that read them: `python -m stressbench.study.schema` prints it."""

import json
from typing import Any

from stressbench.formats.toml.schema import headed
from stressbench.study.tables import StudyTable


def study_schema() -> dict[str, Any]:
    """What a study file may hold; rules that join several keys are only checked when a file is read."""
    schema = StudyTable.model_json_schema()
    definitions = dict(schema.pop("$defs"))
    return headed(schema, definitions, kind="study", page="docs/how-to/studies.md")


if __name__ == "__main__":
    print(json.dumps(study_schema(), indent=2))
