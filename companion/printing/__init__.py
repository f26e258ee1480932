"""Our own decks: drawn by code, printed in real size, and photographed once for the recogniser.

A deck is data (`assets/decks/<game>.toml`: ids, copies, colours, motifs) and a few motifs drawn with one pen.
"""
