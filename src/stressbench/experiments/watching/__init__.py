"""Live monitoring of studies and runs: reads their files, and serves what they say as a page on this machine."""
