"""Everything that is known about Kabuki."""
