"""Readers and writers of all file formats: run files, traces, profiles, studies, labs, protocols, and TOML."""
