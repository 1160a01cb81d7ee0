import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct ResolverTests {
    @Test func `an audience has nobody whom it excludes`() {
        let desired = resolve([audience("all", [1, 2, 3], exclude: ["out"]), audience("out", [2])])
        #expect(desired.keys(of: "all") == [key(1), key(3)])
        #expect(desired.audienceSizes == ["all": 2, "out": 1])
    }

    @Test func `exclusion takes an audience as it is after its own exclusions`() {
        let desired = resolve([
            audience("a", [1, 2, 3, 4], exclude: ["b"]), audience("b", [2, 3], exclude: ["c"]), audience("c", [3]),
        ])
        #expect(desired.keys(of: "a") == [key(1), key(3), key(4)])
        #expect(desired.keys(of: "b") == [key(2)])
    }

    @Test func `exclusion goes by installation, not by registration`() {
        let desired = resolve([
            Audience(name: .init("all"), source: .inline([.token(1), .fid(2), .token(3)]), exclude: [.init("out")]),
            Audience(name: .init("out"), source: .inline([.fid(1), .token(2), .token(3, version: 9)])),
        ])
        #expect(desired.audienceSizes["all"] == 0)
    }

    @Test func `a topic is the union of its subscribers less those it excludes`() {
        var workspace = Workspace(audiences: [audience("a", [1, 2]), audience("b", [2, 3]), audience("c", [2])])
        workspace.topics = [
            Topic(name: .init("t"), subscribers: [.init("a"), .init("b")], exclude: [.init("c")], prune: false)
        ]
        let desired = Resolver.desired(of: workspace, known: [:], next: 1)
        #expect(desired.topics.map { desired.keys(of: $0.members) } == [[key(1), key(3)]])
        #expect(desired.topics.map(\.prune) == [false])
    }

    @Test func `one request reaches a topic, an audience's members are reached one by one`() {
        var workspace = Workspace(audiences: [audience("a", [1, 2])])
        workspace.campaigns = [.tide("one", to: .topic("t")), .tide("two", to: .audience("a"))]
        let desired = Resolver.desired(of: workspace, known: [:], next: 1)
        #expect(desired.sends.map(\.members) == [[0], [1, 2]])
    }

    @Test(
        arguments: [
            ([.fid(1), .fid(2)], 0), ([.fid(1), .fid(1)], 1), ([.token(1), .token(1, version: 2)], 1),
            ([.token(1), .fid(1), .token(1, version: 2), .fid(1)], 3), ([], 0),
        ] as [([Registration], Int)])
    func `counts what falls together in a list`(_ registrations: [Registration], _ collapsed: Int) {
        #expect(resolve([Audience(name: .init("a"), source: .inline(registrations))]).collapsed == collapsed)
    }

    @Test func `a token and the fid of one installation are one recipient, also in two lists`() {
        let desired = resolve([
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
            ([.fid(1), .token(1)], .fid(1)), ([.token(1), .fid(1)], .fid(1)),
        ] as [([Registration], Registration)])
    func `reaches an installation by its fid, else by the token listed last`(
        _ listed: [Registration], _ preferred: Registration
    ) {
        let desired = resolve([Audience(name: .init("a"), source: .inline(listed))])
        #expect(desired.registrations == [1: preferred])
        #expect(desired.unrecorded == [1: preferred])
    }

    @Test func `recipients that the record knows keep their numbers`() {
        let known = [
            key(7): KnownRecipient(id: 70, registration: .fid(7)),
            key(8): KnownRecipient(id: 80, registration: .fid(8)),
        ]
        let desired = resolve([audience("a", [7, 9, 8])], known: known, next: 100)
        #expect(Set(desired.registrations.keys) == [70, 80, 100])
        #expect(desired.unrecorded == [100: .fid(9)])
    }

    @Test func `a newer registration of a known recipient is unrecorded`() {
        let known = [
            key(1): KnownRecipient(id: 5, registration: .token(1)),
            key(2): KnownRecipient(id: 6, registration: .token(2)),
            key(3): KnownRecipient(id: 7, registration: .fid(3)),
        ]
        let desired = resolve(
            [Audience(name: .init("a"), source: .inline([.token(1, version: 1), .token(2), .fid(3), .fid(2)]))],
            known: known, next: 8)
        #expect(desired.unrecorded == [5: .token(1, version: 1), 6: .fid(2)])
        #expect(desired.registrations == [5: .token(1, version: 1), 6: .fid(2), 7: .fid(3)])
    }

    @Test func `a known recipient that no list names any more is left alone`() {
        let desired = resolve(
            [audience("a", [1])], known: [key(9): KnownRecipient(id: 4, registration: .fid(9))], next: 5)
        #expect(desired.registrations == [5: .fid(1)])
        #expect(desired.unrecorded == [5: .fid(1)])
    }

    @Test func `new numbers ascend from the record's next in the order of the lists`() {
        let audiences = [audience("a", [30, 10]), audience("b", [10, 20])]
        let desired = resolve(audiences, next: 1000)
        #expect(desired.unrecorded == [1000: .fid(30), 1001: .fid(10), 1002: .fid(20)])
        #expect(resolve(audiences, next: 1000).unrecorded == desired.unrecorded)
    }

    @Test func `asks the record for every key that a list names`() {
        let workspace = Workspace(audiences: [
            Audience(name: .init("a"), source: .inline([.token(1), .fid(2)])),
            Audience(
                name: .init("b"), source: .list(ListFile(path: .init("b.txt"), registrations: [.fid(1), .fid(3)]))),
        ])
        #expect(Resolver.keys(in: workspace) == [key(1), key(2), key(3)])
    }

    // MARK: -

    private func audience(_ name: String, _ numbers: [Int], exclude: [String] = []) -> Audience {
        Audience(
            name: .init(name), source: .inline(numbers.map { Registration.fid($0) }), exclude: exclude.map { .init($0) }
        )
    }

    private func key(_ number: Int) -> RecipientKey { Registration.fid(number).recipientKey }

    /// Each audience becomes a topic of its name, so that its members can be seen.
    private func resolve(
        _ audiences: [Audience], known: [RecipientKey: KnownRecipient] = [:], next: RecipientID = 1
    ) -> Desired {
        var workspace = Workspace(audiences: audiences)
        workspace.topics = audiences.compactMap { audience in
            TopicName(rawValue: audience.name.value).map { Topic(name: .init($0), subscribers: [audience.name]) }
        }
        return Resolver.desired(of: workspace, known: known, next: next)
    }
}

extension Workspace {
    init(audiences: [Audience]) {
        self.init(settings: Settings(project: "tide-app"), audiences: audiences, topics: [], campaigns: [], digest: "")
    }
}

extension Desired {
    func keys(of members: RecipientSet) -> Set<RecipientKey> {
        Set(members.compactMap { registrations[$0]?.recipientKey })
    }

    func keys(of topic: TopicName) -> Set<RecipientKey> {
        keys(of: topics.first { $0.name == topic }?.members ?? [])
    }
}
