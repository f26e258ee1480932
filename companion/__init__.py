"""A referee for real card games at a real table."""
