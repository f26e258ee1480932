"""Camera tasks at the table: reading the cards of a game, calibration, deck enrolment."""

CALIBRATION_FILE = "calibration.json"
"""In a table's store folder: how its camera stands."""
