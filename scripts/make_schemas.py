"""Regenerate schema/*.schema.json from the models; with --check, only report which files differ (exit status 1)."""

import json
import sys
from pathlib import Path

from stressbench.formats.schemas import SCHEMAS
from stressbench.report.schemas import PRINTED

FOLDER = Path(__file__).resolve().parents[1] / "schema"


def main() -> int:
    """Compare or write all files."""
    differing = 0
    for name, schema in sorted({**SCHEMAS, **PRINTED}.items()):
        path = FOLDER / f"{name}.schema.json"
        text = json.dumps(schema(), indent=2) + "\n"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        differing += 1
        if "--check" in sys.argv[1:]:
            print(f"{path.name} differs from the models; run scripts/make_schemas.py")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{path.name} written")
    return 1 if differing and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
