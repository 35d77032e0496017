"""Studies: a grid of factors, one run a cell and repetition, in a directory that survives being killed at any moment.

Pure: the file (`file`, `tables`), cells and their order (`cells`), what a directory holds (`standing`), results
(`results`, `matrix`, `formats/`, `page/`). Effects: `manifest`, `directory`, `running`, `launching`, `packing`.
"""
