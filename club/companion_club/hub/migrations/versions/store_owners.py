"""Migration that writes down whose each store is."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """A store is the table's that sent the newest result of it; that table's next login proves it."""
    op.create_table(
        "stores",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("proof_hash", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_stores_table_id"),
        sa.PrimaryKeyConstraint("id", name="pk_stores"),
    )
    op.execute(
        "INSERT INTO stores (id, table_id, proof_hash) SELECT store, table_id, '' FROM"
        " (SELECT store, table_id, row_number() OVER (PARTITION BY store ORDER BY received DESC, id) AS place"
        " FROM games) AS found WHERE place = 1"
    )
