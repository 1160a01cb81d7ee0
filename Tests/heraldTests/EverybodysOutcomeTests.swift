import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What `feedback --outcomes` and follow-ups know of everybody for whom an occurrence was.
struct EverybodysOutcomeTests: StageScene {
    private static let follower = """
        kind: audience
        name: others
        from: members
        outcome: {campaign: hello, is: [skipped]}
        ---
        kind: campaign
        name: second
        target: {audience: others}
        message: {notification: {title: Second}}

        """

    /// What came of each in `hello@once`, with the code.
    private func outcomes(_ town: Town) async throws -> [Int: String] {
        let failure = try await town.herald("feedback", "--outcomes", "--file", "\(town.folder.path)/out").failure
        #expect(failure == nil)
        let lines = try town.folder.read("out").split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        let pairs = try lines.filter { $0["occurrence"] == "hello@once" }.map { line in
            let number = try #require(line["registration"]?.string.flatMap { Int($0.suffix(17)) })
            let words = [line["outcome"]?.string, line["code"]?.string].compactMap(\.self).joined(separator: " ")
            return (number, words)
        }
        return try Dictionary(pairs) { _, _ in throw DoubleLine() }
    }

    private struct DoubleLine: Error {}

    private static func every(_ outcome: String, but others: [Int: String]) -> [Int: String] {
        Dictionary(uniqueKeysWithValues: everybody.map { ($0, others[$0] ?? outcome) })
    }

    @Test func `who was not tried before the end was skipped, and a follow-up may choose them`() async throws {
        let files = Self.files(Self.usual).merging(["follower.yaml": Self.follower]) { $1 }
        let town = try await town(files)
        try await runs(town, 0)
        let had = Dictionary(uniqueKeysWithValues: Self.tenth.map { ($0, "accepted") })
        #expect(try await outcomes(town) == Self.every("pending", but: had))
        // 1 leaves the list between two stages.
        try town.folder.write(Self.list(2...60), to: "members.csv")
        let ended = try await town.herald("state", "resolve", "hello@once", "--abandon")
        #expect(ended.failure == nil)
        #expect(ended.errors.contains("it is not sent any more to 58 recipients whom it was for"), "\(ended.errors)")
        #expect(try await outcomes(town) == Self.every("skipped not_tried", but: had))
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        let second = Self.everybody.subtracting(Self.tenth).subtracting([1])
        #expect(town.sent("Second") == Set(second.map { .fid($0) }))
        #expect(town.sent("Hello") == Set(Self.tenth.map { .fid($0) }))
    }

    @Test func `whoever was not tried before the end stays in the account when others are tried again`() async throws {
        let files = Self.files(Self.usual).merging(["follower.yaml": Self.follower]) { $1 }
        let town = try await town(files)
        town.answer([.fid(4)], with: .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH"))
        #expect(try await town.herald("run").failure != nil)
        #expect(try await town.herald("state", "resolve", "hello@once", "--abandon").failure == nil)
        town.answer([.fid(4)], with: nil)
        let retry = try await town.herald("state", "resolve", "hello@once", "--retry", "SENDER_ID_MISMATCH")
        #expect(retry.failure == nil, "\(retry.errors)")
        // Before the next run, and after it.
        #expect(try await outcomes(town) == Self.every("skipped not_tried", but: [4: "pending", 30: "accepted"]))
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(try await outcomes(town) == Self.every("skipped not_tried", but: [4: "accepted", 30: "accepted"]))
        #expect(town.sent("Hello") == Set(Self.tenth.map { .fid($0) }))
        let occurrences = try await json(town, "state", "show")["occurrences"]
        let shown = try #require(occurrences?.array?.first { $0["occurrence"] == "hello@once" })
        #expect(shown["skipped"] == 58)
        #expect(shown["skipped_because"]?["not_tried"] == 58)
        // A follow-up asks for them, as it did before.
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("Second") == Set(Self.everybody.subtracting(Self.tenth).map { .fid($0) }))
    }

    @Test func `whom FCM refused for now is rejected once it has ended, and a person may have them tried again`()
        async throws
    {
        let files = Self.files(Self.usual).merging(["follower.yaml": Self.follower]) { $1 }
        let town = try await town(files)
        town.answer([.fid(30)], with: .error(503, "UNAVAILABLE", fcm: "UNAVAILABLE", retryAfter: "99999"))
        _ = try await town.herald("run")
        #expect(try await outcomes(town) == Self.every("pending", but: [4: "accepted"]))
        #expect(try await town.herald("state", "resolve", "hello@once", "--abandon").failure == nil)
        let refused = [4: "accepted", 30: "rejected UNAVAILABLE"]
        #expect(try await outcomes(town) == Self.every("skipped not_tried", but: refused))
        let occurrences = try await json(town, "state", "show")["occurrences"]
        let shown = try #require(occurrences?.array?.first { $0["occurrence"] == "hello@once" })
        #expect(shown["accepted"] == 1 && shown["rejected"] == 1 && shown["skipped"] == 58)
        let found = try await town.herald("state", "find", Registration.fid(30).rawValue)
        #expect(found.output.contains("hello@once: rejected (UNAVAILABLE)"), "\(found.output)")
        // They may have got it, so nobody says that nothing was sent to them.
        let follow = try await town.herald("run")
        #expect(follow.failure == nil, "\(follow.errors)")
        #expect(town.sent("Second") == Set(Self.everybody.subtracting(Self.tenth).map { .fid($0) }))
        town.answer([.fid(30)], with: nil)
        let retry = try await town.herald("state", "resolve", "hello@once", "--retry", "UNAVAILABLE")
        #expect(retry.failure == nil, "\(retry.errors)")
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(try await outcomes(town) == Self.every("skipped not_tried", but: [4: "accepted", 30: "accepted"]))
    }

    /// An older herald left those deferred whom FCM had refused for now.
    @Test(arguments: [(false, "pending null"), (true, "rejected UNAVAILABLE")])
    func `whom FCM refused for now is rejected in what an older herald ended, too`(
        _ hasEnded: Bool, _ outcome: String
    ) async throws {
        let identity = RecordedState.Identity(
            lineage: "l", project: "p", endpoint: .emulator, created: Self.monday)
        let store = MemoryStore(
            RecordedState(identity: identity), registrations: [1: .fid(1)], fingerprintKey: Array(0..<32))
        let id = OccurrenceID(rawValue: "hello@once")
        let occurrence = RecordedOccurrence(
            campaign: "hello", revision: 1, due: nil, contentDigest: "d", target: "audience:members",
            begun: Self.monday)
        try store.commit([.open(id, occurrence)])
        if hasEnded { try store.commit([.finish(id, at: Self.monday)]) }
        try store.commit([.outcome(id, [1], .deferred)])
        var text = ""
        _ = try await FeedbackLines(store).outcomes { text += $0 }
        let line = try JSONValue(parsing: Array(text.utf8))
        let words = [line["outcome"]?.string, line["code"]?.string ?? "null"].compactMap(\.self)
        #expect(words.joined(separator: " ") == outcome, "\(text)")
    }

    @Test func `who is not in another target that a send goes on with is skipped`() async throws {
        let town = try await town(Self.files(Self.usual))
        try await runs(town, 0)
        let audience = "---\nkind: audience\nname: sailors\nsource: {file: sailors.csv}\n"
        let campaign = Self.campaign("rate: 100/s").replacing("audience: members", with: "audience: sailors")
        try town.folder.write(Self.list([1, 4, 70]), to: "sailors.csv")
        try town.folder.write(campaign + audience, to: "hello.yaml")
        let goOn = try await town.herald("state", "resolve", "hello@once", "--continue")
        #expect(goOn.failure == nil, "\(goOn.errors)")
        #expect(goOn.errors.contains("58 recipients whom it was for had nothing yet"), "\(goOn.errors)")
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        let had = [1: "accepted", 4: "accepted", 30: "accepted"]
        #expect(try await outcomes(town) == Self.every("skipped not_tried", but: had).merging([70: "accepted"]) { $1 })
    }

    @Test func `who waits for a person is held`() async throws {
        let town = try await town(Self.files(Self.usual))
        town.answer(Self.tenth.map { .fid($0) }, with: .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH"))
        _ = try await town.herald("run")
        let refused = Dictionary(uniqueKeysWithValues: Self.tenth.map { ($0, "rejected SENDER_ID_MISMATCH") })
        #expect(try await outcomes(town) == Self.every("held", but: refused))
    }
}
