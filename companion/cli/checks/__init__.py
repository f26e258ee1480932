"""Checks of the hardware, the settings or stored games, behind the diagnostic commands."""
