from __future__ import annotations

import pytest
from mailer_rule import RULE, rule

from backslide.evals.scorers.retention import PayloadText, presence, stale

PLANT = RULE["planted"][0]["text"]


def classes(text: str, origin: str = "summary") -> tuple[str, bool, bool]:
    found = presence(rule(), [PayloadText(origin, text, "summary" if origin == "summary" else "kept-raw")])
    return found.cls, found.mutated, found.inverted


def test_the_plant_sentence_is_verbatim_however_it_is_wrapped() -> None:
    """Line breaks and quote marks do not make a sentence another one."""
    wrapped = PLANT.replace("the broker", "\n> the broker")
    assert [classes(f"He said:\n{text}\nDone.")[0] for text in (PLANT, wrapped)] == ["verbatim", "verbatim"]


@pytest.mark.parametrize(
    "text",
    [
        "Celery is ruled out for the mail jobs.",
        "## Rejected paths\n- a task queue for mail jobs (broker died)\n\n## Next\n- digest",
        "Jobs of the mailer: Celery was measured and dropped for good. Do not bring it back.",
        "We tried Celery for the mail jobs. That is off the table.",
        "mailer/: never Celery",
        "邮件不要用 Celery，走 outbox 表。",
        "【已否决】\n- 邮件的任务队列",
    ],
)
def test_subject_and_rejection_in_one_statement_is_stated(text: str) -> None:
    """A heading's stance carries to its bullets, and a follow-up that only goes on belongs to the statement."""
    assert classes(text) == ("stated", False, False)


@pytest.mark.parametrize(
    "text",
    [
        "We discussed Celery and other ways to run the mail jobs.",
        "Read mailer/celery_app.py; the Celery jobs were looked at.",
        "邮件任务讨论了 Celery 和 outbox 两种思路。",
    ],
)
def test_the_subject_without_the_rejection_is_diluted(text: str) -> None:
    """The first seed's failure: the decision is told as a topic."""
    assert classes(text) == ("diluted", False, False)


def test_words_that_look_alike_are_absent() -> None:
    """Half of the subject is none."""
    assert classes("The mail jobs are fast now; no queue at the counter.")[0] == "absent"


def test_a_statement_that_allows_it_later_is_inverted() -> None:
    """The last word in the payload counts; inverted counts as absent and is flagged."""
    early = PayloadText("user", PLANT)
    late = PayloadText("summary", "Celery is allowed for the mail jobs now.", "summary")
    assert presence(rule(), [early]).alive
    found = presence(rule(), [early, late])
    assert (found.cls, found.inverted, found.where) == ("absent", True, None)
    assert presence(rule(), [late, early]).cls == "verbatim"


def test_a_rule_for_another_place_is_mutated() -> None:
    """The rule holds in mailer/; a ban that speaks of tools/ alone is another rule."""
    assert classes("No Celery for jobs in tools/, it is ruled out there.") == ("absent", True, False)


def test_a_log_line_with_a_denial_is_no_statement_of_the_rule() -> None:
    """In tool traffic only a declared rejection counts."""
    assert classes("ERROR celery mail jobs: cannot connect, not ready", "tool_results")[0] == "diluted"
    assert classes("AGENTS.md: task queues are ruled out for mail", "tool_results")[0] == "stated"


def test_the_carrier_of_the_best_class_is_reported_with_its_place() -> None:
    """Where it was found: the text's own carrier, and the span in that text."""
    texts = [
        PayloadText("assistant", "We discussed Celery for mail."),
        PayloadText("tool_results", "Note: no Celery for mail jobs, it is off the table.", "file"),
    ]
    found = presence(rule(), texts)
    assert (found.cls, found.where, found.text_index) == ("stated", "file", 1)
    proof = found.evidence[0]
    assert texts[1].text[proof.start : proof.end] == proof.text


def test_without_recall_data_the_names_and_any_rejection_serve() -> None:
    """A constraint in a user's own file needs no recall block."""
    bare = rule(recall=None)
    assert presence(bare, [PayloadText("user", "Celery is ruled out.")]).cls == "stated"
    assert presence(bare, [PayloadText("user", "Celery has a logo.")]).cls == "diluted"


LIFT = {"turn": 3, "text": "From today Celery is allowed again for mail jobs.", "replaced_by": None}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([PLANT], True),
        ([PLANT, LIFT["text"]], False),
        ([LIFT["text"], "Constraints: no Celery for mail jobs."], True),
        (
            ["Celery was ruled out for mail jobs at first; that no longer applies, Celery is allowed again for mail."],
            False,
        ),
        (["The outbox works."], False),
    ],
)
def test_a_lifted_rule_that_is_still_stated_is_stale(texts: list[str], expected: bool) -> None:
    """A ban is stale unless a later statement lifts it."""
    payload = [PayloadText("summary", text, "summary") for text in texts]
    assert stale(rule(lifted=LIFT), payload).stale is expected
