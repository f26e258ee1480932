"""Draws our own card decks for printing, with the pictures from which they are recognised.

A deck is data (`assets/decks/<game>.toml`: ids, copies, colours, motifs) and a few motifs drawn with one pen.
"""
