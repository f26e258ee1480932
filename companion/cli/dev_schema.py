"""`companion dev schema`: prints the JSON Schema of the files that this program writes."""

import argparse
from typing import Any

from companion.core.errors import CompanionError
from companion.settings.model import Settings
from companion.system.extras import CLUB_PACKAGE, install_command, load_extensions
from companion.system.terminal import print_json


def run(args: argparse.Namespace, settings: Settings) -> int:
    print_json(_build_schema(args))
    return 0


def _build_schema(args: argparse.Namespace) -> dict[str, Any]:
    if args.what == "settings":
        from companion.settings.files import settings_schema

        return settings_schema()
    if args.what == "page":
        from companion.network.messages import page_schema

        return page_schema()
    if args.what == "uplink":
        from companion.network.uplink_messages import uplink_schema

        return uplink_schema()
    if args.what == "club":
        schemas = load_extensions("companion.schemas")
        if args.what not in schemas:
            club = install_command(package=CLUB_PACKAGE)
            raise CompanionError(f"This schema is in the package {CLUB_PACKAGE}: {club}")
        return dict(schemas[args.what]())
    from companion.games import find_game_rules
    from companion.referee.journal import journal_schema

    return journal_schema(find_game_rules(args.game))
