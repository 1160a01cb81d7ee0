"""One installation has one living registration: what the SDK sees of an app that registers anew."""

import pytest
from firebase_admin import messaging
from firebase_admin.messaging import Message

from emulator import Emulator
from names import fid, token

CHANGES = [("token", "fid"), ("fid", "token")]
REGISTRATIONS = {"token": token(1), "fid": fid(1)}


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_a_registration_ends_the_one_before(emulator, sdk, before, after):
    old, new = REGISTRATIONS[before], REGISTRATIONS[after]
    assert sdk.send(Message(**{before: old}))
    assert sdk.subscribe_to_topic(old, "tides").success_count == 1
    assert emulator.register(new) == [old]
    with pytest.raises(messaging.UnregisteredError):
        sdk.send(Message(**{before: old}))
    assert sdk.send(Message(**{after: new}))
    assert emulator.members("tides") == set()
    answer = sdk.subscribe_to_topic([old, new], "tides")
    assert [(error.index, error.reason) for error in answer.errors] == [(0, "NOT_FOUND")]
    answer = sdk.subscribe_to_topic_legacy([old, new], "tides")
    assert [error.index for error in answer.errors] == [0]
    assert emulator.members("tides") == {new}


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_being_sent_to_displaces_nobody(emulator, sdk, before, after):
    for _ in range(2):
        for kind in (before, after):
            assert sdk.send(Message(**{kind: REGISTRATIONS[kind]}))


def test_an_emulator_for_other_machines_needs_no_token_for_the_sdks_calls():
    emulator = Emulator("--host", "0.0.0.0")
    try:
        body = {"message": {"fid": fid(1)}}
        assert emulator.call("POST", "/v1/projects/p/messages:send", body)[0] == 200
        assert emulator.call("GET", "/emulator/v1/ledger")[0] == 401
        assert len(emulator.ledger()) == 1
    finally:
        emulator.stop()
