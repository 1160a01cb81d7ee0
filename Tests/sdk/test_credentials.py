"""google-auth and herald get the same files and the same environment, and make the same requests for tokens."""

import json
import os
import pathlib
import subprocess
import urllib.parse

import google.auth
import google.auth.compute_engine._metadata as metadata
import google.oauth2.credentials
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth.transport.requests import Request

from conftest import PROJECT
from names import token
from recorder import SUBJECT, Recorder

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
ACCOUNT = "sender@tide-app-prod.iam.gserviceaccount.com"
AUDIENCE = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/github"
WORKFORCE = "//iam.googleapis.com/locations/global/workforcePools/people/providers/okta"
IMPERSONATION = f"/v1/projects/-/serviceAccounts/{ACCOUNT}:generateAccessToken"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)

# What herald does otherwise, on purpose. docs/how-to/credentials.md lists these sentences.
DIFFERENCES = {
    "no scope in a refresh": "herald names no scope when it exchanges a person's refresh token",
    "no delegates": "herald writes an empty list of delegates where google-auth writes null",
    "quota of the source": "herald sends one quota project with every call that takes one",
    "no questions about the machine": "herald asks the metadata server for a token and for nothing else",
    "no allowed locations": "herald does not ask where an account may be used",
}


@pytest.fixture(scope="module")
def server():
    recorder = Recorder()
    yield recorder
    recorder.stop()


@pytest.fixture(autouse=True)
def googles_addresses(server, monkeypatch, tmp_path):
    """Addresses that google-auth takes from no file are the recorder's; nothing of whoever runs this is found."""
    monkeypatch.setattr(google.oauth2.credentials, "_GOOGLE_OAUTH2_TOKEN_ENDPOINT", server.url + "/token")
    path = "/v1/projects/-/serviceAccounts/{}:generateAccessToken"
    monkeypatch.setattr("google.auth.iam._IAM_ENDPOINT", server.url + path)
    monkeypatch.setattr(metadata, "_GCE_METADATA_HOST", server.authority)
    for kind in ("service_account", "workload_identity_pool", "workforce_pool"):
        monkeypatch.setattr(
            f"google.auth._regional_access_boundary_utils.get_{kind}_rab_endpoint",
            lambda *names: f"{server.url}/v1/allowedLocations",
        )
    for name in list(os.environ):
        if name.startswith(("GOOGLE_", "GCLOUD_", "GCE_", "CLOUDSDK_")) or name == "NO_GCE_CHECK":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", PROJECT)


def service_account(url):
    pem = KEY.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    return {
        "type": "service_account", "project_id": PROJECT, "private_key_id": "k1", "private_key": pem,
        "client_email": ACCOUNT, "token_uri": url + "/token",
    }


def person(url, **more):
    return {
        "type": "authorized_user", "client_id": "1.apps", "client_secret": "s+/=&", "refresh_token": "1//r",
        "token_uri": url + "/token", **more,
    }


def workload(url, source, **more):
    return {
        "type": "external_account", "audience": AUDIENCE, "token_url": url + "/v1/token",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "credential_source": source, **more,
    }


def acting(url, source, **more):
    return {
        "type": "impersonated_service_account", "service_account_impersonation_url": url + IMPERSONATION,
        "source_credentials": source, **more,
    }


JSON_FORMAT = {"type": "json", "subject_token_field_name": "value"}
KINDS = {
    "a service account": lambda url, folder: service_account(url),
    "a person": lambda url, folder: person(url),
    "a person with a quota project": lambda url, folder: person(url, quota_project_id="billing"),
    "a workload with a file": lambda url, folder: workload(url, {"file": f"{folder}/subject.txt"}),
    "a workload with JSON": lambda url, folder: workload(
        url, {"file": f"{folder}/subject.json", "format": JSON_FORMAT}
    ),
    "a workload with an address": lambda url, folder: workload(
        url, {"url": url + "/oidc?audience=x", "headers": {"Authorization": "Bearer r"}, "format": JSON_FORMAT}
    ),
    "a workload that acts for an account": lambda url, folder: workload(
        url,
        {"file": f"{folder}/subject.txt"},
        service_account_impersonation_url=url + IMPERSONATION,
        service_account_impersonation={"token_lifetime_seconds": 2800},
    ),
    "a workload with a client": lambda url, folder: workload(
        url, {"file": f"{folder}/subject.txt"}, client_id="client", client_secret="s3cret"
    ),
    "people of a workforce pool": lambda url, folder: {
        **workload(url, {"file": f"{folder}/subject.txt"}, workforce_pool_user_project="billing"),
        "audience": WORKFORCE,
    },
    "a person who acts for an account": lambda url, folder: acting(
        url, person(url, quota_project_id="billing"), delegates=["hop@tide.iam.gserviceaccount.com"]
    ),
    "an account that acts for another": lambda url, folder: acting(url, service_account(url), delegates=[]),
    "a machine of Google's": None,
}


@pytest.mark.parametrize("kind", KINDS)
def test_both_ask_for_tokens_in_the_same_way(kind, server, monkeypatch, tmp_path):
    (tmp_path / "subject.txt").write_text(SUBJECT)
    (tmp_path / "subject.json").write_text(json.dumps({"value": SUBJECT}))
    if KINDS[kind]:
        path = tmp_path / "credential.json"
        path.write_text(json.dumps(KINDS[kind](server.url, tmp_path)))
        path.chmod(0o600)
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    else:
        monkeypatch.setenv("GCE_METADATA_HOST", server.authority)
        monkeypatch.setenv("GCE_METADATA_IP", server.authority)
    server.take()
    credential, _ = google.auth.default(scopes=[SCOPE], request=Request())
    credential.refresh(Request())
    theirs = alike(server.take())
    herald(server, tmp_path)
    ours = [request for request in server.take() if not request["path"].endswith("/messages:send")]
    assert alike(ours) == theirs
    assert theirs


def test_the_quota_project_of_the_environment_goes_along(server, monkeypatch, tmp_path):
    path = tmp_path / "credential.json"
    path.write_text(json.dumps(person(server.url, quota_project_id="billing")))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    for variable, expected in [(None, "billing"), ("other", "other")]:
        if variable:
            monkeypatch.setenv("GOOGLE_CLOUD_QUOTA_PROJECT", variable)
        credential, _ = google.auth.default(scopes=[SCOPE])
        headers = {"authorization": "Bearer x"}
        credential.apply(headers, token="x")
        assert headers["x-goog-user-project"] == expected
        server.take()
        herald(server, tmp_path / expected)
        sends = [request for request in server.take() if request["path"].endswith("/messages:send")]
        assert {send["headers"]["x-goog-user-project"] for send in sends} == {expected}


def test_one_quota_project_is_for_all_calls(server, monkeypatch, tmp_path):
    """"quota of the source": google-auth sends the source's own to the impersonation."""
    path = tmp_path / "credential.json"
    path.write_text(json.dumps(acting(server.url, person(server.url, quota_project_id="billing"))))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    monkeypatch.setenv("GOOGLE_CLOUD_QUOTA_PROJECT", "other")
    server.take()
    credential, _ = google.auth.default(scopes=[SCOPE])
    credential.refresh(Request())
    herald(server, tmp_path)
    calls = [request for request in server.take() if request["path"] == IMPERSONATION]
    assert [call["headers"]["x-goog-user-project"] for call in calls] == ["billing", "other"]


def test_every_difference_is_in_the_documentation():
    text = (pathlib.Path(__file__).parents[2] / "docs" / "how-to" / "credentials.md").read_text()
    assert [sentence for sentence in DIFFERENCES.values() if sentence not in text] == []


def herald(server, folder):
    """One message to one phone."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "herald.yaml").write_text(
        f"herald: 1\nproject: {PROJECT}\nfcm: {{endpoint: '{server.url}', ramp: 0s}}\n"
    )
    (workspace / "one.yaml").write_text(
        f"kind: campaign\nname: one\ntarget: {{tokens: ['{token(1)}']}}\nmessage: {{notification: {{title: Hello}}}}\n"
    )
    result = subprocess.run(
        [os.environ["HERALD"], "-w", str(workspace), "apply", "--auto-approve"],
        env={**os.environ, "HERALD_STATE": str(folder / "state.sqlite")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def alike(requests):
    """The requests without time, signature and the differences that are meant."""
    kept = []
    for request in requests:
        path, body = request["path"], request["body"]
        # "no allowed locations"
        if path.endswith("/allowedLocations"):
            continue
        # "no questions about the machine"
        if path.startswith("/computeMetadata/") and not path.endswith("/token"):
            continue
        if isinstance(body, dict) and "assertion" in body:
            body["assertion"] = checked(body["assertion"])
        if isinstance(body, dict) and "options" in body:
            body["options"] = json.loads(urllib.parse.unquote(body["options"]))
        # "no scope in a refresh"
        if isinstance(body, dict) and body.get("grant_type") == "refresh_token":
            body.pop("scope", None)
        if path.endswith(":generateAccessToken"):
            # "no delegates"
            body["delegates"] = body["delegates"] or []
        kept.append(request)
    return kept


def checked(assertion):
    """The parts of a signed assertion apart from its time. Its signature must be right."""
    claims = jwt.decode(
        assertion, KEY.public_key(), algorithms=["RS256"], audience="https://oauth2.googleapis.com/token"
    )
    assert claims.pop("exp") - claims.pop("iat") == 3600
    return {"header": jwt.get_unverified_header(assertion), "claims": claims}
