import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The snapshot's file: what is in it, and what it may not be.
@Suite struct SnapshotDocumentTests {
    private static let snapshot = {
        var snapshot = StateSnapshot(state, tombstones: 2, at: DocumentSamples.now)
        snapshot.runs = [
            RecordedRun(
                run: "20261201T075500Z-1a2b", started: DocumentSamples.now.adding(.seconds(-300)),
                finished: DocumentSamples.now.adding(.seconds(-290)), result: "ok", figures: ["accepted": 1204])
        ]
        snapshot.lists = [
            "all": KnownList(
                fetched: DocumentSamples.now.adding(.seconds(-60)), since: DocumentSamples.now.adding(.seconds(-3600)))
        ]
        snapshot.checkup = RecordedCheckup(
            at: DocumentSamples.now.adding(.seconds(-86_400)), errors: ["credential"], warnings: ["time_zones"])
        snapshot.workers = ["worker (process 7 on push-2) since 2026-12-01T07:59:00Z, waiting"]
        return snapshot
    }()

    private static var state: RecordedState {
        var state = DocumentSamples.state
        state.watermarks = [
            "ebb": Watermark(
                at: DocumentSamples.now.adding(.milliseconds(125)), schedule: "cron 0 8 * * * UTC",
                next: DocumentSamples.now.adding(.seconds(86_400)))
        ]
        state.apply([
            .groupKey("chris", NotificationKey(rawValue: "SECRET")), .groupMembers("chris", [1, 2], .member),
            .audienceSizes(["all": 6]), .goneAudiences(["rome": 150]), .pause("ebb"),
            .rename(campaign: "old", to: "ebb"),
            .test(RecordedTest(campaign: "trial", at: DocumentSamples.now, accepted: 1, rejected: 0, unknown: 0)),
            .topicAPI(.registrations, at: DocumentSamples.now), .sendQuota(600_000, at: DocumentSamples.now),
            .approve([
                "campaign:ebb": RecordedApproval(digest: "sha256:ab", size: 6, by: "Anna", at: DocumentSamples.now),
                "group:chris": RecordedApproval(digest: "sha256:cd", size: nil, by: "Anna", at: DocumentSamples.now),
            ]),
        ])
        return state
    }

    private func reading(_ json: JSONValue) throws -> StateSnapshot {
        try SnapshotDocument(reading: json.bytes()).snapshot
    }

    private func problem(reading bytes: [UInt8]) -> SnapshotProblem? {
        do {
            _ = try SnapshotDocument(reading: bytes)
            return nil
        } catch {
            return error as? SnapshotProblem
        }
    }

    @Test func `it reads as it was reviewed`() throws {
        let text = SnapshotDocument(Self.snapshot).json.prettyText
        #expect(text == (try Golden("snapshot.json").text(recording: text)))
    }

    @Test func `what was written is read back`() throws {
        #expect(try reading(SnapshotDocument(Self.snapshot).json) == Self.snapshot)
    }

    @Test(arguments: [
        "local cron 0 9 * * * zone\nlocal cron 0 8,9 * * * zone", "local at 2026-12-01T09:00 zone\nmax_lateness=1000",
    ])
    func `what a watermark notes beside the schedule is read back`(_ lines: String) throws {
        var state = Self.state
        state.watermarks["ebb"]?.schedule = lines
        let document = SnapshotDocument(StateSnapshot(state, tombstones: 2, at: DocumentSamples.now))
        #expect(try reading(document.json).watermarks["ebb"]?.schedule == lines)
    }

    /// What tried nobody counts as not begun: after a rename, another occurrence of the campaign is its last one.
    @Test(arguments: [(SkipReason.notTried, true), (.capped("all"), false), (.outsideWindow, false)])
    func `it says what ended without trying anybody`(_ reason: SkipReason, _ isUntried: Bool) throws {
        var state = Self.state
        let id = OccurrenceID(campaign: "ebb", due: DocumentSamples.now, revision: 2)
        let occurrence = RecordedOccurrence(
            campaign: "ebb", revision: 2, due: DocumentSamples.now, contentDigest: "", target: "topic:t")
        state.apply([
            .open(id, occurrence), .skip(id, [1, 2], reason), .finish(id, at: DocumentSamples.now),
        ])
        #expect(state.occurrences[id]?.triedNobody == isUntried)
        let document = SnapshotDocument(StateSnapshot(state, tombstones: 2, at: DocumentSamples.now))
        #expect(try reading(document.json).occurrences[id]?.recorded.triedNobody == isUntried)
    }

    @Test func `it says nothing about who gets which text`() throws {
        var state = Self.state
        let open = state.occurrences.filter { $0.value.finished == nil }.keys
        state.apply(open.map { .assign($0, Partition(disjoint: [MessageClass(locale: "it"): [1, 2]])) })
        #expect(!open.isEmpty)
        var before = Self.snapshot
        before.serial += 1
        (before.runs, before.lists, before.checkup, before.workers) = ([], [:], nil, nil)
        #expect(StateSnapshot(state, tombstones: 2, at: DocumentSamples.now) == before)
    }

    @Test func `times are read back to the fraction`() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<500 {
            var snapshot = Self.snapshot
            let date = Date(timeIntervalSince1970: .random(in: 0..<4e9, using: &random))
            snapshot.watermarks["ebb"]?.at = date
            let found = try reading(SnapshotDocument(snapshot).json).watermarks["ebb"]?.at
            #expect(found.map { abs($0.timeIntervalSince(date)) < 1e-6 } == true)
        }
    }

    @Test func `the same state gives the same bytes`() throws {
        let texts = Set((0..<20).map { _ in SnapshotDocument(Self.snapshot).json.prettyText })
        #expect(texts.count == 1)
    }

    // MARK: What is no snapshot

    @Test(arguments: ["{}", "[]", "null", "{\"schema\": 1}", "{\"schema\": \"herald.plan/1\"}"])
    func `another file is refused`(_ text: String) {
        #expect(problem(reading: Array(text.utf8)) == .notSnapshot)
    }

    @Test func `a newer one is told apart from a damaged one`() throws {
        var members = try #require(SnapshotDocument(Self.snapshot).json.object)
        members["schema"] = "herald.snapshot/2"
        members["topics"] = nil
        #expect(problem(reading: try JSONValue.object(members).bytes()) == .newer)
    }

    @Test func `one that was cut off is refused at every byte`() throws {
        let bytes = try SnapshotDocument(Self.snapshot).json.bytes()
        for count in bytes.indices { #expect(problem(reading: Array(bytes.prefix(count))) != nil) }
    }

    @Test func `one that is too large or too deep is refused`() {
        let spaces = [UInt8](repeating: UInt8(ascii: " "), count: SnapshotDocument.limit + 1)
        #expect(problem(reading: spaces) == .damaged("it has more than 64 MiB"))
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(problem(reading: deep) == .damaged("its values are nested too deeply"))
    }

    @Test func `a name that stands twice is refused`() throws {
        let text = SnapshotDocument(Self.snapshot).json.prettyText
        let twice = text.replacing("\"serial\" :", with: "\"serial\" : 1, \"serial\" :")
        #expect(problem(reading: Array(twice.utf8)) == .damaged("'serial' stands twice in one object"))
    }

    @Test(arguments: [
        "topics", "groups", "audiences", "gone_audiences", "watermarks", "occurrences", "former_names", "tested",
    ])
    func `an entry that stands twice is refused`(_ list: String) throws {
        var members = try #require(SnapshotDocument(Self.snapshot).json.object)
        let entries = try #require(members[list]?.array)
        try #require(!entries.isEmpty)
        members[list] = .array(entries + entries.prefix(1))
        let found = try #require(problem(reading: try JSONValue.object(members).bytes()))
        #expect("\(found)".contains("\(list)[\(entries.count)]"))
        #expect("\(found)".hasSuffix("stands twice in the list"))
    }

    @Test(arguments: [
        ("welcome@once", true), ("a.b_c-9@2026-12-01T08:00:00Z#2~3", true), ("w@once~2", true), ("w@once#10", true),
        ("9@once#1234567890123456789", true), ("Welcome@once", false), (".w@once", false), ("wé@once", false),
        ("@once", false), ("once", false), ("w@", false), ("w@twice", false), ("w@once ", false), ("w@once#", false),
        ("w@once#2x", false), ("w@once~2#2", false), ("w@once#12345678901234567890", false),
        ("w@2026-12-01T08:00", true), ("w@2026-12-01T08:00:30#2", true), ("w@2026-12-01T08:00Z", false),
        ("w@2026-12-01T08:00:0xZ", false), ("w@2026-12-01T08", false), ("w@2026-12-01 08:00:00Z", false),
        ("\(String(repeating: "w", count: 63))@once", true), ("\(String(repeating: "w", count: 64))@once", false),
    ])
    func `an occurrence has an id that herald would give`(_ id: String, _ isTaken: Bool) throws {
        var members = try #require(SnapshotDocument(Self.snapshot).json.object)
        var entry = try #require(members["occurrences"]?.array?.first?.object)
        entry["occurrence"] = .string(id)
        members["occurrences"] = [.object(entry)]
        #expect((problem(reading: try JSONValue.object(members).bytes()) == nil) == isTaken)
    }

    /// Every value of the document, replaced by each of these.
    @Test(
        arguments: [
            nil, "", "\u{1B}[31m", .double(1.5), -1, 1_000_000_000_000, true, [], ["x"], [:], ["a": 1],
            ["x": ["x": ["x": []]]],
        ] as [JSONValue])
    func `a value of another kind is an error that says where, and never a crash`(_ other: JSONValue) throws {
        let json = SnapshotDocument(Self.snapshot).json
        var refused = 0
        for path in json.paths {
            let changed = json.replacing(path[...], with: other)
            guard changed != json else { continue }
            do {
                _ = Planner.forecast(
                    from: try reading(changed), of: Desired(), Settings(project: "p"), at: DocumentSamples.now)
            } catch let problem as SnapshotProblem {
                refused += 1
                #expect(!"\(problem)".contains("\u{1B}"))
            }
        }
        #expect(refused > 60)
    }

    @Test(arguments: ["schema", "time", "lineage", "serial", "project", "endpoint", "topics", "occurrences", "paused"])
    func `a part that is missing is named`(_ key: String) throws {
        var members = try #require(SnapshotDocument(Self.snapshot).json.object)
        members[key] = nil
        let found = try #require(problem(reading: try JSONValue.object(members).bytes()))
        #expect(found == (key == "schema" ? .notSnapshot : .damaged("\(found)".replacing("it is damaged: ", with: ""))))
        #expect(key == "schema" || "\(found)".contains(key))
    }

    @Test func `more members than a state can have are refused before they take any memory`() throws {
        var members = try #require(SnapshotDocument(Self.snapshot).json.object)
        let topics = (0..<4).map { number -> JSONValue in
            ["topic": .string("t\(number)"), "owned": 2_000_000_000, "subscribing": 0, "found": 0, "earlier": 0]
        }
        members["topics"] = .array(topics)
        let bytes = try JSONValue.object(members).bytes()
        #expect(problem(reading: bytes) == .damaged("it counts more members than a state can have"))
    }

    // MARK: What it does not hold

    @Test func `no name of a group, no key, no code and no target is in it`() {
        let text = SnapshotDocument(Self.snapshot).json.prettyText
        for secret in ["chris", "SECRET", "audience:all", "INVALID"] { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test func `a group's digest is another in another state`() {
        var other = Self.snapshot
        other.identity.lineage = "other"
        #expect(other.digest(of: "chris") != Self.snapshot.digest(of: "chris"))
    }
}

extension JSONValue {
    /// The ways to every value in it, from the outermost on. A list's items are named by their places.
    fileprivate var paths: [[String]] {
        let inner: [(String, JSONValue)] =
            switch self {
            case .object(let members): members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            case .array(let items): items.enumerated().map { ("\($0)", $1) }
            default: []
            }
        return [[]] + inner.flatMap { name, value in value.paths.map { [name] + $0 } }
    }

    fileprivate func replacing(_ path: ArraySlice<String>, with other: JSONValue) -> JSONValue {
        guard let first = path.first else { return other }
        switch self {
        case .object(var members):
            members[first] = members[first]?.replacing(path.dropFirst(), with: other)
            return .object(members)
        case .array(var items):
            guard let place = Int(first) else { return self }
            items[place] = items[place].replacing(path.dropFirst(), with: other)
            return .array(items)
        default: return self
        }
    }
}
