from __future__ import annotations

import pytest

from backslide.evals.scorers.retention import score_retention

CASES = [
    # kept: verbatim, paraphrased, terse, under a heading, across languages, by its value, by the alternative alone
    ("Do not use Kafka; use Postgres queues.", "Decisions:\n- Do not use Kafka; use Postgres queues.", "kept"),
    ("Do not use Kafka; use Postgres queues.", "Kafka was ruled out by the user, Postgres queues serve.", "kept"),
    ("Do not use Kafka; use Postgres queues.", "no Kafka (ops)", "kept"),
    ("Do not use Kafka; use Postgres queues.", "## Rejected\n- Kafka: too heavy\n\n## Done\n- tests", "kept"),
    ("Do not use Kafka; use Postgres queues.", "【已否决】\n- Kafka\n【进度】\n- 测试通过", "kept"),
    ("不要使用 Kafka，用 Postgres 队列。", "Kafka is off the table.", "kept"),
    ("Every request has a timeout of 30 seconds.", "- all requests: timeout 30 s", "kept"),
    ("No threads in the importer.", "导入：不许用线程", "kept"),
    # weakened
    ("Do not use Kafka; use Postgres queues.", "We compared Kafka and Postgres queues.", "weakened"),
    ("Do not use Kafka; use Postgres queues.", "Try to avoid Kafka where you can.", "weakened"),
    ("Do not use Kafka; use Postgres queues.", "队列方案讨论了 Kafka 和 Postgres。", "weakened"),
    ("Every request has a timeout of 30 seconds.", "Requests have a timeout.", "weakened"),
    # mutated
    ("Every request has a timeout of 30 seconds.", "All requests have a timeout of 60 seconds.", "mutated"),
    ("No threads in importer/.", "No threads in exporter/.", "mutated"),
    ("Do not use Kafka; use Postgres queues.", "- do not use RabbitMQ; use Postgres queues", "mutated"),
    # inverted
    ("Do not use Kafka; use Postgres queues.", "Kafka is allowed now, the user agreed.", "inverted"),
    ("Do not use Kafka; use Postgres queues.", "At first Kafka was ruled out. It is allowed again since turn 40.", "inverted"),
    ("不要使用 Kafka，用 Postgres 队列。", "现在可以用 Kafka，用户已同意。", "inverted"),
    ("Every request has a timeout of 30 seconds.", "The timeout was removed from requests.", "inverted"),
    # dropped
    ("Do not use Kafka; use Postgres queues.", "The parser is done, 41 tests pass.", "dropped"),
    ("Never push to main; open a pull request.", "The main loop is faster now.", "dropped"),
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "text", "expected"), CASES)
def test_what_a_text_keeps_of_a_rule(constraint: str, text: str, expected: str) -> None:
    """Any rule in words against any text, in two languages, without a scenario."""
    assert score_retention(constraint, text).retention == expected


def test_the_evidence_is_the_statement_and_the_score_follows_the_verdict() -> None:
    """Offsets refer to the text; kept scores above weakened, weakened above the rest."""
    text = "Done: tests.\n- Kafka is ruled out.\nNext: digest."
    verdict = score_retention("Do not use Kafka.", text)

    assert [text[item.start : item.end] for item in verdict.evidence] == [item.text for item in verdict.evidence]
    assert "Kafka is ruled out" in verdict.evidence[0].text
    weak = score_retention("Do not use Kafka.", "Kafka was discussed.")
    gone = score_retention("Do not use Kafka.", "Tests pass.")
    assert verdict.score > weak.score > gone.score
