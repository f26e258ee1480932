"""Composition root."""


def main() -> int:
    return 0
