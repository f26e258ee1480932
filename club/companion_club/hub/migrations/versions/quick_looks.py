"""Migration that gives what hub and desk look at most often an index of its own."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Calls that wait, those answered lately, and rounds that are on: a few rows of many."""
    op.create_index(
        "ix_calls_waiting",
        "calls",
        ["table_id"],
        postgresql_where=sa.text("answered = '' AND NOT taken_back"),
        sqlite_where=sa.text("answered = '' AND taken_back = 0"),
    )
    op.create_index("ix_calls_answered", "calls", ["answered"])
    announced = sa.text("state = 'announced'")
    op.create_index(
        "ix_rounds_announced", "rounds", ["announced"], postgresql_where=announced, sqlite_where=announced
    )
