"""What a phone's press is worth: when it happened, and how much of that is known. No network, no clock."""
