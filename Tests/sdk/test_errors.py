"""Every failure becomes the SDK's own class for it."""

import datetime

import pytest
from firebase_admin import exceptions, messaging
from firebase_admin.messaging import AndroidConfig, Message

from conftest import SDK, trust
from emulator import Emulator
from names import MALFORMED, fid, token

FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
APNS_ERROR = "type.googleapis.com/google.firebase.fcm.v1.ApnsError"
BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"

TOO_LONG = AndroidConfig(ttl=datetime.timedelta(days=28, seconds=1))

FAILURES = {
    "dead token": (
        "unregistered", Message(token=token(1)), messaging.UnregisteredError, 404, "Requested entity was not found.",
        [{"@type": FCM_ERROR, "errorCode": "UNREGISTERED"}],
    ),
    "dead fid": (
        "unregistered", Message(fid=fid(1)), messaging.UnregisteredError, 404, "Requested entity was not found.",
        [{"@type": FCM_ERROR, "errorCode": "UNREGISTERED"}],
    ),
    "malformed fid": (
        "active", Message(fid=MALFORMED), messaging.UnregisteredError, 404, "Requested entity was not found.",
        [{"@type": FCM_ERROR, "errorCode": "UNREGISTERED"}],
    ),
    "another project's": (
        "other_sender", Message(token=token(1)), messaging.SenderIdMismatchError, 403, "SenderId mismatch",
        [{"@type": FCM_ERROR, "errorCode": "SENDER_ID_MISMATCH"}],
    ),
    "dead at APNs": (
        "apns_dead", Message(token=token(1)), exceptions.InvalidArgumentError, 400, "APNs device token is disabled.",
        [
            {"@type": FCM_ERROR, "errorCode": "INVALID_ARGUMENT"},
            {"@type": APNS_ERROR, "statusCode": 410, "reason": "Unregistered"},
        ],
    ),
    "malformed token": (
        "active", Message(token=MALFORMED), exceptions.InvalidArgumentError, 400,
        "The registration token is not a valid FCM registration token",
        [
            {"@type": FCM_ERROR, "errorCode": "INVALID_ARGUMENT"},
            {
                "@type": BAD_REQUEST,
                "fieldViolations": [
                    {
                        "field": "message.token",
                        "description": "The registration token is not a valid FCM registration token",
                    }
                ],
            },
        ],
    ),
    "too large": (
        "active", Message(token=token(1), data={"k": "x" * 4096}), exceptions.InvalidArgumentError, 400,
        "Message is too large. The maximum is 4K (4096 bytes).",
        [{"@type": BAD_REQUEST}, {"@type": FCM_ERROR, "errorCode": "INVALID_ARGUMENT"}],
    ),
    "ttl": (
        "active", Message(token=token(1), android=TOO_LONG), exceptions.InvalidArgumentError, 400, None, None,
    ),
    "condition": (
        "active", Message(condition="'a' in topics and 'b' in topics"), exceptions.InvalidArgumentError, 400, None,
        None,
    ),
    "reserved key": (
        "active", Message(token=token(1), data={"message_type": "x"}), exceptions.InvalidArgumentError, 400, None, None,
    ),
}


@pytest.mark.parametrize("state, message, kind, status, text, details", FAILURES.values(), ids=FAILURES.keys())
def test_a_failure_has_its_class(emulator, sdk, state, message, kind, status, text, details):
    for registration in (token(1), fid(1)):
        emulator.enrol({"registration": registration, "platform": "ios", "state": state})
    with pytest.raises(exceptions.FirebaseError) as failure:
        sdk.send(message)
    check(failure.value, kind, status, text, details)
    [response] = sdk.send_each_async([message]).responses
    check(response.exception, kind, status, text, details)
    assert emulator.ledger() == []
    assert emulator.inbox(token(1)) == []


def check(error, kind, status, text, details):
    assert type(error) is kind
    assert error.http_response.status_code == status
    if text:
        assert str(error) == text
    if details:
        assert error.http_response.json()["error"]["details"] == details


def test_what_only_apple_knows_passes_a_dry_run(emulator, sdk):
    emulator.enrol({"registration": token(1), "platform": "ios", "state": "apns_dead"})
    assert sdk.send(Message(token=token(1)), dry_run=True).endswith("/fake_message_id")


def test_a_dry_run_finds_dead_registrations(emulator, sdk):
    emulator.enrol({"registration": token(1), "state": "unregistered"})
    with pytest.raises(messaging.UnregisteredError):
        sdk.send(Message(token=token(1)), dry_run=True)


def test_a_wrong_path_is_answered_by_a_page(emulator, sdk):
    sdk.service._fcm_url = emulator.url + "/v1/project/p/messages:send"
    with pytest.raises(exceptions.NotFoundError) as failure:
        sdk.send(Message(topic="tides"))
    assert type(failure.value) is exceptions.NotFoundError
    assert "<!DOCTYPE html>" in str(failure.value)


def test_an_emulator_that_is_gone_is_unavailable(monkeypatch):
    emulator = Emulator()
    sdk = SDK(emulator, monkeypatch)
    emulator.stop()
    try:
        with pytest.raises(exceptions.UnavailableError):
            sdk.send(Message(topic="tides"))
    finally:
        sdk.close()


def test_a_bearer_that_the_emulator_did_not_issue_is_refused_where_it_wants_a_sign_in(monkeypatch):
    emulator = Emulator("--require-sign-in")
    trust(emulator, monkeypatch)
    sdk = SDK(emulator, monkeypatch)
    try:
        with pytest.raises(exceptions.UnauthenticatedError) as failure:
            sdk.send(Message(topic="tides"))
        assert type(failure.value) is exceptions.UnauthenticatedError
        answer = sdk.subscribe_to_topic(token(1), "tides")
        assert [error.reason for error in answer.errors] == ["UNAUTHENTICATED"]
        with pytest.raises(exceptions.UnauthenticatedError):
            sdk.subscribe_to_topic_legacy(token(1), "tides")
    finally:
        sdk.close()
        emulator.stop()
