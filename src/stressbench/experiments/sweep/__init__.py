"""Sweeps of one factor of the network: injection bandwidth (`degrade`) and rail policies (`rails`)."""
