"""Run the command line with ``python -m backslide``."""

from __future__ import annotations

from backslide.app import main

if __name__ == "__main__":
    main()
