"""The commands, one a module; each imports what it needs when it runs, so that ``--help`` answers at once."""
