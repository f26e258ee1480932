"""Drivers for the buttons, lamps or cameras of the table."""
