import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Whoever one audience suppresses gets nothing, also where another audience in `suppress` is the target.
struct SuppressionTests {
    /// 1 to 3 are opted out, 2 and 9 must not be written to, and everybody is in one list.
    private static let workspace: Workspace = {
        var workspace = Workspace(audiences: [
            audience("all", RecipientSet(1...9)), audience("opted-out", [1, 2, 3]), audience("legal", [2, 9]),
            Audience(name: .init("some-out"), source: .audience(.init("opted-out"))),
        ])
        workspace.settings.suppress = [.init("opted-out"), .init("legal")]
        return workspace
    }()

    private static func audience(_ name: String, _ members: RecipientSet) -> Audience {
        Audience(name: .init(name), source: .inline(members.map { .fid(Int($0)) }))
    }

    private func keys(_ numbers: RecipientSet) -> Set<RecipientKey> {
        Set(numbers.map { Registration.fid(Int($0)).recipientKey })
    }

    @Test(
        arguments: [
            ("all", [4, 5, 6, 7, 8]), ("opted-out", [1, 3]), ("legal", [9]), ("some-out", []),
        ] as [(String, RecipientSet)])
    func `an audience as a target has nobody whom another audience suppresses`(
        _ name: String, _ reached: RecipientSet
    ) throws {
        var workspace = Self.workspace
        workspace.campaigns = [.tide(to: .audience(name))]
        let desired = try Resolved(workspace)
        #expect(desired.sends.map { desired.keys(of: $0.members) } == [keys(reached)])
        let recipients = ListedRecipients(try RecipientIndex.of(workspace))
        let tested = try Resolver.members(ofAudience: name, in: workspace, recipients)
        #expect(desired.keys(of: tested) == keys(reached))
    }

    @Test func `topics and groups take nobody out of a suppressed audience, however it is named`() throws {
        let group = try #require(GroupName(rawValue: "g"))
        for name in ["opted-out", "legal", "some-out"] {
            var workspace = Self.workspace
            workspace.topics = [Topic(name: .init("t"), subscribers: [.init(name)])]
            workspace.groups = [Group(name: .init(group), members: .audience(.init(name)))]
            var each = Campaign.tide(to: .group(group))
            each.delivery.members = .each
            workspace.campaigns = [each]
            let desired = try Resolved(workspace)
            #expect(desired.topics.map(\.members) == [[]] && desired.groups.map(\.members) == [[]])
            #expect(desired.sends.map(\.members) == [[]])
        }
    }

    /// Without that topic, the condition would reach them.
    @Test(
        arguments: [
            ("'tide' in topics && !('out' in topics)", [1, 2, 3]), ("'tide' in topics", []),
            ("!('tide' in topics)", []),
            ("(!('out' in topics) || 'out' in topics) && 'tide' in topics", []),
        ] as [(String, RecipientSet)])
    func `who is suppressed stays in a topic that only takes people out of conditions`(
        _ condition: String, _ members: RecipientSet
    ) throws {
        var workspace = Self.workspace
        workspace.topics = [Topic(name: .init("out"), subscribers: [.init("opted-out")])]
        workspace.campaigns = [.tide(to: .condition(try Condition(parsing: condition)))]
        let desired = try Resolved(workspace)
        #expect(desired.topics.map { desired.keys(of: $0.members) } == [keys(members)])
    }

    @Test func `a topic knows whom its audiences list and who is left out`() throws {
        var workspace = Self.workspace
        workspace.audiences.append(Self.audience("guests", [4, 11]))
        workspace.topics = [Topic(name: .init("t"), subscribers: [.init("all")])]
        workspace.topics[0].exclude = [.init("guests")]
        let desired = try Resolved(workspace)
        #expect(desired.topics.map { desired.keys(of: $0.members) } == [keys([5, 6, 7, 8])])
        #expect(desired.topics.map { desired.keys(of: $0.leftOut) } == [keys([1, 2, 3, 4, 9])])
    }

    @Test func `the size of a suppressed audience is that of its list, so that its guard sees an emptied one`() throws {
        let desired = try Resolved(Self.workspace)
        #expect(desired.audienceSizes == ["all": 5, "opted-out": 3, "legal": 2, "some-out": 0])
    }

    @Test func `audiences that take people out are known, whatever they take them out of`() throws {
        var workspace = Self.workspace
        workspace.audiences += ["one", "other"].map { Self.audience($0, [1]) }
        workspace.audiences[0].exclude = [.init("one")]
        workspace.campaigns = [.tide(to: .audience("all"))]
        workspace.campaigns[0].exclude = [.init("other")]
        #expect(try Resolved(workspace).desired.leavingOut == ["opted-out", "legal", "one", "other"])
    }

    @Test func `exclude takes people out of a suppressed audience too`() throws {
        var workspace = Self.workspace
        workspace.audiences.append(Self.audience("few", [3]))
        var campaign = Campaign.tide(to: .audience("opted-out"))
        campaign.exclude = [.init("few")]
        workspace.campaigns = [campaign]
        let desired = try Resolved(workspace)
        // 3 is in 'few' only as far as 'suppress' is not asked.
        #expect(desired.sends.map { desired.keys(of: $0.members) } == [keys([1])])
    }

    @Test(
        arguments: [
            (.audience("all"), [4, 6, 7]), (.registrations((3...6).map { .fid($0) }), [4, 6]), (.audience("few"), []),
        ] as [(Campaign.Target, RecipientSet)])
    func `those who want nothing of a kind are left out of that kind only`(
        _ target: Campaign.Target, _ reached: RecipientSet
    ) throws {
        var workspace = Self.workspace
        workspace.audiences.append(Self.audience("few", [5, 8]))
        var (promo, news) = (Campaign.tide("promo", to: target), Campaign.tide("news", to: target))
        promo.suppressed = [.init("few")]
        workspace.campaigns = [promo]
        let desired = try Resolved(workspace)
        #expect(desired.sends.map { desired.keys(of: $0.members) } == [keys(reached)])
        // Their audience keeps its members, so that its guard sees an emptied one.
        #expect(desired.audienceSizes["few"] == 2)
        news.suppressed = []
        workspace.campaigns = [news]
        let others = try Resolved(workspace)
        let all: RecipientSet = if case .registrations = target { [4, 5, 6] } else { reached.union([5, 8]) }
        #expect(others.sends.map { others.keys(of: $0.members) } == [keys(all)])
    }

    @Test func `a group whose members get a request each goes without them, and keeps them`() throws {
        let group = try #require(GroupName(rawValue: "g"))
        var workspace = Self.workspace
        workspace.audiences.append(Self.audience("few", [5, 8]))
        workspace.groups = [Group(name: .init(group), members: .inline((4...6).map { .fid($0) }))]
        var each = Campaign.tide(to: .group(group))
        each.delivery.members = .each
        each.suppressed = [.init("few")]
        workspace.campaigns = [each]
        let desired = try Resolved(workspace)
        #expect(desired.sends.map { desired.keys(of: $0.members) } == [keys([4, 6])])
        #expect(desired.groups.map { desired.keys(of: $0.members) } == [keys([4, 5, 6])])
    }
}
