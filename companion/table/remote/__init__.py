"""What others than the people at the table see and do: phones, watchers, the club."""
