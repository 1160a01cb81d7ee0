import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct ResolverTests {
    @Test func `an audience has nobody whom it excludes`() throws {
        let desired = try resolve([audience("all", [1, 2, 3], exclude: ["out"]), audience("out", [2])])
        #expect(desired.keys(of: "all") == [key(1), key(3)])
        #expect(desired.audienceSizes == ["all": 2, "out": 1])
    }

    @Test func `exclusion takes an audience as it is after its own exclusions`() throws {
        let desired = try resolve([
            audience("a", [1, 2, 3, 4], exclude: ["b"]), audience("b", [2, 3], exclude: ["c"]), audience("c", [3]),
        ])
        #expect(desired.keys(of: "a") == [key(1), key(3), key(4)])
        #expect(desired.keys(of: "b") == [key(2)])
    }

    @Test func `exclusion goes by installation, not by registration`() throws {
        let desired = try resolve([
            Audience(name: .init("all"), source: .inline([.token(1), .fid(2), .token(3)]), exclude: [.init("out")]),
            Audience(name: .init("out"), source: .inline([.fid(1), .token(2), .token(3, version: 9)])),
        ])
        #expect(desired.audienceSizes["all"] == 0)
    }

    @Test func `a topic is the union of its subscribers less those it excludes`() throws {
        var workspace = Workspace(audiences: [audience("a", [1, 2]), audience("b", [2, 3]), audience("c", [2])])
        workspace.topics = [
            Topic(name: .init("t"), subscribers: [.init("a"), .init("b")], exclude: [.init("c")], prune: false)
        ]
        let desired = try Resolved(workspace)
        #expect(desired.topics.map { desired.keys(of: $0.members) } == [[key(1), key(3)]])
        #expect(desired.topics.map(\.prune) == [false])
    }

    @Test func `nobody knows who is in what uses a list that was not fetched`() throws {
        var workspace = Workspace(audiences: [
            audience("guests", []), audience("members", [1, 2], exclude: ["guests"]), audience("others", [3]),
        ])
        workspace.topics = [
            Topic(name: .init("t"), subscribers: [.init("members")]),
            Topic(name: .init("u"), subscribers: [.init("others")]),
        ]
        workspace.campaigns = [.tide("one", to: .audience("members")), .tide("two", to: .topic("u"))]
        #expect(try Resolved(workspace).sends.allSatisfy(\.undecided.isEmpty))
        workspace.unfetched = ["guests"]
        let desired = try Resolved(workspace)
        #expect(desired.topics.map(\.undecided) == [["members"], []])
        #expect(desired.sends.map(\.undecided) == [["members"], []])
        #expect(workspace.audiencesJudged(for: []) == ["others"])
        workspace.settings.suppress = [.init("members")]
        #expect(try Resolved(workspace).sends.map(\.undecided) == [["members"], ["members"]])
        #expect(workspace.audiencesJudged(for: []) == [])
    }

    @Test func `one request reaches a topic, an audience's members are reached one by one`() throws {
        var workspace = Workspace(audiences: [audience("a", [1, 2])])
        workspace.campaigns = [.tide("one", to: .topic("t")), .tide("two", to: .audience("a"))]
        let desired = try Resolved(workspace)
        #expect(desired.sends.map(\.members) == [[0], [1, 2]])
    }

    @Test(
        arguments: [
            ([.fid(1), .fid(2)], 0), ([.fid(1), .fid(1)], 1), ([.token(1), .token(1, version: 2)], 1),
            ([.token(1), .fid(1), .token(1, version: 2), .fid(1)], 3), ([], 0),
        ] as [([Registration], Int)])
    func `counts what falls together in a list`(_ registrations: [Registration], _ collapsed: Int) throws {
        #expect(try resolve([Audience(name: .init("a"), source: .inline(registrations))]).collapsed == collapsed)
    }

    @Test func `a token and the fid of one installation are one recipient, also in two lists`() throws {
        let desired = try resolve([
            Audience(name: .init("a"), source: .inline([.token(1)])),
            Audience(name: .init("b"), source: .inline([.fid(1)])),
        ])
        #expect(desired.registrations.count == 1)
        #expect(desired.collapsed == 1)
        #expect(desired.registrations.values.first == .fid(1))
    }

    @Test(
        arguments: [
            ([.token(1, version: 1), .token(1, version: 2)], .token(1, version: 2)),
            ([.token(1, version: 2), .token(1, version: 1)], .token(1, version: 1)),
            ([.fid(1), .token(1)], .token(1)), ([.token(1), .fid(1)], .fid(1)),
        ] as [([Registration], Registration)])
    func `reaches an installation by the registration listed last, whatever its kind`(
        _ listed: [Registration], _ preferred: Registration
    ) throws {
        let desired = try resolve([Audience(name: .init("a"), source: .inline(listed))])
        #expect(desired.registrations == [1: preferred])
        #expect(desired.unrecorded == [1: preferred])
    }

    @Test func `recipients that the state knows keep their numbers`() throws {
        let known = [
            KnownRecipient(id: 70, registration: .fid(7)), KnownRecipient(id: 80, registration: .fid(8)),
        ]
        let desired = try resolve([audience("a", [7, 9, 8])], known: known, next: 100)
        #expect(Set(desired.registrations.keys) == [70, 80, 100])
        #expect(desired.unrecorded == [100: .fid(9)])
    }

    @Test func `a newer registration of a known recipient is unrecorded`() throws {
        let known = [
            KnownRecipient(id: 5, registration: .token(1)),
            KnownRecipient(id: 6, registration: .token(2)),
            KnownRecipient(id: 7, registration: .fid(3)),
        ]
        let desired = try resolve(
            [Audience(name: .init("a"), source: .inline([.token(1, version: 1), .token(2), .fid(3), .fid(2)]))],
            known: known, next: 8)
        #expect(desired.unrecorded == [5: .token(1, version: 1), 6: .fid(2)])
        #expect(desired.registrations == [5: .token(1, version: 1), 6: .fid(2), 7: .fid(3)])
    }

    @Test func `a known recipient that no list names any more is left alone`() throws {
        let desired = try resolve(
            [audience("a", [1])], known: [KnownRecipient(id: 4, registration: .fid(9))], next: 5)
        #expect(desired.registrations == [5: .fid(1)])
        #expect(desired.unrecorded == [5: .fid(1)])
    }

    @Test func `new numbers ascend from the state's next in the order of recipient keys`() throws {
        let audiences = [audience("a", [30, 10]), audience("b", [10, 20])]
        let desired = try resolve(audiences, next: 1000)
        #expect(desired.unrecorded == [1000: .fid(10), 1001: .fid(20), 1002: .fid(30)])
        #expect(try resolve(audiences.reversed(), next: 1000).unrecorded == desired.unrecorded)
    }

    // MARK: Made of other audiences

    @Test func `an audience from another has its members, less those whom either leaves out`() throws {
        let desired = try resolve([
            audience("all", [1, 2, 3, 4], exclude: ["out"]), audience("out", [2]), audience("gone", [3]),
            from("all", "some", exclude: ["gone"]),
        ])
        #expect(desired.keys(of: "some") == [key(1), key(4)])
        #expect(desired.audienceSizes == ["all": 3, "out": 1, "gone": 1, "some": 2])
    }

    @Test(
        arguments: [
            (["it"], [], [1, 3, 4]), (["it", "en"], [], [1, 2, 3, 4]), ([], [], []), ([""], [], [5]), (["fr"], [], []),
            (["it"], ["ostia"], [1]), (["en"], ["ostia"], [2, 4]), (["it", "en"], ["lido"], [3, 4]),
        ] as [([String], [String], [Int])])
    func `a row passes that has one of the values in every column`(
        _ locales: [String], _ spots: [String], _ expected: [Int]
    ) throws {
        let filters = [Self.filter("locale", locales)] + (spots.isEmpty ? [] : [Self.filter("spot", spots)])
        let direct = Audience(name: .init("a"), source: .list(.init("l.csv")), filters: filters)
        #expect(try resolve([direct], [Self.anglers]).keys(of: "a") == Set(expected.map(key)))
        let desired = try resolve(
            [Audience(name: .init("z"), source: .list(.init("l.csv"))), from("z", "a", filters)], [Self.anglers])
        #expect(desired.keys(of: "a") == Set(expected.map(key)))
        #expect(desired.audienceSizes["z"] == 5)
    }

    @Test func `one row must pass every filter of the chain`() throws {
        // Angler 4 has two rows: locale it at the lido, and locale en at ostia.
        let desired = try resolve(
            [
                Audience(name: .init("it"), source: .list(.init("l.csv")), filters: [Self.filter("locale", ["it"])]),
                from("it", "it-ostia", [Self.filter("spot", ["ostia"])]), from("it-ostia", "again"),
            ], [Self.anglers])
        #expect(desired.keys(of: "it-ostia") == [key(1)])
        #expect(desired.keys(of: "again") == [key(1)])
    }

    @Test func `a row that no audience lets through is not reached and gets no number`() throws {
        let list = SampleList(
            path: "l.csv", columns: ["n"],
            rows: [(.token(1), ["x"]), (.token(1, version: 2), ["y"]), (.fid(2), ["y"]), (.fid(2), ["y"])])
        let desired = try resolve(
            [Audience(name: .init("a"), source: .list(.init("l.csv")), filters: [Self.filter("n", ["x"])])], [list])
        #expect(desired.registrations == [1: .token(1)])
        #expect(desired.collapsed == 0)
    }

    @Test func `a chain may be as long as there are audiences`() throws {
        let count = 3000
        let chain = (1..<count).map { from("a\($0 - 1)", "a\($0)") }
        let exclusions = (1..<count).map { audience("e\($0)", [1, 2], exclude: ["e\($0 - 1)"]) }
        let desired = try resolve([audience("a0", [1, 2])] + chain + [audience("e0", [1])] + exclusions)
        #expect(desired.audienceSizes["a\(count - 1)"] == 2)
        #expect(desired.audienceSizes["e\(count - 1)"] == 1)
    }

    // MARK: Suppressed

    @Test func `nobody suppressed is in an audience, a topic, a group or a list, and all of them are still suppressed`()
        throws
    {
        let (g, h) = (try #require(GroupName(rawValue: "g")), try #require(GroupName(rawValue: "h")))
        var workspace = Workspace(audiences: [
            audience("all", [1, 2, 3]), audience("out", [2]), audience("more", [3], exclude: ["out"]),
        ])
        workspace.settings.suppress = [.init("out"), .init("more")]
        workspace.topics = [Topic(name: .init("t"), subscribers: [.init("all"), .init("out")])]
        workspace.groups = [
            Group(name: .init(g), members: .audience(.init("all"))),
            Group(name: .init(h), members: .inline([.token(2), .token(9)])),
        ]
        workspace.campaigns = [
            .tide("one", to: .audience("all")), .tide("two", to: .registrations([.fid(1), .fid(2)])),
        ]
        let desired = try Resolved(workspace)
        #expect(desired.audienceSizes == ["all": 1, "out": 1, "more": 1])
        #expect(desired.keys(of: "t") == [key(1)])
        #expect(desired.groups.map { desired.keys(of: $0.members) } == [[key(1)], [key(9)]])
        #expect(desired.sends.map { desired.keys(of: $0.members) } == [[key(1)], [key(1)]])
    }

    @Test func `those to suppress may come from the audience that they are taken out of`() throws {
        var workspace = Workspace(audiences: [
            Audience(name: .init("all"), source: .list(.init("l.csv"))),
            from("all", "out", [Self.filter("locale", ["en"])]),
        ])
        workspace.settings.suppress = [.init("out")]
        let desired = try Resolved(workspace, [Self.anglers])
        #expect(desired.audienceSizes == ["all": 3, "out": 2])
    }

    // MARK: Groups and lists in campaigns

    @Test func `a campaign leaves out whom it excludes`() throws {
        var workspace = Workspace(audiences: [audience("a", [1, 2, 3]), audience("b", [2])])
        var (one, two) = (
            Campaign.tide("one", to: .audience("a")), Campaign.tide("two", to: .registrations([.fid(2), .fid(3)]))
        )
        one.exclude = [.init("b")]
        two.exclude = [.init("b")]
        workspace.campaigns = [one, two]
        let desired = try Resolved(workspace)
        #expect(desired.sends.map { desired.keys(of: $0.members) } == [[key(1), key(3)], [key(3)]])
    }

    @Test func `a group is reached at once, or member by member`() throws {
        let g = try #require(GroupName(rawValue: "g"))
        var workspace = Workspace(audiences: [audience("a", [4, 5])])
        workspace.groups = [Group(name: .init(g), members: .audience(.init("a")))]
        var each = Campaign.tide("each", to: .group(g))
        each.delivery.members = .each
        workspace.campaigns = [.tide("key", to: .group(g)), each]
        let desired = try Resolved(workspace, next: 7)
        #expect(desired.sends.map(\.members) == [[0], [7, 8]])
        #expect(desired.groups.map(\.name) == [g])
    }

    @Test func `a condition is one request`() throws {
        var workspace = Workspace(audiences: [])
        workspace.campaigns = [.tide("c", to: .condition(try Condition(parsing: "'a' in topics")))]
        #expect(try Resolved(workspace).sends.map(\.members) == [[0]])
    }

    @Test func `registrations in campaigns and groups are numbered like those of lists`() throws {
        let g = try #require(GroupName(rawValue: "g"))
        var workspace = Workspace(audiences: [audience("a", [1])])
        workspace.groups = [Group(name: .init(g), members: .inline([.token(1), .token(2)]))]
        workspace.campaigns = [.tide("c", to: .registrations([.token(2, version: 1), .fid(3), .fid(3)]))]
        let known = [KnownRecipient(id: 50, registration: .token(2))]
        let desired = try Resolved(workspace, known: known, next: 60)
        // The group comes after the audience, and the campaign after both.
        #expect(desired.registrations == [60: .token(1), 50: .token(2, version: 1), 61: .fid(3)])
        #expect(desired.unrecorded == [60: .token(1), 50: .token(2, version: 1), 61: .fid(3)])
        #expect(desired.collapsed == 3)
    }

    @Test func `topics and audiences keep the names they had`() throws {
        var workspace = Workspace(audiences: [])
        workspace.topics = [Topic(name: .init("t"), subscribers: [], previousNames: [.init("s"), .init("r")])]
        workspace.audiences = [
            Audience(name: .init("a"), source: .inline([]), previousNames: [.init("c"), .init("b")])
        ]
        let desired = try Resolved(workspace).desired
        #expect(desired.topics.map(\.previousNames) == [["s", "r"]])
        #expect(desired.audiencePreviousNames == ["a": ["c", "b"]])
    }

    // MARK: -

    private static let anglers = SampleList(
        path: "l.csv", columns: ["locale", "spot"],
        rows: [
            (.fid(1), ["it", "ostia"]), (.fid(2), ["en", "ostia"]), (.fid(3), ["it", "lido"]),
            (.fid(4), ["it", "lido"]), (.fid(4), ["en", "ostia"]), (.fid(5), ["", "lido"]),
        ])

    private static func filter(_ column: String, _ values: [String]) -> Audience.Filter {
        Audience.Filter(column: .init(column), values: Set(values))
    }

    private func from(
        _ source: String, _ name: String, _ filters: [Audience.Filter] = [], exclude: [String] = []
    ) -> Audience {
        Audience(
            name: .init(name), source: .audience(.init(source)), filters: filters,
            exclude: exclude.map { .init($0) })
    }

    private func audience(_ name: String, _ numbers: [Int], exclude: [String] = []) -> Audience {
        Audience(
            name: .init(name), source: .inline(numbers.map { Registration.fid($0) }), exclude: exclude.map { .init($0) }
        )
    }

    private func key(_ number: Int) -> RecipientKey { Registration.fid(number).recipientKey }

    /// Turns each audience into a topic with the same name, so that the test can see its members.
    private func resolve(
        _ audiences: [Audience], _ lists: [SampleList] = [], known: [KnownRecipient] = [], next: RecipientID = 1
    ) throws -> Resolved {
        var workspace = Workspace(audiences: audiences)
        workspace.topics = audiences.compactMap { audience in
            TopicName(rawValue: audience.name.value).map { Topic(name: .init($0), subscribers: [audience.name]) }
        }
        return try Resolved(workspace, lists, known: known, next: next)
    }
}

extension Workspace {
    init(audiences: [Audience]) {
        self.init(settings: Settings(project: "tide-app"), audiences: audiences, topics: [], campaigns: [])
    }
}
