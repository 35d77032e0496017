"""Studies: a grid of factors, one run per cell and repetition, in a directory that survives kills at any time.

Pure modules: `run_states` (the state of each run), `estimate`, `includes` and `combining` (workload texts). Modules
with side effects: `directory`, `execution`, `running`, `launching`, `packing`.
"""
