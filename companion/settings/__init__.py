"""Settings: their model, their files, their validation."""
