"""Whole games without a table: statistics, practice, the open table, calibration."""
