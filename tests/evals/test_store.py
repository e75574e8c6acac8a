from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_runs import compaction, fate, manifest, payload, trial, write_run

from backslide.evals.records import UnitFailure
from backslide.evals.redaction import redact_command, redact_text
from backslide.evals.store import RunReader, RunWriter
from backslide.harness.errors import InputError


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    """Every kind of record survives the way to disk and back, in the order in which it was appended."""
    trials = [trial(turn=30), trial(turn=36, relapse=True, retention="absent")]
    payloads = [payload(turn=1), payload(turn=2, tokens=4000)]
    compactions = [compaction(fates=[fate(unseen=True)])]

    reader = RunReader(write_run(tmp_path / "run", trials, payloads=payloads, compactions=compactions))

    assert list(reader.iter_trials()) == trials
    assert list(reader.iter_payloads()) == payloads
    assert list(reader.iter_compactions()) == compactions
    assert reader.problems == []


@settings(deadline=None, max_examples=30)
@given(cut=st.integers(min_value=1, max_value=400), words=st.text(min_size=1, max_size=40))
def test_a_torn_last_line_is_dropped_and_reported(
    tmp_path_factory: pytest.TempPathFactory, cut: int, words: str
) -> None:
    """Wherever a kill tears the last record, in the middle of a character too, the records before it are read."""
    text = words.encode("utf-8", "replace").decode("utf-8")
    run = write_run(tmp_path_factory.mktemp("torn") / "run", [trial(turn=30), trial(turn=36, text=text + "界")])
    file = run / "trials.jsonl"
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + second[: -1 - min(cut, len(second) - 2)])

    reader = RunReader(run)

    assert [item.turn for item in reader.iter_trials()] == [30]
    assert len(reader.problems) == 1
    assert "trials.jsonl:2" in reader.problems[0]
    assert "torn" in reader.problems[0]


def test_a_whole_record_without_its_newline_is_kept(tmp_path: Path) -> None:
    """Only the newline is missing: nothing of the record is lost, so it counts."""
    run = write_run(tmp_path / "run", [trial(turn=30), trial(turn=36)])
    file = run / "trials.jsonl"
    file.write_bytes(file.read_bytes().rstrip(b"\n"))

    assert len(list(RunReader(run).iter_trials())) == 2


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (b"{half\n", "not a JSON object"),
        (b"\n", "not a JSON object"),
        (b'"\xff"\n', "not a JSON object"),
        (b'[{"schema":1}]\n', "not a JSON object"),
        (b'{"schema":2}\n', "schema 2"),
        (b'{"id":"x"}\n', "no schema number"),
        (b'{"schema":1,"id":"x"}\n', "scenario: field required"),
    ],
)
def test_anything_else_that_is_corrupt_is_refused_by_file_and_line(
    tmp_path: Path, broken: bytes, complaint: str
) -> None:
    """A corrupt line in the middle is an input error of one line that names the file, the line and the defect."""
    run = write_run(tmp_path / "run", [trial(turn=30), trial(turn=36)])
    file = run / "trials.jsonl"
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + broken + second)

    with pytest.raises(InputError) as caught:
        list(RunReader(run).iter_trials())

    assert "trials.jsonl:2" in caught.value.line()
    assert complaint in caught.value.line()


def test_a_finished_run_without_its_trials_is_refused(tmp_path: Path) -> None:
    """A manifest that counts completed units beside no trials file is not an empty run."""
    run = write_run(tmp_path / "run", [trial()])
    (run / "trials.jsonl").unlink()

    with pytest.raises(InputError, match=r"trials\.jsonl is missing"):
        list(RunReader(run).iter_trials())


def test_a_run_that_did_not_end_says_so(tmp_path: Path) -> None:
    """An interrupted run is readable, and the reader names what is missing."""
    run = write_run(tmp_path / "run", [trial()], ended=None, wall_s=None, units=12, completed=5)

    assert "5 of 12 units" in RunReader(run).problems[0]


@pytest.mark.parametrize("kind", ["missing", "file", "empty"])
def test_what_is_not_a_run_directory_is_named(tmp_path: Path, kind: str) -> None:
    """A missing folder, a file and a folder without a manifest are three different mistakes."""
    path = tmp_path / "run"
    if kind == "file":
        path.write_text("no run")
    elif kind == "empty":
        path.mkdir()

    with pytest.raises(InputError) as caught:
        RunReader(path)

    expected = {"missing": "no such run directory", "file": "is a file", "empty": "holds no run.json"}
    assert expected[kind] in caught.value.line()


def test_a_folder_that_already_holds_a_run_is_not_touched(tmp_path: Path) -> None:
    """A second run never mixes with the first; the way out is named."""
    run = write_run(tmp_path / "run", [trial()])
    before = {file.name: file.read_bytes() for file in run.iterdir() if file.is_file()}

    with pytest.raises(InputError, match=r"already holds a run.*--resume"):
        RunWriter(run)

    assert {file.name: file.read_bytes() for file in run.iterdir() if file.is_file()} == before


def test_a_folder_that_cannot_be_made_is_an_input_error(tmp_path: Path) -> None:
    """A file in the way of the output folder gives one line, not a traceback."""
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(InputError, match="cannot be written"):
        RunWriter(tmp_path / "file" / "run")


def test_resuming_mends_the_torn_line_and_appends_after_it(tmp_path: Path) -> None:
    """The torn record is cut off, so that the next one does not become part of it."""
    run = write_run(tmp_path / "run", [trial(turn=30)])
    with (run / "trials.jsonl").open("ab") as file:
        file.write(b'{"schema":1,"id":"torn')

    with RunWriter(run, resume=True) as writer:
        writer.append_trial(trial(turn=36))

    reader = RunReader(run)
    assert [item.turn for item in reader.iter_trials()] == [30, 36]
    assert reader.problems == []


def test_resuming_keeps_the_records_of_finished_units_only(tmp_path: Path) -> None:
    """A unit that was interrupted runs again whole, so none of its records may stay."""
    trials = [trial(variant="naive"), trial(variant="handoff"), trial(variant="handoff", turn=36)]
    payloads = [payload(variant="naive"), payload(variant="handoff")]
    run = write_run(tmp_path / "run", trials, payloads=payloads)

    with RunWriter(run, resume=True) as writer:
        writer.keep_only({("actor-not-mutex", "naive", 0)})
        writer.append_trial(trial(variant="trim"))

    reader = RunReader(run)
    assert [item.variant for item in reader.iter_trials()] == ["naive", "trim"]
    assert [item.variant for item in reader.iter_payloads()] == ["naive"]


def test_a_run_that_was_killed_before_it_stored_anything_is_no_run(tmp_path: Path) -> None:
    """Empty files without a manifest hold nothing: there is nothing to resume, and a new run may have the folder."""
    RunWriter(tmp_path / "run").close()
    with pytest.raises(InputError, match="no run to resume; leave --resume out"):
        RunWriter(tmp_path / "run", resume=True)

    with RunWriter(tmp_path / "run") as writer:
        writer.write_manifest(manifest(completed=0, ended=None))
        writer.append_trial(trial(turn=30))

    assert [item.turn for item in RunReader(tmp_path / "run").iter_trials()] == [30]


def test_records_are_put_into_the_plans_order(tmp_path: Path) -> None:
    """Units that ran side by side interleave; within a unit the requests of a turn come before those of its probes."""
    run = tmp_path / "run"
    with RunWriter(run) as writer:
        writer.write_manifest(manifest(variants=["naive", "handoff"]))
        writer.append_payload(payload(variant="handoff", turn=30, probe="p", cause="probe"))
        writer.append_trial(trial(variant="handoff", turn=30))
        writer.append_payload(payload(variant="naive", turn=30))
        writer.append_payload(payload(variant="handoff", turn=30))
        writer.append_trial(trial(variant="naive", turn=36))
        writer.arrange({("actor-not-mutex", "naive", 0): 0, ("actor-not-mutex", "handoff", 0): 1})
        writer.append_trial(trial(variant="handoff", turn=36))

    reader = RunReader(run)
    assert [(item.variant, item.turn) for item in reader.iter_trials()] == [
        ("naive", 36),
        ("handoff", 30),
        ("handoff", 36),
    ]
    assert [(item.variant, item.probe) for item in reader.iter_payloads()] == [
        ("naive", None),
        ("handoff", None),
        ("handoff", "p"),
    ]


@pytest.mark.parametrize(("requests", "kept"), [(1, True), (2, False)])
def test_a_stored_trial_is_kept_with_all_its_requests_or_not_at_all(tmp_path: Path, requests: int, kept: bool) -> None:
    """Of a unit that broke off, the main line's records go; a trial stays if every request it made is stored."""
    own = trial(turn=30, requests=requests)
    asked = payload(turn=30, probe=own.probe, cause="probe")
    run = write_run(tmp_path / "run", [own], payloads=[payload(turn=29), asked])

    with RunWriter(run, resume=True) as writer:
        stored = writer.asked()
        writer.keep_only((), stored)

    reader = RunReader(run)
    assert stored == ({(("actor-not-mutex", "naive", 0), own.probe, 30)} if kept else set())
    assert list(reader.iter_trials()) == ([own] if kept else [])
    assert list(reader.iter_payloads()) == ([asked] if kept else [])


def test_resuming_refuses_a_corrupt_line_by_its_number(tmp_path: Path) -> None:
    """To go on would hide it; nothing is written over it."""
    run = write_run(tmp_path / "run", [trial(turn=30), trial(turn=36)])
    file = run / "trials.jsonl"
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + b"{half\n" + second)

    with pytest.raises(InputError, match=r"trials\.jsonl:2: is not a JSON object"):
        RunWriter(run, resume=True)
    assert file.read_bytes() == first + b"{half\n" + second


def test_resuming_nothing_is_an_input_error(tmp_path: Path) -> None:
    """There is nothing to continue in an empty folder."""
    with pytest.raises(InputError, match="no run to resume"):
        RunWriter(tmp_path, resume=True)


def test_a_manifest_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """No temporary file stays behind, and the second manifest is the one that is read."""
    with RunWriter(tmp_path / "run") as writer:
        writer.write_manifest(manifest(completed=0, ended=None))
        writer.write_manifest(manifest(completed=1))

    assert RunReader(tmp_path / "run").manifest.completed == 1
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == [
        "compactions.jsonl",
        "payloads.jsonl",
        "run.json",
        "sessions",
        "trials.jsonl",
    ]


def test_no_credential_reaches_the_run_directory(tmp_path: Path) -> None:
    """Keys in the command line, in base URLs and in a provider's error text are hidden wherever they stand."""
    command = [
        "backslide",
        "run",
        "--api-key",
        "hunter2hunter2",
        "--base-url",
        "https://me:pass-word@host/v1?api_key=abc123",
    ]
    failure = UnitFailure(
        scenario="x", variant="naive", seed=0, error="401: Incorrect API key provided: sk-abcdefgh12345678"
    )

    run = write_run(
        tmp_path / "run",
        [trial(unanswered="error", error="headers {'Authorization': 'Bearer qwertyuiopasdf'}")],
        command=command,
        failed=[failure],
        machine={"env": "OPENAI_API_KEY=zxcvbnm1234567"},
    )

    text = (run / "run.json").read_text() + (run / "trials.jsonl").read_text()
    for secret in ("hunter2", "pass-word", "abc123", "sk-abcdefgh", "qwertyuiop", "zxcvbnm"):
        assert secret not in text
    assert json.loads((run / "run.json").read_text())["command"][:3] == ["backslide", "run", "--api-key"]


def test_ordinary_words_are_left_alone() -> None:
    """Hiding credentials does not touch token counts, plain URLs or sentences."""
    text = "peak 11,900 tokens at https://host:8000/v1 with --max-tokens=4000; the password prompt is skipped"

    assert redact_text(text) == text
    assert redact_command(["run", "--seeds", "3", "--out", "runs/x"]) == [
        "run",
        "--seeds",
        "3",
        "--out",
        "runs/x",
    ]
