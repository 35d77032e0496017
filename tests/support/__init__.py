"""Shared parts of the tests: builders, fakes, programs, labs."""
