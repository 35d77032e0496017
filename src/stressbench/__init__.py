"""StressBench: what congestion does to real applications."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("stressbench")
except PackageNotFoundError:  # imported from a source tree that was not installed
    __version__ = "0+uninstalled"
