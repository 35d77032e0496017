"""The lab: a small cluster inside one Linux machine, made of network namespaces and links with stated rates.

Pure modules: the lab as a value (`topology`), `assembly` and `shapes/` (from a lab file to a lab), `routing`,
`addresses`, `plan` (the kernel configuration of a lab) and `drawing`. Modules with side effects: `lifecycle`,
`supervisor` (the root process of a lab), `enter`, `counters`, `link_control` and `link_check`.
"""
