"""Names that a reader understands without a glossary."""

from __future__ import annotations

from tests.source import classes_twice, is_bare_participle, modules, participles

ALLOWED: dict[str, str] = {}
"""Public functions that are a bare participle all the same, each with its reason."""


def test_no_public_function_is_a_bare_participle() -> None:
    """`told` is the value that it returns; a function says what it does: `take_announcements`."""
    assert [name for name in participles() if name not in ALLOWED] == []


def test_no_module_is_a_bare_participle() -> None:
    assert [name for name in modules() if is_bare_participle(name.rpartition(".")[2])] == []


def test_no_public_class_has_the_name_of_another() -> None:
    assert classes_twice() == {}
