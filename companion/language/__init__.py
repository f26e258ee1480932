"""Languages of the table: installed ones, their catalogues, words and voices."""
