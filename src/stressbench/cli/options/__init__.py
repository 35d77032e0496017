"""Options that several commands have: classes of options that belong together, and types of single options."""

from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.single import AsJson, Engine, RanksPerNode, TargetName

__all__ = ["AsJson", "Engine", "RanksPerNode", "TargetName", "with_options"]
