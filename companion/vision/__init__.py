"""Vision: arrays in, readings out. Knows faces and regions, not games."""
