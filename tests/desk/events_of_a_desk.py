"""An event at a desk."""

from __future__ import annotations

from collections.abc import Callable

from tests.desk.conftest import Browser

Opened = Callable[..., Browser]
NASTY = (
    "<script>alert(1)</script>",
    "Robert'); DROP TABLE players;--",
    '" onload="alert(1)',
    "=1+1",
    "{{ 7*7 }}",
)
