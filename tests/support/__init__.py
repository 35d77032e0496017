"""What tests share: builders, fakes, programs, labs."""
