"""Web application for the organisers of a club event: pairing, results, standings.

It reads and writes the club's database (`companion.club`); no table imports it.
"""
