"""Hub of a club: collects the results of many tables in one database.

`companion_club.messages` is shared with the table's uplink. The hub and the desk share one database:
`model` has its rows, `database` opens it and brings it up to date.
"""
