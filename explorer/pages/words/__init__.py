"""The cards of the page "Words" as data: their state, their acts, and their elements."""
