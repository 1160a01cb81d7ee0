"""A server on loopback that answers as Google's sign-in servers, the metadata server and FCM do, and keeps every request."""

import datetime
import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SUBJECT = "e30.e30.c2ln"
# Who says what kind of program calls, which is no part of the question.
TELEMETRY = {"accept", "accept-encoding", "connection", "content-length", "host", "user-agent", "x-goog-api-client"}


class Recorder:
    """A running server on a port that the system gave."""

    def __init__(self):
        self.requests = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self):
                length = int(self.headers.get("content-length", 0))
                body = self.rfile.read(length)
                recorder.requests.append(_recorded(self.command, self.path, self.headers, body))
                status, kind, answer = _answer_to(self.command, urllib.parse.urlsplit(self.path).path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Metadata-Flavor", "Google")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = _answer

            def log_message(self, *arguments):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.authority = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"http://{self.authority}"

    def take(self):
        """The requests so far, which are then forgotten."""
        taken, self.requests = self.requests, []
        return taken

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _recorded(method, target, headers, body):
    parts = urllib.parse.urlsplit(target)
    kind = headers.get("content-type", "")
    text = body.decode()
    if kind.startswith("application/x-www-form-urlencoded"):
        content = dict(urllib.parse.parse_qsl(text, keep_blank_values=True))
    elif kind.startswith("application/json"):
        content = json.loads(text)
    else:
        content = text
    return {
        "method": method,
        "path": parts.path or "/",
        "query": dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True)),
        "headers": {name.lower(): value for name, value in headers.items() if name.lower() not in TELEMETRY},
        "body": content,
    }


def _answer_to(method, path):
    account = "/computeMetadata/v1/instance/service-accounts/default"
    token = {"access_token": "ya29.token", "expires_in": 3599, "token_type": "Bearer"}
    if path in ("/token", account + "/token"):
        return _json(token)
    if path == "/v1/token":
        return _json({**token, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"})
    if path.endswith(":generateAccessToken"):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        return _json({"accessToken": "ya29.impersonated", "expireTime": end.strftime("%Y-%m-%dT%H:%M:%SZ")})
    if path == "/oidc":
        return _json({"value": SUBJECT})
    if path == account + "/":
        return _json({"aliases": ["default"], "email": "vm@tide.iam.gserviceaccount.com", "scopes": ["all"]})
    if path == "/computeMetadata/v1/universe/universe-domain":
        return 200, "application/text", b"googleapis.com"
    if path == "/computeMetadata/v1/project/project-id":
        return 200, "application/text", b"tide-app-prod"
    if path == "/":
        return 200, "application/text", b"computeMetadata/\n"
    if path.endswith("/messages:send"):
        return _json({"name": "projects/tide-app-prod/messages/1"})
    return 404, "text/plain", b""


def _json(value):
    return 200, "application/json", json.dumps(value).encode()
