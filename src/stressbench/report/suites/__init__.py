"""Documents and figures of b_eff and b_eff_io."""
