"""The agent loop: events, persistence, compaction, and what decides to go on."""
