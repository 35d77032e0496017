"""What a trace says: its sequence walked, spelled and compared, its profile, what becomes of it. Pure functions."""
