"""What a machine adds that is only a table: systemd, switching off, USB sticks, device locks."""
