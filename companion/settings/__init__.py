"""The settings: their model, their files, and what is wrong with a file."""
