"""`companion dev schema`: the JSON Schema of what this program writes."""

import argparse
from typing import Any

from companion.settings.model import Settings
from companion.settings.terminal import say_json


def run(args: argparse.Namespace, settings: Settings) -> int:
    say_json(_schema(args))
    return 0


def _schema(args: argparse.Namespace) -> dict[str, Any]:
    if args.what == "settings":
        from companion.settings.files import schema as settings_schema

        return settings_schema()
    if args.what == "page":
        from companion.doors.messages import schema as page_schema

        return page_schema()
    if args.what == "uplink":
        from companion.doors.uplink import schema as uplink_schema

        return uplink_schema()
    if args.what == "club":
        from companion.club.messages import schema as club_schema

        return club_schema()
    from companion.games.asked import game_named
    from companion.referee.journal import schema as journal_schema

    return journal_schema(game_named(args.game))
