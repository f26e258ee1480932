"""What the verbs with a screen put together and run: the one place that knows every room of the table."""
