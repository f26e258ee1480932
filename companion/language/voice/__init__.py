"""Voice of the table: recorded clips, sounds and the output they are played on."""
