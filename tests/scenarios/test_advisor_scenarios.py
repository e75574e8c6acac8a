"""The scenarios about the advisor, and what only such a scenario may have."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from backslide.evals.plan import plan_turns
from backslide.harness.errors import InputError
from backslide.scenarios import Scenario, resolve, validate_file
from backslide.scenarios.check_turns import tools_by_call
from backslide.scenarios.describe import describe
from backslide.scenarios.model import AssistantStep, ResultStep
from backslide.scenarios.render import RenderedResult, render
from backslide.scenarios.repository import build_repository

IDS = [
    "advisor-compacted-identity",
    "advisor-disagrees-with-user",
    "advisor-long-mirror",
    "advisor-no-trigger-task",
    "advisor-provider-faults",
    "advisor-rebase-after-compaction",
]
COMPACTED = ["advisor-compacted-identity", "advisor-long-mirror", "advisor-rebase-after-compaction"]

LEDGER_SCALE = 6
RESULT_LIMIT = 8_000
"""Characters of a tool result that a mirror shows."""

TASK = """\
tasks:
  - id: tidy
    user: Tidy up.
    steps:
      - text: Tidied.
        calls: [{tool: bash, args: {command: ls}, result: README.md}]
    done: It is tidy.
cards:
  - probe: keep-report
"""


def loaded(scenario_id: str) -> Scenario:
    """Load one scenario about the advisor, with all checks."""
    return resolve([scenario_id], advisor=True)[0]


def live_turns(scenario: Scenario) -> list[int]:
    """List the turns of the consultations that the advisor under test answers, one entry each."""
    return [turn.turn for turn in scenario.turns for step in turn.steps if isinstance(step, ResultStep) and step.live]


def messages(file: Path) -> list[str]:
    """Say what is wrong with a file, each problem in one line."""
    return [problem.error().line() for problem in validate_file(file)]


def test_all_six_are_packaged() -> None:
    """The ids are fixed."""
    assert [scenario.id for scenario in resolve(["advisor-*"], advisor=True)] == IDS


def test_a_run_passes_them_over() -> None:
    """They have no probes, so neither the default choice nor a glob brings them into a run."""
    assert not {scenario.id for scenario in resolve()} & set(IDS)
    assert not {scenario.id for scenario in resolve(["*-m*"])} & set(IDS)
    assert len(resolve(advisor=True)) == len(resolve()) + len(IDS)


@pytest.mark.parametrize(
    ("patterns", "tags"), [(["advisor-long-mirror"], []), (["advisor-*"], []), (["no-moment"], ["advisor"])]
)
def test_a_run_that_names_one_is_refused(patterns: list[str], tags: list[str]) -> None:
    """Who asks for one by its id or tag, or for nothing else by a glob, is told what drives it."""
    with pytest.raises(InputError, match="`backslide ledger` drives scenarios about the advisor"):
        resolve(patterns, tags)


@pytest.mark.parametrize("scenario_id", IDS)
def test_a_session_is_long_and_consults_live(scenario_id: str) -> None:
    """Thirty turns or more, several consultations with a whole brief, none of them answered by the script."""
    scenario = loaded(scenario_id)
    briefs = [
        call.args
        for turn in scenario.turns
        for step in turn.steps
        if isinstance(step, AssistantStep)
        for call in step.calls
        if call.tool == "advisor"
    ]

    assert len(scenario.turns) >= 30
    assert len(live_turns(scenario)) == len(briefs) >= 3
    assert all("context" in brief and len(brief) >= 3 for brief in briefs)
    assert len({brief["question"] for brief in briefs}) == len(briefs)


@pytest.mark.parametrize("scenario_id", IDS)
def test_a_session_has_realistic_proportions(scenario_id: str) -> None:
    """Mostly output of tools, thinking in most of the executor's steps, hardly a word of the user."""
    scenario = loaded(scenario_id)
    characters = describe(scenario, len).characters
    steps = [step for turn in scenario.turns for step in turn.steps if isinstance(step, AssistantStep)]

    assert 0.6 < characters.tool_share < 0.9
    assert sum(step.thinking is not None for step in steps) > len(steps) / 2
    assert characters.thinking > characters.assistant > characters.user


@pytest.mark.parametrize("scenario_id", COMPACTED)
def test_the_executor_compacts_between_consultations(scenario_id: str) -> None:
    """Two compactions or more at the default sizes, with consultations before, between and after them."""
    scenario = loaded(scenario_id)
    compactions, asked = plan_turns(scenario), live_turns(scenario)

    assert len(compactions) >= 2
    assert asked[0] < compactions[0]
    assert any(compactions[0] <= turn < compactions[1] for turn in asked)
    assert asked[-1] >= compactions[-1]


def test_a_mirror_reaches_several_hundred_thousand_characters() -> None:
    """By scale, not by writing: what a mirror would show before the last consultation of the long session."""
    scenario = loaded("advisor-long-mirror")
    shown = 0
    for turn in render(scenario, LEDGER_SCALE).turns[: live_turns(scenario)[-1]]:
        shown += len(turn.user)
        for step in turn.steps:
            shown += min(len(step.text), RESULT_LIMIT) if isinstance(step, RenderedResult) else len(step.text)

    assert shown > 300_000
    assert describe(scenario, len).characters.total < 200_000


def test_consultations_follow_each_other_where_a_provider_fails() -> None:
    """Turn after turn, so that a delivery that failed meets the next one at once."""
    asked = live_turns(loaded("advisor-provider-faults"))

    assert len(asked) >= 6
    assert sum(later - earlier == 1 for earlier, later in pairwise(asked)) >= 3


def test_tasks_bring_every_situation() -> None:
    """Routine without a trigger, being stuck, a step for good, a user who has decided, advice that changes nothing."""
    disagrees, routine = loaded("advisor-disagrees-with-user"), loaded("advisor-no-trigger-task")
    tasks = [*disagrees.tasks, *routine.tasks]

    assert len([task for task in routine.tasks if not task.has_trigger]) >= 3
    assert len([task for task in disagrees.tasks if task.disagreement is not None and task.has_trigger]) >= 3
    assert any(task.stuck_at is not None and task.advice_changes_plan for task in routine.tasks)
    assert any(task.irreversible_at is not None and not task.advice_changes_plan for task in tasks)
    assert any("\u4e00" <= sign <= "\u9fff" for task in disagrees.tasks for sign in task.user)


@pytest.mark.parametrize("scenario_id", IDS)
def test_the_facts_are_those_of_the_repository(scenario_id: str, tmp_path: Path) -> None:
    """What the file says of its workspace is what git says of the repository that is built of it."""
    scenario = loaded(scenario_id)
    built = build_repository(scenario, tmp_path)

    assert scenario.facts is not None
    assert (built.pushed, built.dirty) == (scenario.facts.pushed, scenario.facts.dirty)
    assert len(built.commits) == len(scenario.workspace.commits) >= 2


def test_a_live_result_has_no_text_before_it_is_driven(edited: Callable[..., Path]) -> None:
    """It is rendered as an empty text that says so."""
    text = "        text: |\n          Two hosts.\n        noise: {kind: buildlog, size: 400, seed: 2}\n"
    file = edited((f"{text}        tail: done\n        error: true\n", "        live: true\n"))
    step = render(resolve([str(file)])[0]).turns[2].steps[1]

    assert isinstance(step, RenderedResult)
    assert (step.tool, step.text, step.live) == ("advisor", "", True)
    assert tools_by_call(resolve([str(file)])[0].turns[2]) == {"t3a": "advisor"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('        text: "# Reports"', "        live: true", "expected `live` at the result of an advisor call, saw it at one of read"),
        ("        tail: done\n", "        live: true\n", "expected no text, noise, tail or error at a live result, saw some"),
        ('report?"}', 'report?", evidence: one}', "expected a list of texts, saw"),
        ('report?"}', 'report?", options: [1]}', "expected a list of texts"),
        ('report?"}', 'report?", leanings: no}', "unknown argument 'leanings' of advisor; did you mean 'leaning'?"),
    ],
)  # fmt: skip
def test_a_wrong_consultation_is_named(old: str, new: str, message: str, edited: Callable[..., Path]) -> None:
    """Live results belong to advisor calls alone, and the fields of a brief have their kinds."""
    assert any(message in line for line in messages(edited((old, new))))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("done: It", "stuck_at: 2\n    done: It", "tasks[0].stuck_at: expected a step from 1 to 1, saw 2"),
        ("done: It", "irreversible_at: 9\n    done: It", "tasks[0].irreversible_at: expected a step from 1 to 1"),
        ("tool: bash, args: {command: ls}", "tool: advisor, args: {question: how}", "saw a scripted consultation"),
        ("{command: ls}", "{comand: ls}", "unknown argument 'comand' of bash; did you mean 'command'?"),
        ("cards:", "  - {id: tidy, user: Again., steps: [{text: Yes.}], done: Done.}\ncards:", "stands twice"),
        ("tasks:", "facts: {pushed: true, dirty: true}\ntasks:", "expected a file of the workspace that is in no"),
    ],
)
def test_a_wrong_task_or_fact_is_named(old: str, new: str, message: str, edited: Callable[..., Path]) -> None:
    """Steps that are not there, scripted consultations and facts against the workspace are found with their line."""
    lines = messages(edited(("cards:\n  - probe: keep-report\n", TASK.replace(old, new))))

    assert len([line for line in lines if message in line]) == 1, lines


def test_a_clean_tree_has_no_file_outside_the_commits(edited: Callable[..., Path]) -> None:
    """`dirty: false` with a file in no commit contradicts itself."""
    file = edited(
        ("files: [report/weekly.py, README.md]", "files: [report/weekly.py]"),
        ("cards:\n", "facts: {pushed: true, dirty: false}\ncards:\n"),
    )

    assert any("since `dirty` is false, saw 'README.md' in none" in line for line in messages(file))


def test_only_a_scenario_about_the_advisor_may_have_no_cards(edited: Callable[..., Path]) -> None:
    """Without the tag, an empty list of probes or cards is an oversight."""
    name = "small.yaml"
    text = edited().read_text(encoding="utf-8")
    probes, turns, cards = text.index("probes:\n"), text.index("turns:\n"), text.index("cards:\n")
    file = edited(
        (text[probes:turns], "probes: []\n"), (text[cards:], "cards: []\n"), name=name
    )  # the same file without what asks

    assert [line.split(": ", 2)[-1].split(";")[0] for line in messages(file)] == [
        "expected probes in a scenario without the tag 'advisor', saw none",
        "expected cards in a scenario without the tag 'advisor', saw none",
    ]
    tagged = file.read_text(encoding="utf-8").replace("tags: [python, small]", "tags: [python, advisor]")
    file.write_text(tagged, encoding="utf-8")
    assert messages(file) == []
