"""A club of tables: the hub collects their results, the desk runs the evening, uplinks report."""
