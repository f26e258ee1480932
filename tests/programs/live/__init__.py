"""The README's own lines, run as a user runs them: `make live`."""
