"""The JSON Schemas of all files, generated from the models that read and write them.

`scripts/make_schemas.py` writes them to schema/; `tests/contract/test_schemas.py` fails if a file differs. Rules
that involve several keys, size limits, and the number of ranges are only checked when a file is read.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from stressbench.formats.figures import FigureIndex
from stressbench.formats.lab.tables import LabTable
from stressbench.formats.lab.topologies import TOPOLOGIES
from stressbench.formats.launches import coruns as corun_launches
from stressbench.formats.launches import rails, rates, validation
from stressbench.formats.machines import result as machine_result
from stressbench.formats.machines.criteria import CriteriaTable
from stressbench.formats.profiles import coruns, profile
from stressbench.formats.protocols import beff, beff_io
from stressbench.formats.run import records as run_records
from stressbench.formats.study import manifest
from stressbench.formats.study.tables import StudyTable
from stressbench.formats.topology.tables import TopologyTable
from stressbench.formats.trace import records as trace_records

Schema: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["validation", "serialization"]
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LATER_TYPE = "later_type"


class _SchemaWithoutTitles(GenerateJsonSchema):
    """Generator of schemas without a title for each key, which would only repeat its name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  pydantic's signature
        return False


def _with_header(name: str, schema: Mapping[str, Any], *, title: str, description: str) -> Schema:
    """`schema` with `$schema`, `$id`, title and description first and its definitions last."""
    definitions = {"$defs": dict(sorted(schema["$defs"].items()))} if "$defs" in schema else {}
    head = {"$schema": _DIALECT, "$id": f"urn:stressbench:{name}:1", "title": title, "description": description}
    return {**head, **{key: value for key, value in schema.items() if key not in (*head, "$defs")}, **definitions}


def _definitions(models: Iterable[type[Any]], *, mode: Mode = "validation") -> dict[str, Schema]:
    """Schemas of the models and of the models nested in them, by name of the model."""
    inputs = [(model.__name__, mode, TypeAdapter(model)) for model in models]
    _, shared = TypeAdapter.json_schemas(inputs, schema_generator=_SchemaWithoutTitles)
    definitions: dict[str, Schema] = shared["$defs"]
    return definitions


def _line_schema(
    name: str, records: Mapping[str, type[Any]], *, envelope: Mapping[str, Schema], title: str, page: str
) -> Schema:
    """Schema of one line of a file: one of `records` (models by type), with the keys of `envelope` on every line.

    Other keys and other types are allowed, since they belong to later versions.
    """
    definitions = _definitions(records.values())
    for kind, model in records.items():
        line = definitions[kind] = definitions.pop(model.__name__)
        line["properties"] = {"type": {"const": kind}, **line["properties"], **envelope}
        line["required"] = ["type", *line["required"], *envelope]
    definitions[_LATER_TYPE] = {
        "description": "A record of a type that this version does not know.",
        "type": "object",
        "properties": {"type": {"type": "string", "not": {"enum": list(records)}}},
        "required": ["type"],
    }
    schema = {"oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in (*records, _LATER_TYPE)], "$defs": definitions}
    skipped = "Keys that are not listed, and types that are not listed, belong to later versions and are skipped."
    return _with_header(name, schema, title=title, description=f"{page} in machine-readable form. {skipped}")


def run_schema() -> Schema:
    """Schema of one line of a run file."""
    return _line_schema(
        "run", run_records.RECORDS, envelope={}, title="One line of a StressBench run file", page="docs/records.md"
    )


def trace_schema() -> Schema:
    """Schema of one line of a trace file."""
    checksum = {
        "description": "CRC-32 (as in zlib) of the bytes of the line before the comma in front of this key",
        "type": "string",
        "pattern": "^[0-9a-f]{8}$",
    }
    return _line_schema(
        "trace", trace_records.RECORDS, envelope={"crc32": checksum}, title="One line of a StressBench trace file",
        page="docs/trace-format.md",
    )  # fmt: skip


def study_schema() -> Schema:
    """Schema of a study file."""
    return _with_header(
        "study", StudyTable.model_json_schema(), title="A StressBench study file (TOML)",
        description="docs/how-to/studies.md in machine-readable form.",
    )  # fmt: skip


def lab_schema() -> Schema:
    """Schema of a lab file."""
    schema = LabTable.model_json_schema()
    for kind, topology in TOPOLOGIES.items():
        table = topology.model_json_schema()
        schema["$defs"] |= table.pop("$defs", {}) | {f"topology-{kind}": table}
    schema["properties"]["topology"] = {"oneOf": [{"$ref": f"#/$defs/topology-{kind}"} for kind in TOPOLOGIES]}
    return _with_header(
        "lab",
        schema,
        title="A StressBench lab file (TOML)",
        description="docs/explanation/lab.md in machine-readable form.",
    )


def figures_schema() -> Schema:
    """Schema of the index of a directory of figures."""
    return _with_header(
        "figures", TypeAdapter(FigureIndex).json_schema(mode="serialization"),
        title="The index of a directory of figures",
        description="docs/how-to/export-reports.md: figures.json of the option --figures.",
    )  # fmt: skip


def topology_schema() -> Schema:
    """Schema of a topology file."""
    return _with_header(
        "topology", TopologyTable.model_json_schema(), title="A StressBench topology file (TOML)",
        description="docs/how-to/report.md in machine-readable form.",
    )  # fmt: skip


def sensitivity_schema() -> Schema:
    """Schema of a sensitivity profile."""
    schema = profile.ADAPTER.json_schema()
    schema["required"] = sorted({*schema["required"], "type", "schema_version"})
    schema |= {"if": {"properties": {"levels": {"minItems": 1}}}, "then": {"properties": {"alone_s": {"minItems": 1}}}}
    return _with_header(
        "sensitivity", schema, title="A StressBench sensitivity profile",
        description=(
            "docs/explanation/sensitivity.md: the impact of one application on others on one machine, and theirs on it."
        ),
    )  # fmt: skip


def observation_schema() -> Schema:
    """Schema of one line of a file of co-runs."""
    schema = coruns.ADAPTER.json_schema()
    schema["required"] = sorted({*schema["required"], "type", "schema_version"})
    return _with_header(
        "observation", schema, title="A co-run that was measured",
        description="docs/how-to/predict.md: slowdown of one application beside others; a line of a JSON Lines file.",
    )  # fmt: skip


def machine_schema() -> Schema:
    """Schema of the result of a machine."""
    schema = machine_result.ADAPTER.json_schema(schema_generator=_SchemaWithoutTitles)
    schema["required"] = sorted({*schema["required"], "type", "schema_version", "sha256"})
    return _with_header(
        "machine", schema, title="The result of a machine",
        description="docs/how-to/machine.md: what `stressbench machine run` writes as machine.json.",
    )  # fmt: skip


def criteria_schema() -> Schema:
    """Schema of a file of acceptance criteria."""
    return _with_header(
        "machine-criteria", CriteriaTable.model_json_schema(), title="Acceptance criteria of a machine (TOML)",
        description="docs/how-to/procurement.md in machine-readable form.",
    )  # fmt: skip


def launches_schema() -> Schema:
    """Schema of one line of `launches.jsonl`: the first line is the plan, every other line is a launch."""
    journals = (rates.JOURNAL, rails.JOURNAL, validation.JOURNAL, corun_launches.JOURNAL)
    records = [record for journal in journals for record in (journal.plan, journal.launch)]
    mode: Literal["serialization"] = "serialization"
    references, shared = TypeAdapter.json_schemas([(one.__name__, mode, TypeAdapter(one)) for one in records])
    for record in filter(lambda one: "properties" in one, shared["$defs"].values()):
        record["required"] = sorted({*record["required"], *({"type", "schema_version"} & record["properties"].keys())})
    return _with_header(
        "launches", {"oneOf": [references[one.__name__, mode] for one in records], **shared},
        title="A line of the launches of a program",
        description=(
            "docs/how-to/degrade.md, rails.md, validate.md and corun.md: the plan, then one line per launch or period; "
            "of `stressbench degrade run -- CMD` (rates), `stressbench rails run -- CMD` (policies), `stressbench "
            "validate` (sides) and `stressbench corun` (groups)."
        ),
    )  # fmt: skip


def _journal_schema(name: str, record: Any, *, title: str, description: str) -> Schema:
    """Schema of one line of a file of records of the type `record`, a union that `type` tells apart."""
    schema = TypeAdapter(record).json_schema(schema_generator=_SchemaWithoutTitles)
    for definition in schema["$defs"].values():
        if "const" in definition.get("properties", {}).get("type", {}):
            definition["required"] = sorted({*definition.get("required", ()), "type"})
    return _with_header(name, schema, title=title, description=description)


def beff_protocol_schema() -> Schema:
    """Schema of one line of a protocol of b_eff."""
    return _journal_schema(
        "beff-protocol", beff.Record, title="A line of a protocol of b_eff",
        description="docs/motifs/b_eff.md: settings, the time of each loop, and the end of an execution.",
    )  # fmt: skip


def beff_io_protocol_schema() -> Schema:
    """Schema of one line of a protocol of b_eff_io."""
    return _journal_schema(
        "beff-io-protocol", beff_io.Record, title="A line of a protocol of b_eff_io",
        description="docs/how-to/beff-io.md: settings, each pattern, each file, and the end of an execution.",
    )  # fmt: skip


def manifest_schema() -> Schema:
    """Schema of one line of a study's manifest."""
    return _journal_schema(
        "study-manifest", manifest.LINE, title="A line of the manifest of a study",
        description="docs/how-to/studies.md: what was planned, started, finished and failed, in this order.",
    )  # fmt: skip


def output_schema(name: str, model: Any, *, command: str) -> Schema:
    """Schema of the JSON output of `command`, generated from its `model`, a dataclass or a sequence of dataclasses."""
    schema = TypeAdapter(model).json_schema(mode="serialization")
    described = schema if "description" in schema else schema["$defs"][schema["items"]["$ref"].rpartition("/")[2]]
    return _with_header(name, schema, title=f"What `{command}` prints", description=described["description"])


SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    "beff-io-protocol": beff_io_protocol_schema,
    "beff-protocol": beff_protocol_schema,
    "figures": figures_schema,
    "lab": lab_schema,
    "launches": launches_schema,
    "machine": machine_schema,
    "machine-criteria": criteria_schema,
    "observation": observation_schema,
    "run": run_schema,
    "sensitivity": sensitivity_schema,
    "study": study_schema,
    "study-manifest": manifest_schema,
    "topology": topology_schema,
    "trace": trace_schema,
}
"""Generators of the schemas by kind of file. Those of the JSON output of commands: `stressbench.report.schemas`."""
