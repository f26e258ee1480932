"""Who plays in an event: people are entered, drop out, come back, and a mistyped nickname is put right."""

from collections.abc import Iterable

from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from companion.club import model, people
from companion.club.database import folded
from companion.core.clock import wall_time
from companion.desk.deeds import By, noted, running, unchanged
from companion.desk.evening import named
from companion.desk.refusal import Refusal

LONGEST_NAME = people.LONGEST_NICKNAME
MOST_PEOPLE = 2_000
"""In an event; the largest pods of 300 tables hold 1,800."""


def enter(session: Session, by: By, event_id: int, nicknames: Iterable[str]) -> list[int]:
    """Enter people by their nicknames, from the next round that is not announced.

    Returns the players who were named though they are in the event already, or twice at once.

    Raises `Refusal` if a nickname is too long, there are too many people, or the event is over.
    """
    evening = running(session, event_id)
    wanted: dict[str, str] = {}
    doubled: set[str] = set()
    for line, text in enumerate(nicknames, start=1):
        name = people.cleaned(text, LONGEST_NAME + 1)
        if len(name) > LONGEST_NAME:
            raise Refusal("desk.refused.nickname", most=LONGEST_NAME, line=line)
        if folded(name) in wanted:
            doubled.add(folded(name))
        elif name:
            wanted[folded(name)] = name
    if len(wanted) + len(evening.entrants) > MOST_PEOPLE:
        raise Refusal("desk.refused.people", most=MOST_PEOPLE)
    inside = {one.player for one in evening.entrants}
    since = len(evening.announced) + 1
    entered = people.enter_all(session, wanted.values(), now=wall_time())
    fresh = [one.id for one in entered if one.id not in inside]
    session.add_all(model.Entrant(event_id=event_id, player_id=player, from_round=since) for player in fresh)
    if fresh:
        noted(session, by, "people.entered", f"event:{event_id}", after=fresh)
    return [one.id for one in entered if one.id in inside or one.folded in doubled]


def leave(session: Session, by: By, entrant_id: int, revision: int, *, gone: bool) -> int:
    """Somebody drops out after the round that is on, or comes back; the event they belong to.

    Who was in no round that was announced is taken out of the event, as if never entered.
    """
    entrant = unchanged(session, model.Entrant, entrant_id, revision)
    evening = running(session, entrant.event_id)
    event = f"event:{evening.event.id}"
    if not gone:
        entrant.until_round = None
        noted(session, by, "people.returned", event, after=[entrant.player_id])
    elif people.drop_out(session, entrant):
        noted(session, by, "people.removed", event, before=[entrant.player_id])
    else:
        noted(session, by, "people.left", event, after=[entrant.player_id])
    return evening.event.id


def correct(session: Session, by: By, entrant_id: int, revision: int, nickname: str) -> str:
    """Put a mistyped nickname right, wherever it is shown.

    Where the club knows somebody of that nickname from elsewhere, it is they who play here, and always did;
    returns how they are called, else nothing. Raises `Refusal` if they are in this event already, or the one
    who was mistyped has played in another.
    """
    entrant = unchanged(session, model.Entrant, entrant_id, revision)
    evening = running(session, entrant.event_id)
    name = people.cleaned(nickname, LONGEST_NAME + 1)
    if not folded(name) or len(name) > LONGEST_NAME:
        raise Refusal("desk.refused.new_name", most=LONGEST_NAME)
    player, was = entrant.player, entrant.player.nickname
    if was is None:
        raise Refusal("desk.refused.gone")
    if name == was:
        return ""
    known = people.known(session, name)
    became = ""
    if known is None or known.id == player.id:
        people.rename(session, player, name)
    elif known.id in evening.names or not people.only_in(session, player, evening.event.id):
        raise Refusal("desk.refused.same_name", name=known.nickname or name)
    else:
        people.merge(session, player, known)
        player, became = known, named(known)
    flag_modified(entrant, "from_round")  # a change of the name is a change of the entry
    before = {"player": player.id, "was": was}
    noted(session, by, "people.renamed", f"event:{evening.event.id}", before=before, after=[player.id])
    return became
