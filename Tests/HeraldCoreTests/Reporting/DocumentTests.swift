import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The JSON documents (docs/explanation/promises.md#documents): their keys, and whole samples in `Golden/`.
@Suite struct DocumentTests {
    static let documents: [(String, any Document & Sendable)] = [
        ("plan", DocumentSamples.planDocument), ("report", ReportDocument(DocumentSamples.report)),
        ("state", StateDocument(DocumentSamples.state, tombstones: 2)),
    ]

    @Test(arguments: ["plan", "report", "state"], OutputFormat.allCases)
    func `a document reads as it was reviewed`(name: String, format: OutputFormat) throws {
        let document = try #require(Self.documents.first { $0.0 == name }).1
        let text = document.rendered(as: format)
        let golden = Golden("\(name).\(format == .json ? "json" : "txt")")
        #expect(text == (try golden.text(recording: text)))
    }

    @Test(arguments: ["plan", "report", "state"])
    func `a document is the same bytes every time`(name: String) throws {
        let document = try #require(Self.documents.first { $0.0 == name }).1
        let texts = Set((0..<20).map { _ in document.rendered(as: .json) })
        #expect(texts.count == 1)
    }

    @Test(arguments: ["plan", "report", "state"])
    func `its keys are sorted and in snake case`(name: String) throws {
        let text = try #require(Self.documents.first { $0.0 == name }).1.rendered(as: .json)
        // By indentation: the keys of each object must be sorted.
        var keys: [Int: String] = [:]
        for line in text.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            keys = keys.filter { $0.key <= indent }
            guard let match = line.firstMatch(of: #/^ *"([^"]*)" :/#) else {
                if !line.contains("\"") { keys[indent + 2] = nil }
                continue
            }
            let key = String(match.1)
            #expect(key.wholeMatch(of: #/[a-z][a-z0-9_]*/#) != nil, "\(key)")
            if let last = keys[indent] { #expect(last < key) }
            keys[indent] = key
        }
    }

    // MARK: Keys

    private func keys(_ value: JSONValue?) -> Set<String> { Set(value?.object?.keys.map { $0 } ?? []) }

    private func keys(ofAll value: JSONValue?) -> Set<Set<String>> { Set((value?.array ?? []).map { keys($0) }) }

    @Test func `a plan has the keys of its schema`() {
        let json = DocumentSamples.planDocument.json
        #expect(
            keys(json) == [
                "schema", "id", "created", "expires", "at", "digest", "workspace_digest", "state", "summary", "steps",
                "upcoming", "missed", "superseded", "held", "changes", "guards", "warnings",
            ])
        #expect(keys(json["state"]) == ["lineage", "serial"])
        #expect(
            keys(json["summary"]) == [
                "subscribe", "unsubscribe", "group_create", "group_add", "group_remove", "group_delete", "send",
                "recipients", "collapsed", "dead_listed",
            ])
        let common: Set = ["id", "action", "planned", "requests", "seconds", "reason"]
        #expect(
            keys(ofAll: json["steps"]) == [
                common.union(["topic"]), common.union(["campaign", "occurrence", "target", "due"]),
            ])
        #expect(
            keys(ofAll: json["upcoming"]) == [
                ["campaign", "occurrence", "due", "local", "timezone", "target", "recipients", "note"]
            ])
        #expect(keys(ofAll: json["missed"]) == [["occurrence", "due", "reason"]])
        #expect(keys(ofAll: json["held"]) == [["occurrence", "reason", "resolve"]])
        #expect(keys(ofAll: json["guards"]) == [["guard", "limit", "actual", "override"]])
        #expect(json["schema"] == "herald.plan/1")
    }

    @Test func `a report has the keys of its schema`() {
        let json = ReportDocument(DocumentSamples.report).json
        #expect(
            keys(json) == [
                "schema", "run", "plan_digest", "dry_run", "started", "finished", "result", "endpoint", "project",
                "herald_version", "git_commit", "overrides", "missed", "superseded", "notes", "state", "summary",
                "steps",
            ])
        #expect(
            keys(json["summary"]) == [
                "subscribed", "unsubscribed", "planned", "accepted", "rejected", "unknown", "skipped", "held",
                "pending", "missed", "superseded", "retries", "forgotten", "possible_duplicates", "messages",
                "memberships",
            ])
        let common: Set = [
            "id", "action", "planned", "accepted", "rejected", "unknown", "skipped", "held", "pending", "duration_ms",
            "message_ids", "failures",
        ]
        // The schema also has the topic, and the reason why a step ended early.
        #expect(
            keys(ofAll: json["steps"]) == [common.union(["topic"]), common.union(["occurrence", "stopped"])])
        let failures = json["steps"]?.array?.last?["failures"]
        #expect(
            keys(ofAll: failures) == [["registration", "code", "http_status", "message", "attempts", "action"]])
        #expect(json["schema"] == "herald.report/1")
    }

    @Test func `a report's summary adds its steps up`() {
        let summary = ReportDocument(DocumentSamples.report).json["summary"]
        let expected: JSONValue = [
            "subscribed": 1, "unsubscribed": 2, "planned": 104, "accepted": 93, "rejected": 4, "unknown": 3,
            "skipped": 1, "held": 1, "pending": 2, "missed": 1, "superseded": 1, "retries": 6,
            "forgotten": 2, "possible_duplicates": 5,
            "messages": [
                "planned": 101, "accepted": 90, "rejected": 4, "unknown": 3, "skipped": 1, "held": 1, "pending": 2,
            ],
            "memberships": [
                "planned": 3, "accepted": 3, "rejected": 0, "unknown": 0, "skipped": 0, "held": 0, "pending": 0,
            ],
        ]
        #expect(summary == expected)
    }

    @Test(arguments: [
        (Report.Result.running, "running"), (.ok, "ok"), (.failed, "failed"), (.unknown, "unknown"),
        (.refused, "refused"), (.interrupted, "interrupted"),
    ])
    func `a result is written in the schema's word`(result: Report.Result, word: String) {
        var report = DocumentSamples.report
        report.result = result
        #expect(ReportDocument(report).json["result"] == .string(word))
    }

    @Test func `a report of a run that goes on has no end`() {
        var report = DocumentSamples.report
        report.finished = nil
        #expect(ReportDocument(report).json["finished"] == .null)
    }

    @Test func `a plan without a state says null`() {
        var plan = DocumentSamples.plan
        plan.state = nil
        #expect(PlanDocument(Proposal(plan), id: "i", created: plan.at).json["state"] == .null)
    }

    @Test func `upcoming sends that are left out are counted`() {
        let warnings = DocumentSamples.planDocument.json["warnings"]?.array
        #expect(warnings?.contains("3 more upcoming sends are not listed") == true)
    }

    @Test func `a plan's text says what nobody asked for`() {
        var plan = Plan(at: DocumentSamples.now, workspaceDigest: "", state: nil)
        let text = { PlanDocument(Proposal(plan), id: "i", created: plan.at).text(.plain) }
        #expect(text() == "Nothing to do. There is no state yet.\n")
        plan.state = DocumentSamples.plan.state
        #expect(text() == "Nothing to do: the state matches the files.\n")
        plan.refusals = DocumentSamples.plan.refusals
        #expect(text().hasSuffix("\nNothing to do, and 1 refusal.\n"))
        plan.held = DocumentSamples.plan.held
        plan.unapproved = [.init(resource: .init(kind: .topic, name: "tides"), reason: "it was changed")]
        #expect(text().hasSuffix("\nNothing to do, and 1 occurrence held, 1 definition not approved, 1 refusal.\n"))
    }

    @Test func `colour is only where it is wanted`() {
        for (_, document) in Self.documents {
            #expect(!document.text(.plain).contains("\u{1B}"))
            #expect(document.text(TextStyle(isColored: true)).contains("\u{1B}"))
        }
    }

    @Test func `a state document shows one resource alone`() {
        let one = StateDocument(DocumentSamples.state, tombstones: 2, only: "flood").json
        #expect(one["topics"] == [])
        #expect(one["occurrences"]?.array?.count == 1)
        #expect(StateDocument(DocumentSamples.state, tombstones: 2, only: "nothing").isEmpty)
    }

    @Test func `a state says who sends now, and how fast`() throws {
        let crew = [
            CrewMember(
                isConductor: true, host: "one", pid: 7, since: Date(timeIntervalSince1970: 0),
                occurrence: "flood@2026-12-01T08:00:00Z#2",
                rate: .limited(2500), claimed: 4096, settled: 1000),
            CrewMember(isConductor: false, host: "two\u{1B}[2J", pid: 8, since: Date(timeIntervalSince1970: 0)),
        ]
        let document = StateDocument(DocumentSamples.state, tombstones: 2, crew: crew)
        #expect(
            document.text(TextStyle(isColored: false)).contains(
                """
                Sending now
                  run (process 7 on one) since 1970-01-01T00:00:00Z, flood@2026-12-01T08:00:00Z#2: 1,000 of 4,096 done, at most 2,500 a second
                  worker (process 8 on two[2J) since 1970-01-01T00:00:00Z, waiting

                """))
        let processes = try #require(document.json["processes"]?.array)
        #expect(processes.map { $0["rate"] } == [2500, .null])
        for name in ["flood@2026-12-01T08:00:00Z#2", "flood"] {
            let only = StateDocument(DocumentSamples.state, tombstones: 2, only: name, crew: crew)
            #expect(only.json["processes"]?.array?.count == 1, "\(name)")
        }
    }

    @Test func `a state counts the recipients of a personal campaign by locale and by variant`() throws {
        var state = DocumentSamples.state
        let id = OccurrenceID(rawValue: "flood@2026-12-01T08:00:00Z#2")
        state.apply([
            .assign(
                id,
                Partition(disjoint: [
                    MessageClass(variant: "a"): [1, 2, 3], MessageClass(locale: "it", variant: "a"): [4],
                    MessageClass(locale: "it", variant: "none"): [5, 6],
                ]))
        ])
        let document = StateDocument(state, tombstones: 2, only: "flood")
        let flood = try #require(document.json["occurrences"]?.array?.first)
        #expect(flood["locales"] == ["it": 3, "message": 3])
        #expect(flood["variants"] == ["a": 4, "none": 2])
        #expect(
            document.text(TextStyle(isColored: false)).contains(
                "unfinished\n    locales: it 3, message 3\n    variants: a 4, none 2\n"))
        // Everybody gets the message itself, so there is nothing to tell apart.
        state.apply([.assign(id, Partition(disjoint: [MessageClass(): [1]]))])
        #expect(StateDocument(state, tombstones: 2, only: "flood").json["occurrences"]?.array?.first?["locales"] == nil)
        #expect(StateDocument(state, tombstones: 2, only: "news").json["occurrences"]?.array?.first?["locales"] == nil)
    }

    @Test func `a trace says which text a recipient gets`() throws {
        var trace = Trace(isDead: false)
        trace.occurrences = [
            .init(id: OccurrenceID(rawValue: "a@once"), entry: .accepted, code: nil),
            .init(id: OccurrenceID(rawValue: "b@once"), entry: .rejected, code: "X", MessageClass(locale: "it")),
            .init(id: OccurrenceID(rawValue: "c@once"), entry: nil, code: nil, MessageClass(variant: "none")),
        ]
        let document = TraceDocument(trace, of: .init("r_1", died: nil, current: nil))
        #expect(
            document.text(TextStyle(isColored: false)) == """
                r_1
                  a@once: accepted
                  b@once: rejected (X), locale it
                  c@once: not tried, locale message, variant none

                """)
        let occurrences = try #require(document.json["occurrences"]?.array)
        #expect(occurrences.map { $0["outcome"] } == ["accepted", "rejected", "not tried"])
        #expect(occurrences.map { $0["locale"] } == [.null, "it", "message"])
        #expect(occurrences.map { $0["variant"] } == [.null, .null, "none"])
    }

    /// A terminal would obey it, and a line break would begin a line of its own.
    @Test func `what a server answers controls no terminal`() throws {
        let code = "\u{1B}[31mX\u{202E}\nherald: all is well"
        let shown = "\u{FFFD}[31mX\u{FFFD}\u{FFFD}herald: all is well"
        var state = DocumentSamples.state
        let id = try #require(state.occurrences.keys.first { $0.rawValue.hasPrefix("flood@") })
        state.apply([.reject(id, [4], code: code)])
        var trace = Trace(isDead: false)
        trace.occurrences = [.init(id: id, entry: .rejected, code: code)]
        let found = CheckResult.error(.messagePermission, code, fix: code)
        let documents: [any Document] = [
            StateDocument(state, tombstones: 0), TraceDocument(trace, of: .init("r_1", died: nil, current: nil)),
            DoctorDocument([found]),
        ]
        for document in documents {
            let text = document.text(TextStyle(isColored: false))
            #expect(text.contains(shown) && !text.contains("\u{1B}") && !text.contains("\u{202E}"), "\(text)")
            #expect(!text.contains("\nherald: all is well"), "\(text)")
        }
    }

    @Test func `an intent without an outcome counts as unknown`() {
        let flood = StateDocument(DocumentSamples.state, tombstones: 2, only: "flood").json["occurrences"]?.array?.first
        #expect(flood?["unknown"] == 2)
        #expect(flood?["accepted"] == 2)
        #expect(flood?["rejected"] == 1)
    }
}
