"""Test suites that every game must pass, for our own games or those of others.

Nothing here needs pytest, and nothing of the running program imports it.
"""
