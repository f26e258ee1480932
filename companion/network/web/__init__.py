"""Web page for phones and watchers, in a process that knows the table by its socket only.

It has an event loop, for the libraries it is built on have one. Nothing of it is imported by the table.
"""
