"""Documents of results: sections, tables, figures and notes, and one renderer for each format."""
