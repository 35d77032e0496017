"""Every file that is read or written: run files, traces, profiles, studies, labs, protocols, and TOML."""
