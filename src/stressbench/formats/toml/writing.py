"""Values as TOML writes them."""

import json


def toml_text(value: object) -> str:
    """A text, a number, or a list of them. TOML takes the escapes of JSON."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
