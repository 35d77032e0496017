"""How much slower jobs get with less injection bandwidth: what a study over rates found (paper 004). Pure."""

from stressbench.study.degradation.curves import Degradation, degradation_of

__all__ = ["Degradation", "degradation_of"]
