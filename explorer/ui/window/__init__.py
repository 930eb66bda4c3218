"""The window itself: its bars, its list of stages, what stands beside, and what its tabs are in."""
