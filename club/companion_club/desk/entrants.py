"""Entry of players into an event, dropping out, and correction of nicknames."""

from collections.abc import Iterable

from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from companion.core.clock import wall_time
from companion_club.desk.actions import Actor, load_running_event, record_audit, require_unchanged
from companion_club.desk.event import display_name
from companion_club.desk.refusal import DeskRefusalError
from companion_club.hub import model, people
from companion_club.hub.database import fold_name

MAX_NAME_LENGTH = people.MAX_NICKNAME_LENGTH
MAX_ENTRANTS = 2_000
"""In an event; the largest pods of 300 tables hold 1,800."""


def enter_players(session: Session, by: Actor, event_id: int, nicknames: Iterable[str]) -> list[int]:
    """Enter people by their nicknames, from the next round that is not announced.

    Returns the players who were named though they are in the event already, or twice at once.

    Raises `DeskRefusalError` if a nickname is too long, there are too many people, or the event is over.
    """
    evening = load_running_event(session, event_id)
    wanted: dict[str, str] = {}
    doubled: set[str] = set()
    for line, text in enumerate(nicknames, start=1):
        name = people.clean_name(text, MAX_NAME_LENGTH + 1)
        if len(name) > MAX_NAME_LENGTH:
            raise DeskRefusalError("desk.refused.nickname", most=MAX_NAME_LENGTH, line=line)
        if fold_name(name) in wanted:
            doubled.add(fold_name(name))
        elif name:
            wanted[fold_name(name)] = name
    if len(wanted) + len(evening.entrants) > MAX_ENTRANTS:
        raise DeskRefusalError("desk.refused.people", most=MAX_ENTRANTS)
    inside = {one.player for one in evening.entrants}
    since = len(evening.announced_rounds) + 1
    entered = people.add_players(session, wanted.values(), now=wall_time())
    fresh = [one.id for one in entered if one.id not in inside]
    session.add_all(
        model.EntrantRecord(event_id=event_id, player_id=player, from_round=since) for player in fresh
    )
    if fresh:
        record_audit(session, by, "people.entered", f"event:{event_id}", after=fresh)
    return [one.id for one in entered if one.id in inside or one.folded in doubled]


def set_dropped_out(session: Session, by: Actor, entrant_id: int, revision: int, *, gone: bool) -> int:
    """Somebody drops out after the round that is on, or comes back; the event they belong to.

    Who was in no round that was announced is taken out of the event, as if never entered.
    """
    entrant = require_unchanged(session, model.EntrantRecord, entrant_id, revision)
    evening = load_running_event(session, entrant.event_id)
    event = f"event:{evening.event.id}"
    if not gone:
        entrant.until_round = None
        record_audit(session, by, "people.returned", event, after=[entrant.player_id])
    elif people.drop_out(session, entrant):
        record_audit(session, by, "people.removed", event, before=[entrant.player_id])
    else:
        record_audit(session, by, "people.left", event, after=[entrant.player_id])
    return evening.event.id


def correct_nickname(session: Session, by: Actor, entrant_id: int, revision: int, nickname: str) -> str:
    """Put a mistyped nickname right, wherever it is shown.

    Where the club knows somebody of that nickname from elsewhere, it is they who play here, and always did;
    returns how they are called, else nothing. Raises `DeskRefusalError` if they are in this event already,
    or the one who was mistyped has played in another.
    """
    entrant = require_unchanged(session, model.EntrantRecord, entrant_id, revision)
    evening = load_running_event(session, entrant.event_id)
    name = people.clean_name(nickname, MAX_NAME_LENGTH + 1)
    if not fold_name(name) or len(name) > MAX_NAME_LENGTH:
        raise DeskRefusalError("desk.refused.new_name", most=MAX_NAME_LENGTH)
    player, was = entrant.player, entrant.player.nickname
    if was is None:
        raise DeskRefusalError("desk.refused.gone")
    if name == was:
        return ""
    known = people.find_player(session, name)
    became = ""
    if known is None or known.id == player.id:
        people.rename_player(session, player, name)
    elif known.id in evening.names or not people.is_only_in_event(session, player, evening.event.id):
        raise DeskRefusalError("desk.refused.same_name", name=known.nickname or name)
    else:
        people.merge_players(session, player, known)
        player, became = known, display_name(known)
    flag_modified(entrant, "from_round")  # a change of the name is a change of the entry
    before = {"player": player.id, "was": was}
    record_audit(session, by, "people.renamed", f"event:{evening.event.id}", before=before, after=[player.id])
    return became
