"""Pictures and pages made from run files: `page` for the browser, `terminal` for the shell."""
