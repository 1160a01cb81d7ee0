"""Failures that come from nothing the caller did, by the emulator's fault script: the SDK's class for each, and what
its own retries make of them."""

import pytest
from firebase_admin import exceptions, messaging
from firebase_admin.messaging import Message

from names import token

MESSAGE = Message(token=token(1), data={"k": "v"})

# The synchronous client by HTTP/1.1, the asynchronous one by HTTP/2.
BOTH_WAYS = pytest.mark.parametrize(
    "running, send", [("http", "send_each"), ("https", "send_each_async")], indirect=["running"]
)

FAULTS = {
    "project's quota": ({"status": 429, "quota": "project"}, messaging.QuotaExceededError, 429),
    "topic's quota": ({"status": 429, "quota": "topic"}, messaging.QuotaExceededError, 429),
    "device's quota": ({"status": 429, "quota": "device"}, messaging.QuotaExceededError, 429),
    "quota by its code": ({"status": 429, "code": "QUOTA_EXCEEDED"}, messaging.QuotaExceededError, 429),
    "APNs' key": ({"status": 401, "code": "THIRD_PARTY_AUTH_ERROR"}, messaging.ThirdPartyAuthError, 401),
    "dead": ({"status": 404, "code": "UNREGISTERED"}, messaging.UnregisteredError, 404),
    "another project's": ({"status": 403, "code": "SENDER_ID_MISMATCH"}, messaging.SenderIdMismatchError, 403),
    "invalid": ({"status": 400, "code": "INVALID_ARGUMENT"}, exceptions.InvalidArgumentError, 400),
    "IAM": ({"status": 403, "code": "PERMISSION_DENIED"}, exceptions.PermissionDeniedError, 403),
    "sign-in": ({"status": 401, "code": "UNAUTHENTICATED"}, exceptions.UnauthenticatedError, 401),
    "project": ({"status": 404, "code": "NOT_FOUND"}, exceptions.NotFoundError, 404),
    "exhausted": ({"status": 429, "code": "RESOURCE_EXHAUSTED"}, exceptions.ResourceExhaustedError, 429),
    "exists": ({"status": 409, "code": "ALREADY_EXISTS"}, exceptions.AlreadyExistsError, 409),
    "aborted": ({"status": 409, "code": "ABORTED"}, exceptions.AbortedError, 409),
    "precondition": ({"status": 400, "code": "FAILED_PRECONDITION"}, exceptions.FailedPreconditionError, 400),
    "deadline": ({"status": 504, "code": "DEADLINE_EXCEEDED"}, exceptions.DeadlineExceededError, 504),
    "a page of a proxy's": ({"status": 502, "body": "html"}, exceptions.UnknownError, 502),
}


@BOTH_WAYS
@pytest.mark.parametrize("fault, kind, status", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_has_its_class(emulator, sdk, send, fault, kind, status):
    emulator.fault({"match": {"service": "send"}, "do": fault})
    [response] = getattr(sdk, send)([MESSAGE]).responses
    assert type(response.exception) is kind
    assert response.exception.http_response.status_code == status
    assert emulator.ledger() == []


@BOTH_WAYS
@pytest.mark.parametrize("fault", [{"status": 503, "code": "UNAVAILABLE"}, {"status": 500, "code": "INTERNAL"}])
def test_a_server_that_recovers_gets_the_message_once(emulator, sdk, send, fault):
    emulator.fault({"match": {"service": "send", "first": 1}, "do": fault})
    assert getattr(sdk, send)([MESSAGE]).success_count == 1
    assert [status for _, _, status in emulator.requests()] == [fault["status"], 200]
    assert len(emulator.ledger()) == 1


# The SDK gives up after its fifth attempt, seven seconds later.
@BOTH_WAYS
def test_a_server_that_does_not_recover_is_unavailable(emulator, sdk, send):
    emulator.fault({"match": {"service": "send"}, "do": {"status": 503, "code": "UNAVAILABLE"}})
    [response] = getattr(sdk, send)([MESSAGE]).responses
    assert type(response.exception) is exceptions.UnavailableError
    assert [status for _, _, status in emulator.requests()] == [503] * 5


@BOTH_WAYS
def test_a_503_that_delivered_all_the_same_makes_a_duplicate(emulator, sdk, send):
    emulator.fault(
        {"match": {"service": "send", "first": 1}, "do": {"status": 503, "code": "UNAVAILABLE", "deliver": True}}
    )
    assert getattr(sdk, send)([MESSAGE]).success_count == 1
    assert [(line["status"], line["delivered"]) for line in emulator.ledger()] == [(503, True), (200, True)]
    assert len(emulator.inbox(token(1))) == 2


@BOTH_WAYS
def test_a_connection_that_closes_before_the_request_counts_has_delivered_nothing(emulator, sdk, send):
    emulator.fault({"match": {"service": "send"}, "do": {"close": "before"}})
    [response] = getattr(sdk, send)([MESSAGE]).responses
    assert isinstance(response.exception, exceptions.FirebaseError)
    assert emulator.inbox(token(1)) == []


@BOTH_WAYS
@pytest.mark.parametrize("close", ["after", "mid_body"])
def test_a_connection_that_closes_too_late_has_delivered(emulator, sdk, send, close):
    emulator.fault({"match": {"service": "send", "first": 1}, "do": {"close": close}})
    [response] = getattr(sdk, send)([MESSAGE]).responses
    # The synchronous client asks again where there was no answer at all, and so sends twice.
    asks_again = (send, close) == ("send_each", "after")
    assert response.success is asks_again
    assert len(emulator.inbox(token(1))) == (2 if asks_again else 1)


@pytest.mark.parametrize("running", ["http", "https"], indirect=True)
def test_topics_have_faults_of_their_own(emulator, sdk):
    emulator.fault({"match": {"service": "topics", "first": 1}, "do": {"status": 429, "code": "RESOURCE_EXHAUSTED"}})
    answer = sdk.subscribe_to_topic(token(1), "tides")
    assert [error.reason for error in answer.errors] == ["RESOURCE_EXHAUSTED"]
    assert sdk.subscribe_to_topic(token(1), "tides").success_count == 1

    emulator.fault({"match": {"service": "iid", "first": 1}, "do": {"status": 429, "code": "RESOURCE_EXHAUSTED"}})
    with pytest.raises(exceptions.ResourceExhaustedError) as failure:
        sdk.subscribe_to_topic_legacy(token(2), "tides")
    assert str(failure.value) == "Error while calling the IID service: RESOURCE_EXHAUSTED"
    assert sdk.subscribe_to_topic_legacy(token(2), "tides").success_count == 1
    assert emulator.members("tides") == {token(1), token(2)}


def test_a_script_ends_with_the_next_one(emulator, sdk):
    emulator.fault({"match": {"service": "send"}, "do": {"status": 400, "code": "INVALID_ARGUMENT"}})
    emulator.fault()
    assert sdk.send(MESSAGE)
