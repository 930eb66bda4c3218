"""The cards of the page "Words" as data: what they hold, what can be done with them, and what stands on them."""
