"""The first tables of a club."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create them."""
    op.create_table(
        "club",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("pulse", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.String(length=64), nullable=False),
        sa.Column("pepper", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_club"),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("ended", sa.String(length=32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_table(
        "forgotten",
        sa.Column("mark", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("mark", name="pk_forgotten"),
    )
    op.create_table(
        "journal_pieces",
        sa.Column("game_id", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("first", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("lines", sa.LargeBinary(), nullable=False),
        sa.Column("received", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "digest", "first", name="pk_journal_pieces"),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("nickname", sa.String(length=40), nullable=True),
        sa.Column("folded", sa.String(length=160), nullable=True),
        sa.Column("full_name", sa.String(length=80), nullable=False),
        sa.Column("consent", sa.Boolean(), nullable=False),
        sa.Column("consented", sa.String(length=32), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("folded", name="uq_players_folded"),
    )
    op.create_table(
        "set_aside",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("topic", sa.String(length=200), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("received", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_set_aside"),
        sa.UniqueConstraint("digest", name="uq_set_aside_digest"),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("store", sa.String(length=64), nullable=False),
        sa.Column("online", sa.Boolean(), nullable=False),
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("software", sa.String(length=64), nullable=False),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("seen", sa.String(length=32), nullable=False),
        sa.Column("problem", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tables"),
        sa.UniqueConstraint("slug", name="uq_tables_slug"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("folded", sa.String(length=160), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("locked_until", sa.String(length=32), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("folded", name="uq_users_folded"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("who", sa.String(length=40), nullable=False),
        sa.Column("verb", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("before", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("after", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_audit_user_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_subject", "audit", ["subject"])

    op.create_table(
        "calls",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("call", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("received", sa.String(length=32), nullable=False),
        sa.Column("taken_back", sa.Boolean(), nullable=False),
        sa.Column("answered", sa.String(length=32), nullable=False),
        sa.Column("answered_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["answered_by"], ["users.id"], name="fk_calls_answered_by", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_calls_table_id"),
        sa.PrimaryKeyConstraint("id", name="pk_calls"),
        sa.UniqueConstraint("table_id", "call", name="uq_calls_table_id"),
    )
    op.create_table(
        "entrants",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("from_round", sa.Integer(), nullable=False),
        sa.Column("until_round", sa.Integer(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name="fk_entrants_event_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_entrants_player_id"),
        sa.PrimaryKeyConstraint("id", name="pk_entrants"),
        sa.UniqueConstraint("event_id", "player_id", name="uq_entrants_event_id"),
    )
    op.create_index("ix_entrants_player_id", "entrants", ["player_id"])

    op.create_table(
        "games",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("store", sa.String(length=64), nullable=False),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("began", sa.String(length=32), nullable=False),
        sa.Column("ended", sa.String(length=32), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(length=64), nullable=False),
        sa.Column("received", sa.String(length=32), nullable=False),
        sa.Column("checked", sa.String(length=64), nullable=False),
        sa.Column("verdict", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_games_table_id"),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
    )
    op.create_index("ix_games_store", "games", ["store"])
    op.create_index("ix_games_table_id", "games", ["table_id"])
    op.create_index("ix_games_task", "games", ["task"])

    op.create_table(
        "rounds",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("announced", sa.String(length=32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name="fk_rounds_event_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_rounds"),
        sa.UniqueConstraint("event_id", "number", name="uq_rounds_event_id"),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("csrf", sa.String(length=64), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("seen", sa.String(length=32), nullable=False),
        sa.Column("expires", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sessions_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name="pk_sessions"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])

    op.create_table(
        "game_seats",
        sa.Column("game_id", sa.String(length=64), nullable=False),
        sa.Column("chair", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("colour", sa.String(length=16), nullable=False),
        sa.Column("nickname", sa.String(length=40), nullable=True),
        sa.Column("forgotten", sa.Boolean(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_game_seats_game_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_game_seats_player_id"),
        sa.PrimaryKeyConstraint("game_id", "chair", name="pk_game_seats"),
    )
    op.create_index("ix_game_seats_player_id", "game_seats", ["player_id"])

    op.create_table(
        "pods",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("bye", sa.Boolean(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("task", sa.String(length=64), nullable=True),
        sa.Column("task_done", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_pods_round_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_pods_table_id"),
        sa.PrimaryKeyConstraint("id", name="pk_pods"),
        sa.UniqueConstraint("round_id", "number", name="uq_pods_round_id"),
        sa.UniqueConstraint("task", name="uq_pods_task"),
    )
    op.create_table(
        "result_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(length=64), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("received", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name="fk_result_versions_game_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_result_versions_table_id"),
        sa.PrimaryKeyConstraint("id", name="pk_result_versions"),
        sa.UniqueConstraint("game_id", "entries", "finished", "digest", name="uq_result_versions_game_id"),
    )
    op.create_table(
        "hand_results",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pod_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["pod_id"], ["pods.id"], name="fk_hand_results_pod_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_hand_results_user_id", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_hand_results"),
        sa.UniqueConstraint("pod_id", "number", name="uq_hand_results_pod_id"),
    )
    op.create_table(
        "pod_seats",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("pod_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("chair", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_pod_seats_player_id"),
        sa.ForeignKeyConstraint(["pod_id"], ["pods.id"], name="fk_pod_seats_pod_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["round_id"], ["rounds.id"], name="fk_pod_seats_round_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_pod_seats"),
        sa.UniqueConstraint("round_id", "player_id", name="uq_pod_seats_round_id"),
    )
    op.create_index("ix_pod_seats_player_id", "pod_seats", ["player_id"])
    op.create_index("ix_pod_seats_pod_id", "pod_seats", ["pod_id"])
