"""What profiles and predictions say, drawn and told: figures, tables of words, formats."""
