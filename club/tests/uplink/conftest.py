"""The broker and the table whose uplink is tested."""

from club.tests.hub.conftest import listener  # noqa: F401 (a fixture)
from tests.home.conftest import own, stack, table  # noqa: F401 (fixtures)
