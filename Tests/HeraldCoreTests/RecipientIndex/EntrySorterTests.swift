import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Compares sorting in memory and on disk with an array's sorting.
struct EntrySorterTests {
    /// An entry, with its bytes in a value.
    private struct Entry: Hashable {
        var registration: [UInt8]
        var keyLength: Int
        var mark: UInt32
        var row: UInt32

        static func inOrder(_ one: Entry, _ other: Entry) -> Bool {
            let (key, otherKey) = (one.registration[..<one.keyLength], other.registration[..<other.keyLength])
            if !key.elementsEqual(otherKey) { return key.lexicographicallyPrecedes(otherKey) }
            return one.registration[one.keyLength...].lexicographicallyPrecedes(
                other.registration[other.keyLength...])
        }
    }

    /// Only a few keys, so that many entries share one. Some are a prefix of others, all lengths occur, and what tells
    /// keys apart is at their start, at their end or behind the bytes of a fid.
    private func entries(_ count: Int, _ random: inout SeededRandom) -> [Entry] {
        let common = [UInt8](repeating: 96, count: [0, 1, 7, 14, 22, 30].randomElement(using: &random) ?? 0)
        return (0..<count).map { number in
            let length = Bool.random(using: &random) ? 22 : Int.random(in: 22...150, using: &random)
            let head = (0..<8).map { _ in UInt8.random(in: 97...99, using: &random) }
            let all = common + head + [UInt8](repeating: .random(in: 97...98, using: &random), count: 150)
            let registration = Array(all.prefix(length))
            return Entry(
                registration: registration, keyLength: .random(in: 22...length, using: &random),
                mark: .random(in: 0...3, using: &random), row: UInt32(number))
        }
    }

    private func sorted(_ entries: [Entry], budget: Int) throws -> SortedEntries {
        let sorter = EntrySorter(folder: NSTemporaryDirectory(), budget: budget)
        for entry in entries {
            try entry.registration.withUnsafeBytes {
                try sorter.append($0, keyLength: entry.keyLength, mark: entry.mark, row: entry.row)
            }
        }
        return try sorter.finish()
    }

    private func read(_ parts: [SortedEntries]) throws -> [Entry] {
        var merge = try EntryMerge(parts)
        var read: [Entry] = []
        while let head = merge.head {
            read.append(
                Entry(
                    registration: Array(head.key) + Array(head.rest), keyLength: head.keyLength, mark: head.mark,
                    row: head.row))
            try merge.pass()
        }
        return read
    }

    /// Budgets from one entry in each run to all entries in one run.
    @Test(arguments: 0..<40 as Range<UInt64>, [1, 6000, 40_000, 1 << 20])
    func `whatever the budget, everything comes back in order, each time`(seed: UInt64, budget: Int) throws {
        var random = SeededRandom(seed: seed)
        let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let entries = entries(.random(in: 0...400, using: &random), &random)
            // Lists are often in order already.
            return seed.isMultiple(of: 2) ? entries : entries.sorted(by: Entry.inOrder)
        }
        let sorted = try parts.map { try self.sorted($0, budget: budget) }
        let all = parts.flatMap(\.self)
        for _ in 0..<2 {
            let read = try read(sorted)
            #expect(Set(read) == Set(all) && read.count == all.count, "seed \(seed)")
            #expect(zip(read, read.dropFirst()).allSatisfy { !Entry.inOrder($1, $0) }, "seed \(seed)")
        }
        #expect(sorted.map(\.count) == parts.map(\.count))
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `of equal entries the one added first comes first`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let read = try read([sorted(entries(2000, &random), budget: 1 << 20)])
        let equal = zip(read, read.dropFirst()).filter { !Entry.inOrder($0, $1) }
        #expect(equal.allSatisfy { $0.row < $1.row }, "seed \(seed)")
        #expect(!equal.isEmpty, "seed \(seed)")
    }

    @Test func `what fits into memory never touches the disk`() throws {
        var random = SeededRandom(seed: 1)
        let few = entries(300, &random)
        let isInMemory = { (run: SortedEntries.Run) in if case .memory = run { true } else { false } }
        #expect(try sorted(few, budget: 1 << 20).runs.allSatisfy(isInMemory))
        #expect(try !sorted(few, budget: 10_000).runs.contains(where: isInMemory))
    }

    @Test func `no room on the disk is an error that names the folder`() throws {
        let sorter = EntrySorter(folder: "/nowhere", budget: 1)
        let registration = Array(Registration.token(1).rawValue.utf8)
        #expect {
            for row in 0..<1000 as Range<UInt32> {
                try registration.withUnsafeBytes { try sorter.append($0, keyLength: 22, mark: 0, row: row) }
            }
        } throws: {
            if case RecipientIndexError.noRoom("/nowhere", _) = $0 { true } else { false }
        }
    }

    @Test func `lists that cannot be sorted are told of when all of them have been read`() {
        var workspace = Workspace(audiences: [])
        workspace.campaigns = [.tide(to: .registrations((0..<100).map { Registration.token($0) }))]
        var builder = RecipientIndexBuilder(workspace, temporaryFolder: "/nowhere", budget: 1)
        #expect {
            try builder.finish()
        } throws: {
            if case RecipientIndexError.noRoom("/nowhere", _) = $0 { true } else { false }
        }
    }

    @Test func `the file has no name`() throws {
        let folder = try TemporaryFolder()
        let file = try SpillFile(in: folder.path)
        try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try file.write($0, at: 0) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
