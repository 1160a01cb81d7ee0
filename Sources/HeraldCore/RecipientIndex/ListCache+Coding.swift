internal import Crypto

/// The encoded form: what made it, what it is valid for, the sources one by one, and a SHA-256 over all of that.
extension ListCache {
    /// Must be raised when lists are read differently, or when any part of the cache is written differently.
    package static let format = 6

    private static let title = Array("herald lists".utf8)
    private static let digestSize = 32

    /// - Parameter maker: SHA-256 of what must be the same when it is read.
    package func encoded(by maker: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(Self.title)
        writer.put(maker)
        numbering.write(to: &writer)
        writer.put(order)
        writer.put(Int64(crossing))
        for set in [withOthers, dead] { set.write(to: &writer) }
        writer.put(UInt32(sources.count))
        for (key, source) in sources.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            writer.put(key)
            source.write(to: &writer)
        }
        writer.put(UInt32(zones.count))
        for (key, zones) in zones.sorted(by: { $0.key < $1.key }) {
            writer.put(text: key)
            writer.put(UInt32(zones.count))
            for (name, members) in zones.sorted(by: { $0.key < $1.key }) {
                writer.put(text: name)
                members.write(to: &writer)
            }
        }
        return writer.bytes + SHA256.hash(data: writer.bytes)
    }

    /// `nil` for bytes that are not exactly what `encoded(by:)` writes.
    package init?(_ bytes: [UInt8], by maker: [UInt8]) {
        let content = bytes.dropLast(Self.digestSize)
        guard bytes.count > Self.digestSize, bytes.suffix(Self.digestSize).elementsEqual(SHA256.hash(data: content))
        else { return nil }
        var reader = ByteReader(content)
        do {
            try reader.require(Self.title)
            try reader.require(maker)
            numbering = try Numbering(from: &reader)
            order = try reader.bytes(Self.digestSize)
            crossing = try reader.rows()
            withOthers = try RecipientSet(from: &reader, below: numbering.next)
            dead = try RecipientSet(from: &reader, below: numbering.next)
            sources = [:]
            for _ in 0..<(try reader.count(ofSize: Self.digestSize)) {
                let key = try reader.bytes(Self.digestSize)
                sources[key] = try Source(from: &reader, next: numbering.next)
            }
            for _ in 0..<(try reader.count(ofSize: 8)) {
                let key = try reader.text()
                zones[key] = [:]
                for _ in 0..<(try reader.count(ofSize: 8)) {
                    let name = try reader.text()
                    zones[key]?[name] = try RecipientSet(from: &reader, below: numbering.next)
                }
            }
        } catch { return nil }
        guard reader.isAtEnd else { return nil }
    }
}

extension ListCache.Source {
    private enum Form: UInt8 {
        case inline = 0
        case uncertainFile = 1
        case file = 2
    }

    fileprivate func write(to writer: inout ByteWriter) {
        let form: Form = reading.map { $0.identity == nil ? .uncertainFile : .file } ?? .inline
        writer.put(form.rawValue)
        if let reading { writer.put(reading.content) }
        if let identity = reading?.identity {
            writer.put(identity.device)
            writer.put(identity.inode)
            for number in [identity.size, identity.modified, identity.changed] { writer.put(number) }
        }
        writer.put(Int64(members.repeated))
        writer.put(UInt8(members.isPlain ? 1 : 0))
        writer.put(UInt32(members.members.count))
        for set in members.members { set.write(to: &writer) }
    }

    fileprivate init(from reader: inout ByteReader, next: RecipientID) throws {
        guard let form = Form(rawValue: try reader.number()) else { throw ByteReader.Damage() }
        if form != .inline {
            reading = ListReading(content: try reader.bytes(32), identity: nil)
            if form == .file {
                reading?.identity = FileIdentity(
                    device: try reader.number(), inode: try reader.number(), size: try reader.number(),
                    modified: try reader.number(), changed: try reader.number())
            }
        }
        let repeated = try reader.rows()
        let isPlain = try reader.number(UInt8.self) == 1
        var sets: [RecipientSet] = []
        for _ in 0..<(try reader.count(ofSize: 4)) { sets.append(try RecipientSet(from: &reader, below: next)) }
        members = SourceMembers(members: sets, repeated: repeated, isPlain: isPlain)
    }
}

extension RecipientSet {
    fileprivate func write(to writer: inout ByteWriter) {
        let chunks = encodedChunks
        writer.put(UInt32(chunks.count))
        for (key, bytes) in chunks {
            writer.put(key)
            writer.put(UInt32(bytes.count))
            writer.put(bytes)
        }
    }

    /// - Parameter next: one more than the highest number that may be in it.
    fileprivate init(from reader: inout ByteReader, below next: RecipientID) throws {
        self.init()
        for _ in 0..<(try reader.count(ofSize: 6)) {
            let key: UInt16 = try reader.number()
            let length = try reader.count(ofSize: 1)
            try reader.read(length) { try append(key, $0) }
        }
        guard !contains(0), last.map({ $0 < next }) ?? true else { throw ByteReader.Damage() }
    }
}

extension ByteWriter {
    fileprivate mutating func put(text: String) {
        put(UInt32(text.utf8.count))
        put(Array(text.utf8))
    }
}

extension ByteReader {
    fileprivate mutating func text() throws -> String {
        guard let text = String(validating: try bytes(try count(ofSize: 1)), as: UTF8.self) else { throw Damage() }
        return text
    }

    fileprivate mutating func rows() throws(Damage) -> Int {
        let number: Int64 = try number()
        guard (0..<1 << 40).contains(number) else { throw Damage() }
        return Int(number)
    }
}
