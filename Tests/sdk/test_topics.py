"""Subscriptions, by the Topic Subscription API and by the Instance ID service before it."""

import pytest
from firebase_admin import exceptions

from names import MALFORMED, fid, token

SUBSCRIBE = ["subscribe_to_topic", "subscribe_to_topic_async", "subscribe_to_topic_legacy"]
UNSUBSCRIBE = ["unsubscribe_from_topic", "unsubscribe_from_topic_async", "unsubscribe_from_topic_legacy"]
# More than the SDK has under way at once.
MANY = [token(number) for number in range(1, 151)]


@pytest.mark.parametrize("subscribe", SUBSCRIBE)
@pytest.mark.parametrize("topic", ["tides", "/topics/tides"])
def test_registrations_join(emulator, sdk, subscribe, topic):
    answer = getattr(sdk, subscribe)([*MANY, fid(200)], topic)
    assert (answer.success_count, answer.failure_count, answer.errors) == (151, 0, [])
    assert emulator.members("tides") == {*MANY, fid(200)}


@pytest.mark.parametrize("unsubscribe", UNSUBSCRIBE)
@pytest.mark.parametrize("topic", ["tides", "/topics/tides"])
def test_registrations_leave(emulator, sdk, unsubscribe, topic):
    emulator.enrol(*[{"registration": registration, "topics": ["tides"]} for registration in [*MANY, fid(200)]])
    answer = getattr(sdk, unsubscribe)(MANY, topic)
    assert (answer.success_count, answer.failure_count, answer.errors) == (150, 0, [])
    assert emulator.members("tides") == {fid(200)}


@pytest.mark.parametrize("unsubscribe", UNSUBSCRIBE)
def test_leaving_is_idempotent(emulator, sdk, unsubscribe):
    emulator.enrol({"registration": token(1), "topics": ["tides"]})
    answer = getattr(sdk, unsubscribe)([token(1), token(2)], "tides")
    assert (answer.success_count, answer.failure_count) == (2, 0)
    assert emulator.members("tides") == set()


@pytest.mark.parametrize("subscribe", SUBSCRIBE)
def test_subscribing_again_is_a_success(emulator, sdk, subscribe):
    emulator.enrol({"registration": token(1), "topics": ["tides"]})
    assert getattr(sdk, subscribe)(token(1), "tides").success_count == 1
    if "legacy" not in subscribe:
        # Which the SDK makes of FCM's 409.
        assert [status for _, _, status in emulator.requests()] == [409]


def test_the_calls_are_those_of_the_reference(emulator, sdk):
    sdk.subscribe_to_topic(token(1), "100%.~")
    sdk.unsubscribe_from_topic(token(1), "100%.~")
    sdk.subscribe_to_topic_legacy(token(1), "100%.~")
    registration = token(1).replace(":", "%3A")
    path = f"/v1/projects/tide-app-prod/registrations/{registration}/topicSubscriptions"
    assert emulator.requests() == [
        ("POST", f"{path}?topic_name=100%25.~", 200),
        ("DELETE", f"{path}/100%25.~?allow_missing=true", 200),
        ("POST", "/iid/v1:batchAdd", 200),
    ]
    assert emulator.members("100%25.~") == {token(1)}


REASONS = {
    "unregistered": ("NOT_FOUND", "NOT_FOUND"),
    "other_sender": ("SENDER_ID_MISMATCH", "INVALID_ARGUMENT"),
    "malformed": ("INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    "full": ("TOO_MANY_TOPICS", "TOO_MANY_TOPICS"),
}


@pytest.mark.parametrize("subscribe", SUBSCRIBE)
def test_each_registration_fails_for_its_own_reason(emulator, sdk, subscribe):
    emulator.enrol(
        {"registration": token(1), "state": "unregistered"},
        {"registration": token(2), "state": "other_sender"},
        {"registration": token(3), "topics": [f"t{number}" for number in range(2000)]},
        {"registration": token(5), "state": "apns_dead"},
    )
    answer = getattr(sdk, subscribe)([token(4), token(1), token(2), MALFORMED, token(3), token(5)], "tides")
    assert (answer.success_count, answer.failure_count) == (2, 4)
    column = 1 if "legacy" in subscribe else 0
    assert [(error.index, error.reason) for error in answer.errors] == [
        (1, REASONS["unregistered"][column]),
        (2, REASONS["other_sender"][column]),
        (3, REASONS["malformed"][column]),
        (4, REASONS["full"][column]),
    ]
    assert emulator.members("tides") == {token(4), token(5)}


@pytest.mark.parametrize(
    "registrations, topic, text",
    [
        ([token(1)], "no spaces", "Topic name format is invalid"),
        ([token(number) for number in range(1001)], "tides", "INVALID_ARGUMENT"),
    ],
    ids=["topic", "too many"],
)
@pytest.mark.parametrize("call", ["subscribe_to_topic_legacy", "unsubscribe_from_topic_legacy"])
def test_a_wrong_batch_fails_whole(emulator, sdk, call, registrations, topic, text):
    with pytest.raises(exceptions.InvalidArgumentError) as failure:
        getattr(sdk, call)(registrations, topic)
    assert str(failure.value) == f"Error while calling the IID service: {text}"
    assert emulator.members("tides") == set()
