"""The tab "References": every printed number beside the computed one."""
