"""The table's doors: what leaves it for other processes, and what it hears from them. No network here."""
