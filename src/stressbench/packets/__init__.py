"""Runs of workloads on a network that ns-3 simulates packet by packet; as a program: `python -m stressbench.packets`.

`options` are those of the engine that apply, `jobs` asks the engine for the calls of jobs and writes schedules,
`rounds` plans and simulates rounds, and `run_file` writes the records.
"""
