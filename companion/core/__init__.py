"""The vocabulary that every other package uses; it imports nothing of ours."""
