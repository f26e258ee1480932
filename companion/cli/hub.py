"""`companion hub`: the results of a club's tables, collected, checked, copied and forgotten."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.core.plain import counted, plain
from companion.settings.extras import need
from companion.settings.model import Settings
from companion.settings.terminal import say, say_json

if TYPE_CHECKING:
    from companion.club.database import Database

OF_FILES = ("backup", "restore")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Collect the results of a club's tables, or check, copy, restore or forget what was collected.

    Raises `CompanionError` where a library or the database is missing, `InputError` for arguments that do not
    go with what is asked.
    """
    need("club")
    if args.json and args.what != "verify":
        raise InputError("--json is for companion hub verify.")
    if args.yes and args.what != "forget":
        raise InputError("--yes is for companion hub forget.")
    if args.target is None and args.what in (*OF_FILES, "forget"):
        kind = "FILE" if args.what in OF_FILES else "NAME"
        raise InputError(f"What? companion hub {args.what} {kind}")
    if args.target is not None and args.what not in (*OF_FILES, "forget"):
        raise InputError(f"{args.what} takes nothing behind it: companion hub {args.what}")
    from companion.club.database import answering, engine_of

    engine = engine_of(args.database or settings.club_database())
    try:
        with answering(engine):
            return _done(args, engine, settings)
    finally:
        engine.dispose()


def _done(args: argparse.Namespace, engine: Database, settings: Settings) -> int:
    from companion.club.database import migrate

    if args.what == "restore":
        return _restore(engine, Path(args.target))
    if args.what == "run":
        return _serve(engine, settings)
    migrate(engine, settings.club.name)
    if args.what == "backup":
        return _back_up(engine, Path(args.target))
    if args.what == "forget":
        return _forget(engine, args.target, sure=args.yes)
    return _verify(engine, as_json=args.json)


def _serve(engine: Database, settings: Settings) -> int:
    from companion.club.broker import Broker
    from companion.club.hub import Hub
    from companion.club.transport import Ended, Inbox
    from companion.run.stopping import stopped_in_order

    club = settings.club
    if not club.broker:
        raise InputError(
            "No broker is named: set club.broker in the settings, or companion --set club.broker=HOST hub"
        )
    inbox = Inbox()
    broker = Broker(club, club.name, inbox, say=say)
    hub = Hub(engine, club.name, broker, inbox, say=say)
    say(f"The hub of {club.name}, into {engine.url.render_as_string(hide_password=True)}. Ctrl-C ends it.")
    with stopped_in_order(lambda: inbox.put(Ended())) as signals:
        broker.start()
        try:
            hub.run()
        finally:
            signals.noticed()
            broker.stop()
    return 0


def _back_up(engine: Database, file: Path) -> int:
    from companion.club.backup import back_up
    from companion.settings.progress import working

    with working("Copying"):
        done = back_up(engine, file)
    say(f"Copied the club into {file}: {counted(done.rows, 'row')}. Open logins are not in it.")
    return 0


def _restore(engine: Database, file: Path) -> int:
    from companion.club.backup import restore
    from companion.club.database import sessions
    from companion.desk.logins import needs_first
    from companion.settings.progress import working

    with working("Reading it back"):
        done = restore(engine, file)
    if done.before is not None:
        say(f"What was there before is in {done.before}: companion hub restore {done.before} undoes this.")
    say(f"The club is as it was on {done.at}: {counted(done.rows, 'row')}. Everybody logs in again.")
    with sessions(engine.execution_options(reads=True))() as session:
        if needs_first(session):
            say("Nobody can run the desk by a login that is in it: companion desk --password desk makes one.")
    say("A hub that runs asks the tables for what has happened since.")
    return 0


def _forget(engine: Database, name: str, *, sure: bool) -> int:
    from companion.club.database import closed_up, sessions
    from companion.club.forgetting import forget
    from companion.core.clock import wall_time

    if not sure and not _agreed(engine, name):
        say("Nothing was changed.")
        return 1
    with sessions(engine).begin() as session:
        found = forget(session, name, wall_time())
    closed_up(engine)  # also where nothing was found: the disk may have been full the last time
    if found.anything:
        kinds = (
            (found.players, "player"),
            (found.places, "place in rounds", "places in rounds"),
            (found.seats, "seat in games", "seats in games"),
            (found.notes, "note"),
        )
        places = ", ".join(counted(*one) for one in kinds if one[0])
        say(f"{name} is gone from the club: {places}. The results stay, under a dash.")
    else:
        say(f"{name} is not known to this club. What tables send under this name is not kept from now on.")
        say(f"Entering {name} as a player at the desk undoes this.")
    for event in found.left:
        say(f"{event}: {name} has dropped out and is drawn into no further round.")
    if found.tables:
        say(f"Tables keep their own games: companion forget {name} at {', '.join(found.tables)}.")
    if found.logs_in:
        say(f"Somebody logs in at the desk as {name}: remove that login there.")
    say("Delete backups and pages you saved elsewhere yourself.")
    return 0


def _agreed(engine: Database, name: str) -> bool:
    """Whether to forget who plays now, or whom nobody knows; asked at a terminal, else `InputError`."""
    from companion.club.database import sessions
    from companion.club.forgetting import forget, is_forgotten, playing
    from companion.core.clock import wall_time

    with sessions(engine)() as session:  # a trial: nothing is committed
        places = playing(session, name)
        known = bool(places) or is_forgotten(session, name) or forget(session, name, wall_time()).anything
    if not known:
        say(f"{name} is not known to this club.")
        return _yes(name, f"Keep nothing that tables send as {name} from now on?")
    if not places:
        return True
    for place in places:
        where = f"round {place.round}, {f'pod {place.pod}' if place.pod else 'a bye'}" if place.round else ""
        say(f"{name} plays in {place.event}{where and f': {where}'}.")
    return _yes(name, f"A dash will stand there, and {name} is drawn into no further round. Forget {name}?")


def _yes(name: str, question: str) -> bool:
    """What somebody at the terminal answers; `InputError` where nobody can."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(f"Nothing was changed; to forget {name} anyway: companion hub forget {name} --yes")
    try:
        return input(plain(f"{question} [y/N] ")).strip().lower() in {"y", "yes"}
    except EOFError:
        return False


def _verify(engine: Database, *, as_json: bool) -> int:
    from companion.club.verify import FAULTS, RIGHT, verify
    from companion.settings.progress import bar, erase

    counts: Counter[str] = Counter()
    whole: list[int] = []
    for done, found in enumerate(verify(engine, count=whole.append), 1):
        if not as_json:
            bar(done, whole[0])
        counts[found.verdict] += 1
        if as_json:
            say_json(found._asdict(), indent=None)
        elif found.sentence:
            erase()
            mark = "WRONG" if found.verdict in FAULTS else "note"
            say(f"{mark}: {found.table}, game {found.game[:8]}: {found.sentence}.")
    wrong = sum(counts[verdict] for verdict in FAULTS)
    if not as_json:
        right = sum(counts[verdict] for verdict in RIGHT)
        rest = counts["missing"] + counts["newer"]
        say(
            f"{counted(right, 'result')} as the journal says, {wrong} not, {rest} not checked yet,"
            f" {counted(counts['open'], 'game')} without a result."
        )
        if older := counts["older"]:
            say(
                f"{older} of those right were refereed by older rules, as their journals claim: this program"
                " can't judge them again, and believes them."
            )
    return 1 if wrong else 0
