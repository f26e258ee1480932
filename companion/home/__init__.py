"""Uplink: the process that tells an MQTT broker how a table is, and Home Assistant what is played."""
