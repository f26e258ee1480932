"""Web application for the organisers of a club event: pairing, results, standings.

It reads and writes the club's database (`companion_club.hub`); no table imports it.
"""
