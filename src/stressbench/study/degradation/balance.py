"""Injection bandwidth against what a node computes, as Tables 1 and 3 of Pedretti et al. have it."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Of the machine: peak of a node, and what it injects at the full rate; None is unknown."""

    gflops: float | None = None
    injection_gb_per_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """At one rate, as the rate says: bytes that a node can send per operation, and how many times fewer than at 1."""

    rate: str
    injection_gb_per_s: float | None
    bytes_per_flop: float | None
    factor_worse: float


def balances_of(rates: Iterable[Fraction], node: Node) -> tuple[Balance, ...]:
    """One for each rate."""
    return tuple(_balance(rate, node) for rate in rates)


def _balance(rate: Fraction, node: Node) -> Balance:
    injected = None if node.injection_gb_per_s is None else node.injection_gb_per_s * float(rate)
    return Balance(
        rate=str(rate),
        injection_gb_per_s=injected,
        bytes_per_flop=None if injected is None or node.gflops is None else injected / node.gflops,
        factor_worse=float(1 / rate),
    )
