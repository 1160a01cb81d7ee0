import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must keep of occurrences that open in stages.
struct StageContractTests {
    private static var stages: [RecordedStage] {
        var first = RecordedStage(share: .seeds, opened: .at(1.25), planned: 3)
        (first.settled, first.accepted) = (.at(2.5), .at(3))
        first.figures = StageFigures(accepted: 1, rejected: 2, dead: 3, unknown: 4)
        first.excused = StageFigures(accepted: 1, rejected: 1, dead: 2, unknown: 3)
        var second = RecordedStage(
            share: StageShare(millionths: 12_345), opened: .at(901), planned: 70_000,
            before: StageFigures(accepted: 5, rejected: 6, dead: 7, unknown: 8), draw: "tide#1")
        (second.settled, second.goesOn) = (.at(902), true)
        return [first, second]
    }

    private func open(_ kind: StoreKind) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .stages(.tide, Self.stages))
        return open
    }

    private func expect(
        _ stages: [RecordedStage], in open: OpenStore, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await open.store.snapshot().occurrences[.tide]?.stages == stages, sourceLocation: location)
        #expect(try await open.store.occurrence(.tide)?.stages == stages, sourceLocation: location)
        #expect(try await open.other().snapshot().occurrences[.tide]?.stages == stages, sourceLocation: location)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps all of a stage, and replaces all of them`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await expect(Self.stages, in: open)
        try await open.commit(.stages(.tide, [Self.stages[1]]))
        try await expect([Self.stages[1]], in: open)
        try await open.commit(.stages(.tide, []))
        try await expect([], in: open)
        try await open.store.check()
    }

    @Test(arguments: StoreKind.allCases)
    func `they stay through a finish, a rename, a prune and an amendment`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(
            .amend(.tide, contentDigest: "sha256:2", target: "audience:all", due: .at(5)), .halt(.tide, .stage))
        #expect(try await open.other().snapshot().occurrences[.tide]?.halt == .stage)
        try await open.commit(.finish(.tide, at: .at(9)), .rename(campaign: "tide", to: "ebb"), .prune([.tide]))
        try await expect(Self.stages, in: open)
    }

    @Test(arguments: StoreKind.allCases)
    func `an occurrence that is opened again has none`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.open(.tide, .sample()))
        try await expect([], in: open)
    }
}
