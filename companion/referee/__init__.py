"""One game: facts in, durable rulings out; the only writer of a journal."""
