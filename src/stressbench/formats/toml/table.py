"""Base class of the tables of user-written TOML files."""

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of a file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
