"""The Python interface: measurements as functions, results as data frames. `import stressbench` offers all of it."""
