"""The desk of a club evening: a process of its own that pairs people, and shows and keeps their results.

It reads and writes the club's database (`companion.club`); no table imports it.
"""
