"""Drives scenarios through the harness; scorers, statistics, run store, gate."""
