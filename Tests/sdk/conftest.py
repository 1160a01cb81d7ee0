"""The SDK as it is installed, told nothing but other URLs and a credential that is none."""

import asyncio
import urllib.parse

import firebase_admin
import pytest
from firebase_admin import _utils, messaging

import loopback
from emulator import Emulator

loopback.guard()

PROJECT = "tide-app-prod"


@pytest.fixture(autouse=True)
def nothing_leaves_the_machine():
    loopback.refused.clear()
    yield
    assert loopback.refused == []


@pytest.fixture(scope="session", params=["http", "https"])
def running(request):
    emulator = Emulator(*(["--tls"] if request.param == "https" else []))
    yield emulator
    emulator.stop()


@pytest.fixture
def emulator(running, monkeypatch):
    running.reset()
    trust(running, monkeypatch)
    return running


def trust(emulator, monkeypatch):
    """Has httpx and requests trust the certificate that the emulator made."""
    if emulator.is_secure:
        monkeypatch.setenv("SSL_CERT_FILE", emulator.certificate)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", emulator.certificate)


class SDK:
    """firebase_admin.messaging with one app of its own."""

    def __init__(self, emulator, monkeypatch, credential=None):
        service_class = messaging._MessagingService
        monkeypatch.setattr(service_class, "FCM_URL", emulator.url + "/v1/projects/{0}/messages:send")
        monkeypatch.setattr(service_class, "FCM_BATCH_URL", emulator.url + "/batch")
        monkeypatch.setattr(service_class, "IID_URL", emulator.url)
        # The SDK's own for emulators: a bearer token "owner" that never needs to be refreshed.
        credential = credential or _utils.EmulatorAdminCredentials()
        self.app = firebase_admin.initialize_app(credential, {"projectId": PROJECT}, name="test-sdk")
        try:
            self._direct(emulator)
        except BaseException:
            self.close()
            raise

    def _direct(self, emulator):
        self.service = messaging._get_messaging_service(self.app)
        self.service._fcm_topic_url = f"{emulator.url}/v1/projects/{PROJECT}/registrations"
        self._check_urls()
        # The version of HTTP of each answer to the asynchronous client.
        self.http_versions = set()

    def _check_urls(self):
        service = self.service
        for url in (service._fcm_url, service._fcm_topic_url, service.IID_URL, service.FCM_URL, service.FCM_BATCH_URL):
            assert loopback.is_loopback(urllib.parse.urlsplit(url).hostname), url

    def __getattr__(self, name):
        """A function of the module, for this app; an asynchronous one runs until it is done."""
        function = getattr(messaging, name)
        if not asyncio.iscoroutinefunction(function):
            return lambda *arguments, **options: function(*arguments, app=self.app, **options)
        return lambda *arguments, **options: asyncio.run(
            self._watched(function(*arguments, app=self.app, **options))
        )

    async def _watched(self, call):
        """The client's connections belong to the loop of its first call, so it makes but one and is closed."""
        client = self.service._async_client

        async def note(response):
            self.http_versions.add(response.http_version)

        client.async_client.event_hooks["response"].append(note)
        try:
            return await call
        finally:
            await client.aclose()

    def close(self):
        firebase_admin.delete_app(self.app)


@pytest.fixture
def sdk(emulator, monkeypatch):
    sdk = SDK(emulator, monkeypatch)
    yield sdk
    sdk.close()
