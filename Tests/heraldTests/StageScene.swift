import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Sends in stages through herald's own command lines, with a clock of the test.
protocol StageScene {}

extension StageScene {
    /// 2027-01-04T00:00:00Z, a Monday
    static var monday: Date { Date(timeIntervalSince1970: 1_799_020_800) }
    /// Who is in the first and second stage of `hello@once`, of numbers 1 to 60, as Python draws them.
    static var tenth: Set<Int> { [4, 30] }
    static var half: Set<Int> {
        [1, 3, 5, 6, 7, 8, 9, 15, 16, 19, 20, 23, 24, 31, 32, 34, 36, 38, 45, 47, 49, 50, 55, 56, 59, 60]
    }
    static var rest: Set<Int> { everybody.subtracting(tenth).subtracting(half) }
    static var everybody: Set<Int> { Set(1...60) }
    static var usual: String { "stages: [10%, 50%, 100%], soak: 15m" }

    static func campaign(_ delivery: String, title: String = "Hello", more: String = "") -> String {
        """
        kind: campaign
        name: hello
        message: {notification: {title: \(title)}}
        target: {audience: members}
        delivery: {\(delivery)}
        \(more)

        """
    }

    /// A campaign that goes to these at once.
    static func other(to members: some Sequence<Int>) -> String {
        let fids = members.map { Registration.fid($0).rawValue }.joined(separator: ", ")
        return "kind: campaign\nname: other\nmessage: {notification: {title: Other}}\ntarget: {fids: [\(fids)]}\n"
    }

    static var oneADay: String { "frequency_caps: [{name: all, max: 1, per: 24h}]" }

    static func list(_ members: some Sequence<Int>, zone: String? = nil) -> String {
        "fid\(zone == nil ? "" : ",zone")\n"
            + members.map { "\(Registration.fid($0).rawValue)\(zone.map { ",\($0)" } ?? "")\n" }.joined()
    }

    static func files(
        _ delivery: String, seeds: [Int] = [], members: some Sequence<Int> = 1...60, settings: String = "",
        more: String = ""
    ) -> [String: String] {
        [
            "herald.yaml": """
            herald: 2
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}
            \(settings)

            """,
            "members.csv": list(members), "seeds.csv": list(seeds),
            "audiences.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            ---
            kind: audience
            name: our-phones
            source: {file: seeds.csv}

            """,
            "hello.yaml": campaign(delivery, more: more),
        ]
    }

    func town(_ files: [String: String]) async throws -> Town {
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        return town
    }

    /// A town in which these have had as many messages as a cap allows, before `hello` is sent.
    func town(capped: Set<Int>) async throws -> Town {
        var files = Self.files(Self.usual, settings: Self.oneADay)
        (files["other.yaml"], files["hello.yaml"]) = (Self.other(to: capped), "")
        let town = try await town(files)
        #expect(try await town.herald("run").failure == nil)
        try town.folder.write(Self.campaign(Self.usual), to: "hello.yaml")
        return town
    }

    /// Runs at these minutes since Monday, and returns whom each sent to. Nobody gets it twice. A run less than two
    /// minutes before a stage opens would wait for it, a whole minute by the clock on the wall.
    @discardableResult
    func runs(_ town: Town, _ minutes: Int...) async throws -> [Set<Int>] {
        var sent: [Set<Int>] = []
        for minute in minutes {
            town.go(to: Self.monday + Double(minute) * 60)
            let before = town.messages().count
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(minute): \(run.errors)")
            sent.append(try numbers(town.messages().dropFirst(before)))
        }
        return sent
    }

    func numbers(_ messages: some Collection<JSONValue>) throws -> Set<Int> {
        let all = try messages.map { message in
            try #require(
                message["fid"]?.string.flatMap { fid in (1...999).first { Registration.fid($0).rawValue == fid } })
        }
        #expect(Set(all).count == all.count, "somebody got it twice")
        return Set(all)
    }

    func sent(_ town: Town) throws -> Set<Int> { try numbers(town.messages()) }

    func json(_ town: Town, _ arguments: String...) async throws -> JSONValue {
        let shown: (failure: CommandFailure?, output: String, errors: String)
        switch arguments.count {
        case 2: shown = try await town.herald(arguments[0], arguments[1], "--format", "json")
        default: shown = try await town.herald(arguments[0], "--format", "json")
        }
        return try JSONValue(parsing: Array(shown.output.utf8))
    }
}
