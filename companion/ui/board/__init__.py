"""Parts of the game's page: the table, its players, verdicts, guidance."""
