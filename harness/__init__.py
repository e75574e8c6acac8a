"""The system under test: session tree, control plane, compaction, models and payload meter.

Usable as an agent-session library on its own; it knows nothing of scenarios, scoring or reports.
"""
