import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands

/// Commands take each name that a campaign has had, whether a run came since the last one or not.
struct RenamedCampaignTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    private static func campaign(_ name: String, _ rest: String = "") -> String {
        """
        kind: campaign
        name: \(name)
        \(rest)
        target: {fids: [\(Registration.fid(1).rawValue)]}
        message: {notification: {title: Hello}}
        schedule: {cron: 7 9 * * *, timezone: UTC, max_lateness: 3h}

        """
    }

    /// A clock was fast by five days, and then the campaign was renamed.
    private func silenced(isCarried: Bool) async throws -> Town {
        let files = [
            "herald.yaml": "herald: 1\nproject: demo-project\nfcm: {ramp: 0s, settle: 0s}\n",
            "x.yaml": Self.campaign("old"),
        ]
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        town.go(to: Self.monday + 120 * 3600)
        _ = try await town.herald("run")
        town.go(to: Self.monday)
        try town.folder.write(Self.campaign("new", "previous_names: [old]"), to: "x.yaml")
        if isCarried { _ = try await town.herald("run") }
        return town
    }

    @Test(arguments: ["new", "old"], [false, true])
    func `a renamed campaign that a fast clock silenced comes due after a rewind`(
        _ name: String, _ isCarried: Bool
    ) async throws {
        let town = try await silenced(isCarried: isCarried)
        let status = try JSONValue(parsing: Array(try await town.herald("status", "--format", "json").output.utf8))
        let commands = status["needs"]?.array?.map { $0["command"] } ?? []
        #expect(commands.contains("herald state rewind new"), "\(status)")
        let rewound = try await town.herald("state", "rewind", name)
        #expect(rewound.failure == nil, "\(rewound.errors)")
        town.go(to: Self.monday + 9.2 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(1)])
    }

    @Test(arguments: ["new", "old"], [false, true])
    func `the state shows a renamed campaign under each name`(_ name: String, _ isCarried: Bool) async throws {
        let town = try await silenced(isCarried: isCarried)
        let shown = try await town.herald("state", "show", name)
        #expect(shown.failure == nil, "\(shown.errors)")
        #expect(shown.output.contains("Dealt with until"), "\(shown.output)")
        #expect(try await town.herald("state", "show", "other").failure?.status == .wrong)
    }
}
