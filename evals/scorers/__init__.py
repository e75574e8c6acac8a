"""Scorers: relapse, over-restriction, retention, and how they agree with labelled rows."""
