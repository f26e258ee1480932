"""`companion hub`: runs the server that collects the results of a club's tables."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_json, print_lines, to_printable
from companion_club.cli import require_hub_libraries

if TYPE_CHECKING:
    from companion_club.hub.database import Database

FILE_TASKS = ("backup", "restore")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Collect the results of a club's tables, or check, copy, restore or forget what was collected.

    Raises `CompanionError` where a library or the database is missing, `InputError` for arguments that do not
    go with what is asked.
    """
    require_hub_libraries()
    if args.json and args.what != "verify":
        raise InputError("--json is for companion hub verify.")
    if args.yes and args.what != "forget":
        raise InputError("--yes is for companion hub forget.")
    if args.target is None and args.what in (*FILE_TASKS, "forget"):
        kind = "FILE" if args.what in FILE_TASKS else "NAME"
        raise InputError(f"What? companion hub {args.what} {kind}")
    if args.target is not None and args.what not in (*FILE_TASKS, "forget"):
        raise InputError(f"{args.what} takes nothing behind it: companion hub {args.what}")
    from companion_club.hub.database import explain_database_errors, make_engine

    engine = make_engine(args.database or settings.club_database())
    try:
        with explain_database_errors(engine):
            return _run_task(args, engine, settings)
    finally:
        engine.dispose()


def _run_task(args: argparse.Namespace, engine: Database, settings: Settings) -> int:
    from companion_club.hub.database import migrate

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
    from companion.system.signals import stop_on_signals
    from companion_club.hub.broker import HubBroker
    from companion_club.hub.hub import Hub
    from companion_club.hub.transport import Inbox, TransportEnded

    club = settings.club
    if not club.broker:
        raise InputError(
            "No broker is named: set club.broker in the settings, or companion --set club.broker=HOST hub"
        )
    inbox = Inbox()
    broker = HubBroker(club, club.name, inbox, say=print_lines)
    hub = Hub(engine, club.name, broker, inbox, connect=broker.start, say=print_lines)
    print_lines(
        f"The hub of {club.name}, into {engine.url.render_as_string(hide_password=True)}. Ctrl-C ends it."
    )
    with stop_on_signals(lambda: inbox.put(TransportEnded())) as signals:
        try:
            hub.run()
        finally:
            signals.cancel_forced_exit()
            broker.stop()
    return 0


def _back_up(engine: Database, file: Path) -> int:
    from companion.system.terminal import show_activity
    from companion_club.hub.backup import back_up

    with show_activity("Copying"):
        done = back_up(engine, file)
    print_lines(
        f"Copied the club into {file}: {count_with_noun(done.rows, 'row')}. Open logins are not in it."
    )
    return 0


def _restore(engine: Database, file: Path) -> int:
    from companion.system.terminal import show_activity
    from companion_club.desk.accounts import needs_first_login
    from companion_club.hub.backup import restore
    from companion_club.hub.database import writing_sessions

    with show_activity("Reading it back"):
        done = restore(engine, file)
    if done.before is not None:
        print_lines(
            f"What was there before is in {done.before}: companion hub restore {done.before} undoes this."
        )
    print_lines(
        f"The club is as it was on {done.at}: {count_with_noun(done.rows, 'row')}. Everybody logs in again."
    )
    with writing_sessions(engine.execution_options(reads=True))() as session:
        if needs_first_login(session):
            print_lines(
                "Nobody can run the desk by a login that is in it: companion desk --password desk makes one."
            )
    print_lines("A hub that runs asks the tables for what has happened since.")
    return 0


def _forget(engine: Database, name: str, *, sure: bool) -> int:
    from companion.core.clock import wall_time
    from companion_club.hub.database import purge_deleted, writing_sessions
    from companion_club.hub.forgetting import forget_name

    if not sure and not _confirm_forgetting(engine, name):
        print_lines("Nothing was changed.")
        return 1
    with writing_sessions(engine).begin() as session:
        found = forget_name(session, name, wall_time())
    purge_deleted(engine)  # also where nothing was found: the disk may have been full the last time
    if found.anything:
        kinds = (
            (found.players, "player"),
            (found.places, "place in rounds", "places in rounds"),
            (found.seats, "seat in games", "seats in games"),
            (found.notes, "note"),
        )
        places = ", ".join(count_with_noun(*one) for one in kinds if one[0])
        print_lines(f"{name} is gone from the club: {places}. The results stay, under a dash.")
    else:
        print_lines(
            f"{name} is not known to this club. What tables send under this name is not kept from now on."
        )
        print_lines(f"Entering {name} as a player at the desk undoes this.")
    for event in found.left:
        print_lines(f"{event}: {name} has dropped out and is drawn into no further round.")
    if found.tables:
        print_lines(f"Tables keep their own games: companion forget {name} at {', '.join(found.tables)}.")
    if found.logs_in:
        print_lines(f"Somebody logs in at the desk as {name}: remove that login there.")
    print_lines("Delete backups and pages you saved elsewhere yourself.")
    return 0


def _confirm_forgetting(engine: Database, name: str) -> bool:
    """Whether to forget who plays now, or whom nobody knows; asked at a terminal, else `InputError`."""
    from companion.core.clock import wall_time
    from companion_club.hub.database import writing_sessions
    from companion_club.hub.forgetting import find_current_seats, forget_name, is_forgotten

    with writing_sessions(engine)() as session:  # a trial: nothing is committed
        places = find_current_seats(session, name)
        known = (
            bool(places) or is_forgotten(session, name) or forget_name(session, name, wall_time()).anything
        )
    if not known:
        print_lines(f"{name} is not known to this club.")
        return _ask_yes_or_no(name, f"Keep nothing that tables send as {name} from now on?")
    if not places:
        return True
    for place in places:
        where = f"round {place.round}, {f'pod {place.pod}' if place.pod else 'a bye'}" if place.round else ""
        print_lines(f"{name} plays in {place.event}{where and f': {where}'}.")
    return _ask_yes_or_no(
        name, f"A dash will stand there, and {name} is drawn into no further round. Forget {name}?"
    )


def _ask_yes_or_no(name: str, question: str) -> bool:
    """What somebody at the terminal answers; `InputError` where nobody can."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(f"Nothing was changed; to forget {name} anyway: companion hub forget {name} --yes")
    try:
        return input(to_printable(f"{question} [y/N] ")).strip().lower() in {"y", "yes"}
    except EOFError:
        return False


def _verify(engine: Database, *, as_json: bool) -> int:
    from companion.system.terminal import draw_bar, erase_line
    from companion_club.hub.verify import FAULT_VERDICTS, GOOD_VERDICTS, verify_results

    counts: Counter[str] = Counter()
    whole: list[int] = []
    for done, found in enumerate(verify_results(engine, count=whole.append), 1):
        if not as_json:
            draw_bar(done, whole[0])
        counts[found.verdict] += 1
        if as_json:
            print_json(found._asdict(), indent=None)
        elif found.sentence:
            erase_line()
            mark = "WRONG" if found.verdict in FAULT_VERDICTS else "note"
            print_lines(f"{mark}: {found.table}, game {found.game[:8]}: {found.sentence}.")
    wrong = sum(counts[verdict] for verdict in FAULT_VERDICTS)
    if not as_json:
        right = sum(counts[verdict] for verdict in GOOD_VERDICTS)
        rest = counts["missing"] + counts["newer"]
        print_lines(
            f"{count_with_noun(right, 'result')} as the journal says, {wrong} not, {rest} not checked yet,"
            f" {count_with_noun(counts['open'], 'game')} without a result."
        )
        if older := counts["older"]:
            print_lines(
                f"{older} of those right were refereed by older rules, as their journals claim: this program"
                " can't judge them again, and believes them."
            )
    return 1 if wrong else 0
