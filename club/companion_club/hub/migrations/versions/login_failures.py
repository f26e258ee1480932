"""Migration that counts wrong passwords for each address or device of a login, not for the login itself."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Two tables, and two columns fewer."""
    op.create_table(
        "login_failures",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("locked_until", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_login_failures_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "source", name="pk_login_failures"),
    )
    op.create_table(
        "login_devices",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("seen", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_login_devices_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name="pk_login_devices"),
    )
    op.create_index("ix_login_devices_user_id", "login_devices", ["user_id"])
    with op.batch_alter_table("users") as users:
        users.drop_column("misses")
        users.drop_column("locked_until")
