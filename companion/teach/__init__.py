"""Teaching: interactive lessons, as well as levels of help in a real game."""
