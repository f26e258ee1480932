"""The running table: the loop, one game's session, and the real parts round it."""
