"""Replacing older context by a summary: cut point, preparation, serialization, summarizer, strategies."""
