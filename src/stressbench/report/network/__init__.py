"""Layout of networks and the loads of their links, for figures and sentences. Pure."""
