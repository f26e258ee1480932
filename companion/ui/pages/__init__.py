"""The pages, each drawn from one frame and answering with a glass and commands."""
