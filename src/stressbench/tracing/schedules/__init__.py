"""Traces as schedules: what each rank does in order, and its messages with their dependencies. Pure.

`sources` names the ranks, `events` resolves the calls of a rank, `survey` checks all ranks and learns the sizes of
messages, `collectives` has the messages of collectives, and `operations` orders them by dependencies.
"""
