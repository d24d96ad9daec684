"""The page in which the engine runs in a browser, and what makes it."""
