"""Composition of the programs: one module for each verb with a screen."""
