"""The rooms of the club: what each imports of the others and of the table, and where a library may be."""

from __future__ import annotations

from graphlib import TopologicalSorter

from tests.source import CLUB, facts, modules, within

MAY_IMPORT: dict[str, set[str]] = {
    "messages": set(),
    "uplink": {"messages"},
    "hub": {"messages"},
    "desk": {"hub", "messages"},
    "cli": {"desk", "hub"},
}
"""Each room with the others that it uses, and nothing that it does not. A table has `uplink` alone."""
OF_THE_TABLE = {
    *("core", "games", "home", "language", "network", "referee", "settings", "simulation", "system"),
}
"""Rooms of the table that the club uses."""
LIBRARIES: dict[str, set[str]] = {
    "alembic": {"hub"},
    "anyio": {"desk"},
    "argon2": {"desk"},
    "jinja2": {"desk"},
    "paho": {"hub"},
    "psycopg": {"hub"},
    "sqlalchemy": {"desk", "hub"},
    "starlette": {"desk"},
    "uvicorn": {"desk"},
}
"""Where a library may be imported."""
WAITING = frozenset({"sleep", "Lock", "RLock", "Condition", "Semaphore"})


def ours() -> list[str]:
    return [module for module in modules() if within(module, CLUB)]


def room_of(name: str) -> str:
    return name.removeprefix(CLUB).removeprefix(".").partition(".")[0]


def test_each_room_imports_what_it_may_and_no_permission_is_stale() -> None:
    used: dict[str, set[str]] = {}
    for module in ours():
        names = {room_of(name) for name in facts(module).imports if within(name, CLUB)}
        used.setdefault(room_of(module), set()).update(names - {room_of(module)})
    assert used.pop("") == set()
    assert used == MAY_IMPORT
    TopologicalSorter(used).prepare()


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter(
        {
            module: [
                name for name in facts(module).imports if within(name, CLUB) and not within(module, name)
            ]
            for module in ours()
        }
    ).prepare()


def test_the_club_uses_these_rooms_of_the_table() -> None:
    names = {name for module in ours() for name in facts(module).imports if within(name, "companion")}
    assert {name.split(".")[1] for name in names} == OF_THE_TABLE


def test_each_library_has_its_one_home() -> None:
    used = {(module, name.partition(".")[0]) for module in ours() for name in facts(module).imports}
    assert [
        f"{module} imports {name}"
        for module, name in used
        if room_of(module) not in LIBRARIES.get(name, {room_of(module)})
    ] == []


def test_no_module_keeps_mutable_state() -> None:
    assert [module for module in ours() if facts(module).mutable] == []


def test_nothing_sleeps_locks_or_awaits_but_the_desk() -> None:
    for module in (module for module in ours() if room_of(module) != "desk"):
        assert not facts(module).waits, module
        assert facts(module).calls & WAITING == set(), module
        assert not any(name.endswith("Executor") for name in facts(module).calls), module
        assert not any(within(name, "asyncio", "multiprocessing") for name in facts(module).imports), module
