"""Programs that run at the same time: how much each slows the others (`corun`)."""
