"""What follows from the public history of a game: for each seat and number, how likely it is there.

Used in lessons, at the open table, by the strongest simulated player and in the recap; never in a game.
"""
