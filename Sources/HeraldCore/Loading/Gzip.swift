internal import CZlib

/// Unpacks gzip (RFC 1952), within limits that keep hostile files harmless. A file may have several members, one behind
/// the other, as `cat a.gz b.gz` makes it.
enum Gzip {
    /// How many times its own size a file may unpack to, once that is more than `unratedSize`.
    static let maximumRatio = 200
    static let unratedSize = 1 << 20

    enum Problem: Error, Hashable {
        case foreign, damaged, truncated, tooLarge, tooDense, memory

        /// What the file is or does, for a sentence.
        var words: String {
            switch self {
            case .foreign: "holds something that gzip did not write"
            case .damaged: "is damaged: what it unpacks to is not what was packed"
            case .truncated: "ends in the middle of what was packed"
            case .tooLarge: "unpacks to more than \(SourceText.maximumSize >> 20) MiB"
            case .tooDense: "unpacks to more than \(maximumRatio) times its size"
            case .memory: "cannot be unpacked: memory is short"
            }
        }
    }

    static func unpacked(_ packed: [UInt8]) throws(Problem) -> [UInt8] {
        // zlib keeps the address of its stream.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let gzipOnly = MAX_WBITS + 16
        guard inflateInit2_(stream, gzipOnly, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .memory
        }
        defer { inflateEnd(stream) }
        return try packed.withUnsafeBufferPointer { (packed) throws(Problem) in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
            stream.pointee.avail_in = UInt32(packed.count)
            return try inflateAll(stream, packed.count)
        }
    }

    private static func inflateAll(_ stream: UnsafeMutablePointer<z_stream>, _ size: Int) throws(Problem) -> [UInt8] {
        var unpacked: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let (status, count) = buffer.withUnsafeMutableBufferPointer { buffer in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                return (inflate(stream, Z_NO_FLUSH), buffer.count - Int(stream.pointee.avail_out))
            }
            unpacked += buffer[..<count]
            let read = size - Int(stream.pointee.avail_in)
            if unpacked.count > SourceText.maximumSize { throw .tooLarge }
            if unpacked.count > unratedSize, unpacked.count > read * maximumRatio { throw .tooDense }
            switch status {
            case Z_STREAM_END:
                if stream.pointee.avail_in == 0 { return unpacked }
                // What follows must be another member: anything else is refused as its header.
                inflateReset(stream)
            case Z_OK: break
            // No step forward is possible: the input is at its end.
            case Z_BUF_ERROR: throw .truncated
            case Z_MEM_ERROR: throw .memory
            default: throw stream.pointee.total_out == 0 ? .foreign : .damaged
            }
        }
    }
}
