"""Reports a table's games to the hub of its club, and takes the hub's tasks."""
