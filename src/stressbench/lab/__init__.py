"""The lab: a small cluster inside one Linux machine, of network namespaces and links that carry what they are said to.

Pure: lab files (`file`, `shapes/`), the lab as a value (`topology`), routes, addresses, the commands that
make it (`plan`), its picture (`drawing`). Effects: `keeper` (the process that is the lab), `lifecycle`, `enter`,
`counters`, `live`, `survey`.
"""
