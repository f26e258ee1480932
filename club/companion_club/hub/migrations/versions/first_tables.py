"""Migration that creates the tables of a club."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create them; keys and indices are named by the convention in `companion_club.hub.model.Base`."""
    op.create_table(
        "club",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("slug", sa.String(64), nullable=False),
        sa.Column("pulse", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.String(64), nullable=False),
        sa.Column("pepper", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("made", sa.String(32), nullable=False),
        sa.Column("ended", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
    )
    op.create_table(
        "forgotten",
        sa.Column("mark", sa.String(64), primary_key=True),
        sa.Column("at", sa.String(32), nullable=False),
    )
    op.create_table(
        "journal_pieces",
        sa.Column("game_id", sa.String(64), primary_key=True),
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("first", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("lines", sa.LargeBinary(), nullable=False),
        sa.Column("received", sa.String(32), nullable=False),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("nickname", sa.String(40)),
        sa.Column("folded", sa.String(160), unique=True),
        sa.Column("full_name", sa.String(80), nullable=False),
        sa.Column("consent", sa.Boolean(), nullable=False),
        sa.Column("consented", sa.String(32), nullable=False),
        sa.Column("made", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
    )
    op.create_table(
        "set_aside",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("topic", sa.String(200), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.String(64), unique=True, nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("received", sa.String(32), nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("slug", sa.String(64), unique=True, nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("store", sa.String(64), nullable=False),
        sa.Column("online", sa.Boolean(), nullable=False),
        sa.Column("run", sa.String(64), nullable=False),
        sa.Column("software", sa.String(64), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("seen", sa.String(32), nullable=False),
        sa.Column("problem", sa.String(40), nullable=False),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("folded", sa.String(160), unique=True, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("password", sa.String(200), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("locked_until", sa.String(32), nullable=False),
        sa.Column("made", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("user_id", sa.Integer(), sa.ForeignKey("users.id", ondelete="SET NULL")),
        sa.Column("who", sa.String(40), nullable=False),
        sa.Column("verb", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(80), index=True, nullable=False),
        sa.Column("before", sa.JSON(none_as_null=True)),
        sa.Column("after", sa.JSON(none_as_null=True)),
    )
    op.create_table(
        "calls",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("call", sa.String(64), nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("received", sa.String(32), nullable=False),
        sa.Column("taken_back", sa.Boolean(), nullable=False),
        sa.Column("answered", sa.String(32), nullable=False),
        sa.Column("answered_by", sa.Integer(), sa.ForeignKey("users.id", ondelete="SET NULL")),
        sa.UniqueConstraint("table_id", "call"),
    )
    op.create_table(
        "entrants",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.Integer(), sa.ForeignKey("events.id", ondelete="CASCADE"), nullable=False),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("players.id"), index=True, nullable=False),
        sa.Column("from_round", sa.Integer(), nullable=False),
        sa.Column("until_round", sa.Integer()),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.UniqueConstraint("event_id", "player_id"),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("tables.id"), index=True, nullable=False),
        sa.Column("store", sa.String(64), index=True, nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("began", sa.String(32), nullable=False),
        sa.Column("ended", sa.String(32), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.JSON(none_as_null=True)),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(64), index=True, nullable=False),
        sa.Column("received", sa.String(32), nullable=False),
        sa.Column("checked", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(40), nullable=False),
    )
    op.create_table(
        "rounds",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.Integer(), sa.ForeignKey("events.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("made", sa.String(32), nullable=False),
        sa.Column("announced", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.UniqueConstraint("event_id", "number"),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column(
            "user_id", sa.Integer(), sa.ForeignKey("users.id", ondelete="CASCADE"), index=True, nullable=False
        ),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("made", sa.String(32), nullable=False),
        sa.Column("seen", sa.String(32), nullable=False),
        sa.Column("expires", sa.String(32), nullable=False),
    )
    op.create_table(
        "game_seats",
        sa.Column("game_id", sa.String(64), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("chair", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("colour", sa.String(16), nullable=False),
        sa.Column("nickname", sa.String(40)),
        sa.Column("forgotten", sa.Boolean(), nullable=False),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("players.id"), index=True),
    )
    op.create_table(
        "pods",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("round_id", sa.Integer(), sa.ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("bye", sa.Boolean(), nullable=False),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("tables.id")),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("task", sa.String(64), unique=True),
        sa.Column("task_done", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.UniqueConstraint("round_id", "number"),
    )
    op.create_table(
        "result_versions",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("game_id", sa.String(64), sa.ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.JSON(none_as_null=True)),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("received", sa.String(32), nullable=False),
        sa.UniqueConstraint("game_id", "entries", "finished", "digest"),
    )
    op.create_table(
        "hand_results",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("pod_id", sa.Integer(), sa.ForeignKey("pods.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Integer(), sa.ForeignKey("users.id", ondelete="SET NULL")),
        sa.Column("at", sa.String(32), nullable=False),
        sa.UniqueConstraint("pod_id", "number"),
    )
    op.create_table(
        "pod_seats",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("round_id", sa.Integer(), sa.ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False),
        sa.Column(
            "pod_id", sa.Integer(), sa.ForeignKey("pods.id", ondelete="CASCADE"), index=True, nullable=False
        ),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("players.id"), index=True, nullable=False),
        sa.Column("chair", sa.Integer()),
        sa.UniqueConstraint("round_id", "player_id"),
    )
