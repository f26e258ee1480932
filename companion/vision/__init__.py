"""Card recognition in pictures: arrays in, sightings out; no game state. Knows faces and regions, not
games.
"""
