"""Study files and the files of a study's directory: models, readers and writers."""
