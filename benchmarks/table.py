"""Print what a turn costs at 50, 200, 1,000 and 5,000 turns; each size runs in a process of its own.

python benchmarks/table.py [--window 8000]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tabulate import tabulate

SIZES = (50, 200, 1_000, 5_000)


def measure(turns: int, window: int) -> dict[str, Any]:
    """Return the figures of one drive."""
    script = Path(__file__).with_name("drive.py")
    command = [sys.executable, str(script), "--turns", str(turns), "--window", str(window), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    """Measure all sizes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--window", type=int, default=8_000, help="context window in tokens")
    options = parser.parse_args()
    rows = []
    for turns in SIZES:
        result = measure(turns, options.window)
        rows.append(
            [
                f"{turns:,}",
                result["compactions"],
                f"{result['ms_per_turn']:.2f}",
                f"{result['ms_per_turn_last_tenth']:.2f}",
                f"{result['tokenized_bytes'] / result['text_bytes']:.2f}",
                f"{result['peak_rss_mb']:.0f}",
                f"{result['store_bytes'] / turns:,.0f}",
            ]
        )
    head = [
        "turns",
        "compactions",
        "ms a turn",
        "in the last tenth",
        "bytes tokenized / text",
        "peak MB",
        "stored bytes a turn",
    ]
    print(f"Whole drive: append, compaction, meter, store; window {options.window:,} tokens, simulated models.\n")
    print(tabulate(rows, headers=head, disable_numparse=True, stralign="right"))


if __name__ == "__main__":
    main()
