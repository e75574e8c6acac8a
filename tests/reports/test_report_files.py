from __future__ import annotations

from pathlib import Path

import pytest
from stored_runs import compaction, fate, payload, trial, write_run

from backslide.evals.loading import load_run
from backslide.evals.survival import survival_curves
from backslide.harness.errors import InputError
from backslide.reports.markdown import markdown_report, plain
from backslide.reports.rows import SIMULATED
from backslide.reports.write import write_report


def sample(tmp_path: Path) -> Path:
    """A run of two scenarios and two variants with relapses, an unseen loss and payloads."""
    trials = [
        trial(scenario, variant, turn=turn, cycle=cycle, relapse=forgets, retention="absent" if forgets else "stated")
        for scenario in ("actor-not-mutex", "no-moment")
        for variant in ("handoff", "naive")
        for turn, cycle in ((20, 0), (30, 1), (36, 2))
        for forgets in (variant == "naive" and cycle == 2,)
    ]
    payloads = [payload(variant=v, turn=turn, tokens=1000 * turn) for v in ("handoff", "naive") for turn in (1, 2, 3)]
    return write_run(tmp_path / "run", trials, payloads=payloads, compactions=[compaction(fates=[fate(unseen=True)])])


def test_a_report_is_markdown_beside_two_pictures(tmp_path: Path) -> None:
    """The Markdown refers to the pictures that stand beside it, and the pictures are PNG files of a readable size."""
    files = write_report(load_run(sample(tmp_path)), tmp_path / "out")

    report, survival, growth = files
    assert [file.name for file in files] == ["report.md", "survival.png", "payload.png"]
    assert all(f"]({file.name})" in report.read_text() for file in (survival, growth))
    for picture in (survival, growth):
        data = picture.read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        assert int.from_bytes(data[16:20]) >= 900


def test_the_report_holds_what_the_table_holds_and_more(tmp_path: Path) -> None:
    """Simulated or not, rates, half-life, unseen losses by carrier, worst failures and provenance are all there."""
    run = load_run(sample(tmp_path))

    text = markdown_report(run, survival_curves(run.trials, run.variants)).replace("\N{NO-BREAK SPACE}", " ")

    assert text.index(SIMULATED) < text.index("## Totals")
    assert "2/6 (33 %)" in text
    assert "2 cycles" in text
    assert "not reached" in text
    assert "said-once" in text
    assert "`actor-not-mutex/naive/s0/persist-next@36`" in text
    assert "hash-of-actor-not-mutex" in text


def test_what_a_model_wrote_cannot_break_a_table(tmp_path: Path) -> None:
    """Pipes, line breaks, HTML and links in a reply stay text inside their cell."""
    hostile = "a | b\n<script>x</script> [link](http://e) a global mutex"
    run = load_run(write_run(tmp_path / "run", [trial(relapse=True, retention="absent", text=hostile)]))

    text = markdown_report(run, survival_curves(run.trials, run.variants))

    assert "<script>" not in text
    assert "[link](" not in text
    rows = [line for line in text.splitlines() if "persist-next@30" in line]
    assert len(rows) == 1
    assert plain("a|b\nc") == "a\\|b c"


def test_a_second_report_replaces_the_first(tmp_path: Path) -> None:
    """The same run gives the same bytes, whatever stood there before."""
    run = load_run(sample(tmp_path))
    first = [file.read_bytes() for file in write_report(run, tmp_path / "out")]

    assert [file.read_bytes() for file in write_report(run, tmp_path / "out")] == first


def test_a_run_without_trials_still_has_a_report(tmp_path: Path) -> None:
    """Nothing observed is a report with dashes, not a crash."""
    files = write_report(load_run(write_run(tmp_path / "run")), tmp_path / "out")

    assert "–" in files[0].read_text()


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """A file in the way is named."""
    (tmp_path / "out").write_text("in the way")

    with pytest.raises(InputError, match="report cannot be written"):
        write_report(load_run(sample(tmp_path)), tmp_path / "out")
