"""What every table of such a file has in common."""

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of a file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
