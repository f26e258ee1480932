"""Refereeing one game: observations in, durable rulings out."""
