"""Options that several commands have: classes of options that belong together, and types of single options."""
