"""Scorers of an advisor's replies, of what is sent to it, and of what the executor makes of its advice."""
