"""Documents and figures of an MPI profile: where a program's time went, and what it sent."""
