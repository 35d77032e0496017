"""Documents and figures of an MPI profile: time in the application and in MPI, and messages."""
