"""Terms and symbols: an entry in the right column for each one that is clicked, and a list of those in sight."""
