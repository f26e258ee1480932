"""From frames to readings at a table: the table reader, and the wizards that need a camera."""
