"""Values in TOML syntax."""

import json


def toml_text(value: object) -> str:
    """A text, a number, or a list of them in TOML syntax. The escapes of JSON are valid in TOML."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
