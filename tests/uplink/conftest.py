"""The broker and the table whose uplink is tested."""

from tests.club.conftest import listener, own, stack, table  # noqa: F401 (fixtures)
