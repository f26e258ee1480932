"""A club's evening: what tables and their hub say to each other, and the hub that keeps it."""
