"""The suite of `stressbench machine`: sizes for the machine at hand, a study of its workloads, and the result."""
