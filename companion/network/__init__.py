"""Sockets by which the table talks to other processes of its machine. No network here."""
