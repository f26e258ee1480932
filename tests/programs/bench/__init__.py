"""What this program costs, beside what others cost, in one run: `make bench`."""
