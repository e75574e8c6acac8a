"""Reads a run store and writes tables, plots and documents; never runs and never scores."""
