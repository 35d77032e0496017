// A simulation has no files: nothing of this room is needed.
