"""A club of many tables: what a table and the hub say to each other, and what the hub keeps.

`messages` is shared with the table's uplink. The hub and the desk share one database: `model` has its rows,
`database` opens it and brings it up to date.
"""
