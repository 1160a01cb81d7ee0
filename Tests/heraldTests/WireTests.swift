import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What goes over the wire, recorded in `Golden/wire`. Scripts/check-wire.py compares these files with fixtures that
/// were written by hand.
@Suite struct WireTests {
    static let fid = "cEXAMPLE-only-00000001"
    static let otherFid = "eEXAMPLE-only-00000003"
    private static let rest = ":APA91bTIDE0TIDE1TIDE2TIDE3TIDE4TIDE5TIDE6TIDE7TIDE8TIDE9TIDEaTIDEbTIDEcTIDEdTIDEe"
    static let token = "dEXAMPLE-only-00000002" + rest
    static let otherToken = "fEXAMPLE-only-00000004" + rest

    struct Transcript: Sendable, CustomTestStringConvertible {
        var name: String
        /// The resources, one text for each apply in turn.
        var applies: [String]
        var settings = ""
        var options: [String] = []
        /// Records only requests whose path ends with this; without it, all except the sign-in.
        var only: String?

        var testDescription: String { name }
    }

    private static let message = #"message: {notification: {title: High tide, body: "18:42 at Ostia"}}"#

    private static func send(_ name: String, _ target: String, besides: String = "") -> Transcript {
        Transcript(
            name: name, applies: ["kind: campaign\nname: tide\ntarget: \(target)\n\(message)\n\(besides)"],
            only: "messages:send")
    }

    private static func topics(_ names: String...) -> String {
        names.map { "---\nkind: topic\nname: \($0)\nsubscribers: []\n" }.joined()
    }

    private static func audience(_ registrations: String) -> String {
        "---\nkind: audience\nname: ostia\n\(registrations)\n"
    }

    private static func group(_ members: String...) -> String {
        "---\nkind: group\nname: appUser-Chris\nmembers: {tokens: ['\(members.joined(separator: "', '"))']}\n"
    }

    private static func topic(_ name: String, _ members: String...) -> String {
        "kind: audience\nname: ostia\ntokens: ['\(members.joined(separator: "', '"))']\n---\n"
            + "kind: topic\nname: \(name)\nsubscribers: [ostia]\n"
    }

    static let transcripts: [Transcript] = [
        Transcript(
            name: "topic",
            applies: [
                """
                kind: campaign
                name: tide
                target: {topic: tide-alerts}
                message:
                  notification: {title: High tide, body: "18:42 at Ostia", image: https://example.com/tide.png}
                  data: {spot: ostia}
                  android: {ttl: 3600s, notification: {channel_id: tides}}
                  apns:
                    headers: {apns-priority: "10", apns-push-type: alert}
                    payload: {aps: {sound: default, badge: 0}, rank: 1.5}
                  webpush: {headers: {TTL: "60"}, notification: {requireInteraction: true, vibrate: [100, 50]}}
                  fcm_options: {analytics_label: tide-rome}
                \(topics("tide-alerts"))
                """
            ]),
        send(
            "condition", #"{condition: "'tide-alerts' in topics && !('opted-out' in topics)"}"#,
            besides: topics("tide-alerts", "opted-out")),
        send(
            "topics-any", "{topics: {any: [tide-alerts, storm-alerts]}}",
            besides: topics("tide-alerts", "storm-alerts")),
        send(
            "topics-all", "{topics: {all: [tide-alerts, storm-alerts]}}",
            besides: topics("tide-alerts", "storm-alerts")),
        send(
            "topics-none", "{topics: {none: [opted-out]}}",
            besides: "acknowledge: [broadcast]\n" + topics("opted-out")),
        send(
            "topics-mixed", "{topics: {any: [tide-alerts, storm-alerts], all: [rome], none: [opted-out]}}",
            besides: topics("tide-alerts", "storm-alerts", "rome", "opted-out")),
        send("audience-fid", "{audience: ostia}", besides: audience("fids: [\(fid)]")),
        send("audience-token", "{audience: ostia}", besides: audience("tokens: ['\(token)']")),
        send("tokens", "{tokens: ['\(token)', '\(otherToken)']}"),
        send("fids", "{fids: [\(fid), \(otherFid)]}"),
        Transcript(
            name: "group-key",
            applies: [
                "kind: campaign\nname: tide\ntarget: {group: appUser-Chris}\n\(message)\n\(group(token, otherToken))"
            ]),
        Transcript(
            name: "group-each",
            applies: [
                "kind: campaign\nname: tide\ntarget: {group: appUser-Chris}\n\(message)\ndelivery: {members: each}\n"
                    + group(token, otherToken)
            ]),
        Transcript(name: "groups", applies: [group(token), group(otherToken), ""]),
        Transcript(
            name: "registrations",
            applies: [
                "kind: audience\nname: ostia\nsource: {file: list.csv}\n---\nkind: topic\nname: tide%alerts\n"
                    + "subscribers: [ostia]\n",
                "kind: audience\nname: ostia\nfids: [\(fid)]\n---\nkind: topic\nname: tide%alerts\n"
                    + "subscribers: [ostia]\n",
            ], settings: "topic_api: registrations"),
        Transcript(
            name: "batches", applies: [topic("tide-alerts", token, otherToken), topic("tide-alerts", otherToken)],
            settings: "topic_api: iid"),
        Transcript(
            name: "dry-run",
            applies: ["kind: campaign\nname: tide\ntarget: {fids: [\(fid)]}\n\(message)\n"], options: ["--dry-run"]),
        Transcript(
            name: "expiring",
            applies: [
                """
                kind: campaign
                name: tide
                target: {fids: [\(fid)]}
                message:
                  notification: {title: High tide, body: "18:42 at Ostia"}
                  android: {ttl: 3600s}
                  webpush: {headers: {TTL: "60"}}
                schedule: {at: "2026-12-01T09:00:00+01:00"}
                delivery: {expires_after: 4h}
                """
            ], options: ["--at", "2026-12-01T08:00:05Z"]),
        Transcript(
            name: "sign-in", applies: ["kind: campaign\nname: tide\ntarget: {fids: [\(fid)]}\n\(message)\n"],
            only: "token"),
    ]

    @Test(arguments: transcripts)
    func `the requests of an apply are those that were reviewed`(_ transcript: Transcript) async throws {
        let sandbox = try Sandbox(["workspace/list.csv": "fid,token\n\(Self.fid),\n,\(Self.token)\n"])
        let (_, host) = try await sandbox.startEmulator("--require-sign-in")
        let proxy = try RecordingProxy(serverPort: try Sandbox.port(of: host))
        let address = "http://127.0.0.1:\(proxy.port)"
        try sandbox.folder.write(try ServiceAccountKey.file(tokens: "\(address)/token"), to: "key.json")
        try sandbox.folder.write(
            """
            herald: 1
            project: tide-app-prod
            sender_id: "123456789012"
            fcm:
              endpoint: \(address)
              credentials: \(sandbox.folder.path)/key.json
              ramp: 0s
              \(transcript.settings)

            """, to: "workspace/herald.yaml")
        for resources in transcript.applies {
            try sandbox.folder.write(resources, to: "workspace/resources.yaml")
            let options = ["-w", sandbox.workspace, "apply", "--auto-approve", "--override", "max_unsubscribe_percent"]
            let apply = try await HeraldProcess.run(
                options + transcript.options, environment: sandbox.environment(nil))
            #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        }
        proxy.stop()
        let requests = proxy.requests.filter { request in
            // What is asked once, before the first message of a state.
            if request.path.contains("cHeraldDoctor")
                || String(decoding: request.body, as: UTF8.self).contains("doctor")
            {
                return false
            }
            let last = request.path.prefix { $0 != "?" }.split(separator: "/").last.map(String.init)
            return transcript.only.map { $0 == last } ?? (last != "token")
        }
        let text = try Self.text(of: requests)
        #expect(text == (try Golden("wire/\(transcript.name).http").text(recording: text)))
        await sandbox.end()
    }

    /// The form of the golden files: values that differ from run to run are replaced by names, and concurrent requests
    /// are sorted.
    private static func text(of requests: [RecordingProxy.Recorded]) throws -> String {
        var parts: [String] = []
        var parallel: [String] = []
        var method = ""
        for request in requests {
            let isOneOfMany = request.path.hasSuffix("messages:send") || request.path.contains("topicSubscriptions")
            if !isOneOfMany || request.method != method {
                parts += parallel.sorted()
                parallel = []
            }
            parallel.append(try text(of: request))
            method = request.method
        }
        return (parts + parallel.sorted()).joined(separator: "\n###\n")
    }

    private static func text(of request: RecordingProxy.Recorded) throws -> String {
        var headers = request.headers
        for name in ["host", "user-agent", "content-length"] { headers[name] = nil }
        if headers["authorization"]?.hasPrefix("Bearer ya29.") == true {
            headers["authorization"] = "Bearer <access token>"
        }
        let fields = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
        return "\(request.method) \(request.path)\n\(fields)" + (try body(of: request).map { "\n\($0)\n" } ?? "")
    }

    private static func body(of request: RecordingProxy.Recorded) throws -> String? {
        guard !request.body.isEmpty else { return nil }
        if request.headers["content-type"] == "application/x-www-form-urlencoded" {
            return try form(String(decoding: request.body, as: UTF8.self)).prettyText
        }
        return try JSONValue(parsing: request.body).namingKeys.prettyText
    }

    private static func form(_ text: String) throws -> JSONValue {
        var fields: [String: JSONValue] = [:]
        for field in text.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1)
            let value = try #require(parts.last?.removingPercentEncoding)
            fields[String(parts[0])] = parts[0] == "assertion" ? try assertion(value) : .string(value)
        }
        return .object(fields)
    }

    private static func assertion(_ text: String) throws -> JSONValue {
        let parts = try text.split(separator: ".").prefix(2).map { part in
            let base64 = part.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
            return try JSONValue(parsing: Array(try #require(Data(base64Encoded: base64 + padding))))
        }
        var claims = try #require(parts.last?.object)
        let issued = try #require(claims["iat"]?.int)
        #expect(abs(Date().timeIntervalSince1970 - Double(issued)) < 120)
        #expect(claims["exp"]?.int == issued + 3600)
        claims["iat"] = "<now>"
        claims["exp"] = "<now + 3600>"
        return ["header": parts[0], "claims": .object(claims)]
    }
}

extension JSONValue {
    /// FCM makes up notification keys, so any token that is not one of the tests' own is a key.
    fileprivate var namingKeys: JSONValue {
        guard var members = object else { return self }
        if members["notification_key"] != nil { members["notification_key"] = "<notification key>" }
        if let message = members["message"]?.object, let token = message["token"]?.string,
            ![WireTests.token, WireTests.otherToken].contains(token)
        {
            members["message"] = .object(message.merging(["token": "<notification key>"]) { $1 })
        }
        return .object(members)
    }
}
