import HeraldTestSupport
import Testing

@testable import HeraldCore

struct ListCacheTests {
    private static let maker = [UInt8](repeating: 5, count: 32)
    private static let sample: ListCache = {
        let digest = { (byte: UInt8) in [UInt8](repeating: byte, count: 32) }
        let file = FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: -5)
        return ListCache(
            numbering: Numbering(
                lineage: "lineage", version: [UInt8](repeating: 9, count: Numbering.versionSize), next: 100_000),
            order: digest(1), crossing: 7, withOthers: [5, 99_999], dead: [1],
            sources: [
                digest(2): .init(
                    reading: ListReading(content: digest(3), identity: file),
                    members: SourceMembers(members: [[1, 5, 99_999], []], repeated: 2, isPlain: true)),
                digest(4): .init(
                    reading: ListReading(content: digest(5), identity: nil),
                    members: SourceMembers(members: [RecipientSet(1..<90_000)], repeated: 0, isPlain: false)),
                digest(6): .init(members: SourceMembers(members: [[3]], repeated: 0, isPlain: true)),
            ])
    }()

    @Test func `what is read is what was written`() throws {
        let cache = try #require(ListCache(Self.sample.encoded(by: Self.maker), by: Self.maker))
        #expect(cache.numbering == Self.sample.numbering)
        #expect(cache.order == Self.sample.order)
        #expect(cache.crossing == 7)
        #expect(Set(cache.sources.keys) == Set(Self.sample.sources.keys))
        for (key, source) in Self.sample.sources {
            #expect(cache.sources[key]?.reading == source.reading)
            #expect(cache.sources[key]?.members.members == source.members.members)
            #expect(cache.sources[key]?.members.repeated == source.members.repeated)
            #expect(cache.sources[key]?.members.isPlain == source.members.isPlain)
        }
    }

    @Test func `damage of any sort is as if there were none`() {
        let bytes = Self.sample.encoded(by: Self.maker)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0x10
            #expect(ListCache(damaged, by: Self.maker) == nil, "byte \(place)")
        }
        for length in bytes.indices {
            #expect(ListCache(Array(bytes[..<length]), by: Self.maker) == nil, "\(length) bytes")
        }
        #expect(ListCache(bytes + [0], by: Self.maker) == nil)
        #expect(ListCache(bytes, by: [UInt8](repeating: 6, count: 32)) == nil)
        #expect(ListCache([], by: Self.maker) == nil)
    }

    @Test func `a number that the state has not given is damage`() {
        var cache = Self.sample
        cache.numbering.next = 99_999
        #expect(ListCache(cache.encoded(by: Self.maker), by: Self.maker) == nil)
    }

    @Test(arguments: [
        (modified: 1, changed: 1, at: 3, isSettled: true), (modified: 1, changed: 2, at: 3, isSettled: false),
        (modified: 2, changed: 1, at: 3, isSettled: false), (modified: 9, changed: 1, at: 4, isSettled: false),
    ])
    func `a file that changed within two seconds proves nothing`(
        modified: Int64, changed: Int64, at: Int64, isSettled: Bool
    ) {
        let second: Int64 = 1_000_000_000
        let file = FileIdentity(
            device: 0, inode: 0, size: 0, modified: modified * second, changed: changed * second)
        #expect(file.isSettled(at: at * second + 1) == isSettled)
    }
}
