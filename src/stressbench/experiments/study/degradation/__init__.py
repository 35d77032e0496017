"""How much slower jobs get with less injection bandwidth: what a study over rates found (Pedretti et al.). Pure."""
