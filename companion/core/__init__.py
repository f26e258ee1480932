"""Vocabulary of the games that every other package uses: actions, observations, events, rules, views."""
