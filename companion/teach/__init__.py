"""Teaching: lessons on a journal in memory, and the levels of help in a real game."""
