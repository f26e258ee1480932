"""Teaching: lessons on a journal in memory, the ramp from Teach to Tournament, rules at first occurrence."""
