import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Saved reports: checked when they are read, and shown in every format.
@Suite struct ReportRenderingTests {
    /// A saved report with something in every part.
    static let saved: JSONValue = [
        "schema": "herald.report/1", "run": "20261201T080000Z-1a2b",
        "plan_digest": .string("sha256:" + String(repeating: "cd", count: 32)), "dry_run": false,
        "started": "2026-12-01T08:00:00Z", "finished": "2026-12-01T08:01:01Z", "result": "unknown",
        "endpoint": "emulator", "project": "tide-app", "herald_version": "0.1.0", "git_commit": "0123abc",
        "overrides": ["max_recipients"], "state": ["lineage": "6f0c", "serial": 12],
        "summary": [
            "subscribed": 2, "unsubscribed": 0, "planned": 132, "accepted": 94, "rejected": 4, "unknown": 3,
            "skipped": 1, "held": 28, "pending": 2, "missed": 1, "retries": 6, "forgotten": 2,
            "possible_duplicates": 5,
            "messages": [
                "planned": 130, "accepted": 92, "rejected": 4, "unknown": 3, "skipped": 1, "held": 28, "pending": 2,
            ],
            "memberships": [
                "planned": 2, "accepted": 2, "rejected": 0, "unknown": 0, "skipped": 0, "held": 0, "pending": 0,
            ],
        ],
        "steps": [
            [
                "id": "subscribe:tide-alerts", "action": "subscribe", "topic": "tide-alerts", "planned": 2,
                "accepted": 2, "rejected": 0, "unknown": 0, "skipped": 0, "held": 0, "pending": 0,
                "duration_ms": 1234, "message_ids": [], "failures": [],
            ],
            [
                "id": "send:tide-rome@2026-12-01T08:00:00Z", "action": "send",
                "occurrence": "tide-rome@2026-12-01T08:00:00Z", "planned": 103, "accepted": 92, "rejected": 4,
                "unknown": 3, "skipped": 1, "held": 1, "pending": 2, "duration_ms": 60_000,
                "message_ids": ["0:1"], "stopped": "expires_after has passed",
                "failures": [
                    [
                        "registration": "r_0123456789abcdef", "code": "UNREGISTERED", "http_status": 404,
                        "message": "Requested entity was not found.", "attempts": 1, "action": "forgotten",
                    ],
                    [
                        "registration": "r_fedcba9876543210", "code": "CONNECTION_LOST", "http_status": nil,
                        "message": "reset", "attempts": 2, "action": "held",
                    ],
                ],
            ],
            [
                "id": "send:mose@once", "action": "send", "occurrence": "mose@once", "planned": 27, "accepted": 0,
                "rejected": 0, "unknown": 0, "skipped": 0, "held": 27, "pending": 0, "duration_ms": 0,
                "message_ids": [], "failures": [], "note": "the campaign is paused",
            ],
        ],
        "missed": [
            [
                "occurrence": "ebb@2026-11-30T08:00:00Z", "due": "2026-11-30T08:00:00Z",
                "reason": "it is later than max_lateness allows",
            ]
        ],
        "superseded": [
            [
                "occurrence": "ebb@2026-11-30T20:00:00Z", "due": "2026-11-30T20:00:00Z",
                "reason": "a later occurrence takes its place",
            ]
        ],
        "notes": ["the list of topic subscriptions is empty"],
    ]

    private func read(_ json: JSONValue = saved) throws -> ReportDocument {
        try ReportDocument(reading: json.bytes())
    }

    @Test(arguments: ReportFormat.allCases)
    func `a saved report reads as it was reviewed`(format: ReportFormat) throws {
        let text = try read().rendered(as: format).withNamedStyles
        let endings: [ReportFormat: String] = [.text: "txt", .markdown: "md", .html: "html", .junit: "xml"]
        let ending = try #require(endings[format])
        #expect(text == (try Golden("saved-report.\(ending)").text(recording: text)))
    }

    @Test func `what is read is what was saved`() throws {
        #expect(try read().json == Self.saved)
    }

    @Test func `a report is read as it was written`() throws {
        let document = ReportDocument(DocumentReport.sample)
        #expect(try read(document.json).json == document.json)
    }

    @Test(arguments: [ReportFormat.text, .markdown, .html], [(0, false), (1204, true)])
    func `people who came too late for their clock are told`(_ format: ReportFormat, _ late: (Int, Bool)) throws {
        var report = DocumentReport.sample
        report.steps[0].joinedLate = late.0
        let text = ReportDocument(report).rendered(as: format)
        #expect(text.contains("1,204 joined or moved too late to get it") == late.1, "\(text)")
    }

    // MARK: Reports that are not valid

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"schema":1}"#, #"{"schema":"herald.plan/1"}"#, #"{"schema":"herald.report/1""#, "\u{0}",
    ])
    func `what is no report is not taken for one`(text: String) {
        #expect(throws: ReportDocument.ReadingError.noReport) { try ReportDocument(reading: Array(text.utf8)) }
    }

    @Test func `another version is named`() {
        #expect(throws: ReportDocument.ReadingError.otherVersion("herald.report/2")) {
            try ReportDocument(reading: Array(#"{"schema":"herald.report/2","steps":"anything"}"#.utf8))
        }
    }

    /// Sets the value at a path; `nil` removes it.
    private func changed(_ json: JSONValue, _ path: ArraySlice<String>, _ value: JSONValue?) -> JSONValue? {
        guard let key = path.first else { return value }
        if let index = Int(key), var items = json.array, items.indices.contains(index) {
            items[index] = changed(items[index], path.dropFirst(), value) ?? .null
            return .array(items)
        }
        var members = json.object ?? [:]
        members[key] = changed(members[key] ?? [:], path.dropFirst(), value)
        return .object(members)
    }

    @Test(
        arguments: [
            ("run", nil, "run"), ("run", 1, "run"), ("started", "yesterday", "started"), ("finished", 0, "finished"),
            ("result", "splendid", "result"), ("dry_run", "false", "dry_run"), ("steps", [:], "steps"),
            ("steps.1", 5, "steps[1].id"), ("steps.1.planned", -1, "steps[1].planned"),
            ("steps.1.accepted", .double(1.5), "steps[1].accepted"),
            ("steps.1.planned", .int(.max), "steps[1].planned"), ("steps.1.planned", 102, "steps[1].pending"),
            ("steps.1.failures.0.action", "forgiven", "steps[1].failures[0].action"),
            ("steps.1.failures.0.http_status", "404", "steps[1].failures[0].http_status"),
            ("summary.planned", .int(.min), "summary.planned"), ("overrides", [1], "overrides"),
        ] as [(String, JSONValue?, String)])
    func `a wrong value is named by its place`(path: String, value: JSONValue?, place: String) throws {
        let keys = path.split(separator: ".").map(String.init)
        let json = try #require(changed(Self.saved, keys[...], value))
        #expect(throws: ReportDocument.ReadingError.malformed(place)) { try read(json) }
    }

    @Test func `a registration in a report is not passed on`() throws {
        let token = Registration.token(1).rawValue
        var json = try #require(
            changed(Self.saved, ["steps", "1", "failures", "0", "registration"], .string(token)))
        json = try #require(
            changed(json, ["steps", "1", "failures", "1", "message"], .string("no entity \(token) here")))
        let document = try read(json)
        let revealed = try ReportDocument(reading: json.bytes(), reveals: true)
        for format in ReportFormat.allCases {
            #expect(!document.rendered(as: format).contains(token))
        }
        #expect(document.html.contains("(a registration)"))
        #expect(revealed.html.contains(token))
    }

    // MARK: Hostile text

    static let hostile =
        "<script>alert(1)</script> | a\nb\r@octocat #1 ]]> \u{1B}[2J\u{202E} & \"q\" 'a' **b** `c` [d](https://e)"

    /// The report with hostile text wherever text is allowed.
    private func hostileReport() throws -> ReportDocument {
        var json = Self.saved
        for path in [
            "run", "project", "herald_version", "git_commit", "overrides.0", "notes.0", "steps.1.id",
            "steps.1.stopped", "steps.2.note", "steps.1.failures.0.code", "steps.1.failures.0.message",
            "steps.1.failures.0.registration",
        ] {
            json = try #require(changed(json, path.split(separator: ".").map(String.init)[...], .string(Self.hostile)))
        }
        return try read(json)
    }

    @Test(arguments: ReportFormat.allCases)
    func `no text of a report moves a cursor or turns the writing`(format: ReportFormat) throws {
        let text = try hostileReport().rendered(as: format)
        #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0 == "\u{202E}" })
    }

    @Test(arguments: [ReportFormat.html, .junit])
    func `no text of a report is markup`(format: ReportFormat) throws {
        let (tame, hostile) = (try read().rendered(as: format), try hostileReport().rendered(as: format))
        // Whatever the texts are, the page has the same elements.
        let tags = { (text: String) in
            text.matches(of: #/<[^>]*>/#).map { $0.output.prefix { $0 != " " && $0 != ">" } }.map(String.init)
        }
        #expect(tags(hostile) == tags(tame))
        #expect(hostile.contains("&lt;script&gt;"))
        #expect(!hostile.contains("]]>"))
        // Attributes end only where herald ends them.
        let attributes = { (text: String) in text.matches(of: #/<[^>]*>/#).map { $0.output.count { $0 == "\"" } } }
        #expect(attributes(hostile) == attributes(tame))
    }

    @Test func `no text of a report is Markdown`() throws {
        let text = try hostileReport().markdown
        #expect(text.split(separator: "\n").count == (try read().markdown.split(separator: "\n").count))
        #expect(ReadMarkdown(text).problems == [])
        let bars = { (line: Substring) in line.replacing(#"\|"#, with: "").count { $0 == "|" } }
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(Set(rows.map(bars)) == [10, 6])
    }

    @Test func `a comment has less than 60,000 bytes`() throws {
        let step = try #require(Self.saved["steps"]?.array?[1])
        let json = try #require(
            changed(
                Self.saved, ["steps"], .array((0..<2000).map { changed(step, ["id"], .string("send:\($0)")) ?? step })))
        let text = try read(json).markdown
        #expect(text.utf8.count < 60_000)
        #expect(text.contains(" more that do not fit here."))
    }

    // MARK: Verdicts

    /// A step of an occurrence that the report names as missed.
    private static func missed(accepted: Int64) -> [String: JSONValue] {
        [
            "occurrence": "ebb@2026-11-30T08:00:00Z", "planned": 2, "accepted": .int(accepted),
            "skipped": .int(2 - accepted), "skipped_because": ["missed": .int(2 - accepted)],
        ]
    }

    private func verdicts(_ step: [String: JSONValue], summary: [String: JSONValue] = [:]) throws -> String {
        var whole = Self.saved["steps"]?.array?.first?.object ?? [:]
        whole.merge(step) { $1 }
        var json = try #require(changed(Self.saved, ["steps"], [.object(whole)]))
        var totals = Self.saved["summary"]?.object ?? [:]
        totals["missed"] = 0
        totals.merge(summary) { $1 }
        json = try #require(changed(json, ["summary"], .object(totals)))
        let xml = try read(json).junit
        return xml.contains("<failure") ? "failure" : xml.contains("<skipped") ? "skipped" : "passed"
    }

    @Test(
        arguments: [
            (["planned": 2, "accepted": 2], "passed"),
            (["planned": 2, "accepted": 1, "rejected": 1], "failure"),
            (["planned": 2, "accepted": 1, "unknown": 1], "failure"),
            (["planned": 2, "accepted": 1, "pending": 1], "failure"),
            (["planned": 2, "accepted": 2, "stopped": "no"], "failure"),
            (["planned": 2, "accepted": 0, "held": 2], "skipped"),
            (["planned": 2, "accepted": 0, "skipped": 2], "skipped"),
            (["planned": 2, "accepted": 1, "held": 1], "passed"),
            (missed(accepted: 0), "failure"), (missed(accepted: 1), "failure"),
            // An earlier run has told that of its occurrence.
            (["planned": 2, "accepted": 0, "skipped": 2, "skipped_because": ["missed": 2]], "skipped"),
            (["planned": 2, "accepted": 1, "skipped": 1, "skipped_because": ["missed": 1]], "passed"),
            (["planned": 2, "accepted": 1, "skipped": 1, "skipped_because": ["superseded": 1]], "passed"),
            (["planned": 2, "accepted": 0, "pending": 2, "waiting": true, "note": "it opens at 9"], "skipped"),
            (["planned": 2, "accepted": 1, "pending": 1, "waiting": true, "note": "it opens at 9"], "passed"),
            (["planned": 2, "accepted": 0, "pending": 2, "note": "it opens at 9"], "failure"),
            (
                ["planned": 2, "accepted": 0, "rejected": 1, "pending": 1, "waiting": true, "note": "it opens at 9"],
                "failure"
            ),
            (
                ["planned": 2, "accepted": 0, "pending": 2, "waiting": true, "note": "it opens at 9", "stopped": "no"],
                "failure"
            ),
        ] as [([String: JSONValue], String)])
    func `a step is a test`(step: [String: JSONValue], verdict: String) throws {
        #expect(try verdicts(step) == verdict)
    }

    @Test func `the dead are no failure`() throws {
        let dead = Self.saved["steps"]?.array?[1]["failures"]?.array?.first ?? .null
        let step: [String: JSONValue] = ["planned": 2, "accepted": 1, "rejected": 1, "failures": [dead]]
        #expect(try verdicts(step) == "passed")
        // Only the totals count failures beyond those that are listed.
        let many: [String: JSONValue] = ["planned": 2002, "accepted": 2, "rejected": 2000, "failures": [dead]]
        #expect(try verdicts(many, summary: ["rejected": 2000, "forgotten": 2000]) == "passed")
        #expect(try verdicts(many, summary: ["rejected": 2000, "forgotten": 1999]) == "failure")
    }

    @Test func `people who were missed are counted, and the reason says so`() throws {
        var report = DocumentReport.sample
        report.steps = report.steps.filter(\.isStanding)
        report.steps[0].planned += 1204
        report.steps[0].skipped = 1204
        report.steps[0].leftOut.reasons = [.missed: 1204]
        report.missedOccurrences = [
            Plan.Missed(occurrence: "flood@once", due: PreviewSamples.now, reason: "it is too late")
        ]
        report.missed = 1
        let xml = ReportDocument(report).junit
        #expect(xml.contains(#"tests="1" failures="1""#), "\(xml)")
        #expect(xml.contains(#"type="missed""#) && xml.contains("skipped: 1,204 too late"), "\(xml)")
    }

    @Test(arguments: [1, 2])
    func `what is missed with a step is no second failure`(_ missed: Int) throws {
        var report = DocumentReport.sample
        report.steps = report.steps.filter(\.isStanding)
        report.steps[0].planned += 2
        report.steps[0].skipped = 2
        report.steps[0].leftOut.reasons = [.missed: 2]
        let ids: [OccurrenceID] = ["flood@once", "ebb@once"]
        report.missedOccurrences = ids.prefix(missed).map { id in
            Plan.Missed(occurrence: id, due: PreviewSamples.now, reason: "it is too late")
        }
        report.missed = missed
        let xml = ReportDocument(report).junit
        #expect(xml.contains("tests=\"\(missed)\" failures=\"\(missed)\""), "\(xml)")
        #expect(xml.contains("1 occurrence came too late to be sent") == (missed == 2), "\(xml)")
    }

    @Test func `what was missed is a failure of its own`() throws {
        let json = try #require(changed(Self.saved, ["steps"], []))
        let xml = try read(json).junit
        #expect(xml.contains(#"tests="1" failures="1""#))
        #expect(xml.contains("1 occurrence came too late to be sent"))
    }
}

/// A report made from a run.
enum DocumentReport {
    static var sample: Report {
        let now = PreviewSamples.now
        var plan = Plan(at: now, workspaceDigest: "", state: nil)
        plan.steps = [.init(work: .subscribe("tide-alerts", [1, 2]), reason: "", seconds: 1)]
        plan.held = [
            .init(occurrence: .init(rawValue: "flood@once"), reason: "it waits", resolve: "", remaining: 3)
        ]
        var report = Report(
            run: "r", plan: plan, planDigest: "sha256:", isDryRun: false, started: now, endpoint: .fcm,
            project: "tide-app", version: "0.1.0", gitCommit: nil)
        report.steps[0].accepted = 1
        report.steps[0].rejected = 1
        report.steps[0].preexisting = 1
        report.steps[0].retries = 4
        report.steps[0].add(
            .init(registration: nil, code: "INTERNAL", httpStatus: 500, message: "", attempts: 5, action: .rejected))
        return report
    }
}
