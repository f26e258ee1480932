"""Services of a machine dedicated to the table: systemd, power, USB sticks, updates."""
