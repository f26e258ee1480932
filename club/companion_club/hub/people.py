"""Players by nickname: entry, renaming, merging, recognition in results."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from companion_club.hub.database import fold_name, forgotten_name_hash, mark_changed
from companion_club.hub.model import (
    Audit,
    ClubRecord,
    EntrantRecord,
    ForgottenName,
    GameRecord,
    GameSeat,
    HandResult,
    PlayerRecord,
    PodRecord,
    PodSeat,
    RoundRecord,
)
from companion_club.messages import ResultPlayer as Seated

MAX_NICKNAME_LENGTH = 40


def clean_name(text: str, longest: int) -> str:
    """A name from elsewhere as it is kept: one line of printable text."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:longest].strip()


def add_players(session: Session, nicknames: Iterable[str], *, now: str) -> list[PlayerRecord]:
    """The players of these nicknames, one each; those who are new are entered.

    A whole convention takes as many queries as one player, for nobody else can write meanwhile.
    """
    kept = {fold_name(name): name for name in (clean_name(one, MAX_NICKNAME_LENGTH) for one in nicknames)}
    kept.pop("", None)
    known = {
        one.folded: one for one in session.scalars(select(PlayerRecord).where(PlayerRecord.folded.in_(kept)))
    }
    new = {key: _make_player(name, now) for key, name in kept.items() if key not in known}
    if new:
        _insert_players(session, list(new.values()))
    return [known.get(key) or new[key] for key in kept]


def find_player(session: Session, nickname: str) -> PlayerRecord | None:
    """The player of a nickname."""
    return session.scalar(select(PlayerRecord).where(PlayerRecord.folded == fold_name(nickname)))


def is_only_in_event(session: Session, player: PlayerRecord, event_id: int) -> bool:
    """Whether a player is in no other event."""
    others = select(EntrantRecord.id).where(
        EntrantRecord.player_id == player.id, EntrantRecord.event_id != event_id
    )
    return session.scalar(others.limit(1)) is None


def drop_out(session: Session, entrant: EntrantRecord) -> bool:
    """Draw a player into no further round of an event; whether the entry is gone altogether.

    It is where the player sat in no announced round of the event, as if never entered.
    """
    rounds = select(RoundRecord.id).where(
        RoundRecord.event_id == entrant.event_id, RoundRecord.state != "draft"
    )
    announced = list(session.scalars(rounds))
    sat = select(PodSeat.id).where(PodSeat.round_id.in_(announced), PodSeat.player_id == entrant.player_id)
    gone = session.scalar(sat.limit(1)) is None
    if gone:
        session.delete(entrant)
    else:
        entrant.until_round = len(announced)
    return gone


def rename_player(session: Session, player: PlayerRecord, nickname: str) -> None:
    """Another nickname for a player; games that were played under it become theirs."""
    player.nickname, player.folded = nickname, fold_name(nickname)
    _insert_players(session, [player])


def merge_players(session: Session, gone: PlayerRecord, kept: PlayerRecord) -> None:
    """Two players turn out to be one: what the first did is the other's, and the first is no more.

    They may not be in one event.
    """
    rows: list[EntrantRecord | PodSeat | GameSeat] = [
        *session.scalars(select(EntrantRecord).where(EntrantRecord.player_id == gone.id)),
        *session.scalars(select(PodSeat).where(PodSeat.player_id == gone.id)),
        *session.scalars(select(GameSeat).where(GameSeat.player_id == gone.id)),
    ]
    pods = [row.pod_id for row in rows if isinstance(row, PodSeat)]
    for row in rows:
        row.player = kept
    for result in session.scalars(select(HandResult).where(HandResult.pod_id.in_(pods))):
        result.places = [
            {**place, "player": kept.id} if place["player"] == gone.id else place for place in result.places
        ]
    for line in session.scalars(select(Audit)):
        line.before, line.after = (
            _replace_player(some, gone.id, kept.id) for some in (line.before, line.after)
        )
    session.flush()
    session.delete(gone)
    session.flush()
    mark_changed(session)


def _replace_player(some: Any, gone: int, kept: int) -> Any:
    """What a line of the audit trail names, with another number for a player."""
    if isinstance(some, list):
        return [kept if one == gone else one for one in some]
    if isinstance(some, dict) and some.get("player") == gone:
        return {**some, "player": kept}
    return some


def _make_player(nickname: str, now: str) -> PlayerRecord:
    return PlayerRecord(nickname=nickname, folded=fold_name(nickname), made=now)


def _insert_players(session: Session, players: Sequence[PlayerRecord]) -> None:
    """Add players; the games of their nicknames are theirs, and who enters again wants to be known again."""
    session.add_all(players)
    session.flush()
    club = session.get_one(ClubRecord, 1)
    marks = [forgotten_name_hash(club, one.nickname or "") for one in players]
    session.execute(delete(ForgottenName).where(ForgottenName.mark.in_(marks)))
    theirs = {one.folded: one.id for one in players}
    seats = select(GameSeat).where(GameSeat.nickname.is_not(None), GameSeat.player_id.is_(None))
    for row in session.scalars(seats):
        row.player_id = theirs.get(fold_name(row.nickname or ""))
    mark_changed(session)


def record_seats(
    session: Session, game: GameRecord, players: Sequence[Seated], forgotten: frozenset[str]
) -> None:
    """Note who sat where in a game, as its newest version says.

    `forgotten`: marks of names that are not kept any more. A game that answers a task is its pod's: a chair
    belongs to the player of that nickname, else to the one whom the desk put there, else, where as many play
    as the pod has players, to the next one clockwise.
    """
    club = session.get_one(ClubRecord, 1)
    known = {one.chair: one for one in game.seats}
    for chair in known.keys() - {one.chair for one in players}:
        game.seats.remove(known[chair])
    names: dict[int, str | None] = {}
    for one in players:
        row = known.get(one.chair) or GameSeat(chair=one.chair, forgotten=False)
        if one.chair not in known:
            game.seats.append(row)
        row.colour = clean_name(one.colour, 16)
        name = clean_name(one.nickname, MAX_NICKNAME_LENGTH)
        if name and not row.forgotten and forgotten_name_hash(club, name) not in forgotten:
            row.nickname = name
        elif not name:
            row.nickname = None
        names[one.chair] = row.nickname
    people = _players_by_chair(session, game, names)
    for row in game.seats:
        row.player_id = people.get(row.chair)


def _players_by_chair(session: Session, game: GameRecord, names: Mapping[int, str | None]) -> dict[int, int]:
    """The player of each chair, as far as it is known."""
    pod = session.scalar(select(PodRecord).where(PodRecord.task == game.task)) if game.task else None
    wanted = {fold_name(name): chair for chair, name in names.items() if name}
    if pod is None:
        found = session.scalars(select(PlayerRecord).where(PlayerRecord.folded.in_(wanted))) if wanted else ()
        return {wanted[player.folded]: player.id for player in found if player.folded}
    people: dict[int, int] = {}
    left = []
    for place in pod.seats:
        chair = wanted.get(place.player.folded or "")
        if chair is None:
            left.append(place)
        else:
            people[chair] = place.player_id
    for place in list(left):
        if place.chair is not None and place.chair in names and place.chair not in people:
            people[place.chair] = place.player_id
            left.remove(place)
    if len(names) == len(pod.seats):
        free = [chair for chair in names if chair not in people]
        people |= {chair: place.player_id for chair, place in zip(free, left, strict=False)}
    return people
