"""Google's generated client for Python, which is made of Google's own description of the API and knows no other names."""

import re

import httplib2
import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from conftest import PROJECT
from names import fid, token

PARENT = f"projects/{PROJECT}/registrations/"


@pytest.fixture
def api(emulator):
    http = httplib2.Http(ca_certs=emulator.certificate, timeout=30)
    options = {"api_endpoint": emulator.url}
    with build("fcm", "v1", http=http, static_discovery=True, client_options=options) as client:
        yield client.projects()


@pytest.fixture
def subscriptions(api):
    return api.registrations().topicSubscriptions()


def names(pages):
    return [each["topicName"] for page in pages for each in page.get("topicSubscriptions", [])]


@pytest.mark.parametrize("registration", [token(1), fid(1)], ids=["token", "fid"])
def test_a_subscription_is_made_and_read(emulator, subscriptions, registration):
    parent = PARENT + registration
    made = subscriptions.create(parent=parent, topicName="tides", body={}).execute()
    assert sorted(made) == ["createTime", "name", "topicName"]
    assert (made["name"], made["topicName"]) == (f"{parent}/topicSubscriptions/tides", "tides")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", made["createTime"])
    assert subscriptions.get(name=made["name"]).execute() == made
    assert subscriptions.patch(name=made["name"], allowMissing=True, body={}).execute() == made
    assert emulator.members("tides") == {registration}
    with pytest.raises(HttpError) as twice:
        subscriptions.create(parent=parent, topicName="tides", body={}).execute()
    assert twice.value.status_code == 409
    assert subscriptions.delete(name=made["name"]).execute() == {}
    assert subscriptions.delete(name=made["name"], allowMissing=True).execute() == {}
    assert emulator.members("tides") == set()


def test_a_list_is_read_page_by_page(emulator, subscriptions):
    topics = [f"t{number:02}" for number in range(25)]
    emulator.enrol({"registration": token(1), "topics": topics})
    request = subscriptions.list(parent=PARENT + token(1), pageSize=10)
    pages = []
    while request is not None:
        pages.append(request.execute())
        request = subscriptions.list_next(request, pages[-1])
    assert [len(page["topicSubscriptions"]) for page in pages] == [10, 10, 5]
    assert names(pages) == topics


def test_nobody_follows_nothing(subscriptions):
    assert subscriptions.list(parent=PARENT + fid(1)).execute() == {}


REMOTE = {"notification": {"title": "T", "tag": "a", "id": 7, "channelId": "tides"}, "mutableContent": True}
PREVIEWS = {
    "remote notification": {"androidV2": {"remoteNotification": REMOTE, "ttl": "60s"}},
    "background sync": {"androidV2": {"backgroundSync": {}, "collapseKey": "k"}, "data": {"level": "115"}},
    "passed by": {"android": {"notification": {"title": "T", "bypassProxyNotification": True}}},
}


@pytest.mark.parametrize("message", PREVIEWS.values(), ids=PREVIEWS)
def test_a_message_has_all_that_the_description_has(emulator, api, message):
    answer = api.messages().send(parent=f"projects/{PROJECT}", body={"message": {**message, "fid": fid(1)}}).execute()
    assert list(answer) == ["name"]
    (received,) = emulator.inbox(fid(1))
    if "data" in message:
        assert received["shown"] is None and received["data"] == {"level": "115"} and received["priority"] == "normal"
    else:
        assert received["shown"]["title"] == "T" and received["priority"] == "high"
