import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Lists that are written to the state through the stores' own pages and commits.
struct RecordingListsTests {
    /// More than one page or one commit.
    private static let count = 60_000

    private func recipientIndex(_ registrations: [Registration]) throws -> (Workspace, RecipientIndex) {
        let place = SourceRange(file: "c.yaml")
        var workspace = Workspace(
            settings: Settings(project: "tide-app"), audiences: [], topics: [], campaigns: [])
        workspace.campaigns = [
            Campaign(
                name: Located("tide", at: place), target: Located(.registrations(registrations), at: place),
                message: Located([:], at: place))
        ]
        var builder = RecipientIndexBuilder(workspace, temporaryFolder: NSTemporaryDirectory())
        return (workspace, try builder.finish())
    }

    private func listed(_ recipientIndex: RecipientIndex, in open: OpenStore) async throws -> ListedRecipients {
        let next = try await open.store.snapshot().nextRecipient
        return try await ListedRecipients(recipientIndex, recordedIn: open.store, newFrom: next)
    }

    @Test(arguments: StoreKind.allCases)
    func `what is written down has the planned numbers, and is known from then on`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.register([5: .fid(Self.count), 7: .token(Self.count - 1), 9: .fid(99_999)]))
        let (workspace, recipientIndex) = try recipientIndex((1...Self.count).shuffled().map { Registration.fid($0) })
        let before = try await listed(recipientIndex, in: open)
        #expect(try Resolver.desired(of: workspace, before).unrecorded == Self.count - 1)
        try await before.record(in: open.store)

        // New recipients get numbers from 10 on, in the order of their keys. Number 7 has a fid now.
        var expected = Dictionary(
            uniqueKeysWithValues: (1...Self.count - 2).map { (RecipientID($0 + 9), Registration.fid($0)) })
        expected[5] = .fid(Self.count)
        expected[7] = .fid(Self.count - 1)
        let everybody = RecipientSet(expected.keys.sorted())
        #expect(try await open.store.registrations(of: everybody) == expected)

        let next = try await open.store.wholeState().nextRecipient
        #expect(next == RecipientID(Self.count - 2 + 10))
        let after = try await listed(recipientIndex, in: open)
        let desired = try Resolver.desired(of: workspace, after)
        #expect(desired.unrecorded == 0)
        #expect(desired.listed == everybody)
        #expect(try await open.store.wholeState().serial == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a plan whose numbers somebody else took is told so`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let (_, recipientIndex) = try recipientIndex((1...5).map { Registration.fid($0) })
        let planned = try await listed(recipientIndex, in: open)
        _ = try await open.other().intern([Arrival(.fid(3))], comparedUpTo: 0)
        await #expect(throws: StateError.numberedOtherwise) { try await planned.record(in: open.store) }
        // A new plan has the numbers that were given.
        let again = try await listed(recipientIndex, in: open)
        try await again.record(in: open.store)
        let given = try await open.store.registrations(of: [1, 2, 3, 4, 5])
        #expect(Set(given.values) == Set((1...5).map { Registration.fid($0) }))
        #expect(given[1] == .fid(3))
    }

    @Test(arguments: StoreKind.allCases)
    func `nobody new has the number of the newest one, who was erased`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.register([1: .fid(1), 2: .fid(2)]), .erase([2]))
        let (workspace, recipientIndex) = try recipientIndex([.fid(1), .fid(3)])
        let planned = try await listed(recipientIndex, in: open)
        #expect(try Resolver.desired(of: workspace, planned).listed == [1, 3])
        try await planned.record(in: open.store)
        #expect(try await open.store.registrations(of: [1, 2, 3]) == [1: .fid(1), 3: .fid(3)])
    }
}
