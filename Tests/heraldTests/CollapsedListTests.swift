import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// A list of people to leave out that collapsed, and what people do to the files then.
struct CollapsedListTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    private static func list(_ numbers: ClosedRange<Int>) -> String {
        "fid\n" + numbers.map { "\(Registration.fid($0).rawValue)\n" }.joined()
    }

    /// - Parameter suppressed: the name of the audience that is left out. Without one, the campaign is disabled.
    private static func files(_ suppressed: String?) -> [String: String] {
        let audience = suppressed.map { "---\nkind: audience\nname: \($0)\nsource: {file: out.csv}\n" } ?? ""
        return [
            "herald.yaml": """
            herald: 2
            project: demo-project
            timezone: UTC
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}
            \(suppressed.map { "suppress: [\($0)]" } ?? "")

            """,
            "x.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            ---
            kind: campaign
            name: hello
            enabled: \(suppressed != nil)
            message: {notification: {title: Hello}}
            target: {audience: members}
            schedule: {cron: "1 * * * *"}

            """ + audience,
        ]
    }

    /// 150 of 200 are left out, and the others got the first message.
    private func town() async throws -> Town {
        let lists = ["members.csv": Self.list(1...200), "out.csv": Self.list(1...150)]
        let town = try Town(Self.files("out").merging(lists) { $1 }, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await run(town, minute: 0, "out") == nil)
        #expect(try await run(town, minute: 2, "out") == nil)
        return town
    }

    private func run(_ town: Town, minute: Double, _ suppressed: String?) async throws -> HeraldCommands.ExitStatus? {
        for (name, text) in Self.files(suppressed) { try town.folder.write(text, to: name) }
        town.go(to: Self.monday + minute * 60)
        return try await town.herald("run").failure?.status
    }

    @Test(arguments: ["optout", nil])
    func `nobody who opted out is sent anything because a refused list has another name, or was away`(
        _ other: String?
    ) async throws {
        let town = try await town()
        let opted = Set((1...150).map { Registration.fid($0) })
        #expect(town.sent().count == 50 && town.sent().isDisjoint(with: opted))
        try town.folder.write(Self.list(1...2), to: "out.csv")
        #expect(try await run(town, minute: 62, "out") == .refused)
        _ = try await run(town, minute: 64, other)
        _ = try await run(town, minute: 66, other ?? "out")
        #expect(try await run(town, minute: 122, other ?? "out") == .refused)
        #expect(town.messages().count == 50)
        // A person says that it is as it should be.
        let name = other ?? "out"
        let applied = try await town.herald("apply", "--override", "audience_collapse=\(name)", "--auto-approve")
        #expect(applied.failure == nil, "\(applied.errors)")
        #expect(town.sent().count == 198)
    }

    /// How a run ends before its time.
    enum End: CaseIterable {
        case signal, crash

        var signal: Int32 { self == .signal ? SIGTERM : SIGKILL }
    }

    @Test(arguments: End.allCases)
    func `nobody who opted out is sent anything because the first run was stopped before their list collapsed`(
        _ end: End
    ) async throws {
        let campaign = { (name: String) -> String in
            """
            ---
            kind: campaign
            name: \(name)
            target: {audience: members}
            message: {notification: {title: \(name)}}

            """
        }
        let audiences = """
            kind: audience
            name: members
            source: {file: members.csv}
            ---
            kind: audience
            name: out
            source: {file: out.csv}

            """
        let sandbox = try Sandbox([
            "workspace/herald.yaml": Sandbox.settings + "suppress: [out]\n",
            "workspace/members.csv": Self.list(1...200), "workspace/out.csv": Self.list(1...150),
            "workspace/x.yaml": audiences + campaign("first"),
        ])
        let (_, host) = try await sandbox.startEmulator()
        let control = try Control(host)
        // The first requests are answered, the others take long.
        try await control.put(faults: [["match": ["service": "send", "after": 5], "do": ["delay_ms": 3000]]])
        try #require(try await sandbox.herald("state init", host: host).status == 0)
        let run = try HeraldProcess.start(
            ["-w", sandbox.workspace, "run"], environment: sandbox.environment(host))
        while try await control.ledger().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        run.signal(end.signal)
        _ = await run.wait()
        try await control.put(faults: [])
        try sandbox.folder.write(Self.list(1...2), to: "workspace/out.csv")
        try sandbox.folder.write(audiences + campaign("first") + campaign("second"), to: "workspace/x.yaml")
        for number in 1...2 {
            let next = try await sandbox.herald("run", host: host)
            let isRefused = next.errors.contains("audience 'out' shrank from 150 to 2 recipients")
            #expect(isRefused && next.status != 0, "run \(number): \(next.output)\(next.errors)")
        }
        let opted = Set((1...150).map { Registration.fid($0).rawValue })
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).keys.allSatisfy { !opted.contains($0) })
        await sandbox.end()
    }
}
