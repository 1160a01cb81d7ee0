import Crypto
import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct RecipientNumbersTests {
    private static let maker = [UInt8](repeating: 5, count: 32)
    private static let numbering = Numbering(
        lineage: "lineage", version: [UInt8](repeating: 9, count: Numbering.versionSize), next: 30_000)

    private static func noted(_ known: [(Registration, RecipientID)], key: UInt64 = 1) throws -> RecipientNumbers.Notes
    {
        var notes = RecipientNumbers.Notes(SipHash(key: (key, 2)), folder: NSTemporaryDirectory())
        for (registration, id) in known {
            let bytes = Array(registration.rawValue.utf8)
            notes.add(bytes, keyLength: registration.recipientKey.rawValue.utf8.count, id: id)
        }
        return notes
    }

    private static func numbers(_ known: [(Registration, RecipientID)]) throws -> RecipientNumbers {
        try #require(RecipientNumbers.merged(nil, and: noted(known)))
    }

    private static func find(_ registration: Registration, in numbers: RecipientNumbers) -> RecipientNumbers.Finding {
        find([registration], in: numbers)[0]
    }

    private static func find(
        _ registrations: [Registration], in numbers: RecipientNumbers
    ) -> [RecipientNumbers.Finding] {
        numbers.find(
            registrations.map { registration in
                Array(registration.rawValue.utf8).withUnsafeBytes {
                    RecipientNumbers.entry(
                        for: $0, keyLength: registration.recipientKey.rawValue.utf8.count, id: 0, numbers.hash)
                }
            })
    }

    @Test func `it tells the registration that the state has from others of the recipient`() throws {
        let numbers = try Self.numbers([(.fid(1), 1), (.token(2), 2), (.fid(3), 3)])
        #expect(Self.find(.fid(1), in: numbers) == .same(1))
        #expect(Self.find(.token(1), in: numbers) == .other(1))
        #expect(Self.find(.token(2), in: numbers) == .same(2))
        #expect(Self.find(.token(2, version: 1), in: numbers) == .other(2))
        #expect(Self.find(.fid(2), in: numbers) == .other(2))
        #expect(Self.find(.fid(4), in: numbers) == .nobody)
    }

    @Test func `it finds everybody among many, and a newer registration in the place of an older one`() throws {
        let many = (1...20_000).map { (Registration.fid($0), RecipientID($0)) }
        let numbers = try Self.numbers(many)
        #expect(Self.find(many.map(\.0), in: numbers) == many.map { .same($0.1) })
        let newer = try #require(
            try RecipientNumbers.merged(numbers, and: Self.noted([(.token(7), 7), (.fid(20_001), 20_001)])))
        #expect(Self.find(.fid(7), in: newer) == .other(7))
        #expect(Self.find(.token(7), in: newer) == .same(7))
        #expect(Self.find(.fid(20_001), in: newer) == .same(20_001))
        #expect(Self.find(.fid(8), in: newer) == .same(8))
    }

    @Test func `what is read is what was written, and nothing else is read`() throws {
        let known = (1...20).map { (Registration.fid($0), RecipientID($0)) }
        var bytes: [UInt8] = []
        try Self.numbers(known).write(by: Self.maker, for: Self.numbering) { bytes.append(contentsOf: $0) }
        let read = try #require(Self.read(bytes))
        for (registration, id) in known { #expect(Self.find(registration, in: read) == .same(id)) }

        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 1
            #expect(Self.read(damaged) == nil, "byte \(place)")
        }
        for length in bytes.indices { #expect(Self.read(Array(bytes[..<length])) == nil, "\(length) bytes") }
        #expect(Self.read(bytes + [0]) == nil)
        var other = Self.numbering
        other.version[3] = 0
        #expect(Self.read(bytes, for: other) == nil)
        #expect(Self.read(bytes, by: [UInt8](repeating: 6, count: 32)) == nil)
    }

    @Test func `two recipients whose keys have the same digest are told apart by their registrations`() {
        let numbers = RecipientNumbers(SipHash(key: (1, 2))) { body in
            for (whole, id) in [(30, 3), (20, 2), (10, 1)] as [(UInt64, RecipientID)] {
                body(.init(key: id == 3 ? RecipientNumbers.lastKey : 7 << 32 | 5, whole: whole, id: id))
            }
        }
        let wanted: [(UInt64, UInt64)] = [
            (7 << 32 | 5, 10), (7 << 32 | 5, 20), (7 << 32 | 5, 30), (7 << 32 | 6, 10), (8 << 32 | 5, 10),
        ]
        let found = numbers.find(wanted.map { .init(key: $0.0, whole: $0.1, id: 0) })
        #expect(found == [.same(1), .same(2), .unclear, .nobody, .nobody])
        let same: [UInt64] = [30, 31]
        let last = numbers.find(same.map { .init(key: RecipientNumbers.lastKey, whole: $0, id: 0) })
        #expect(last == [.same(3), .other(3)])
    }

    @Test(arguments: [RecipientNumbers.lastKey + 1, .max])
    func `a digest that is too long is damage, whatever the checksum says`(key: UInt64) throws {
        var bytes: [UInt8] = []
        try Self.numbers([(.fid(1), 1)]).write(by: Self.maker, for: Self.numbering) { bytes.append(contentsOf: $0) }
        var content = Array(bytes.dropLast(32))
        #expect(Self.read(content + Array(SHA256.hash(data: content))) != nil)
        let entry = content.endIndex - MemoryLayout<RecipientNumbers.Entry>.size
        withUnsafeBytes(of: key) { content.replaceSubrange(entry..<entry + 8, with: $0) }
        #expect(Self.read(content + Array(SHA256.hash(data: content))) == nil)
    }

    @Test func `a number that the state has not given is damage`() throws {
        var bytes: [UInt8] = []
        try Self.numbers([(.fid(1), 30_000)]).write(by: Self.maker, for: Self.numbering) {
            bytes.append(contentsOf: $0)
        }
        #expect(Self.read(bytes) == nil)
    }

    private static func read(
        _ bytes: [UInt8], by maker: [UInt8] = RecipientNumbersTests.maker,
        for numbering: Numbering = RecipientNumbersTests.numbering
    ) -> RecipientNumbers? {
        var rest = bytes[...]
        return RecipientNumbers(size: bytes.count, by: maker, for: numbering) { buffer in
            let part = rest.prefix(buffer.count)
            rest = rest.dropFirst(part.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }
}
