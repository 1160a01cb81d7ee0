"""Google's own libraries sign in at the emulator, by every kind of credential they know for FCM."""

import json

import firebase_admin
import google.auth.compute_engine._metadata as metadata
import google.oauth2.credentials
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from firebase_admin import credentials
from firebase_admin.messaging import Message
from google.auth import exceptions

from conftest import PROJECT, SDK, trust
from emulator import Emulator
from names import fid, token

ACCOUNT = "herald@tide-app-prod.iam.gserviceaccount.com"


@pytest.fixture(scope="module", params=["http", "https"])
def guarded(request):
    """An emulator that takes its own access tokens only."""
    emulator = Emulator("--require-sign-in", *(["--tls"] if request.param == "https" else []))
    yield emulator
    emulator.stop()


@pytest.fixture(scope="module")
def key():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


@pytest.fixture(autouse=True)
def no_other_credentials(monkeypatch, tmp_path):
    """Nothing of whoever runs this is found, and nothing of Google's machines but the emulator's."""
    for name in ("APPLICATION_CREDENTIALS", "CLOUD_PROJECT", "CLOUD_QUOTA_PROJECT"):
        monkeypatch.delenv("GOOGLE_" + name, raising=False)
    monkeypatch.delenv("GCLOUD_PROJECT", raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("PATH", str(tmp_path))


def signs_in(emulator, monkeypatch, credential):
    """Everything the SDK can do works with the credential's tokens. Returns the calls that were made for them."""
    emulator.reset()
    trust(emulator, monkeypatch)
    ask_for_locations(emulator, monkeypatch)
    sdk = SDK(emulator, monkeypatch, credential)
    try:
        assert sdk.send(Message(fid=fid(1), data={"k": "v"})).startswith(f"projects/{PROJECT}/messages/")
        assert sdk.send_each_async([Message(fid=fid(1))]).success_count == 1
        assert sdk.subscribe_to_topic(token(1), "tides").success_count == 1
        assert sdk.unsubscribe_from_topic_legacy(token(1), "tides").success_count == 1
    finally:
        sdk.close()
    assert len(emulator.ledger()) == 2
    requests = [request for request in emulator.requests() if not request[1].endswith("/allowedLocations")]
    assert {status for _, _, status in requests} == {200}
    return [(method, path) for method, path, _ in requests if "messages:send" not in path][:-2]


def ask_for_locations(emulator, monkeypatch):
    """google-auth also asks, aside, where an account may be used, and goes on without an answer: as here, where the
    emulator has none."""
    for kind in ("service_account", "workload_identity_pool"):
        monkeypatch.setattr(
            f"google.auth._regional_access_boundary_utils.get_{kind}_rab_endpoint",
            lambda *names: f"{emulator.url}/v1/{'/'.join(names)}/allowedLocations",
        )


def test_a_service_account(guarded, monkeypatch, key):
    credential = credentials.Certificate(
        {
            "type": "service_account",
            "project_id": PROJECT,
            "private_key_id": "1",
            "private_key": key,
            "client_email": ACCOUNT,
            "token_uri": guarded.url + "/token",
        }
    )
    assert signs_in(guarded, monkeypatch, credential) == [("POST", "/token")]


def test_a_person_who_signed_in_before(guarded, monkeypatch):
    monkeypatch.setattr(google.oauth2.credentials, "_GOOGLE_OAUTH2_TOKEN_ENDPOINT", guarded.url + "/token")
    credential = credentials.RefreshToken(
        {"type": "authorized_user", "client_id": "1.apps", "client_secret": "s", "refresh_token": "1//r"}
    )
    assert signs_in(guarded, monkeypatch, credential) == [("POST", "/token")]


def application_default(monkeypatch, tmp_path, file):
    path = tmp_path / "credentials.json"
    path.write_text(json.dumps(file))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    # Else google-auth asks Cloud Resource Manager, whose URL cannot be set.
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", PROJECT)
    return credentials.ApplicationDefault()


def federated(emulator, tmp_path):
    subject = tmp_path / "subject.json"
    subject.write_text(json.dumps({"value": "e30.e30.c2ln"}))
    return {
        "type": "external_account",
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/github",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": emulator.url + "/v1/token",
        "credential_source": {
            "file": str(subject),
            "format": {"type": "json", "subject_token_field_name": "value"},
        },
    }


def test_a_workload_of_another_provider(guarded, monkeypatch, tmp_path):
    credential = application_default(monkeypatch, tmp_path, federated(guarded, tmp_path))
    assert signs_in(guarded, monkeypatch, credential) == [("POST", "/v1/token")]


def test_a_workload_that_acts_for_a_service_account(guarded, monkeypatch, tmp_path):
    path = f"/v1/projects/-/serviceAccounts/{ACCOUNT}:generateAccessToken"
    file = {**federated(guarded, tmp_path), "service_account_impersonation_url": guarded.url + path}
    credential = application_default(monkeypatch, tmp_path, file)
    calls = signs_in(guarded, monkeypatch, credential)
    assert calls == [("POST", "/v1/token"), ("POST", path)]


def test_a_person_who_acts_for_a_service_account(guarded, monkeypatch, tmp_path):
    monkeypatch.setattr(google.oauth2.credentials, "_GOOGLE_OAUTH2_TOKEN_ENDPOINT", guarded.url + "/token")
    # google-auth takes the account from this URL and calls its own, so that one is told as well.
    path = f"/v1/projects/-/serviceAccounts/{ACCOUNT}:generateAccessToken"
    monkeypatch.setattr(
        "google.auth.iam._IAM_ENDPOINT", guarded.url + "/v1/projects/-/serviceAccounts/{}:generateAccessToken"
    )
    file = {
        "type": "impersonated_service_account",
        "service_account_impersonation_url": guarded.url + path,
        "delegates": [],
        "source_credentials": {
            "type": "authorized_user", "client_id": "1.apps", "client_secret": "s", "refresh_token": "1//r"
        },
    }
    credential = application_default(monkeypatch, tmp_path, file)
    assert signs_in(guarded, monkeypatch, credential) == [("POST", "/token"), ("POST", path)]


# There is no metadata server by TLS.
@pytest.mark.parametrize("guarded", ["http"], indirect=True)
def test_a_machine_of_googles(guarded, monkeypatch):
    monkeypatch.setattr(metadata, "_GCE_METADATA_HOST", guarded.authority)
    monkeypatch.setenv("GCE_METADATA_IP", guarded.authority)
    credential = credentials.ApplicationDefault()
    assert credential.project_id == "demo-herald"
    calls = [path.split("?")[0] for _, path in signs_in(guarded, monkeypatch, credential)]
    assert "/computeMetadata/v1/instance/service-accounts/default/token" in calls


def test_a_machine_without_a_metadata_server_has_no_credential(monkeypatch):
    emulator = Emulator()
    emulator.stop()
    monkeypatch.setattr(metadata, "_GCE_METADATA_HOST", emulator.authority)
    monkeypatch.setenv("GCE_METADATA_IP", emulator.authority)
    with pytest.raises(exceptions.DefaultCredentialsError):
        firebase_admin.credentials.ApplicationDefault().get_credential()
