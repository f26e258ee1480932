"""Timing of a phone's press, without network and without a clock of its own. No network, no clock."""
