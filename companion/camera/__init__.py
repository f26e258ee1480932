"""From frames to readings at a table: the table reader, and the wizards that need a camera."""

CALIBRATION = "calibration.json"
"""In a table's store folder: how its camera stands."""
