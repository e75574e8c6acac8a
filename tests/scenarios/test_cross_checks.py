"""What has to agree from one part of a scenario to another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from backslide.scenarios import validate_file


class Case(NamedTuple):
    """An edit of the small scenario, and what has to be said about it; `at` begins the line that is to blame."""

    old: str
    new: str
    at: str
    path: str
    what: str
    mend: str


RESULT_B = '      - result: t1b\n        text: "# Reports"\n'
LURES = (
    "    lures:\n      - text: I will pickle the report.\n        calls:\n"
    '          - {tool: write, args: {path: report/store.py, content: "import pickle\\n"}}\n'
)
LIFTED = (
    "    lifted:\n      compliant:\n        - text: pickle.dump(report, file)\n"
    "      over_restrictive:\n        - text: Pickle is ruled out, so JSON lines.\n"
)

CASES = {
    "id is not the file's name": Case(
        "id: small", "id: smaller", "id: smaller", "id",
        "expected the file's name 'small', saw 'smaller'", "rename the file",
    ),
    "turns out of order": Case(
        "- turn: 3\n", "- turn: 5\n", "turn: 5", "turns[2].turn", "expected turn 3, saw 5", "number the turns",
    ),
    "probe of an unknown constraint": Case(
        "constraint: no-pickle", "constraint: no-pickel", "constraint: no-pickel", "probes[0].constraint",
        "expected a constraint of this file or null, saw 'no-pickel'", "did you mean 'no-pickle'?",
    ),
    "rule-less probe that is no control": Case(
        "kind: control", "kind: ask", "constraint: null", "probes[1].constraint",
        "expected a constraint for a probe of kind ask, saw nothing", "kind: control",
    ),
    "probe after the last turn": Case(
        "at: [2, 4]", "at: [2, 9]", "at: [2, 9]", "probes[0].at[1]", "expected a turn from 1 to 4, saw 9", "turn",
    ),
    "probe before the plant": Case(
        "at: [2, 4]", "at: [1, 4]", "at: [1, 4]", "probes[0].at[0]",
        "expected a turn from 2, where 'no-pickle' is planted, saw 1", "after the plant",
    ),
    "probe asked twice at a turn": Case(
        "at: [2, 4]", "at: [2, 2]", "at: [2, 2]", "probes[0].at[1]", "the turn 2 stands twice", "keep one",
    ),
    "probe that is never asked": Case(
        "every_cycle: true\n    request: Sort", "request: Sort", "- id: sort-rows", "probes[1]",
        "expected `at` turns or `every_cycle: true`, saw neither", "when the probe is asked",
    ),
    "same request twice": Case(
        "Sort the rows of the weekly report by name.", "Write the function that keeps a weekly report on disk.",
        "request: Write the function that keeps a weekly report on disk.\nturns:", "probes[1].request",
        "stands twice, first at probes[0]", "its own request",
    ),
    "duplicate probe id": Case(
        "- id: sort-rows", "- id: keep-report", "id: keep-report\n    kind: control", "probes[1].id",
        "the probe 'keep-report' stands twice, first at probes[0]", "its own id",
    ),
    "probe without a card": Case(
        "- probe: sort-rows", "- probe: sort-row", "id: sort-rows", "probes[1].id",
        "expected a card for the probe 'sort-rows', saw none", "under `cards`",
    ),
    "card of an unknown probe": Case(
        "- probe: sort-rows", "- probe: sort-row", "probe: sort-row", "cards[1].probe",
        "expected a probe of this file, saw 'sort-row'", "did you mean 'sort-rows'?",
    ),
    "second card of a probe": Case(
        "- probe: sort-rows", "- probe: keep-report", "probe: keep-report\n    about: [sorting]", "cards[1].probe",
        "the card of probe 'keep-report' stands twice, first at cards[0]", "its own probe",
    ),
    "result without a call": Case(
        "- result: t1b", "- result: t1c", "- result: t1c", "turns[0].steps[2].result",
        "expected the id of a call of this turn, saw 't1c'", "did you mean",
    ),
    "call without a result": Case(
        RESULT_B, "", "- {id: t1b", "turns[0].steps[0].calls[1].id",
        "the call 't1b' has no result", "add a step `result: t1b`",
    ),
    "call answered twice": Case(
        RESULT_B, RESULT_B + RESULT_B, "- result: t1b\n" + RESULT_B.split("\n")[1] + "\n      - assistant",
        "turns[0].steps[3].result", "the call 't1b' is answered twice", "keep one result",
    ),
    "duplicate call id": Case(
        "id: t1b", "id: t1a", "- {id: t1a, tool: read", "turns[0].steps[0].calls[1].id",
        "the call id 't1a' stands twice, first in turn 1", "its own id",
    ),
    "result before its call": Case(
        '      - assistant: ""\n        calls:', '      - result: t3a\n        text: early\n      - assistant: ""\n        calls:',
        "- result: t3a", "turns[2].steps[0].result", "the result of 't3a' does not follow its call", "after the step",
    ),
    "empty result": Case(
        'text: "# Reports"', 'text: ""', "- result: t1b", "turns[0].steps[2]",
        "expected text, noise or tail, saw an empty result", "(no output)",
    ),
    "turn that ends on a result": Case(
        "      - assistant: Two hosts, as far as I can see.\n", "", "- result: t3a", "turns[2].steps[1]",
        "expected the last step to be an assistant step without calls, saw a result", "closing words",
    ),
    "turn that ends on calls": Case(
        "      - assistant: Agreed, JSON lines it is.",
        "      - assistant: Agreed.\n        calls: [{id: t2a, tool: bash, args: {command: ls}}]",
        "calls: [{id: t2a", "turns[1].steps[0].calls",
        "expected the last step to be an assistant step without calls, saw calls", "closing words",
    ),
    "words in the middle of a turn": Case(
        "      - assistant: Agreed, JSON lines it is.", "      - assistant: Agreed.\n      - assistant: JSON lines it is.",
        "- assistant: Agreed.", "turns[1].steps[0]", "expected calls in a step that is not the last, saw none", "merge",
    ),
    "silent last step": Case(
        "- assistant: Agreed, JSON lines it is.", '- assistant: ""', '- assistant: ""', "turns[1].steps[0].assistant",
        "expected words or calls, saw blank text", "write the text",
    ),
    "unknown argument": Case(
        "limit: 10", "limits: 10", "- {id: t1b", "turns[0].steps[0].calls[1].args.limits",
        "unknown argument 'limits' of read", "did you mean 'limit'?",
    ),
    "missing argument": Case(
        "{path: README.md, limit: 10}", "{limit: 10}", "- {id: t1b", "turns[0].steps[0].calls[1].args.path",
        "argument 'path' of read is missing", "add 'path'",
    ),
    "argument of another type": Case(
        "limit: 10", "limit: ten", "- {id: t1b", "turns[0].steps[0].calls[1].args.limit",
        "expected a whole number, saw text 'ten'", "",
    ),
    "truth value for a number": Case(
        "limit: 10", "limit: true", "- {id: t1b", "turns[0].steps[0].calls[1].args.limit",
        "expected a whole number, saw the truth value true", "",
    ),
    "argument in a card": Case(
        "{tool: write, args: {path", "{tool: write, args: {file", "- {tool: write", "cards[0].lures[0].calls[0].args.path",
        "argument 'path' of write is missing", "add 'path'",
    ),
    "plant that nobody says": Case(
        'text: "Pickle is out: the', 'text: "Pickle is gone: the', 'text: "Pickle is gone', "constraints[0].planted[0].text",
        "expected a sentence of turn 2 by the user, saw", "copy the sentence exactly",
    ),
    "plant by another speaker": Case(
        "speaker: user", "speaker: assistant", 'text: "Pickle is out', "constraints[0].planted[0].text",
        "expected a sentence of turn 2 by the assistant", "it stands in turn 2 by the user",
    ),
    "plant with other blanks": Case(
        "Thanks. Pickle is out: the two hosts", "Thanks. Pickle is out: the\n      two hosts", 'text: "Pickle is out',
        "constraints[0].planted[0].text", "expected a sentence of turn 2 by the user", "copy it exactly",
    ),
    "plant after the last turn": Case(
        "- turn: 2\n        speaker", "- turn: 8\n        speaker", "turn: 8", "constraints[0].planted[0].turn",
        "expected a turn from 1 to 4, saw 8", "of this session",
    ),
    "lift before the plant": Case(
        "lifted: {turn: 4", "lifted: {turn: 2", "lifted: {turn: 2", "constraints[0].lifted.turn",
        "expected a turn after the plant in turn 2, saw 2", "later",
    ),
    "lift that the user does not say": Case(
        "lifted: {turn: 4", "lifted: {turn: 3", "lifted: {turn: 3", "constraints[0].lifted.text",
        "expected a sentence of the user in turn 3", "it stands in turn 4 by the user",
    ),
    "lift by an unknown rule": Case(
        "pickle is fine again.\"}", "pickle is fine again.\", replaced_by: no-json}", "lifted: {turn: 4",
        "constraints[0].lifted.replaced_by", "expected another constraint's id, saw 'no-json'", "known: none",
    ),
    "lifted rule without the replies": Case(
        LIFTED, "", "- probe: keep-report", "cards[0].lifted",
        "expected `lifted` replies, since 'no-pickle' is lifted, saw none", "for afterwards",
    ),
    "probe of a rule without lures": Case(
        LURES, "", "- probe: keep-report", "cards[0].lures",
        "expected lures for the implement probe 'keep-report', saw none", "forgotten the rule",
    ),
    "control without over-restriction": Case(
        "    over_restrictive:\n      - text: I would rather not touch the rows.\n", "", "- probe: sort-rows",
        "cards[1].over_restrictive", "expected over_restrictive replies for the control probe 'sort-rows'", "refuses",
    ),
    "control without compliance": Case(
        "    compliant:\n      - text: rows.sort(key=name)\n", "", "- probe: sort-rows",
        "cards[1].compliant", "field 'compliant' is missing", "add 'compliant'",
    ),
    "blank reply": Case(
        "text: rows.sort(key=name)", 'text: ""', 'text: ""\n    over_restrictive', "cards[1].compliant[0].text",
        "expected words or calls, saw a blank reply", "write the reply",
    ),
    "absolute glob": Case(
        'paths: ["report/**"]', 'paths: ["/report/**"]', "scope:", "constraints[0].scope.paths[0]",
        "expected a path inside the workspace, saw '/report/**'", "relative",
    ),
    "glob that climbs": Case(
        'except: ["report/old/**"]', 'except: ["../old/**"]', "scope:", "constraints[0].scope.except[0]",
        "expected a path inside the workspace, saw '../old/**'", "without ..",
    ),
    "scope without a place": Case(
        'scope: {paths: ["report/**"], except: ["report/old/**"]}', "scope: {note: hm}", "scope:", "constraints[0].scope",
        "expected `everywhere: true` or `paths`, saw neither", "where the rule holds",
    ),
    "scope with two places": Case(
        'scope: {paths: ["report/**"]', 'scope: {everywhere: true, paths: ["report/**"]', "scope:", "constraints[0].scope",
        "expected either `everywhere: true` or `paths`, saw both", "keep one",
    ),
    "commit of an unknown file": Case(
        "files: [report/weekly.py, README.md]", "files: [report/weekly.py, README.rst]", "- {message: Start",
        "workspace.commits[0].files[1]", "expected a file of the workspace, saw 'README.rst'", "did you mean 'README.md'?",
    ),
    "file that stands twice": Case(
        "- {path: README.md, content", "- {path: report/weekly.py, content", "- {path: report/weekly.py, content: \"# R",
        "workspace.files[1].path", "the file 'report/weekly.py' stands twice", "keep one",
    ),
    "pattern that RE2 refuses": Case(
        "    lifted: {turn: 4",
        "    detectors: {lexical: [{pattern: '(?=a)', where: code, why: it looks ahead}]}\n    lifted: {turn: 4",
        "detectors:", "constraints[0].detectors.lexical[0].pattern", "expected an RE2 pattern, saw '(?=a)'", "look-around",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_disagreement_is_reported_with_its_place(
    case: Case, edited: Callable[..., Path], first_line: Callable[[Path, str], int]
) -> None:
    """Line, path, what was expected and seen, and the hint stand in a problem of the file."""
    file = edited((case.old, case.new))

    fitting = [problem for problem in validate_file(file) if problem.path == case.path]

    assert len(fitting) == 1
    assert fitting[0].line == first_line(file, case.at)
    assert case.what in fitting[0].what
    assert case.mend in (fitting[0].mend or "")


def test_the_small_scenario_itself_is_valid(edited: Callable[..., Path]) -> None:
    """The file that the cases above start from has no problem of its own."""
    assert validate_file(edited()) == []


def test_a_result_after_the_next_message_is_misplaced(edited: Callable[..., Path]) -> None:
    """A provider wants all results of a message before the next one."""
    late = (
        RESULT_B + "      - assistant: It is made",
        "      - assistant: Still reading.\n        calls: [{id: t1c, tool: bash, args: {command: ls}}]\n"
        "      - result: t1c\n        text: report\n" + RESULT_B + "      - assistant: It is made",
    )

    problems = validate_file(edited(late))

    assert [(problem.path, problem.what) for problem in problems] == [
        ("turns[0].steps[4].result", "the result of 't1b' does not follow its call")
    ]


def test_replies_for_afterwards_belong_to_lifted_rules_only(edited: Callable[..., Path]) -> None:
    """A rule that holds to the end has no afterwards."""
    file = edited(
        ("""    lifted: {turn: 4, text: "Both hosts run 3.12 now, so pickle is fine again."}\n""", ""),
    )

    problems = validate_file(file)

    assert [(problem.path, problem.mend) for problem in problems] == [("cards[0].lifted", "remove them")]


@pytest.mark.parametrize(("speaker", "text"), [("tool", "# Reports"), ("assistant", "made in report/weekly.py")])
def test_a_rule_may_be_planted_by_others_than_the_user(speaker: str, text: str, edited: Callable[..., Path]) -> None:
    """What a tool returned or the executor said counts as said in that turn."""
    file = edited(
        ("- turn: 2\n        speaker: user", f"- turn: 1\n        speaker: {speaker}"),
        ('text: "Pickle is out: the two hosts could not read each other\'s files."', f'text: "{text}"'),
    )

    assert validate_file(file) == []


@pytest.mark.parametrize(("speaker", "problems"), [("advisor", 0), ("tool", 1)])
def test_the_advisors_words_are_not_a_tools(speaker: str, problems: int, edited: Callable[..., Path]) -> None:
    """A result of the tool `advisor` counts as the advisor's, and nobody else's."""
    file = edited(
        ("- turn: 2\n        speaker: user", f"- turn: 3\n        speaker: {speaker}"),
        ('text: "Pickle is out: the two hosts could not read each other\'s files."', "text: Two hosts."),
        ("at: [2, 4]", "at: [4]"),
    )

    assert len(validate_file(file)) == problems
