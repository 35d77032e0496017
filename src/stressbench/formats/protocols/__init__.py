"""The protocols that `b_eff` and `b_eff_io` write with `--protocol`: models and readers."""
