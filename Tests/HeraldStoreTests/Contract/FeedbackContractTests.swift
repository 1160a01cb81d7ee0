import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store keeps of deaths that others are told of.
struct FeedbackContractTests {
    private static let died = Date(timeIntervalSince1970: 1_764_576_000)

    /// A state with the fids 1 to 5, of whom some are dead.
    private func state(_ kind: StoreKind, dead: RecipientSet) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        let people = Dictionary(uniqueKeysWithValues: (1...5).map { (RecipientID($0), Registration.fid($0)) })
        try await open.commit(.register(people), .forget(dead, at: Self.died))
        return open
    }

    private func notices(_ open: OpenStore, after last: DeathNotice? = nil, limit: Int = 100) async throws -> [String] {
        let notices = try await open.other().deathNotices(after: last, limit: limit)
        #expect(notices.allSatisfy { $0.died == Self.died })
        return notices.map { notice in
            let fid = (1...5).first { Registration.fid($0) == notice.registration }
            return "\(notice.run)/\(notice.number): \(fid ?? 0)"
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `numbers are fixed once, and what was told is not told again`(_ kind: StoreKind) async throws {
        let open = try await state(kind, dead: [1, 2, 3])
        #expect(try await notices(open) == [])
        try await open.commit(.numberDeaths(run: "a"))
        #expect(try await notices(open) == ["a/1: 1", "a/2: 2", "a/3: 3"])
        #expect(try await notices(open, limit: 2) == ["a/1: 1", "a/2: 2"])
        try await open.commit(.toldDeaths(run: "a", 1...2), .numberDeaths(run: "b"))
        #expect(try await notices(open) == ["a/3: 3"])
        try await open.commit(.forget([4], at: Self.died), .numberDeaths(run: "b"))
        #expect(try await notices(open) == ["a/3: 3", "b/1: 4"])
        try await open.commit(.toldDeaths(run: "a", 3...3), .toldDeaths(run: "b", 1...1))
        try await open.commit(.numberDeaths(run: "c"))
        #expect(try await notices(open) == [])
    }

    /// So whoever reads all deaths, in parts, need not keep those who are left.
    @Test(arguments: StoreKind.allCases)
    func `a death says under which number somebody is still to be told of it`(_ kind: StoreKind) async throws {
        let open = try await state(kind, dead: [1, 2, 3])
        try await open.commit(.numberDeaths(run: "a"), .toldDeaths(run: "a", 2...2), .forget([4], at: Self.died))
        let deaths = try await open.other().tombstones(after: nil, limit: 9)
        #expect(deaths.map(\.recipient) == [1, 2, 3, 4])
        #expect(deaths.map { $0.notice?.number } == [1, nil, 3, nil])
        #expect(deaths.map { $0.notice?.run } == ["a", nil, "a", nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `a run that numbers twice goes on with its numbers`(_ kind: StoreKind) async throws {
        let open = try await state(kind, dead: [1])
        try await open.commit(.numberDeaths(run: "a"), .forget([2], at: Self.died), .numberDeaths(run: "a"))
        #expect(try await notices(open) == ["a/1: 1", "a/2: 2"])
    }

    @Test(arguments: StoreKind.allCases)
    func `whoever lives again is not told of, and is told of when they die again`(_ kind: StoreKind) async throws {
        let open = try await state(kind, dead: [1, 2])
        try await open.commit(.numberDeaths(run: "a"), .register([1: .fid(1)]), .erase([2]))
        #expect(try await notices(open) == [])
        try await open.commit(.forget([1], at: Self.died), .numberDeaths(run: "b"))
        #expect(try await notices(open) == ["b/1: 1"])
        try await open.commit(.toldDeaths(run: "b", 1...1), .register([1: .fid(1)]))
        try await open.commit(.forget([1], at: Self.died), .numberDeaths(run: "c"))
        #expect(try await notices(open) == ["c/1: 1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `telling makes no plan stale`(_ kind: StoreKind) async throws {
        let open = try await state(kind, dead: [1])
        let serial = try await open.reopened().serial
        try await open.commit(.numberDeaths(run: "a"), .toldDeaths(run: "a", 1...1))
        #expect(try await open.reopened().serial == serial)
    }
}
