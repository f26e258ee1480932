"""What the tests of a game import, ours and those of games from outside: conformance, perft, playthroughs,
sentences.

Nothing here needs pytest, and nothing of the running program imports it.
"""
