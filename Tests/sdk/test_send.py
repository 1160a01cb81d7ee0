"""Messages arrive as FCM's reference writes them, at whom they are for, and a dry run arrives nowhere."""

import re

import pytest
from firebase_admin.messaging import Message, MulticastMessage, Notification

import loopback
from conftest import PROJECT
from messages import FULL, FULL_WIRE
from names import fid, token

NAME = re.compile(rf"projects/{PROJECT}/messages/(\S+)")
HELLO = {"notification": Notification(title="T", body="B"), "data": {"k": "v"}}
HELLO_WIRE = {"notification": {"title": "T", "body": "B"}, "data": {"k": "v"}}


def test_the_guard_refuses_what_would_leave_the_machine():
    import socket

    for call in (
        lambda: socket.create_connection(("192.0.2.1", 443)),
        lambda: socket.create_connection(("2001:db8::1", 443)),
        lambda: socket.getaddrinfo("fcm.googleapis.com", 443),
    ):
        with pytest.raises(loopback.LeavesTheMachine):
            call()
    assert len(loopback.refused) == 3
    loopback.refused.clear()


def message_id(name):
    matched = NAME.fullmatch(name)
    assert matched, name
    return matched[1]


TARGETS = [
    ({"token": token(1)}, r"0:\d+%[0-9a-f]+", 1, {1}),
    ({"fid": fid(1)}, r"0:\d+%[0-9a-f]+", 1, {1}),
    ({"topic": "tides"}, r"\d+", 2, {1, 2}),
    ({"condition": "'tides' in topics && !('opted-out' in topics)"}, r"\d+", 1, {1}),
]


@pytest.mark.parametrize("target, form, fan_out, reached", TARGETS, ids=lambda value: str(value)[:20])
def test_every_field_arrives_at_every_kind_of_target(emulator, sdk, target, form, fan_out, reached):
    emulator.enrol(
        {"registration": token(1), "topics": ["tides"]},
        {"registration": token(2), "topics": ["tides", "opted-out"]},
        {"registration": token(3)},
    )
    identifier = message_id(sdk.send(Message(**target, **FULL)))
    assert re.fullmatch(form, identifier)
    [line] = emulator.ledger()
    assert line["message"] == FULL_WIRE
    assert line["target"] == target
    assert line["message_id"] == identifier
    assert (line["status"], line["delivered"], line["fan_out"]) == (200, True, fan_out)
    inboxes = {number: [entry["message_id"] for entry in emulator.inbox(token(number))] for number in (1, 2, 3)}
    assert inboxes == {number: [identifier] if number in reached else [] for number in (1, 2, 3)}


def test_a_topic_may_have_its_prefix(emulator, sdk):
    sdk.send(Message(topic="/topics/tides", **HELLO))
    [line] = emulator.ledger()
    assert line["target"] == {"topic": "tides"}


def test_an_apple_device_gets_its_payload(emulator, sdk):
    emulator.enrol({"registration": token(1), "platform": "ios"})
    sdk.send(Message(token=token(1), **FULL))
    [entry] = emulator.inbox(token(1))
    payload = entry["payload"]
    # Its own alert wins over the common notification; data stands beside aps, custom keys keep their types.
    assert payload["aps"] == FULL_WIRE["apns"]["payload"]["aps"]
    assert payload["height"] == {"metres": 1.25, "rising": True}
    assert payload["spot"] == "ostia"
    assert payload["fcm_options"] == {"image": "https://example.com/ios.png"}
    assert isinstance(payload["gcm.message_id"], str)
    assert entry["headers"]["apns-priority"] == "10"
    assert entry["headers"]["apns-expiration"] == "1796115600"


@pytest.mark.parametrize("platform, part", [("android", "android"), ("web", "webpush")])
def test_other_devices_get_what_is_for_their_platform(emulator, sdk, platform, part):
    emulator.enrol({"registration": token(1), "platform": platform})
    sdk.send(Message(token=token(1), **FULL))
    [entry] = emulator.inbox(token(1))
    # Every text of the common notification is overridden; a platform's data replaces the common one.
    assert entry["notification"] == FULL_WIRE[part]["notification"]
    assert entry["data"] == FULL_WIRE[part]["data"]
    if platform == "web":
        assert entry["link"] == "https://example.com/tides"


@pytest.mark.parametrize("target", [target for target, *_ in TARGETS], ids=lambda value: next(iter(value)))
def test_a_dry_run_arrives_nowhere(emulator, sdk, target):
    emulator.enrol({"registration": token(1), "topics": ["tides"]})
    assert message_id(sdk.send(Message(**target, **FULL), dry_run=True)) == "fake_message_id"
    assert emulator.ledger() == []
    assert emulator.inbox(token(1)) == []
    assert [request[2] for request in emulator.requests()] == [200]


@pytest.mark.parametrize("send", ["send_each", "send_each_async"])
def test_each_message_has_an_answer_of_its_own(emulator, sdk, send):
    emulator.enrol({"registration": token(3), "state": "unregistered"})
    messages = [Message(token=token(1), **HELLO), Message(topic="tides", **HELLO), Message(token=token(3), **HELLO)]
    answer = getattr(sdk, send)(messages)
    assert [response.success for response in answer.responses] == [True, True, False]
    assert (answer.success_count, answer.failure_count) == (2, 1)
    identifiers = {message_id(response.message_id) for response in answer.responses[:2]}
    assert {line["message_id"] for line in emulator.ledger()} == identifiers
    assert all(line["message"] == HELLO_WIRE for line in emulator.ledger())
    assert type(answer.responses[2].exception).__name__ == "UnregisteredError"
    check_version(emulator, sdk, send)


@pytest.mark.parametrize("send", ["send_each_for_multicast", "send_each_for_multicast_async"])
def test_a_multicast_reaches_tokens_and_fids(emulator, sdk, send):
    tokens, fids = [token(number) for number in range(1, 61)], [fid(number) for number in range(61, 101)]
    answer = getattr(sdk, send)(MulticastMessage(tokens=tokens, fids=fids, **HELLO))
    assert answer.success_count == 100
    lines = emulator.ledger()
    assert sorted(line["target"].get("token", "") for line in lines)[40:] == tokens
    assert sorted(line["target"].get("fid", "") for line in lines)[60:] == fids
    assert {line["message_id"] for line in lines} == {message_id(one.message_id) for one in answer.responses}
    assert all(line["message"] == HELLO_WIRE for line in lines)
    check_version(emulator, sdk, send)


@pytest.mark.parametrize("send", ["send_each", "send_each_async"])
def test_a_full_batch_of_five_hundred_is_answered(emulator, sdk, send):
    answer = getattr(sdk, send)([Message(fid=fid(number), **HELLO) for number in range(500)])
    assert answer.success_count == 500
    assert len({line["message_id"] for line in emulator.ledger()}) == 500
    check_version(emulator, sdk, send)


def test_a_dry_run_of_many_arrives_nowhere(emulator, sdk):
    answer = sdk.send_each_async([Message(fid=fid(number), **HELLO) for number in range(3)], dry_run=True)
    assert {message_id(response.message_id) for response in answer.responses} == {"fake_message_id"}
    assert emulator.ledger() == []


def check_version(emulator, sdk, send):
    """HTTP/2 is what the asynchronous client asks for, and gets where there is TLS to ask by."""
    if send.endswith("_async"):
        assert sdk.http_versions == {"HTTP/2" if emulator.is_secure else "HTTP/1.1"}
