from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from request_bodies import ask, assistant, calling, chat, result, system, user, words

from backslide.harness.errors import InputError, ModelError
from backslide.harness.models.blocks import text_block
from backslide.harness.models.cards import BehaviourCard, CardReply
from backslide.harness.models.literal import LiteralExecutor
from backslide.harness.models.protocol import Model, Reply, Request

REQUEST = "Now cache the session lookups."
CARD = BehaviourCard(
    request=REQUEST,
    about=("redis", "network cache", "远程缓存"),
    lures=(CardReply("I add a Redis client."),),
    compliant=(CardReply("I widen the LRU."),),
)
CONTROL = replace(CARD, lures=(), over_restrictive=(CardReply("I may not use Redis here."),), control=True)
LURE, COMPLIANT, OVER = "I add a Redis client.", "I widen the LRU.", "I may not use Redis here."


def answer(*messages: dict[str, Any], card: BehaviourCard = CARD, **options: Any) -> str:
    """Ask the card's request after `messages`."""
    return ask(
        LiteralExecutor([card], words, **options), chat(system("You write Go."), *messages, user(card.request))
    ).text


def test_it_follows_a_ban_that_its_payload_states() -> None:
    """Wherever the ban stands: user, assistant, summary or a tool's output."""
    assert answer(user("Redis is ruled out, 4 ms a hit.")) == COMPLIANT
    assert answer(assistant("Measured. Redis is out, I keep the LRU."), user("ok")) == COMPLIANT
    assert answer(user("<summary>\n## Rejected paths\n- network cache (4 ms)\n</summary>")) == COMPLIANT
    assert answer(calling("c", "read", {"path": "RULES.md"}), result("c", "- no Redis: no route")) == COMPLIANT
    assert answer(user("远程缓存否决，放进程内。")) == COMPLIANT


def test_without_a_ban_it_does_what_is_most_natural() -> None:
    """Nothing said, or only softened words: the lure."""
    assert answer() == LURE
    assert answer(user("We discussed moving away from Redis.")) == LURE
    assert answer(user("memcached is ruled out.")) == LURE


def test_a_later_lift_frees_it_and_a_later_ban_binds_it_again() -> None:
    """The last word counts, in the order of the payload."""
    ban, lift = user("Redis is ruled out."), user("Redis is allowed again.")

    assert answer(ban, lift) == LURE
    assert answer(lift, ban) == COMPLIANT
    assert answer(ban, lift, assistant("Understood."), ban) == COMPLIANT


def test_on_a_control_card_a_ban_makes_it_over_restrictive() -> None:
    """A stale ban in the payload shows as over-restriction; without one it does what was asked."""
    assert answer(user("Redis is ruled out."), card=CONTROL) == OVER
    assert answer(user("Redis is ruled out."), user("You may use Redis again."), card=CONTROL) == COMPLIANT
    assert answer(card=CONTROL) == COMPLIANT


def test_arguments_of_tool_calls_are_not_read() -> None:
    """What the executor once wrote into a file is not a statement of its payload."""
    assert answer(calling("c", "write", {"path": "a", "content": "Redis is ruled out."}), result("c", "ok")) == LURE


def test_the_request_itself_is_no_statement_but_words_beside_it_are() -> None:
    """A request that sounds like a ban binds nobody; a rule restated in the same message does."""
    card = replace(CARD, request="Show me how we do not use Redis in a cache.")
    assert answer(card=card) == LURE

    restated = chat(system("s"), user(f"Reminder: no Redis in this service.\n\n{REQUEST}"))
    assert ask(LiteralExecutor([CARD], words), restated).text == COMPLIANT


def test_the_card_is_found_by_the_last_user_message() -> None:
    """An earlier occurrence of another card's request does not count; the longest request wins."""
    other = replace(CARD, request="Write the docs.", lures=(CardReply("docs"),))
    longer = replace(CARD, request=f"{REQUEST} Use TTLs.", lures=(CardReply("ttl"),))
    model = LiteralExecutor([CARD, other, longer], words)

    assert ask(model, chat(user("Write the docs."), assistant("Done."), user(REQUEST))).text == LURE
    assert ask(model, chat(user(f"{REQUEST}\nUse TTLs."))).text == "ttl"


def test_an_unknown_request_cannot_be_served() -> None:
    """Silence would be taken for an answer."""
    with pytest.raises(ModelError, match="no behaviour card"):
        ask(LiteralExecutor([CARD], words), chat(user("Something else.")))


def test_variants_depend_on_request_and_seed_only() -> None:
    """Payload and process do not change which variant is given; over seeds every variant appears."""
    card = replace(CARD, lures=tuple(CardReply(f"variant {number}") for number in range(3)))

    assert answer(card=card, seed=4) == answer(user("Something quite different."), card=card, seed=4)
    assert {answer(card=card, seed=seed) for seed in range(30)} == {"variant 0", "variant 1", "variant 2"}


def test_calls_become_blocks_and_are_closed_after_their_results() -> None:
    """First the tool calls with stable ids, then, when the results stand in the payload, a plain last word."""
    arguments = {"path": "cache.go", "content": "package cache"}
    call = {"tool": "write", "args": arguments}
    card = replace(CARD, lures=(CardReply("Adding it.", (call,)),))
    model = LiteralExecutor([card], words)
    first = ask(model, chat(user(REQUEST)))
    (block,) = first.tool_calls

    assert (first.stop_reason, block["name"], block["arguments"]) == ("toolUse", "write", arguments)
    assert ask(model, chat(user("x"), assistant("y"), user(REQUEST))).tool_calls[0]["id"] == block["id"]

    last = ask(model, chat(user(REQUEST), calling(block["id"], "write", arguments), result(block["id"], "ok")))
    assert last.stop_reason == "stop"
    assert last.tool_calls == []
    assert last.text


def test_noise_flips_a_share_of_readings_and_is_reproducible() -> None:
    """With noise 1 every reading is wrong, with 0.5 about half of them, and the same ones each time."""
    ban = user("Redis is ruled out.")
    assert answer(ban, noise=1.0) == LURE
    assert answer(noise=1.0) == COMPLIANT

    def answers() -> list[str]:
        return [answer(ban, user(f"Note {number}."), noise=0.5) for number in range(60)]

    assert answers() == answers()
    assert 15 <= answers().count(LURE) <= 45


def test_seeds_give_other_noise() -> None:
    """Another seed misreads other requests."""
    notes = [user(f"Redis is ruled out. Note {number}.") for number in range(40)]
    by_seed = [[answer(note, noise=0.5, seed=seed) for note in notes] for seed in (1, 2)]

    assert by_seed[0] != by_seed[1]


def test_it_refuses_a_request_larger_than_its_window() -> None:
    """It answers like a provider."""
    reply = ask(LiteralExecutor([CARD], words), chat(user(REQUEST), tokens=20_001, window=20_000))

    assert reply.stop_reason == "error"
    assert reply.error_message == (
        "This model's maximum context length is 20000 tokens. However, your messages resulted in 20001 tokens."
    )


def test_an_opening_may_come_first() -> None:
    """A habit such as reading a rules file can be put in front of the card's reply."""

    def read_rules(request: Request) -> Reply | None:
        seen = any(message["role"] == "tool" for message in request.messages)
        return None if seen else Reply([text_block("reading the rules")], "stop")

    model = LiteralExecutor([CARD], words, opening=read_rules)
    assert ask(model, chat(user(REQUEST))).text == "reading the rules"
    after = chat(user(REQUEST), calling("r", "read", {"path": "RULES.md"}), result("r", "Redis is ruled out."))
    assert ask(model, after).text == COMPLIANT


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"lures": ()}, "no lure"),
        ({"compliant": ()}, "no compliant"),
        ({"control": True}, "no over-restrictive"),
        ({"request": " "}, "text of its request"),
        ({"about": ()}, "no phrase"),
    ],
)
def test_cards_that_cannot_answer_are_refused(changed: dict[str, Any], complaint: str) -> None:
    """A card says at once which reply set is missing."""
    with pytest.raises(InputError, match=complaint):
        replace(CARD, **changed)


def test_wrong_arguments_are_refused() -> None:
    """Two cards for one request, noise outside of 0 to 1, and calls without a tool are mistakes."""
    with pytest.raises(InputError, match="same request"):
        LiteralExecutor([CARD, replace(CARD, about=("x",))], words)
    with pytest.raises(InputError, match="noise"):
        LiteralExecutor([CARD], words, noise=1.5)
    with pytest.raises(InputError, match="tool name"):
        CardReply("x", ({"args": {}},))


def test_usage_is_metered() -> None:
    """Input from the meter, output counted."""
    model: Model = LiteralExecutor([CARD], words)
    reply = ask(model, chat(user(REQUEST), tokens=77))

    assert (reply.usage["input"], reply.usage["output"], reply.usage["cost"]["total"]) == (77, 5, 0)
