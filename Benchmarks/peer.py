"""Measures Google's SDK for Python, as installed, and herald: each sends one message to every recipient.

It needs an interpreter that has the SDK, as `make test-sdk` installs it. Arguments: herald, the sink, and a folder to
work in.
"""

import asyncio
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "Tests" / "sdk"))
os.environ["HERALD"] = sys.argv[1]

import firebase_admin
from firebase_admin import _utils, messaging

import loopback
from emulator import Emulator
from figures import ROUNDS, compared, fid, goal, timed
from sink import Sink
from workspace import Workspace

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "peer"
# The SDK sends fewer, since the same number would take minutes.
RECIPIENTS, OF_SDK = 100_000, 2_000
# The most messages in one call of the SDK.
BATCH = 500
TITLE, BODY = "High tide", "18:42 at Ostia"


def batches():
    note = messaging.Notification(title=TITLE, body=BODY)
    every = [messaging.Message(fid=fid(n), notification=note) for n in range(OF_SDK)]
    return [every[begin:begin + BATCH] for begin in range(0, OF_SDK, BATCH)]


def check(response):
    if response.failure_count:
        sys.exit(f"the SDK could not send: {next(r.exception for r in response.responses if r.exception)}")


def synchronous(app):
    for batch in batches():
        check(messaging.send_each(batch, app=app))


def asynchronous(app):
    async def every():
        try:
            for batch in batches():
                check(await messaging.send_each_async(batch, app=app))
        finally:
            await messaging._get_messaging_service(app)._async_client.aclose()

    asyncio.run(every())


def rate(origin, action):
    """Messages per second. The SDK is unchanged, except for FCM's address."""
    messaging._MessagingService.FCM_URL = origin + "/v1/projects/{0}/messages:send"
    # A new client each time, because an asynchronous client belongs to the event loop of its first call.
    app = firebase_admin.initialize_app(_utils.EmulatorAdminCredentials(), {"projectId": "bench"}, name="peer")
    try:
        return OF_SDK / timed(lambda: action(app))
    finally:
        firebase_admin.delete_app(app)


loopback.guard()
WORK.mkdir(parents=True)
print(f"\n== herald beside firebase-admin {firebase_admin.__version__}, medians of {ROUNDS} rounds")
ours, theirs = [], {"send_each, HTTP/1.1 to the emulator": [], "send_each_async, HTTP/2 to the sink": []}
emulator = Emulator()
try:
    with Sink(SINK, WORK) as sink:
        os.environ["SSL_CERT_FILE"] = str(sink.certificate)
        workspace = Workspace(WORK / "workspace", sink, {"notification": {"title": TITLE, "body": BODY}})
        workspace.fill("fid", fid, RECIPIENTS)
        for _ in range(ROUNDS):
            ours.append(RECIPIENTS / workspace.apply(HERALD)[0])
            for values, origin, action in zip(
                    theirs.values(), (emulator.url, sink.origin), (synchronous, asynchronous)):
                values.append(rate(origin, action))
finally:
    emulator.stop()
for name, values in theirs.items():
    print(f"herald's apply: {statistics.median(ours):,.0f} recipients/s, firebase-admin's {name}: "
          f"{statistics.median(values):,.0f} messages/s")
    ratios = [a / b for a, b in zip(ours, values)]
    goal(f"firebase-admin's {name}", statistics.median(ratios), 30, "times its rate", least=True,
         recipients_per_second=statistics.median(ours), sdk_per_second=statistics.median(values),
         **compared(ratios, "higher"))
