"""How much slower jobs get with less injection bandwidth: what a study over rates found (Pedretti et al.). Pure."""

from stressbench.study.degradation.curves import Degradation, degradation_of

__all__ = ["Degradation", "degradation_of"]
