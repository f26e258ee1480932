"""The simulated table of demo, lessons and tests."""
