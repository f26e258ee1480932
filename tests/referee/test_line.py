"""The line of standing entries."""

from __future__ import annotations

from companion.referee.journal.valid_entries import Node


def test_a_very_long_line_is_let_go_without_recursion() -> None:
    node: Node[int] = Node(None, 0, None)
    for state in range(200_000):
        node = Node(None, state, node)
    del node
