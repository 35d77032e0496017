"""`launches.jsonl`: launches of a program, as `degrade run -- CMD` and `rails run -- CMD` write them."""
