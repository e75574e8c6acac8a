"""Kill an agent at work with SIGKILL, again and again, and print what that did: nothing lost, or an error.

    python benchmarks/kill.py --kills 200 --seed 1

Each kill hits at a random moment, amid a summary, or amid a line of 200 KB; the session file must then load, hold every
acknowledged entry, report what is torn, and be gone on from. The tests use the same code.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))


def main() -> None:
    """Kill and print the count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    from killing import survive

    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        count = survive(options.kills, Path(folder), seed=options.seed)
    print(f"{count.line()}; {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
