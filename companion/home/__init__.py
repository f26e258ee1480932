"""Uplink: the process that forwards what a table sends to an MQTT broker."""
