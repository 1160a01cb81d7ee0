import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Topics and groups of those of whom something came can be approved, however many they are by then.
struct FollowUpApprovalTests: FollowUpScene {
    private func town(_ resource: String, settings: String = "") async throws -> Town {
        var files = Self.files(Self.campaign("welcome", to: "members"))
        files["herald.yaml"] = (files["herald.yaml"] ?? "") + "approval: required\n\(settings)\n"
        files["again.yaml"] = Self.again("{campaign: welcome, is: [accepted]}") + resource
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        return town
    }

    /// Three got the message. Nobody had it when somebody approved.
    @Test(arguments: [("subscribers: [again]", [1, 2, 3]), ("subscribers: [members]\nexclude: [again]", [])])
    func `a topic follows what came of a campaign once it is approved`(_ lists: String, _ members: [Int]) async throws {
        let town = try await town("kind: topic\nname: tides\n\(lists)\n")
        let approved = "\(town.folder.path)/approved.json"
        #expect(try await town.herald("plan", "--out", approved).failure == nil)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        let applied = try await town.herald("apply", "--approved", approved)
        #expect(applied.failure == nil, "\(applied.errors)")
        #expect(town.members(of: "tides") == Set(members.map { .fid($0) }))
        try await town.approve()
    }

    @Test func `a group of those of whom something came can be approved`() async throws {
        let group = "kind: group\nname: phones\nmembers: {audience: again}\n"
        try await town(group, settings: "sender_id: \"123456789012\"").approve()
    }
}
