"""What every page is drawn with: window, theme, text, shapes, pictures."""
