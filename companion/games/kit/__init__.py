"""Base classes and helpers that the bundled games share."""
