"""The JSON Schemas of what commands print with `--json`, generated from the models that they print."""

from collections.abc import Callable, Mapping
from functools import partial

from stressbench.formats.schemas import Schema, output_schema
from stressbench.results.validation import Validation
from stressbench.stats import Comparison, RunSummary
from stressbench.tracing.profile import Profile

PRINTED: Mapping[str, Callable[[], Schema]] = {
    "compare": partial(output_schema, "compare", Comparison, command="stressbench compare --json"),
    "profile": partial(output_schema, "profile", Profile, command="stressbench profile --json"),
    "show": partial(output_schema, "show", RunSummary, command="stressbench show --json"),
    "validate": partial(output_schema, "validate", Validation, command="stressbench validate --json"),
}
