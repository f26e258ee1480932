"""Alembic environment, which uses the connection that `database.migrate` has open."""

from alembic import context

from companion_club.hub.model import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite cannot alter most of a table, so Alembic makes it again
)
with context.begin_transaction():
    context.run_migrations()
