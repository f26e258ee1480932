"""What doctor, press, replay and misread find out."""
