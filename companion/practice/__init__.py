"""Simulated opponents of three strengths, for practice: easy, medium, and strong, which looks ahead."""
