"""Device groups, which the SDK only sends to: their management is plain HTTP."""

import json

import pytest
from firebase_admin import messaging
from firebase_admin.messaging import Message

from names import token

HEADERS = {"Authorization": "Bearer owner", "access_token_auth": "true", "project_id": "123456789012"}
NAME = "appUser-Chris"


def change(emulator, operation, *registrations, **members):
    body = {
        "operation": operation, "notification_key_name": NAME, "registration_ids": list(registrations), **members
    }
    status, text = emulator.call("POST", "/fcm/notification", body, HEADERS)
    return status, json.loads(text)


def retrieve(emulator):
    status, text = emulator.call("GET", f"/fcm/notification?notification_key_name={NAME}", None, HEADERS)
    return status, json.loads(text)


def key(answer):
    status, body = answer
    assert status == 200, body
    assert list(body) == ["notification_key"]
    return body["notification_key"]


def test_a_message_to_any_key_reaches_the_members(emulator, sdk):
    keys = [key(change(emulator, "create", token(1), token(2)))]
    keys.append(key(change(emulator, "add", token(3), notification_key=keys[0])))
    keys.append(key(change(emulator, "remove", token(1), notification_key=keys[0])))
    keys.append(key(retrieve(emulator)))
    assert len(set(keys)) == 4
    assert emulator.group(NAME) == {token(2), token(3)}
    for each in keys:
        sdk.send(Message(token=each, data={"k": "v"}))
    lines = emulator.ledger()
    assert [line["target"] for line in lines] == [{"token": each} for each in keys]
    assert {line["fan_out"] for line in lines} == {2}
    assert [len(emulator.inbox(token(number))) for number in (1, 2, 3)] == [0, 4, 4]


def test_without_members_there_is_no_group(emulator, sdk):
    first = key(change(emulator, "create", token(1)))
    key(change(emulator, "remove", token(1), notification_key=first))
    assert retrieve(emulator) == (400, {"error": "notification_key not found"})
    with pytest.raises(messaging.UnregisteredError):
        sdk.send(Message(token=first))
    key(change(emulator, "create", token(2)))


def test_the_four_errors_are_fcms(emulator):
    assert change(emulator, "create", "malformed") == (400, {"error": "no valid registration ids"})
    first = key(change(emulator, "create", token(1)))
    assert change(emulator, "create", token(2)) == (400, {"error": "notification_key already exists"})
    assert change(emulator, "add", token(2), notification_key="absent") == (
        400, {"error": "notification_key not found"},
    )
    assert change(emulator, "add", token(2), notification_key=first, notification_key_name="other") == (
        400, {"error": "notification_key_name doesn't match the group name of the notification_key"},
    )
    assert emulator.group(NAME) == {token(1)}


def test_a_group_has_at_most_twenty_members(emulator):
    first = key(change(emulator, "create", *[token(number) for number in range(20)]))
    status, _ = change(emulator, "add", token(20), notification_key=first)
    assert status == 400
    assert len(emulator.group(NAME)) == 20


@pytest.mark.parametrize("header", ["access_token_auth", "project_id"])
def test_a_header_must_not_be_missing(emulator, header):
    headers = {name: value for name, value in HEADERS.items() if name != header}
    status, _ = emulator.call("GET", f"/fcm/notification?notification_key_name={NAME}", None, headers)
    assert status == (401 if header == "access_token_auth" else 400)
