"""People, their cards and their habits: what is true, and what they do about it. Rules cannot see it."""
