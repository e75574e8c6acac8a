from __future__ import annotations

from pathlib import Path

import pytest
from advisor_builders import tool

from backslide.harness.advisor import AdvisorConfig, MirrorLabels, builtin_guidelines, load_guidelines
from backslide.harness.advisor.inventory import forget_inventory, inventory_text, process_wide_inventory
from backslide.harness.errors import InputError


def test_the_defaults_are_the_repaired_behaviour() -> None:
    """Whoever sets nothing gets no defect."""
    config = AdvisorConfig()

    assert (config.delivery, config.guidelines, config.compaction) == ("brief", "default", "off")
    assert (config.inventory, config.errors, config.status) == ("session", "result", "on")
    assert (config.mirror_source, config.watermark_walk) == ("context-entries", "raw-branch")
    assert (config.failed_delivery, config.mirror_state) == ("repair", "watermark")
    assert config.effort == "high"


def test_a_table_of_a_file_becomes_a_configuration() -> None:
    """Names have hyphens, switches may be true or false, labels are a table."""
    table = {
        "delivery": "mirror",
        "mirror-source": "raw-branch",
        "strip-inflight": True,
        "labels": {"user": "U>"},
        "advisor-compaction": "on",
    }

    config = AdvisorConfig.from_mapping(table)

    assert (config.mirror_source, config.strip_inflight, config.labels.user) == ("raw-branch", "on", "U>")
    assert config.compaction == "on"
    assert AdvisorConfig.from_mapping(config.document()) == config


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"mirror-sorce": "raw-branch"}, "did you mean 'mirror-source'"),
        ({"delivery": "pigeon"}, "known are brief, mirror, stateless"),
        ({"entry-limit": "many"}, "'entry-limit' must be int"),
        ({"entry-limit": True}, "'entry-limit' must be int"),
        ({"entry-limit": 0}, "at least 1"),
        ({"timeout-s": 0}, "timeout-s"),
        ({"labels": {"usr": "U>"}}, "did you mean 'user'"),
        ({"labels": {"user": "two\nlines"}}, "one line"),
        ({"labels": "plain"}, "must be a table"),
    ],
)
def test_what_is_wrong_in_a_table_is_named(table: dict[str, object], message: str) -> None:
    """One line says what, and what was probably meant."""
    with pytest.raises(InputError, match=message):
        AdvisorConfig.from_mapping(table)


def test_a_tools_name_goes_into_its_label() -> None:
    """The result's label has a place for it; a label may also do without."""
    assert MirrorLabels().result("bash") == "[Tool result (bash)]:"
    assert MirrorLabels(tool_result="=> ").result("bash") == "=> "


def test_both_guidelines_ship_and_differ_where_the_ledger_says() -> None:
    """Who decides and whom to credit stand in one set only; a least number of calls stands in the other."""
    default, upstream = load_guidelines("default"), load_guidelines("upstream")

    assert builtin_guidelines() == ["default", "upstream"]
    assert "user decides" in default.text
    assert "no minimum number of calls" in default.text
    assert "user's mouth" in default.text
    assert "at least two calls" in upstream.text
    assert "serious weight" in upstream.text
    assert "next reply to the user" in upstream.text
    assert "decides" not in upstream.text


def test_guidelines_can_be_any_file(tmp_path: Path) -> None:
    """A user's own set is read as it is and ends the system prompt."""
    own = tmp_path / "mine.md"
    own.write_text("Ask when in doubt.\r\n", encoding="utf-8")

    guidelines = load_guidelines(own)

    assert (guidelines.name, guidelines.text) == ("mine", "Ask when in doubt.")
    assert guidelines.added_to("You code.\n") == "You code.\n\nAsk when in doubt."


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"\xff\xfe", "not UTF-8"), (b"x" * 70_000, "larger"), (None, "cannot read")],
)
def test_unusable_guidelines_are_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    """With the file's name and a reason."""
    path = tmp_path / "defalt"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(InputError, match=message):
        load_guidelines(path)


def test_a_process_wide_inventory_serves_one_sessions_descriptions_to_another() -> None:
    """Upstream's defect: the slot is renewed by the set of names alone."""
    shop, bank = (
        [tool("bash", "Run it in the shop."), tool("read")],
        [tool("read"), tool("bash", "Run it in the bank.")],
    )
    forget_inventory()

    first, second = process_wide_inventory(shop), process_wide_inventory(bank)
    third = process_wide_inventory([*bank, tool("grep")])
    forget_inventory()

    assert first == second == inventory_text(shop)
    assert "bank" in third
    assert "bank" in inventory_text(bank)
