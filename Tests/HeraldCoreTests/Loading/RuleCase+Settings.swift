import HeraldCore
import HeraldTestSupport

private func audience(_ rest: String) -> String { "kind: audience\nname: a\n\(rest)\n" }
private func settings(_ rest: String) -> String { settingsText + rest + "\n" }

private func feedback(_ rest: String) -> [String: String] {
    ["herald.yaml": "herald: 2\nproject: p\nfeedback: {\(rest)}\n"]
}

/// A workspace with a state, that may be in PostgreSQL.
private func state(_ rest: String) -> String { "herald: 2\nproject: p\nworkspace: w\nstate: \(rest)" }

extension RuleCase {
    static let settingsCases: [RuleCase] = [
        RuleCase(
            .formatVersion, "a key of version 2", ["herald.yaml": "herald: 1\nproject: p\n▸state: {file: s}\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nstate: {file: s}\n"]),
        RuleCase(
            .formatVersion, "a later format", ["herald.yaml": "herald: ▸3\nproject: p\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\n"]),
        RuleCase(
            .unknownKey, "of the state", ["herald.yaml": "herald: 2\nproject: p\nstate: {▸path: s}\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nstate: {}\n"]),
        RuleCase(
            .invalidValue, "a snapshot in place of the state",
            ["herald.yaml": "herald: 2\nproject: p\nstate: {file: s, snapshot: ▸s}\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nstate: {file: s, snapshot: s.json}\n"]),
        RuleCase(
            .invalidValue, "a snapshot without a name",
            ["herald.yaml": "herald: 2\nproject: p\nstate: {snapshot: ▸''}\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nstate: {snapshot: ../s.json}\n"]),
        RuleCase(
            .formatVersion, "a state in PostgreSQL",
            ["herald.yaml": "herald: 1\nproject: p\n▸state: postgresql:///h\n"],
            near: ["herald.yaml": state("postgresql:///h\n")]),
        RuleCase(
            .formatVersion, "a name for the workspace", ["herald.yaml": "herald: 1\nproject: p\n▸workspace: w\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nworkspace: w\n"]),
        RuleCase(
            .formatVersion, "an approval", ["herald.yaml": "herald: 1\nproject: p\n▸approval: required\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\napproval: required\n"]),
        RuleCase(
            .formatVersion, "a band", ["herald.yaml": "herald: 1\nproject: p\n▸approval_band: 5%\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\napproval_band: 5%\n"]),
        RuleCase(
            .formatVersion, "a heartbeat", ["herald.yaml": "herald: 1\nproject: p\n▸heartbeat: '${U}'\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nheartbeat: '${U}'\n"]),
        RuleCase(
            .invalidValue, "a heartbeat in clear",
            ["herald.yaml": "herald: 2\nproject: p\nheartbeat: ▸https://a.example/x\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nheartbeat: http://127.0.0.1/x\n"]),
        RuleCase(
            .invalidValue, "a heartbeat with a lone $",
            ["herald.yaml": "herald: 2\nproject: p\nheartbeat: ▸'https://a.example/${A}$x'\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nheartbeat: 'https://a.example/${A}'\n"]),
        RuleCase(
            .formatVersion, "a webhook", ["herald.yaml": "herald: 1\nproject: p\n▸notify: [{webhook: '${U}'}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}'}]\n"]),
        RuleCase(
            .invalidValue, "a webhook in clear",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: ▸https://a.example/x}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: 'https://a.example/${U}'}]\n"]),
        RuleCase(
            .invalidValue, "a secret in clear",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', secret: ▸x}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', secret: '${S}'}]\n"]),
        RuleCase(
            .invalidValue, "a signature for Slack",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', format: slack, ▸secret: '${S}'}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', format: json, secret: '${S}'}]\n"]),
        RuleCase(
            .invalidValue, "an unknown change",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', when: [▸sended]}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', when: [sent]}]\n"]),
        RuleCase(
            .invalidValue, "no change",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', ▸when: []}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}'}]\n"]),
        RuleCase(
            .invalidValue, "a report's address without a run",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', report_url: ▸'https://a.example/'}]\n"],
            near: [
                "herald.yaml":
                    "herald: 2\nproject: p\nnotify: [{webhook: '${U}', report_url: 'https://a.example/{run}.html'}]\n"
            ]),
        RuleCase(
            .invalidValue, "another form",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', format: ▸teams}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', format: json}]\n"]),
        RuleCase(
            .wrongType, "webhooks that are no list",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: ▸{webhook: '${U}'}\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}'}]\n"]),
        RuleCase(
            .missingKey, "a webhook without an address",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [▸{when: [sent]}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', when: [sent]}]\n"]),
        RuleCase(
            .unknownKey, "of a webhook",
            ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', ▸wen: [sent]}]\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nnotify: [{webhook: '${U}', when: [sent]}]\n"]),
        RuleCase(
            .formatVersion, "a host for tokens",
            ["herald.yaml": "herald: 1\nproject: p\nfcm: {▸token_hosts: [a.example]}\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nfcm: {token_hosts: [a.example]}\n"]),
        RuleCase(
            .invalidValue, "an address as a host for tokens",
            ["herald.yaml": "herald: 2\nproject: p\nfcm: {token_hosts: [▸'https://a.example']}\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nfcm: {token_hosts: [a.example]}\n"]),
        RuleCase(
            .invalidValue, "an approval that is optional",
            ["herald.yaml": "herald: 2\nproject: p\napproval: ▸optional\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\napproval: required\n"]),
        RuleCase(
            .invalidValue, "a band without a percent sign",
            ["herald.yaml": "herald: 2\nproject: p\napproval_band: ▸'10'\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\napproval_band: 10%\n"]),
        RuleCase(
            .invalidValue, "a workspace's name with a space",
            ["herald.yaml": "herald: 2\nproject: p\nworkspace: ▸a b\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nworkspace: a-b\n"]),
        RuleCase(
            .invalidValue, "no URI of a database", ["herald.yaml": "herald: 2\nproject: p\nstate: {postgres: ▸h}\n"],
            near: ["herald.yaml": state("{postgres: 'postgresql:///h'}\n")]),
        RuleCase(
            .invalidValue, "a database where a file belongs",
            ["herald.yaml": state("{file: ▸'postgresql:///h'}\n")],
            near: ["herald.yaml": "herald: 2\nproject: p\nstate: {file: h}\n"]),
        RuleCase(
            .invalidValue, "an address of another form",
            ["herald.yaml": "herald: 2\nproject: p\nstate: ▸'app:x@host/h'\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nstate: './app:x@host/h'\n"]),
        RuleCase(
            .invalidValue, "a schema for a file", ["herald.yaml": "herald: 2\nproject: p\nstate: {▸schema: s}\n"],
            near: ["herald.yaml": state("{postgres: 'postgresql:///h', schema: s}\n")]),
        RuleCase(
            .invalidValue, "a schema's name that needs quotes",
            ["herald.yaml": state("{postgres: 'postgresql:///h', schema: ▸S s}\n")],
            near: ["herald.yaml": state("{postgres: 'postgresql:///h', schema: s_s}\n")]),
        RuleCase(
            .invalidValue, "a file and a database",
            ["herald.yaml": state("{▸file: s, postgres: 'postgresql:///h'}\n")],
            near: ["herald.yaml": "herald: 2\nproject: p\nstate: {file: s}\n"]),
        RuleCase(
            .wrongType, "a list of states", ["herald.yaml": settings("state: ▸[a, b]")],
            near: ["herald.yaml": settings("state: a")]),
        RuleCase(
            .wrongType, "a version in quotes", ["herald.yaml": "herald: ▸'1'\nproject: p\n"],
            near: ["herald.yaml": "herald: 1\nproject: p\n"]),
        RuleCase(
            .wrongType, "two documents", ["herald.yaml": "▸herald: 1\nproject: p\n---\nherald: 1\n"],
            near: ["herald.yaml": "---\nherald: 1\nproject: p\n---\n"]),
        RuleCase(.wrongType, "empty settings", ["herald.yaml": "▸# nothing\n"], near: [:]),
        RuleCase(.missingKey, "no project", ["herald.yaml": "▸herald: 1\n"], near: [:]),
        RuleCase(.missingKey, "no version", ["herald.yaml": "▸project: p\n"], near: [:]),
        RuleCase(
            .unknownKey, "of the settings", ["herald.yaml": settings("▸projct: x")],
            near: ["herald.yaml": settings("state: x")]),
        RuleCase(
            .unknownKey, "of fcm", ["herald.yaml": settings("fcm: {▸rates: 5/s}")],
            near: ["herald.yaml": settings("fcm: {rate: 5/s}")]),
        RuleCase(
            .unknownKey, "of the guards", ["herald.yaml": settings("guards: {▸max_recipient: 5}")],
            near: ["herald.yaml": settings("guards: {max_recipients: 5}")]),
        RuleCase(
            .invalidValue, "a project with a space", ["herald.yaml": "herald: 1\nproject: ▸a b\n"],
            near: ["herald.yaml": "herald: 1\nproject: example.com:a-b\n"]),
        RuleCase(
            .invalidValue, "a timeout of an hour", ["herald.yaml": settings("fcm: {timeout: ▸1h}")],
            near: ["herald.yaml": settings("fcm: {timeout: 10m}")]),
        RuleCase(
            .invalidValue, "a lone dollar", ["herald.yaml": settings("state: ▸a$b")],
            near: ["herald.yaml": settings("state: a$$b")]),
        RuleCase(
            .invalidValue, "an API of no kind", ["herald.yaml": settings("fcm: {topic_api: ▸v1}")],
            near: ["herald.yaml": settings("fcm: {topic_api: iid}")]),
        RuleCase(
            .fcmSunset, "an API that ends", ["herald.yaml": settings("fcm: {topic_api: ▸iid◂}")],
            near: ["herald.yaml": settings("fcm: {topic_api: registrations}")]),
        RuleCase(
            .endpointMixed, "batches elsewhere",
            ["herald.yaml": settings("fcm: {iid_endpoint: ▸https://iid.example}")],
            near: ["herald.yaml": settings("fcm: {iid_endpoint: https://iid.googleapis.com}")]),
        RuleCase(
            .endpointMixed, "messages elsewhere",
            [
                "herald.yaml": settings(
                    "fcm: {endpoint: http://127.0.0.1:9, iid_endpoint: ▸https://iid.googleapis.com}")
            ],
            near: ["herald.yaml": settings("fcm: {endpoint: http://127.0.0.1:9, iid_endpoint: 'http://[::1]:9'}")]),
        RuleCase(
            .invalidValue, "an endpoint without a scheme",
            ["herald.yaml": settings("fcm: {endpoint: ▸fcm.googleapis.com}")],
            near: ["herald.yaml": settings("fcm: {endpoint: https://fcm.googleapis.com:443/}")]),
        RuleCase(
            .invalidValue, "an endpoint with another scheme",
            ["herald.yaml": settings("fcm: {endpoint: ▸htps://fcm.googleapis.com}")],
            near: ["herald.yaml": settings("fcm: {endpoint: https://fcm.googleapis.com}")]),
        RuleCase(
            .invalidValue, "an endpoint with a path",
            ["herald.yaml": settings("fcm: {endpoint: ▸https://fcm.googleapis.com/v1}")],
            near: ["herald.yaml": settings("fcm: {endpoint: https://fcm.googleapis.com/}")]),
        RuleCase(
            .invalidValue, "an endpoint with a port that is none",
            ["herald.yaml": settings("fcm: {endpoint: ▸http://127.0.0.1:65536}")],
            near: ["herald.yaml": settings("fcm: {endpoint: http://127.0.0.1:65535}")]),
        RuleCase(
            .invalidValue, "plain text to another machine",
            ["herald.yaml": settings("fcm: {endpoint: ▸http://fcm.googleapis.com}")],
            near: ["herald.yaml": settings("fcm: {endpoint: http://localhost}")]),
        RuleCase(
            .invalidValue, "batches to no address",
            ["herald.yaml": settings("fcm: {iid_endpoint: ▸iid.googleapis.com}")],
            near: ["herald.yaml": settings("fcm: {iid_endpoint: https://iid.googleapis.com}")]),
        RuleCase(
            .endpointElsewhere, "another server", ["herald.yaml": settings("fcm: {endpoint: ▸https://fcm.example}")],
            near: ["herald.yaml": settings("fcm: {endpoint: https://127.0.0.1:9}")]),
        RuleCase(
            .endpointElsewhere, "a server whose name ends like Google's",
            ["herald.yaml": settings("fcm: {endpoint: ▸https://evilgoogleapis.com}")],
            near: ["herald.yaml": settings("fcm: {endpoint: https://staging-fcm.googleapis.com}")]),
        RuleCase(
            .ambiguousScalar, "a project number as a number", ["herald.yaml": settings("sender_id: ▸123456789012")],
            near: ["herald.yaml": settings("sender_id: '123456789012'")]),
        RuleCase(
            .invalidValue, "a project number that is a word", ["herald.yaml": settings("sender_id: ▸tide")],
            near: ["herald.yaml": settings("sender_id: '1'")]),
        RuleCase(
            .invalidValue, "a lists folder without a name", ["herald.yaml": settings("lists: ▸''")],
            near: ["herald.yaml": settings("lists: ../elsewhere")]),
        RuleCase(
            .invalidValue, "a key file without a name", ["herald.yaml": settings("fcm: {credentials: ▸''}")],
            near: ["herald.yaml": settings("fcm: {credentials: key.json}")]),
        RuleCase(
            .invalidValue, "a run every 9 seconds", ["herald.yaml": settings("runner: {every: ▸9s}")],
            near: ["herald.yaml": settings("runner: {every: 10s}")]),
        RuleCase(
            .unknownKey, "of the runner", ["herald.yaml": settings("runner: {▸evry: 5m}")],
            near: ["herald.yaml": settings("runner: {}")]),
        RuleCase(
            .unknownReference, "suppressed people",
            ["herald.yaml": settings("suppress: [a, ▸b]"), "x.yaml": audience("fids: []")],
            near: ["herald.yaml": settings("suppress: [a]"), "x.yaml": audience("fids: []")]),
        RuleCase(
            .invalidValue, "a password of the state's database",
            ["herald.yaml": state("▸'postgresql://u:secret@h/db'\n")],
            near: ["herald.yaml": state("'postgresql://u@h/db'\n")]),
        RuleCase(
            .invalidValue, "a password among the keys of the state",
            ["herald.yaml": state("{postgres: ▸'postgresql://h/db?password=secret'}\n")],
            near: ["herald.yaml": state("{postgres: 'postgresql://h/db?password=${PW}'}\n")]),
        RuleCase(
            .invalidValue, "a default for the password of the state's database",
            ["herald.yaml": state("▸'postgresql://u:${PW:-secret}@h/db'\n")],
            near: ["herald.yaml": state("'postgresql://u:${PW}@h/db'\n")]),
        RuleCase(
            .invalidValue, "a parameter that no address has",
            ["herald.yaml": state("▸'postgresql://u@h/db?sslmod=verify-full'\n")],
            near: ["herald.yaml": state("'postgresql://u@h/db?sslmode=verify-full'\n")]),
        RuleCase(
            .missingKey, "a workspace's name for a state in PostgreSQL",
            ["herald.yaml": "herald: 2\nproject: p\n▸state: 'postgresql://u@h/db'\n"],
            near: ["herald.yaml": state("'postgresql://u@h/db'\n")]),
        RuleCase(
            .invalidValue, "a password of a database that is told",
            feedback("postgres: ▸'postgresql://app:secret@db.example/app', dead: SELECT $3"),
            near: feedback("postgres: 'postgresql://app:${PW}@db.example/app', dead: SELECT $3")),
        RuleCase(
            .invalidValue, "a password among its parameters",
            feedback("postgres: ▸'postgresql://db.example/app?password=secret', dead: SELECT $3"),
            near: feedback("postgres: 'postgresql://db.example/app?password=${PW}', dead: SELECT $3")),
        RuleCase(
            .formatVersion, "feedback",
            ["herald.yaml": "herald: 1\nproject: p\n▸feedback: {postgres: '${A}', dead: SELECT $3}\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nfeedback: {postgres: '${A}', dead: SELECT $3}\n"]),
        RuleCase(
            .invalidValue, "feedback to a database that is no address",
            feedback("postgres: ▸'host=db', dead: SELECT $3"),
            near: feedback("postgres: 'postgresql://a@db/app', dead: SELECT $3")),
        RuleCase(
            .invalidValue, "feedback with no statement", feedback("postgres: '${A}', dead: ▸';'"),
            near: feedback("postgres: '${A}', dead: SELECT $3;")),
        RuleCase(
            .invalidValue, "feedback that does not know who is dead",
            feedback("postgres: '${A}', dead: ▸'UPDATE people SET dead = true WHERE $1 <> $31'"),
            near: feedback("postgres: '${A}', dead: 'UPDATE people SET dead = true WHERE fid = ANY ($3)'")),
        RuleCase(
            .missingKey, "feedback without a statement",
            feedback("postgres: '${A}'").mapValues {
                $0.replacing("{postgres", with: "▸{postgres")
            }, near: feedback("postgres: '${A}', dead: SELECT $3")),
        RuleCase(
            .unknownKey, "another key of feedback", feedback("postgres: '${A}', dead: SELECT $3, ▸outcomes: SELECT 1"),
            near: feedback("postgres: '${A}', dead: SELECT $3")),
        RuleCase(
            .fileUnreadable, "a statement that is not there", feedback("postgres: '${A}', dead: ▸gone.sql"),
            near: feedback("postgres: '${A}', dead: gone.sql").merging(["gone.sql": "SELECT mark($3)"]) { $1 }),
        RuleCase(
            .undefinedVariable, "a variable nobody set", ["herald.yaml": settings("state: ▸${NOWHERE}/x")],
            near: ["herald.yaml": settings("state: ${NOWHERE:-here}/x")]),
    ]
}
