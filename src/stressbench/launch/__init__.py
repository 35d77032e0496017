"""Starting the engine under MPI: builders return argument lists and start nothing, `execute` starts and ends ranks."""
