"""Options shared by several commands: classes of related options, and types of single options."""
