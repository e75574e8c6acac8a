"""The ledger of advisor defects: each one driven with and without it, and told apart by the scorers alone."""
