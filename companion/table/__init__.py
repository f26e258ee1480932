"""The running table: its main loop, the session of one game, and what offers both to screen and phones."""
