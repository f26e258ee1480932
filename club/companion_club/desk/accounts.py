"""Accounts of the desk: passwords, roles, sessions and lockout.

Passwords are kept as argon2id with the library's parameters, sessions on the server; the browser has a token
of 256 bits in a cookie, the database its hash.
"""

import secrets
from collections.abc import Mapping
from hashlib import sha256
from ipaddress import ip_address, ip_network
from types import MappingProxyType
from typing import Final, NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from companion.core.actions import SECOND
from companion.core.clock import add_to_wall_time, wall_time
from companion.core.errors import InputError
from companion_club.desk.actions import Actor, record_audit
from companion_club.desk.refusal import DeskRefusalError
from companion_club.hub import model
from companion_club.hub.database import fold_name

DESK, JUDGE, SCREEN = "desk", "judge", "screen"
ROLES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        DESK: frozenset({"look", "judge", "run"}),
        JUDGE: frozenset({"look", "judge"}),
        SCREEN: frozenset({"look"}),
    }
)
"""What each role may: look on, answer calls and write results, run events and logins."""
SESSION_LIFETIME_S = 16 * 3600
"""A session: a long day at a convention."""
SESSION_IDLE_S = 4 * 3600
"""A session that nobody used for so long ends, but for a screen's."""
MAX_FAILURES = 5
"""Wrong passwords in a row from one place until a login rests there, twice as long after each more."""
MAX_SOURCES = 256
"""Places of which wrong passwords are counted for one login; the one that rests least is forgotten first."""
MAX_DEVICES = 16
"""Browsers that are known for one login; the one not seen for longest is forgotten first."""
DEVICE_LIFETIME_S = 365 * 24 * 3600
LOCKOUT_S, MAX_LOCKOUT_S = 30, 900
MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH = 8, 200
_HASHER: Final = PasswordHasher()
_DUMMY_HASH: Final = _HASHER.hash(secrets.token_hex(16))
"""Compared where there is no such login, so that a guess of a name takes as long as one of a password."""


class Login(NamedTuple):
    """Somebody who is logged in."""

    user: int
    name: str
    role: str
    csrf: str

    def may(self, what: str) -> bool:
        return what in ROLES.get(self.role, frozenset())

    @property
    def actor(self) -> Actor:
        return Actor(self.user, self.name)


def hash_password(password: str) -> str:
    """How a password is kept; `DeskRefusalError` where it is too short. Takes some 50 ms and 64 MB on
    purpose.
    """
    if not MIN_PASSWORD_LENGTH <= len(password) <= MAX_PASSWORD_LENGTH:
        raise DeskRefusalError("desk.refused.password", least=MIN_PASSWORD_LENGTH)
    return _HASHER.hash(password)


def add_user(session: Session, by: Actor, name: str, role: str, password: str) -> None:
    """A new login; of an old one its role and password are set, and its sessions end.

    `password`: as `hash_password` gives it. Raises `DeskRefusalError` for a name that is empty or longer
    than 40 letters, or an unknown role.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= 40 or role not in ROLES:
        raise DeskRefusalError("desk.refused.login_name")
    user = session.scalar(select(model.User).where(model.User.folded == fold_name(name)))
    if user is None:
        user = model.User(name=name, folded=fold_name(name), role=role, password=password, made=wall_time())
        session.add(user)
        session.flush()
    else:
        user.role, user.password, user.disabled = role, password, False
        for ended in (model.LoginSession, model.LoginFailures, model.LoginDevice):
            session.execute(delete(ended).where(ended.user_id == user.id))
    record_audit(session, by, "login.set", f"user:{user.id}", after={"name": name, "role": role})


def disable(session: Session, by: Actor, user_id: int) -> None:
    """Close a login and end its sessions; raises `DeskRefusalError` for one's own login or an unknown one."""
    user = session.get(model.User, user_id)
    if user is None or user_id == by.id:
        raise DeskRefusalError("desk.refused.gone")
    user.disabled = True
    session.execute(delete(model.LoginSession).where(model.LoginSession.user_id == user_id))
    record_audit(session, by, "login.disabled", f"user:{user_id}", after={"name": user.name})


def needs_first_login(session: Session) -> bool:
    """Whether nobody could log in to run the desk."""
    found = select(model.User.id).where(model.User.role == DESK, ~model.User.disabled)
    return session.scalar(found) is None


def password_hash_of(session: Session, name: str) -> str:
    """The hash a password is compared with before `enter`; one that fits none if there is no such login."""
    user = session.scalar(
        select(model.User).where(model.User.folded == fold_name(name), ~model.User.disabled)
    )
    return _DUMMY_HASH if user is None else user.password


def verify_password(kept: str, password: str) -> bool:
    """Whether a password is the one that was kept. Takes as long as `hash_password`, outside any
    transaction.
    """
    try:
        return _HASHER.verify(kept, password[:MAX_PASSWORD_LENGTH])
    except (VerificationError, InvalidHashError):
        return False


def failure_source(session: Session, name: str, address: str, device: str) -> str:
    """Where wrong passwords of this login are counted: at the device, if it logged in before, else at its
    address, of IPv6 the network.

    So a stranger's guesses keep nobody out who has been here before, and nobody at another address.
    """
    known = session.get(model.LoginDevice, _hash_token(device)) if device else None
    user = _find_user(session, name)
    if known is not None and user is not None and known.user_id == user.id:
        return known.token_hash
    return address_source(address)


def address_source(address: str) -> str:
    """An address as guesses are counted by: of IPv6 its network of 64 bits, which one house has."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    return str(found) if found.version == 4 else str(ip_network((found, 64), strict=False))


def is_locked(session: Session, name: str, source: str) -> bool:
    """Whether this login has to wait at this place, because it was guessed wrong there too often."""
    user = _find_user(session, name)
    failures = None if user is None else session.get(model.LoginFailures, (user.id, source))
    return failures is not None and failures.locked_until > wall_time()


def record_failure(session: Session, name: str, source: str) -> None:
    """A wrong password: from the fifth in a row on the login rests at this place."""
    user = _find_user(session, name)
    if user is None:
        return
    failures = session.get(model.LoginFailures, (user.id, source))
    if failures is None:
        _forget_least(session, user.id)
        failures = model.LoginFailures(user_id=user.id, source=source, count=0, locked_until="")
        session.add(failures)
    failures.count += 1
    if failures.count >= MAX_FAILURES:
        rests = min(LOCKOUT_S << min(failures.count - MAX_FAILURES, 10), MAX_LOCKOUT_S)
        failures.locked_until = _wall_time_after(rests)
        details = {"count": failures.count, "from": source if "." in source or ":" in source else "–"}
        record_audit(session, Actor(user.id, user.name), "login.guessed", f"user:{user.id}", after=details)


def _forget_least(session: Session, user_id: int) -> None:
    """Make room for one more place."""
    found = model.LoginFailures
    kept = session.scalars(
        select(found).where(found.user_id == user_id).order_by(found.locked_until.desc(), found.count.desc())
    ).all()
    for one in kept[MAX_SOURCES - 1 :]:
        session.delete(one)


def remember_device(session: Session, name: str, device: str) -> str:
    """The device is known from now on; returns its token, another one if it had none of ours."""
    user = _find_user(session, name)
    if user is None:
        raise DeskRefusalError("desk.refused.wrong")
    known = session.get(model.LoginDevice, _hash_token(device)) if device else None
    if known is None or known.user_id != user.id:
        device = secrets.token_urlsafe(32)
        known = model.LoginDevice(token_hash=_hash_token(device), user_id=user.id)
        session.add(known)
    known.seen = wall_time()
    session.flush()
    found = model.LoginDevice
    devices = session.scalars(select(found).where(found.user_id == user.id).order_by(found.seen.desc())).all()
    for one in devices[MAX_DEVICES:]:
        session.delete(one)
    return device


def start_session(session: Session, name: str, source: str) -> str:
    """Start the session of a user whose password was right; returns its token.

    What was wrong at this place before is forgotten.

    Raises `DeskRefusalError` if the login is unknown or disabled.
    """
    user = session.scalar(
        select(model.User).where(model.User.folded == fold_name(name), ~model.User.disabled)
    )
    if user is None:
        raise DeskRefusalError("desk.refused.wrong")
    failures = session.get(model.LoginFailures, (user.id, source))
    if failures is not None:
        session.delete(failures)
    token, now = secrets.token_urlsafe(32), wall_time()
    session.execute(delete(model.LoginSession).where(model.LoginSession.expires < now))
    session.add(
        model.LoginSession(
            token_hash=_hash_token(token),
            user_id=user.id,
            csrf=secrets.token_urlsafe(24),
            made=now,
            seen=now,
            expires=_wall_time_after(SESSION_LIFETIME_S),
        )
    )
    return token


def end_session(session: Session, token: str) -> None:
    """Log out."""
    session.execute(delete(model.LoginSession).where(model.LoginSession.token_hash == _hash_token(token)))


def login_of_token(session: Session, token: str) -> Login | None:
    """Who has this token, if the session still lasts."""
    if not token:
        return None
    found = session.get(model.LoginSession, _hash_token(token))
    now = wall_time()
    if found is None or found.user.disabled or found.expires < now:
        return None
    if found.user.role != SCREEN and found.seen < _wall_time_after(-SESSION_IDLE_S):
        return None
    return Login(found.user.id, found.user.name, found.user.role, found.csrf)


def extend_session(session: Session, token: str) -> None:
    """Somebody did something with this token, so it does not end for a while."""
    found = session.get(model.LoginSession, _hash_token(token))
    if found is not None:
        found.seen = wall_time()


def new_login(session: Session, name: str, role: str) -> str:
    """A login with a password of its own, which is shown once."""
    password = "-".join(secrets.token_hex(2) for _ in range(4))
    add_user(session, Actor(None, "companion desk"), name, role, hash_password(password))
    return password


def role_of(session: Session, name: str) -> str:
    """What a login may; `InputError` where there is none of that name.

    Where nobody could log in to run the desk, a new name is of somebody who does.
    """
    user = session.scalar(select(model.User).where(model.User.folded == fold_name(name)))
    if user is None and needs_first_login(session):
        return DESK
    if user is None:
        there = session.scalars(select(model.User.name).order_by(model.User.folded)).all()
        raise InputError(f"There is no login {name!r}; there are: {', '.join(there)}.")
    return user.role


def _find_user(session: Session, name: str) -> model.User | None:
    return session.scalar(select(model.User).where(model.User.folded == fold_name(name)))


def _wall_time_after(seconds: int) -> str:
    return add_to_wall_time(wall_time(), seconds * SECOND)


def _hash_token(token: str) -> str:
    return sha256(token.encode()).hexdigest()
