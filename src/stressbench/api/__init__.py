"""The Python interface: measurements as functions, results as data frames. `import stressbench` exports all of it."""
